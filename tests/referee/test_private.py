"""Private files and folders of the referee: nobody else reads them, whatever the umask at its start."""

import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.files import atomic, private
from referee.server.shared_files import locked
from referee.storage.journal import Journal
from tournaments.folder_lock import owned


@pytest.fixture(params=[0o000, 0o022, 0o077], autouse=True)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_is_private_and_one_that_was_there_stays_as_it_was(tmp_path: Path) -> None:
    private.make_folder(tmp_path / "new")
    assert mode(tmp_path / "new") == 0o700
    (tmp_path / "old").mkdir()
    before = mode(tmp_path / "old")
    private.make_folder(tmp_path / "old")
    assert mode(tmp_path / "old") == before


def test_what_is_written_or_appended_to_is_private(tmp_path: Path) -> None:
    atomic.write(tmp_path / "written", b"whole")
    with open(tmp_path / "log", "a", opener=private.opener):
        pass
    assert [mode(tmp_path / name) for name in ("written", "log")] == [0o600, 0o600]


def test_a_journal_is_private_file_by_file(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", segment_bytes=1)
    journal.append(("m-1", 1), {"n": 1})
    journal.flush()  # another file begins
    journal.close()
    modes = {path.name: mode(path) for path in (tmp_path / "journal").iterdir()}
    assert modes == {"000001.jsonl": 0o600, "000002.jsonl": 0o600}
    assert mode(tmp_path / "journal") == 0o700


def test_the_lock_of_a_folder_is_private(tmp_path: Path) -> None:
    with owned(tmp_path / "cup"):
        assert (mode(tmp_path / "cup"), mode(tmp_path / "cup" / "lock")) == (0o700, 0o600)


def test_a_file_that_processes_share_is_locked_by_a_file_that_is_private(tmp_path: Path) -> None:
    with locked(tmp_path / "cup" / "tokens.json"):
        lock = tmp_path / "cup" / "tokens.json.lock"
        assert mode(lock) == 0o600
        with lock.open() as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with lock.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
