"""What the referee opens while it plays, when connections have taken all files that it may have open."""

import errno
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from referee.core.access import Role
from referee.dealing.keys import Vault
from referee.files import atomic
from referee.files.open_files import from_reserve
from referee.server.blocked import BlockedFile
from referee.server.tokens import TokenFile
from referee.storage.journal import Journal


@contextmanager
def all_files_taken() -> Iterator[None]:
    """Let nothing be opened but from the reserve, as if whatever is left were connections."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.open(os.devnull, os.O_RDONLY)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def write_record(folder: Path) -> Callable[[], object]:
    return lambda: atomic.write(folder / "record", b"record", durable=False)


def sync_name(folder: Path) -> Callable[[], object]:
    return lambda: atomic.sync_folder(folder)


def follow_journal(folder: Path) -> Callable[[], object]:
    journal = Journal(folder / "journal", segment_bytes=1)
    journal.append(("m-1", 1), {"n": 1})

    def flush() -> None:
        with closing(journal):
            journal.flush()

    return flush


def read_key(folder: Path) -> Callable[[], object]:
    vault = Vault(folder / "secrets", durable=False)
    vault.secret("m-1.1")
    return lambda: vault.secret("m-1.1")


def read_tokens(folder: Path) -> Callable[[], object]:
    tokens = TokenFile(folder / "tokens.json")
    tokens.add("a", Role.BOT)
    return tokens.list


def read_blocked(folder: Path) -> Callable[[], object]:
    BlockedFile(folder / "blocked.json").add("a")
    return lambda: BlockedFile(folder / "blocked.json").names()


def block(folder: Path) -> Callable[[], object]:
    return lambda: BlockedFile(folder / "blocked.json").add("a")


@pytest.mark.parametrize(
    "prepared", [write_record, sync_name, follow_journal, read_key, read_tokens, read_blocked, block]
)
def test_it_is_opened_from_the_reserve(
    tmp_path: Path, prepared: Callable[[Path], Callable[[], object]]
) -> None:
    work = prepared(tmp_path)
    with all_files_taken():
        with pytest.raises(OSError, match="Too many open files"):
            os.open(os.devnull, os.O_RDONLY)
        work()


@pytest.mark.parametrize("lacking", [errno.EMFILE, errno.ENFILE])
def test_a_file_that_is_lacking_once_is_opened_from_the_reserve(lacking: int) -> None:
    answers: list[OSError | int] = [OSError(lacking, "too many"), 7]

    def opening() -> int:
        answer = answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return answer

    assert from_reserve(opening) == 7
