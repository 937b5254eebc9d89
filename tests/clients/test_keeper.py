"""What a bot keeps of its matches, and how it finds that the referee broke its word."""

import hashlib
import json
import logging
import os
import re
from pathlib import Path
from typing import Any

import pytest

from fairdeal import BadSetting, _keeper
from fairdeal._keeper import Keeper, KeptFile, KeptFolder, usual_folder
from fairdeal._session import Session
from fairdeal._settings import Settings
from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as play
from tests.clients.conftest import Tell, requests_of

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
        self.session = Session(play.Hello(versions=[1], entry="bot"), keeper=Keeper(self.texts.append))
        requests_of(self.session)
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


def test_decisions_that_were_missed_and_those_of_unknown_end_are_listed(keeping: Keeping) -> None:
    keeping.seat()
    for number in (1, 2, 5):  # none is closed before the next
        keeping.hear(keeping.tell.decision(actions_pb2.Legal(), decision_id=number))
    keeping.finish(SECRET)
    line = keeping.lines[-1]
    assert (line["decisions"], line["missed"], line["unknown"]) == (5, [[3, 4]], [1, 2, 5])


def test_an_end_that_is_told_again_is_kept_once(keeping: Keeping) -> None:
    keeping.seat()
    keeping.hear(keeping.tell.decision(actions_pb2.Legal(), decision_id=1))
    keeping.hear(*[keeping.tell.closed(reason="CLOSE_REASON_ANSWERED")] * 2)
    keeping.finish(SECRET)
    assert keeping.lines[-1]["unknown"] == [1]  # it was answered by a process before this one


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
    requests_of(session)
    ended = play.Finished(match_id="m1", termination="TERMINATION_COMPLETED", secret=bytes(32))
    session.receive(
        tell.frame(tell.welcome(), tell.seated(commitment=commitment()), play.Update(finished=ended))
    )
    assert "does not open its commitment" in caplog.text


# The file


def test_lines_are_appended_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    for text in ("one", "two"):
        KeptFile(path).write(text)
    assert path.read_text() == "one\ntwo\n"


def test_a_file_that_cannot_be_written_later_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    write = KeptFile(folder / "kept.jsonl").write
    (folder / "kept.jsonl").unlink()
    folder.rmdir()
    write("one")
    write("two")
    assert caplog.text.count("cannot be kept: No such file or directory") == 1


def test_the_file_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRDEAL_KEEP", str(tmp_path / "kept.jsonl"))
    Settings.from_environment("bot").keeper()
    assert (tmp_path / "kept.jsonl").exists()
    with pytest.raises(BadSetting, match=r"FAIRDEAL_KEEP.*No such file"):
        Settings.from_environment("bot", keep=str(tmp_path / "nowhere" / "kept.jsonl")).keeper()
    Settings.from_environment("bot", keep="").keeper()


class Process:
    """A process of a bot that keeps its lines in a file."""

    def __init__(self, tell: type[Tell], path: Path) -> None:
        file = KeptFile(path)
        self.tell = tell
        self.session = Session(play.Hello(versions=[1], entry="bot"), keeper=Keeper(file.write, file.epochs))
        requests_of(self.session)
        self.session.receive(tell.frame(tell.welcome()))

    def seat(self, match_id: str, **told: Any) -> None:
        update = self.tell.seated(match_id, attempt=1, commitment=commitment(**told))
        self.session.receive(self.tell.frame(update))


def breaches_in(path: Path) -> list[str]:
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    return [line["breach"] for line in lines if line["type"] == "breach"]


@pytest.mark.parametrize("others", ["before", "beside"])
def test_two_commitments_told_to_two_processes_are_a_breach(
    tmp_path: Path, tell: type[Tell], others: str
) -> None:
    path = tmp_path / "kept.jsonl"
    first, second = Process(tell, path), Process(tell, path)
    first.seat("m1", epoch="set-1.1")
    if others == "before":
        second = Process(tell, path)
    second.seat("m2", epoch="set-1.1")
    assert breaches_in(path) == []
    second.seat("m3", epoch="set-1.1", secret=bytes(32))
    first.seat("m4", epoch="set-1.1", secret=bytes(32))
    assert len(breaches_in(path)) == 2
    assert all("epoch set-1.1 has another commitment than before" in each for each in breaches_in(path))


def test_what_is_no_line_of_a_bot_is_passed_over(tmp_path: Path, tell: type[Tell]) -> None:
    path = tmp_path / "kept.jsonl"
    seated = '{"type":"seated","epoch_id":"e.1","scheme":"fairdeal/2","commit":'
    path.write_bytes(
        b'\xff\n[]\n7\n{"type":"seated"}\n' + f'{seated}"00"}}\n{seated}1}}\n{seated}"0'.encode()
    )
    process = Process(tell, path)
    process.seat("m1", epoch="e.1")
    assert path.read_text(errors="replace").count("another commitment than before") == 1


