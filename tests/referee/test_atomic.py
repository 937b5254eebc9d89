"""Files that are written whole or not at all."""

import os
from pathlib import Path

import pytest

from referee.files import atomic


def refuse(*_args: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_what_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "a.toml"
    atomic.write(path, b"before")
    with monkeypatch.context() as patched:
        patched.setattr(step, refuse)
        with pytest.raises(OSError, match="No space left") as caught:
            atomic.write(path, b"after")
    assert caught.value.filename == str(path)
    assert [each.name for each in tmp_path.iterdir()] == ["a.toml"]
    assert path.read_bytes() == b"before"


def test_what_a_crash_left_is_neither_followed_nor_shared(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"not ours")
    (tmp_path / ".secret").symlink_to(tmp_path / "other")
    atomic.write(tmp_path / "secret", b"ours")
    assert (tmp_path / "secret").read_bytes() == b"ours"
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "other").read_bytes() == b"not ours"
    assert not (tmp_path / ".secret").is_symlink()


@pytest.mark.parametrize(
    ("durable", "durable_name", "syncs"), [(True, None, 2), (True, False, 1), (False, None, 0)]
)
def test_it_is_as_durable_as_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool, durable_name: bool | None, syncs: int
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    atomic.write(tmp_path / "a", b"", durable=durable, durable_name=durable_name)
    assert len(synced) == syncs


def test_a_file_is_whole_though_the_system_takes_it_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda opened, data: write(opened, data[:3]))
    atomic.write(tmp_path / "a", b"ten bytes!")
    assert (tmp_path / "a").read_bytes() == b"ten bytes!"


OPEN_FILES = Path("/proc/self/fd")


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="needs /proc to see which files are open")
def test_no_file_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = len(list(OPEN_FILES.iterdir()))
    atomic.write(tmp_path / "a", b"whole")
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="No space left"):
        atomic.write(tmp_path / "b", b"never")
    assert len(list(OPEN_FILES.iterdir())) == before
