"""Which errors are told as what they are, and which as a fault of our own."""

import errno
from pathlib import Path

import pytest

from referee.dealing.keys import VaultError
from referee.server.addresses import CannotListen
from referee.server.blocked import BlockedError
from referee.server.runtime import RefereeFailed
from referee.server.tls import CertificateError
from referee.server.tokens import TokenError
from referee.storage.journal import JournalError
from referee.storage.record import RecordError
from tournaments.cli.failure import Failure, failure_of, write_file
from tournaments.folder_lock import FolderError
from tournaments.hosting.bot_process import HostingError
from tournaments.running.errors import RunFailed, WrongState
from tournaments.serving.many_tournaments import CannotServe
from tournaments.store import StoreError


@pytest.mark.parametrize(
    "kind",
    [
        *(BlockedError, CannotListen, CannotServe, CertificateError, FolderError, HostingError),
        *(JournalError, RecordError, RefereeFailed, RunFailed, StoreError, TokenError, VaultError),
        WrongState,
    ],
)
def test_what_is_documented_is_told_as_it_is_with_status_1(kind: type[Exception]) -> None:
    failure = failure_of(kind("the disk is full; free it and start again"))
    assert (str(failure), failure.status) == ("fairdeal: the disk is full; free it and start again", 1)


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "free the disk"),
        (errno.EDQUOT, "free the disk"),
        (errno.EMFILE, "allow more open files (ulimit -Hn, or LimitNOFILE= in a unit of systemd)"),
        (errno.EACCES, "change its rights"),
    ],
)
def test_what_the_system_lacks_is_told_with_its_remedy(number: int, remedy: str) -> None:
    failure = failure_of(OSError(number, "No", "/a/file"))
    assert (str(failure), failure.status) == (f"fairdeal: /a/file: No; {remedy} and start again", 1)


def test_what_is_not_documented_is_a_fault_to_be_reported() -> None:
    text = str(failure_of(KeyError("x")))
    assert text.startswith("fairdeal: internal error (KeyError: 'x')")
    assert text.endswith("please report it, with the traceback that FAIRDEAL_DEBUG=1 shows")


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(Failure) as refused:
        write_file("fairdeal", tmp_path / "nodir" / "x.html", "")
    why = f"the folder {tmp_path / 'nodir'} does not exist: make it, or name another one"
    assert str(refused.value) == f"fairdeal: {tmp_path / 'nodir' / 'x.html'}: cannot be written: {why}"
    with pytest.raises(Failure, match="cannot be written: Is a directory; fix that and start again"):
        write_file("fairdeal", tmp_path, "")
    write_file("fairdeal", tmp_path / "x.html", "whole")
    assert (tmp_path / "x.html").read_text() == "whole"
