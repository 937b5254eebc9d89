"""The journal: on disk after a flush and not before, in files that go when nobody needs them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.core.running_match import Key
from referee.storage.journal import Journal, JournalError
from tests.workspace import PATIENCE

FIRST, SECOND = ("m-1", 1), ("m-2", 1)


def lines(folder: Path) -> list[dict[str, Any]]:
    """Return all lines on disk, in order, but the heads of snapshots."""
    text = "".join(path.read_text() for path in sorted(folder.glob("*.jsonl")))
    return [line for line in map(json.loads, text.splitlines()) if line.get("type") != "snapshot"]


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.mark.parametrize("durable", [False, True])
def test_lines_are_on_disk_after_a_flush_and_not_before(folder: Path, durable: bool) -> None:
    journal = Journal(folder, durable=durable)
    journal.append(FIRST, {"type": "input", "kind": "start", "at": 7})
    journal.append(("m-2", 3), {"type": "header", "text": "ü\n"})
    assert lines(folder) == []
    journal.flush()
    assert lines(folder) == [
        {"key": ["m-1", 1], "type": "input", "kind": "start", "at": 7},
        {"key": ["m-2", 3], "type": "header", "text": "ü\n"},
    ]
    journal.append(FIRST, {"n": 2})
    journal.flush()
    journal.flush()
    assert [line.get("n") for line in lines(folder)] == [None, None, 2]
    journal.close()


@pytest.mark.parametrize("durable", [False, True])
def test_what_outlives_the_machine_is_synced_before_a_flush_returns(
    folder: Path, monkeypatch: pytest.MonkeyPatch, durable: bool
) -> None:
    journal = Journal(folder, durable=durable, segment_bytes=100)
    synced: list[str] = []
    monkeypatch.setattr(
        os, "fsync", lambda file: synced.append(str(Path(f"/proc/self/fd/{file}").readlink()))
    )
    journal.append(FIRST, {"n": 1})
    journal.flush()
    assert synced == [f"{folder}/000001.jsonl"] * durable
    journal.append(FIRST, {"text": "x" * 100})
    journal.flush()  # the next file is made, whose name must be there, too
    assert synced[1:] == [f"{folder}/000001.jsonl", str(folder)] * durable
    journal.close()


def test_a_turn_is_one_line_a_line_however_long(folder: Path) -> None:
    journal = Journal(folder)
    for number in range(500):
        journal.append(FIRST, {"n": number, "text": "x" * 1_000})
    journal.flush()
    assert [line["n"] for line in lines(folder)] == list(range(500))
    journal.close()


def test_a_grown_file_is_followed_by_a_new_one(folder: Path) -> None:
    journal = Journal(folder, segment_bytes=70)
    for number in range(8):
        journal.append(FIRST, {"n": number})
        journal.flush()
    assert [line["n"] for line in lines(folder)] == list(range(8))
    assert files(folder) == ["000001.jsonl", "000002.jsonl", "000003.jsonl"]
    assert all(70 <= (folder / name).stat().st_size < 100 for name in files(folder)[:2])
    journal.close()


def test_files_go_from_the_oldest_on_when_no_match_needs_them(folder: Path) -> None:
    journal = Journal(folder, segment_bytes=1)  # each line gets a file
    for key in (FIRST, SECOND, SECOND, FIRST):
        journal.append(key, {})
        journal.flush()
    assert len(files(folder)) == 5
    journal.settle(SECOND)
    # what the mark stands for is in files that are needed, or younger than one: it stays as long as these
    assert files(folder) == [f"00000{number}.jsonl" for number in range(1, 7)]
    assert list(left_in(folder)) == [FIRST]
    journal.settle(FIRST)
    assert files(folder) == ["000007.jsonl"]
    journal.close()
    assert files(folder) == []


def left_in(folder: Path) -> dict[Key, list[dict[str, Any]]]:
    """Return what a process that is killed now leaves to the next one, which gets a copy of the folder."""
    journal = Journal(shutil.copytree(folder, folder.with_name("copy"), dirs_exist_ok=True))
    journal.close()
    return journal.left


def test_a_file_that_nobody_needs_goes_when_it_is_full_too(folder: Path) -> None:
    journal = Journal(folder, segment_bytes=60)
    for number in range(20):
        key = (f"m-{number}", 1)
        journal.append(key, {})
        journal.flush()
        journal.settle(key)
        assert len(files(folder)) == 1
    journal.close()


def test_closing_writes_what_is_left_and_keeps_what_is_needed(folder: Path) -> None:
    journal = Journal(folder)
    journal.append(FIRST, {"n": 1})
    journal.close()
    assert [line["n"] for line in lines(folder)] == [1]


# What is left


def left_after(folder: Path, *, segment_bytes: int) -> dict[Key, list[dict[str, Any]]]:
    """Write a few lines of three matches, settle one, and return what is left to the next process."""
    journal = Journal(folder, segment_bytes=segment_bytes)
    for number, key in enumerate([FIRST, SECOND, ("m-1", 2), FIRST, SECOND, FIRST]):
        journal.append(key, {"n": number})
        journal.flush()
    journal.settle(SECOND)
    journal.close()
    return left_in(folder)


@pytest.mark.parametrize("segment_bytes", [1, 100, 1 << 20])
def test_what_is_not_settled_is_left_in_order(folder: Path, segment_bytes: int) -> None:
    left = left_after(folder, segment_bytes=segment_bytes)
    assert left == {FIRST: [{"n": 0}, {"n": 3}, {"n": 5}], ("m-1", 2): [{"n": 2}]}


def test_a_process_begins_with_what_is_left_in_one_file(folder: Path) -> None:
    left = left_after(folder, segment_bytes=1)
    copy = folder.with_name("copy")
    assert len(files(copy)) == 1
    for _restart in range(3):
        journal = Journal(copy)
        journal.close()
        assert journal.left == left
        assert len(files(copy)) == 1


def test_an_unfinished_snapshot_is_none(folder: Path) -> None:
    left = left_after(folder, segment_bytes=1)
    (folder / ".000099.jsonl").write_text('{"type":"snapshot"}\n')
    assert left_in(folder) == left


def test_files_that_a_snapshot_replaces_may_still_be_there(folder: Path) -> None:
    assert left_after(folder, segment_bytes=1)
    (folder / "000099.jsonl").write_text('{"type":"snapshot"}\n')
    shutil.rmtree(folder.with_name("copy"))
    assert left_in(folder) == {}


@pytest.mark.parametrize("torn", range(1, 60, 7))
def test_a_line_that_was_torn_was_never_there(folder: Path, torn: int) -> None:
    journal = Journal(folder)
    for number in range(3):
        journal.append(FIRST, {"n": number, "text": "x" * 60})
        journal.flush()
    (path,) = folder.glob("*.jsonl")
    os.truncate(path, path.stat().st_size - torn)
    assert [line["n"] for line in left_in(folder)[FIRST]] == [0, 1]
    journal.close()


@pytest.mark.parametrize(
    "damage", [b"[1]\n", b"{\n", b'{"key":["m-1"]}\n', b"\xff\n", b"\n", b"[" * 9999 + b"\n"]
)
def test_a_damaged_line_is_named_with_the_remedy(folder: Path, damage: bytes) -> None:
    journal = Journal(folder)
    journal.append(FIRST, {"n": 1})
    journal.close()
    (path,) = folder.glob("*.jsonl")
    with path.open("ab") as file:
        file.write(damage + b'{"key":["m-1",1]}\n')
    text = rf"^{path}: line 3 is damaged, .*: put back a copy, or remove {folder} to play them again"
    with pytest.raises(JournalError, match=text):
        Journal(folder)
    assert files(folder) == [path.name], "nothing is lost by trying"


def test_other_files_are_left_alone(folder: Path) -> None:
    Journal(folder).close()
    (folder / "notes.txt").write_text("mine")
    Journal(folder).close()
    assert files(folder) == ["notes.txt"]


# What can go wrong


def a_file(tmp_path: Path) -> Path:
    (tmp_path / "journal").write_text("in the way")
    return tmp_path / "journal"


def a_parent_that_is_missing(tmp_path: Path) -> Path:
    return tmp_path / "missing" / "journal"


@pytest.mark.parametrize("place", [a_file, a_parent_that_is_missing])
def test_a_folder_that_cannot_be_made_is_an_os_error(tmp_path: Path, place: Any) -> None:
    with pytest.raises(OSError):
        Journal(place(tmp_path))


ON_A_FULL_DISK = """
import resource, sys
from pathlib import Path
from referee.storage.journal import Journal

journal = Journal(Path(sys.argv[1]))
journal.append(("m-1", 1), {"n": 1})
# no file may grow beyond a snapshot of nothing and a little more
resource.setrlimit(resource.RLIMIT_FSIZE, (24, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
for step in (journal.flush, journal.flush, journal.close):
    try:
        step()
    except OSError as error:
        print(error.strerror)
"""
"""Runs in a process of its own: the limit holds for every file of a process, its standard output too."""


@pytest.mark.process
def test_what_cannot_be_written_is_an_os_error_each_time(folder: Path) -> None:
    words = [sys.executable, "-c", ON_A_FULL_DISK, str(folder)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, timeout=PATIENCE)
    assert done.stdout.splitlines() == ["File too large"] * 3
    assert lines(folder) == [], "a piece of a line is taken back"


def test_only_the_owner_may_look_into_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    folder.mkdir(mode=0o755)
    Journal(folder).close()
    assert folder.stat().st_mode & 0o777 == 0o700
