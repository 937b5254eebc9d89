"""`fairdeal words`: what a seat was asked, in words."""

import json
from pathlib import Path

import pytest

from fairdeal.words import PROFILES, TEXT_HASH
from referee.games.registry import GAMES
from tests.referee.verify.edited import Lines, data_of, edited
from tests.tournaments.conftest import Fairdeal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the record of a match of hearts."""
    path = tmp_path / "m-0001.1.jsonl.gz"
    path.write_bytes(data_of("hearts"))
    return path


def test_a_decision_is_printed_as_the_seat_was_asked_it(fairdeal: Fairdeal, path: Path) -> None:
    first = fairdeal("words", "--seat", 2, "--decision", 1, path)
    assert first.status == 0
    assert first.out.startswith("# Rules: American hearts\n")
    assert "Choose three cards of your hand to pass." in first.out
    later = fairdeal("words", "--seat", 2, "--decision", 9, path)
    assert later.out.split("# What you know")[0] == first.out.split("# What you know")[0]
    assert "Play a card of your hand." in later.out


def test_a_model_was_asked_as_the_note_of_its_answer_says(fairdeal: Fairdeal, path: Path) -> None:
    note = {"attempts": 1, "tokens_in": 9, "words": "0" * 16, "profile": "relabelled", "prompt": "ad78a45e"}

    def noted(lines: Lines) -> None:
        [answer, *_others] = [line for line in lines if line.get("kind") == "answer" and line["seat"] == 2]
        answer["note"] = json.dumps(note)

    path.write_bytes(edited(path.read_bytes(), noted))
    asked = fairdeal("words", "--seat", 2, "--decision", 1, path)
    assert "hearts" not in asked.out
    assert asked.err == (
        f"fairdeal words: the model was asked in the texts 0000000000000000; these are {TEXT_HASH}\n"
        "fairdeal words: before this text the model had a prompt of its own, with the hash ad78a45e\n"
    )
    assert "hearts" not in fairdeal("words", "--seat", 2, "--decision", 9, path).out  # by the same note
    full = fairdeal("words", "--seat", 2, "--decision", 1, "--profile", "full", path)
    assert full.out.startswith("# Rules: American hearts\n")
    assert fairdeal("words", "--seat", 1, "--decision", 1, path).err == ""


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_its_text(fairdeal: Fairdeal, tmp_path: Path, name: str, profile: str) -> None:
    (tmp_path / "m-0001.1.jsonl.gz").write_bytes(data_of(name))
    done = fairdeal(
        "words", "--seat", 1, "--decision", 3, "--profile", profile, tmp_path / "m-0001.1.jsonl.gz"
    )
    assert done.status == 0
    assert ("Legal values" in done.out or "to choose from" in done.out) == (profile != "plain")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--seat", 7, "--decision", 1], "there is no seat 7; the seats are 0 "),
        (["--seat", 0, "--decision", 999], "seat 0 had decisions 1 to 28, and no decision 999"),
        (
            ["--seat", 0, "--decision", 1, "--profile", "long"],
            "--profile must be full or plain or relabelled, not 'long'",
        ),
    ],
)
def test_what_there_is_not_is_told(
    fairdeal: Fairdeal, path: Path, arguments: list[str | int], why: str
) -> None:
    done = fairdeal("words", *arguments, path)
    assert (done.status, done.out) == (2, "")
    assert done.line.startswith("fairdeal words: ")
    assert why in done.line


def test_what_is_no_record_is_told(fairdeal: Fairdeal, tmp_path: Path) -> None:
    done = fairdeal("words", "--seat", 0, "--decision", 1, tmp_path / "gone.gz")
    assert (done.status, done.line) == (
        2,
        f"fairdeal words: {tmp_path / 'gone.gz'}: there is no such file; name a record (ID.N.jsonl.gz)",
    )
