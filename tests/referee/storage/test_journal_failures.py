"""The journal on a disk that fails in between, and keys that no match needs."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from referee.dealing.keys import SeededKeys, Vault
from referee.storage.journal import Journal

FIRST, SECOND = ("m-1", 1), ("m-2", 1)


def left_in(folder: Path) -> Any:
    """Return what a process that is killed now leaves to the next one."""
    journal = Journal(shutil.copytree(folder, folder.with_name("copy"), dirs_exist_ok=True))
    journal.close()
    return journal.left


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal"


class Torn:
    """A file of which one write, and no other, comes to an end in the middle."""

    def __init__(self, file: Any, room: int) -> None:
        self._file = file
        self._room = room

    def write(self, data: bytes) -> int:
        if self._room < 0:
            written: int = self._file.write(data)
            return written
        if not self._room:
            self._room = -1
            raise OSError(28, "No space left on device")
        written = self._file.write(data[: self._room])
        self._room = 0
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@pytest.mark.parametrize("segment_bytes", [1 << 20, 60], ids=["the snapshot's file", "a later file"])
@pytest.mark.parametrize("room", [1, 20])
def test_what_was_torn_is_taken_back_and_written_again(folder: Path, segment_bytes: int, room: int) -> None:
    journal = Journal(folder, segment_bytes=segment_bytes)
    for number in range(2):
        journal.append(FIRST, {"n": number, "text": "x" * 20})
        journal.flush()
    whole = b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
    journal.append(FIRST, {"n": 2})
    journal._file = Torn(journal._file, room)
    with pytest.raises(OSError, match="No space"):
        journal.flush()
    assert b"".join(path.read_bytes() for path in sorted(folder.iterdir())) == whole
    journal.append(FIRST, {"n": 3})
    journal.flush()
    journal.close()
    assert [line["n"] for line in left_in(folder)[FIRST]] == [0, 1, 2, 3]


def test_a_file_that_cannot_be_followed_is_gone_on_with(folder: Path) -> None:
    journal = Journal(folder, segment_bytes=60)
    journal.append(FIRST, {"n": 0, "text": "x" * 20})
    (folder / "000002.jsonl").mkdir()  # no file can be made there
    with pytest.raises(OSError, match="exists"):
        journal.flush()
    with pytest.raises(OSError, match="exists"):
        journal.settle(SECOND)  # the result of another match is safe; what is said is still an OSError
    (folder / "000002.jsonl").rmdir()
    journal.append(FIRST, {"n": 1})
    journal.close()
    assert [line["n"] for line in left_in(folder)[FIRST]] == [0, 1]


@pytest.mark.parametrize("is_full", [False, True])
def test_what_is_closed_can_be_closed_again(folder: Path, is_full: bool) -> None:
    journal = Journal(folder)
    journal.append(FIRST, {"n": 0})
    journal.flush()
    journal.append(FIRST, {"n": 1})
    if is_full:
        journal._file = Torn(journal._file, 1)
        with pytest.raises(OSError, match="No space"):
            journal.close()
    else:
        journal.close()
    journal.close()
    assert [line["n"] for line in left_in(folder)[FIRST]] == ([0] if is_full else [0, 1])


# vault


def test_what_is_not_open_is_forgotten(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "secrets", durable=False)
    kept = {name: vault.secret(name) for name in ("m-1.1", "m-1.2", "m-2.1")}
    (tmp_path / "secrets" / ".m-9.1.secret").write_bytes(b"half")  # what a crash left unfinished
    (tmp_path / "secrets" / "notes.txt").write_text("mine")
    vault.forget_all_but(["m-1.2", "m-3.1"])
    assert sorted(path.name for path in (tmp_path / "secrets").iterdir()) == ["m-1.2.secret", "notes.txt"]
    assert vault.secret("m-1.2") == kept["m-1.2"]
    assert vault.secret("m-1.1") != kept["m-1.1"]


@pytest.mark.parametrize("name", ["", "../m", ".m"])
def test_epochs_that_cannot_be_are_not_kept(tmp_path: Path, name: str) -> None:
    vault = Vault(tmp_path / "secrets", durable=False)
    vault.secret("m-1.1")
    with pytest.raises(ValueError, match="cannot be a file name"):
        vault.forget_all_but([name])
    assert [path.name for path in (tmp_path / "secrets").iterdir()] == ["m-1.1.secret"]


def test_seeded_secrets_stay_when_all_are_forgotten() -> None:
    keys = SeededKeys("spring")
    before = keys.secret("m-1.1")
    keys.forget_all_but([])
    assert keys.secret("m-1.1") == before
