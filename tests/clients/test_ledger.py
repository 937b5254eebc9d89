"""What a bot keeps of its matches, and how it finds that the referee broke its word."""

import hashlib
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from fairdeal import BadSetting
from fairdeal._ledger import Ledger, appended_to
from fairdeal._session import Session
from fairdeal._settings import Settings
from fairdeal.v1 import play_service_pb2 as play
from tests.clients.conftest import Tell

SECRET = bytes(range(32))


def commitment(secret: bytes = SECRET, epoch: str = "m1.1", manifest: bytes = b"m") -> play.Commitment:
    items = (b"fairdeal/1/commit", epoch.encode(), secret)
    made = hashlib.sha256(b"".join(len(item).to_bytes(4, "big") + item for item in items)).digest()
    return play.Commitment(scheme="fairdeal/2", epoch_id=epoch, commit=made, manifest=manifest)


class Keeping:
    """A session whose lines are kept in a list."""

    def __init__(self, tell: type[Tell]) -> None:
        self.tell = tell
        self.texts: list[str] = []
        self.session = Session(play.Hello(versions=[1], entry="bot"), ledger=Ledger(self.texts.append))
        self.session.take_requests()
        self.hear(tell.welcome())

    def hear(self, *updates: play.Update) -> None:
        self.session.receive(self.tell.frame(*updates))

    def seat(self, match_id: str = "m1", attempt: int = 1, **told: Any) -> None:
        self.hear(self.tell.seated(match_id, attempt=attempt, commitment=commitment(**told)))

    def finish(self, secret: bytes) -> None:
        ended = play.Finished(match_id="m1", termination="TERMINATION_COMPLETED", secret=secret)
        self.hear(play.Update(finished=ended))

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(text) for text in self.texts]

    @property
    def breaches(self) -> list[str]:
        return [line["breach"] for line in self.lines if line["type"] == "breach"]


@pytest.fixture
def keeping(tell: type[Tell]) -> Keeping:
    return Keeping(tell)


def test_a_match_has_a_line_before_its_first_card_and_one_at_its_end(keeping: Keeping) -> None:
    keeping.seat()
    (line,) = keeping.lines
    assert (line["type"], line["epoch_id"], line["scheme"]) == ("seated", "m1.1", "fairdeal/2")
    assert (line["commit"], line["manifest"]) == (commitment().commit.hex(), b"m".hex())
    keeping.finish(SECRET)
    assert [each["type"] for each in keeping.lines] == ["seated", "finished"]
    assert keeping.lines[1]["secret"] == SECRET.hex()
    assert keeping.lines[1]["decisions"] == 0


def test_a_secret_that_does_not_open_the_commitment_is_a_breach(
    keeping: Keeping, caplog: pytest.LogCaptureFixture
) -> None:
    keeping.seat()
    keeping.finish(bytes(32))
    assert keeping.breaches == ["what it reveals does not open its commitment"]
    assert [(record.levelno, "BREACH" in record.message) for record in caplog.records] == [
        (logging.ERROR, True)
    ]


def test_the_secret_of_a_set_is_not_told_and_no_breach(keeping: Keeping) -> None:
    keeping.seat(epoch="set-1.1")
    keeping.finish(b"")
    assert keeping.breaches == []


def test_the_same_seat_again_is_no_breach(keeping: Keeping) -> None:
    keeping.seat()
    keeping.seat()
    assert [line["type"] for line in keeping.lines] == ["seated"]


def test_another_manifest_for_the_same_match_is_a_breach(keeping: Keeping) -> None:
    keeping.seat()
    keeping.seat(manifest=b"n")
    assert keeping.breaches == ["its manifest is another than before: 6e, it was 6d"]


@pytest.mark.parametrize(("match_id", "attempt"), [("m1", 1), ("m1", 2), ("m2", 1)])
def test_two_commitments_for_one_epoch_are_a_breach(keeping: Keeping, match_id: str, attempt: int) -> None:
    keeping.seat(epoch="set-1.1")
    keeping.seat(match_id, attempt, epoch="set-1.1", secret=bytes(32))
    assert any("epoch set-1.1 has another commitment than before" in each for each in keeping.breaches)


def test_turns_of_a_set_have_one_commitment_and_two_manifests(keeping: Keeping) -> None:
    keeping.seat(epoch="set-1.1")
    keeping.seat("m2", epoch="set-1.1", manifest=b"n")
    assert keeping.breaches == []


def test_breaches_are_found_where_nothing_is_kept(tell: type[Tell], caplog: pytest.LogCaptureFixture) -> None:
    session = Session(play.Hello(versions=[1], entry="bot"))
    session.take_requests()
    ended = play.Finished(match_id="m1", termination="TERMINATION_COMPLETED", secret=bytes(32))
    session.receive(
        tell.frame(tell.welcome(), tell.seated(commitment=commitment()), play.Update(finished=ended))
    )
    assert "does not open its commitment" in caplog.text


# The file


def test_lines_are_appended_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    for text in ("one", "two"):
        appended_to(path)(text)
    assert path.read_text() == "one\ntwo\n"


def test_a_file_that_cannot_be_written_later_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    write = appended_to(folder / "kept.jsonl")
    (folder / "kept.jsonl").unlink()
    folder.rmdir()
    write("one")
    write("two")
    assert caplog.text.count("cannot be kept: No such file or directory") == 1


def test_the_file_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRDEAL_KEEP", str(tmp_path / "kept.jsonl"))
    Settings.from_environment("bot").ledger()
    assert (tmp_path / "kept.jsonl").exists()
    with pytest.raises(BadSetting, match=r"FAIRDEAL_KEEP.*No such file"):
        Settings.from_environment("bot", keep=str(tmp_path / "nowhere" / "kept.jsonl")).ledger()
    Settings.from_environment("bot", keep="").ledger()
