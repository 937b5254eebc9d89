"""`fairdeal record ask`, as far as no bot is started: what it refuses, and what it starts."""

from pathlib import Path

import pytest

from tests.referee.verify.edited import data_of
from tests.tournaments.conftest import Fairdeal
from tournaments.check.ask import time_to_connect
from tournaments.cli.ask import command_of
from tournaments.cli.failure import Failure
from tournaments.hosting.command import PYTHON


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the record of a match of hearts."""
    path = tmp_path / "m-0001.1.jsonl.gz"
    path.write_bytes(data_of("hearts"))
    return path


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("gone.gz", "there is no such file; name a record (ID.N.jsonl.gz)"),
        ("", "is a folder; name one of the records in it (ID.N.jsonl.gz)"),
    ],
)
def test_what_is_no_record_cannot_be_asked_about(
    fairdeal: Fairdeal, tmp_path: Path, name: str, why: str
) -> None:
    done = fairdeal("record", "ask", "--seat", 0, tmp_path / name, "--", "true")
    assert (done.status, done.line) == (2, f"fairdeal record ask: {tmp_path / name}: {why}")


def test_what_does_not_verify_cannot_be_asked_about(fairdeal: Fairdeal, path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])
    done = fairdeal("record", "ask", "--seat", 0, path, "--", "true")
    assert done.status == 2
    assert "truncated" in done.line


def test_a_deal_that_was_not_played_is_refused_as_record_show_does(fairdeal: Fairdeal, path: Path) -> None:
    done = fairdeal("record", "ask", "--seat", 0, "--deal", 9, path, "--", "true")
    assert done.status == 2
    assert done.line == f"fairdeal record ask: {path}: there is no deal 9: the match has 2 deals"


def test_a_house_bot_is_named_as_in_compare() -> None:
    assert command_of(["greedy", "--blunder", "0.1"]) == (
        *(PYTHON, "-m", "fairdeal.bots"),
        *("greedy", "--blunder", "0.1"),
    )
    assert command_of(["./bot", "greedy"]) == ("./bot", "greedy")
    with pytest.raises(Failure, match=r"greedy: .*blunder 10"):
        command_of(["greedy", "--blunder", "10"])


def test_a_house_bot_that_is_misspelt_is_guessed(fairdeal: Fairdeal, path: Path) -> None:
    done = fairdeal("record", "ask", "--seat", 0, path, "--", "gredy")
    assert done.status == 2
    assert "record ask: did you mean greedy? the command 'gredy' is not on the PATH" in done.err


@pytest.mark.parametrize(("seconds", "limit"), [(None, 60.0), (1, 10.0), (20, 20.0), (100, 60.0)])
def test_the_time_for_an_answer_bounds_that_to_connect(seconds: float | None, limit: float) -> None:
    assert time_to_connect(seconds) == limit
