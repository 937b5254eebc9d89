"""The journal: on disk after a flush and not before, in files that go when nobody needs them."""

import json
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.journal import Journal

FIRST, SECOND = ("m-1", 1), ("m-2", 1)


def lines(folder: Path) -> list[dict[str, Any]]:
    """Return all lines on disk, in order."""
    text = "".join(path.read_text() for path in sorted(folder.glob("*.jsonl")))
    return [json.loads(line) for line in text.splitlines()]


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
        {"match_id": "m-1", "attempt": 1, "type": "input", "kind": "start", "at": 7},
        {"match_id": "m-2", "attempt": 3, "type": "header", "text": "ü\n"},
    ]
    journal.append(FIRST, {"n": 2})
    journal.flush()
    journal.flush()
    assert [line.get("n") for line in lines(folder)] == [None, None, 2]
    journal.close()


def test_a_turn_is_one_line_a_line_however_long(folder: Path) -> None:
    journal = Journal(folder)
    for number in range(500):
        journal.append(FIRST, {"n": number, "text": "x" * 1_000})
    journal.flush()
    assert [line["n"] for line in lines(folder)] == list(range(500))
    journal.close()


def test_a_grown_file_is_followed_by_a_new_one(folder: Path) -> None:
    journal = Journal(folder, segment_bytes=100)
    for number in range(7):
        journal.append(FIRST, {"n": number})
        journal.flush()
    assert [line["n"] for line in lines(folder)] == list(range(7))
    assert files(folder) == ["000001.jsonl", "000002.jsonl", "000003.jsonl"]
    assert all(100 <= (folder / name).stat().st_size < 150 for name in files(folder)[:2])
    journal.close()


def test_a_file_goes_when_no_match_needs_it(folder: Path) -> None:
    journal = Journal(folder, segment_bytes=1)
    for key in (FIRST, SECOND, FIRST, SECOND):
        journal.append(key, {})
        journal.flush()
    journal.finished(SECOND)
    assert files(folder) == ["000001.jsonl", "000003.jsonl", "000005.jsonl"]
    journal.append(SECOND, {"late": True})
    journal.finished(FIRST)
    assert files(folder) == ["000005.jsonl"]
    journal.flush()
    assert files(folder) == ["000005.jsonl", "000006.jsonl"]
    journal.finished(SECOND)
    assert files(folder) == ["000006.jsonl"]
    journal.close()
    assert files(folder) == []


def test_a_file_that_nobody_needs_goes_when_it_is_full_too(folder: Path) -> None:
    journal = Journal(folder, segment_bytes=60)
    for number in range(20):
        key = (f"m-{number}", 1)
        journal.append(key, {})
        journal.flush()
        journal.finished(key)
        assert len(files(folder)) == 1
    journal.close()


def test_attempts_are_told_apart(folder: Path) -> None:
    journal = Journal(folder, segment_bytes=1)
    journal.append(("m-1", 1), {})
    journal.flush()
    journal.append(("m-1", 2), {})
    journal.flush()
    journal.finished(("m-1", 1))
    assert [line["attempt"] for line in lines(folder)] == [2]
    journal.finished(("m-9", 9))
    assert [line["attempt"] for line in lines(folder)] == [2]
    journal.close()


def test_closing_writes_what_is_left_and_keeps_what_is_needed(folder: Path) -> None:
    journal = Journal(folder)
    journal.append(FIRST, {"n": 1})
    journal.close()
    assert [line["n"] for line in lines(folder)] == [1]


def test_what_an_earlier_process_left_is_removed_and_nothing_else(folder: Path) -> None:
    journal = Journal(folder, segment_bytes=1)
    for _ in range(3):
        journal.append(FIRST, {})
        journal.flush()
    journal.close()
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


@pytest.fixture
def full_disk() -> Iterator[None]:
    """Let no file grow beyond a few bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_what_cannot_be_written_is_an_os_error_each_time(folder: Path, full_disk: None) -> None:
    journal = Journal(folder)
    journal.append(FIRST, {"n": 1})
    for step in (journal.flush, journal.flush, journal.close):
        with pytest.raises(OSError, match="too large"):
            step()
    assert (folder / "000001.jsonl").stat().st_size == 4


def test_only_the_owner_may_look_into_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    folder.mkdir(mode=0o755)
    Journal(folder).close()
    assert folder.stat().st_mode & 0o777 == 0o700