def test_only_the_end_of_a_long_file_is_read(
    tmp_path: Path, tell: type[Tell], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept.jsonl"
    Process(tell, path).seat("m1", epoch="e.1")
    size = path.stat().st_size
    Process(tell, path).seat("m2", epoch="e.2")
    monkeypatch.setattr("fairdeal._keeper._READ", path.stat().st_size - size)
    assert [epoch for epoch, *_ in KeptFile(path).epochs()] == ["e.2"]
    process = Process(tell, path)
    process.seat("m3", epoch="e.1", secret=bytes(32))
    process.seat("m4", epoch="e.2", secret=bytes(32))
    assert ["e.2" in each for each in breaches_in(path)] == [True]


def test_each_line_is_read_once(tmp_path: Path, tell: type[Tell]) -> None:
    path = tmp_path / "kept.jsonl"
    file = KeptFile(path)
    for epoch in ("e.1", "e.2"):
        Process(tell, path).seat(f"m-{epoch}", epoch=epoch)
        assert [told for told, *_ in file.epochs()] == [epoch]
    assert list(file.epochs()) == []


def in_folder(path: Path) -> list[str]:
    return sorted(each.name for each in path.iterdir())


def test_a_folder_has_a_file_for_each_run_from_its_first_line_on(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "kept"
    kept = KeptFolder(folder)
    assert not folder.exists()
    kept.write("one")
    kept.write("two")
    (path,) = folder.iterdir()
    assert path.read_text() == "one\ntwo\n"
    assert re.fullmatch(rf"\d{{8}}T\d{{6}}Z-{os.getpid()}\.jsonl", path.name)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_long_file_of_a_run_is_followed_by_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_keeper, "_MOST_OF_A_FILE", 5)
    kept = KeptFolder(tmp_path)
    for line in ("one", "two"):
        kept.write(line)
    (first,) = tmp_path.iterdir()
    first.rename(tmp_path / "19700101T000000Z-1.jsonl")  # as if it were of another second
    kept.write("three")
    assert [each.read_text() for each in sorted(tmp_path.iterdir())] == ["one\ntwo\n", "three\n"]


@pytest.mark.parametrize(("most", "files"), [("_MOST_BEFORE", 20), ("_MOST_FILES", 2)])
def test_the_oldest_files_of_runs_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: str, files: int
) -> None:
    monkeypatch.setattr(_keeper, most, files)
    others = ["notes.jsonl", "19700101T000000Z-1.jsonl.gz"]
    runs = [f"2026010{day}T120000Z-{pid}.jsonl" for day, pid in ((1, 77), (2, 9), (3, 1))]
    for name in (*others, *runs):
        (tmp_path / name).write_text("ten bytes\n")
    KeptFolder(tmp_path).write("line")
    assert set(in_folder(tmp_path)) >= {*others, *runs[1:]}
    assert len(in_folder(tmp_path)) == 5


def test_a_folder_that_cannot_be_written_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "state").write_text("")
    kept = KeptFolder(tmp_path / "state" / "kept")
    for _ in range(2):
        kept.write("line")
    (message,) = caplog.messages
    assert f"{tmp_path}/state/kept: what the bot is told cannot be kept there (Not a directory)" in message


@pytest.mark.parametrize(
    ("entry", "environment", "folder"),
    [
        ("bot", {"HOME": "/home/ann"}, "/home/ann/.local/state/fairdeal/kept/bot/"),
        ("bot", {"HOME": "/home/ann", "XDG_STATE_HOME": "/state"}, "/state/fairdeal/kept/bot/"),
        (
            "bot",
            {"HOME": "/home/ann", "XDG_STATE_HOME": "state"},
            "/home/ann/.local/state/fairdeal/kept/bot/",
        ),
        ("../a b", {"HOME": "/h"}, "/h/.local/state/fairdeal/kept/___a_b/"),
        ("", {}, "/.local/state/fairdeal/kept/bot/"),
    ],
)
def test_the_usual_folder_is_that_of_the_user(entry: str, environment: dict[str, str], folder: str) -> None:
    assert usual_folder(entry, environment) == folder


def test_lines_are_kept_unless_the_setting_is_empty(
    tmp_path: Path, tell: type[Tell], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert Settings.from_environment("bot").keep == ""  # what the tests say
    assert Settings.from_environment("bot", keep="/kept/").keep == "/kept/"
    monkeypatch.delenv("FAIRDEAL_KEEP")
    settings = Settings.from_environment("bot", entry="ann")
    assert settings.keep == f"{tmp_path}/fairdeal/kept/ann/"
    session = Session(play.Hello(versions=[1], entry="ann"), keeper=settings.keeper())
    requests_of(session)
    session.receive(tell.frame(tell.welcome(), tell.seated("m1", attempt=1, commitment=commitment())))
    (path,) = (tmp_path / "fairdeal" / "kept" / "ann").iterdir()
    assert json.loads(path.read_text())["type"] == "seated"
    assert Settings.from_environment("bot", keep="").keep == ""


def test_a_pipe_of_the_host_takes_lines_and_may_be_missing(
    tmp_path: Path, tell: type[Tell], caplog: pytest.LogCaptureFixture
) -> None:
    source, sink = os.pipe()
    keeper = Settings.from_environment("bot", keep=f"/dev/fd/{sink}").keeper()
    session = Session(play.Hello(versions=[1], entry="bot"), keeper=keeper)
    requests_of(session)
    session.receive(tell.frame(tell.welcome(), tell.seated(commitment=commitment())))
    os.close(sink)
    with os.fdopen(source, encoding="utf-8") as file:
        assert [json.loads(line)["type"] for line in file] == ["seated"]
    assert caplog.text == ""
    Settings.from_environment("bot", keep=f"/dev/fd/{sink}").keeper()
    assert "is not there: what the bot is told is not kept" in caplog.text
