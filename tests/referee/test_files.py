"""Open files: the reserve, in a process of its own, and what is said of a file that cannot be used."""

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from referee.files.open_files import RESERVE, Room, failed, from_reserve, most_files

# what the referee needs to finish a match, where each open file is taken, as connections take them
WITHOUT_FILES: Final = """
import errno, os, resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 128))
from referee.storage import record
from referee.files.open_files import most_files
from referee.storage.journal import Journal
from referee.dealing.keys import Vault

folder = Path(sys.argv[1])
vault, journal = Vault(folder / "secrets"), Journal(folder / "journal", durable=True, segment_bytes=1)
with most_files() as room:
    assert room.files == 128
    try:
        while True:
            os.open(os.devnull, os.O_RDONLY)
    except OSError as error:
        assert error.errno == errno.EMFILE
    secret = vault.secret("m-1.1")
    assert vault.secret("m-1.1") == secret
    for number in range(3):  # each in a file of its own
        journal.append(("m-1", 1), {"number": number})
        journal.flush()
    record.write(folder / "m-1.1.jsonl.gz", b"record")
    journal.settle(("m-1", 1))
    vault.forget("m-1.1")
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (96, 128)  # it is a reserve again
assert resource.getrlimit(resource.RLIMIT_NOFILE) == (64, 128)
"""


@pytest.mark.process
def test_what_is_played_is_finished_with_the_reserve(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_FILES, tmp_path], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "m-1.1.jsonl.gz").read_bytes() == b"record"


def test_what_fails_for_another_reason_fails_at_once() -> None:
    tries = []

    def opening() -> None:
        tries.append(1)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="No space left"):
        from_reserve(opening)
    assert len(tries) == 1


def test_what_finds_no_room_is_opened_from_the_reserve() -> None:
    def opening() -> tuple[int, int]:
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        if limits[0] < limits[1]:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return limits

    with most_files():
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        assert from_reserve(opening) == (before[1], before[1])
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == before  # it is a reserve again


def test_where_the_reserve_is_used_up_too_it_fails() -> None:
    def opening() -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with pytest.raises(OSError, match="Too many open files"):
        from_reserve(opening)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


def test_the_limit_is_raised_to_the_hard_one_and_put_back() -> None:
    found = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = (256, found[1])  # which is neither that of before nor what it is raised to
    resource.setrlimit(resource.RLIMIT_NOFILE, before)
    try:
        with most_files() as room:
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            assert hard == before[1]
            assert soft == room.files - RESERVE
            assert 0 < room.used < soft
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == before
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, found)


@pytest.mark.parametrize(
    ("files", "connections"), [(64, 0), (116, 0), (256, 140), (1024, 716), (4096, 3020), (1 << 20, 786_380)]
)
def test_connections_are_what_is_left(files: int, connections: int) -> None:
    assert Room(files, used=20).connections == connections


@pytest.mark.parametrize("connections", [1, 16, 140, 141, 716, 5_000, 8_192])
def test_so_many_files_are_enough_for_so_many_connections(connections: int) -> None:
    files = Room(64, used=20).files_for(connections)
    assert Room(files, used=20).connections >= connections
    assert files % 256 == 0
    assert Room(files - 256, used=20).connections < connections


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        ("ENOSPC", "No space left on device); free the disk"),
        ("EDQUOT", "Disk quota exceeded); free the disk"),
        ("EACCES", "Permission denied); change its rights"),
        ("EROFS", "Read-only file system); make the disk writable"),
        ("EMFILE", "Too many open files); allow more open files (ulimit -Hn, "),
        ("ENFILE", "Too many open files in system); allow more open files on this machine (sysctl "),
        ("EIO", "Input/output error); fix that"),
    ],
)
def test_each_error_has_its_remedy(number: str, remedy: str) -> None:
    code = getattr(errno, number)
    error = OSError(code, os.strerror(code), "records/m-1.1.jsonl.gz")
    assert failed(error, done="written").startswith(f"records/m-1.1.jsonl.gz cannot be written ({remedy}")
    assert failed(error, done="read", what="the journal").startswith(f"the journal cannot be read ({remedy}")
