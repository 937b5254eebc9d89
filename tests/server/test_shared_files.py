"""What a file holds, followed by who reads it."""

from pathlib import Path

import pytest

from referee.server.shared_files import FollowedFile


class Unreadable(Exception):
    """The file cannot be read."""


class Reader:
    """Reads a file, unless it is to fail."""

    def __init__(self) -> None:
        self.fails = False

    def __call__(self, path: Path) -> str:
        if self.fails:
            raise Unreadable("too many open files")
        return path.read_text()


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def followed(tmp_path: Path, reader: Reader) -> FollowedFile[str]:
    (tmp_path / "file").write_text("alice")
    return FollowedFile(
        tmp_path / "file", reader, Unreadable, event="broken", until="until then the old one holds"
    )


def change(path: Path, text: str) -> None:
    path.with_name("new").write_text(text)
    path.with_name("new").replace(path)  # another file, whatever the clock says


def test_what_could_not_be_read_is_read_once_it_can_be(
    tmp_path: Path, reader: Reader, followed: FollowedFile[str], caplog: pytest.LogCaptureFixture
) -> None:
    change(tmp_path / "file", "")  # such as a token that is revoked
    reader.fails = True
    assert [followed.now() for _ in range(3)] == ["alice"] * 3
    reader.fails = False
    assert followed.now() == ""
    assert caplog.messages == ["too many open files; until then the old one holds"]


def test_each_change_that_cannot_be_read_is_told(
    tmp_path: Path, reader: Reader, followed: FollowedFile[str], caplog: pytest.LogCaptureFixture
) -> None:
    reader.fails = True
    for text in ("ben", "cid"):
        change(tmp_path / "file", text)
        followed.now()
    assert len(caplog.messages) == 2
