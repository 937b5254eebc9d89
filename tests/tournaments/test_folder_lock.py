import errno
import fcntl
import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tournaments.folder_lock import FolderError, FolderHeld, is_owned, owned, this_process

HOLDER = """
import sys, time
from pathlib import Path
from tournaments.folder_lock import owned

with owned(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_folder_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    with owned(folder) as held:
        assert held == folder
        assert folder.is_dir()


def test_it_is_held_by_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("tournaments.folder_lock.time.sleep", waits.append)
    with owned(tmp_path):
        for _ in range(2):
            with pytest.raises(FolderError) as refused, owned(tmp_path):
                pass
            assert str(refused.value).startswith(f"{tmp_path}: another fairdeal process is at work here")
    assert waits == []  # whoever holds it is not waited for
    with owned(tmp_path):
        pass


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, rf" \({this_process()} since 20\d\d-\S+\+00:00\)"),
        (b"", ""),  # a version that says nothing
        (b"a\x1b[2J\n\xff" + b"b" * 1000, r" \(a\[2J\S?b{1,200} since \S+\)"),  # a bot has written to it
    ],
    ids=["itself", "nothing", "anything"],
)
def test_who_holds_it_is_told(tmp_path: Path, text: bytes | None, told: str) -> None:
    with owned(tmp_path):
        if text is not None:
            (tmp_path / "lock").write_bytes(text)
        with pytest.raises(FolderHeld) as refused, owned(tmp_path):
            pass
    assert re.fullmatch(
        rf"{tmp_path}: another fairdeal process is at work here{told}; wait for it or end it",
        str(refused.value),
    )


def test_whoever_asks_whether_it_is_held_keeps_nobody_from_holding_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with owned(tmp_path):
        assert is_owned(tmp_path)
    flock = fcntl.flock
    asked: list[bool] = []

    def asked_meanwhile(lock: Any, operation: int) -> None:
        """Take a lock when another process is just asking, as `is_owned` does."""
        if operation & fcntl.LOCK_EX and len(asked) < 3:
            with (tmp_path / "lock").open() as other:
                flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
                asked.append(True)
                flock(lock, operation)
        else:
            flock(lock, operation)

    monkeypatch.setattr(fcntl, "flock", asked_meanwhile)
    with owned(tmp_path):
        assert is_owned(tmp_path)
    assert len(asked) == 3
    assert not is_owned(tmp_path)


def test_a_disk_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(_lock: Any, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(FolderError) as refused, owned(tmp_path):
        pass
    text = "cannot be held (No locks available); choose a folder on a disk of this machine"
    assert str(refused.value) == f"{tmp_path}: {text}"


@pytest.mark.parametrize(
    ("kind", "options", "why"),
    [
        ("nfs4", "rw,vers=4.2,hard,local_lock=none,addr=10.0.0.9", None),
        ("nfs4", "rw,vers=4.2,hard,local_lock=all,addr=10.0.0.9", "local_lock=all"),
        ("nfs", "rw,vers=3,local_lock=posix,addr=10.0.0.9", None),  # which are not ours
        ("nfs", "rw,vers=3,nolock,local_lock=all,addr=10.0.0.9", "local_lock=all nolock"),
        ("nfs", "rw,vers=3,local_lock=flock,addr=10.0.0.9", "local_lock=flock"),
        ("cifs", "rw,vers=3.1.1,cache=strict", None),
        ("cifs", "rw,vers=3.1.1,nobrl", "nobrl"),
        ("ext4", "rw,nolock", None),
    ],
)
def test_a_disk_of_another_machine_that_hears_of_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, options: str, why: str | None
) -> None:
    number = tmp_path.stat().st_dev
    device = f"{os.major(number)}:{os.minor(number)}"
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "22 27 255:21 / /proc rw,relatime - proc proc rw\n"
        f"99 27 {device} / /a\\040disk rw shared:7 - {kind} host:/a rw,{options}\n"
    )
    monkeypatch.setattr("tournaments.folder_lock._MOUNTS", mounts)
    if why is None:
        with owned(tmp_path / "cup"):
            return
    text = f"/cup: a lock on this disk keeps no other machine out, as it is mounted with {why}: mount it"
    with pytest.raises(FolderError, match=re.escape(text)), owned(tmp_path / "cup"):
        pass


def test_a_holder_whose_name_nobody_may_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed(io.TextIOWrapper):  # as a file that is locked by SMB
        def read(self, size: int | None = -1) -> str:
            raise PermissionError

    def opened(path: Path, *_mode: object, **_how: object) -> Closed:
        return Closed(path.open("a+b"))

    with owned(tmp_path):
        monkeypatch.setattr("tournaments.folder_lock.open", opened, raising=False)
        with pytest.raises(FolderHeld, match="at work here; wait"), owned(tmp_path):
            pass


def test_an_error_inside_ends_the_hold(tmp_path: Path) -> None:
    with pytest.raises(KeyError), owned(tmp_path):
        raise KeyError
    with owned(tmp_path):
        pass


@pytest.mark.process
def test_the_hold_ends_with_its_process_however_that_ends(tmp_path: Path) -> None:
    words = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(FolderError), owned(tmp_path):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        with owned(tmp_path):
            pass


def test_a_file_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(FolderError) as refused, owned(folder):
            pass
        assert str(refused.value).startswith(f"{folder}: cannot be written to (")
