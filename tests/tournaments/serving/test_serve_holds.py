"""A server holds the folder of each of its tournaments against other processes."""

import asyncio
from pathlib import Path
from typing import Final

import pytest

from tests.tournaments.served import serving
from tournaments.folder_lock import is_owned, owned, this_process
from tournaments.serving.many_tournaments import CannotServe, serve_tournaments

CUP: Final = """game = "two_handed_spades"
entries = [{ name = "one", remote = true }, { name = "two", remote = true }]
"""


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Return the folders of two tournaments that were made at a server."""
    for name in ("one", "two"):
        (tmp_path / "tournaments" / name).mkdir(parents=True)
        (tmp_path / "tournaments" / name / f"{name}.toml").write_text(CUP)
    one, two = (tmp_path / "tournaments" / name / f"{name}.fairdeal" for name in ("one", "two"))
    return one, two


@pytest.mark.asyncio
async def test_what_is_served_is_held(tmp_path: Path, folders: tuple[Path, Path]) -> None:
    stopping = asyncio.Event()
    held = []

    def say(line: str) -> None:
        if line.startswith("fairdeal listens on "):
            held.extend(map(is_owned, folders))
            stopping.set()

    await serve_tournaments(serving(tmp_path, say), stopping)
    assert held == [True, True]
    assert [is_owned(folder) for folder in folders] == [False, False]


@pytest.mark.process
@pytest.mark.asyncio
async def test_a_server_does_not_start_beside_who_plays_one_of_them(
    tmp_path: Path, folders: tuple[Path, Path]
) -> None:
    one, two = folders
    stopping = asyncio.Event()
    stopping.set()  # so that one that starts all the same is left at once
    said: list[str] = []
    with owned(two), pytest.raises(CannotServe) as refusal:
        await serve_tournaments(serving(tmp_path, said.append), stopping)
    said_so = str(refusal.value)
    assert said_so.startswith(f"{two}: another fairdeal process is at work here ({this_process()} since ")
    assert said_so.endswith("; wait for it or end it, then start the server again")
    assert said == []
    assert not is_owned(one)
