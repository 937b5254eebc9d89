"""`fairdeal session`: listing sessions, ending them, blocking entries."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from referee.server.blocked import BlockedFile
from referee.server.play_service import PlayService
from referee.server.session_service import SessionService
from tests.server.conftest import RunningServer, serving
from tests.tournaments.conftest import Fairdeal


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[RunningServer, BlockedFile]]:
    blocked = BlockedFile(folder / "blocked.json")
    async with serving(
        folder,
        blocked=blocked.names,
        services=lambda referee: (PlayService(referee), SessionService(referee, blocked)),
    ) as served:
        yield served, blocked


@pytest.mark.asyncio
async def test_sessions_are_listed_and_ended(fairdeal: Fairdeal, tmp_path: Path) -> None:
    async with opened(tmp_path / "server") as (served, _blocked):

        async def run(*words: object) -> Any:
            return await asyncio.to_thread(fairdeal, "session", *words, "--server", served.address)

        assert (await run("list")).out == f"no session is open at {served.address}\n"
        guest = await served.guest("a", instance="2", agent="kit/1")
        line = (await run("list")).out
        assert line.startswith("1  a/2  127.0.0.1  ")
        assert line.count("\n") == 1
        assert "matches: 0, without a token" in line
        (told,) = (await run("list", "--json")).json
        assert (told["number"], told["entry"], told["welcomed"], told["matches"]) == (1, "a", True, 0)
        done = await run("end", 1)
        assert (done.status, done.err) == (0, "session 1 is ended\n")
        assert (await guest.end()).reason == "ENDED_BY_ORGANISER"
        again = await run("end", 1)
        assert again.status == 1
        assert again.line == f"fairdeal: {served.address} refuses: no session 1 is open (SESSION_NOT_FOUND)"


@pytest.mark.asyncio
async def test_an_entry_is_blocked_at_a_server(fairdeal: Fairdeal, tmp_path: Path) -> None:
    async with opened(tmp_path / "server") as (served, blocked):

        async def run(*words: object) -> Any:
            return await asyncio.to_thread(fairdeal, "session", *words, "--server", served.address)

        guest = await served.guest("a")
        done = await run("block", "a")
        assert (done.status, done.err) == (0, "a is blocked; sessions ended: 1\n")
        assert (await guest.end()).reason == "ENDED_BY_ORGANISER"
        assert (await run("blocked")).out == "a\n"
        assert (await run("unblock", "a")).err == "a is not blocked any more\n"
        assert blocked.names() == set()
        again = await run("unblock", "a")
        assert again.status == 1
        assert again.line.endswith("refuses: no entry of this name is blocked (ENTRY_NOT_FOUND)")
        assert (await run("block", "")).status == 2


def test_an_entry_is_blocked_in_a_folder(fairdeal: Fairdeal, tmp_path: Path) -> None:
    folder = tmp_path / "cup.fairdeal"
    missing = fairdeal("session", "block", "a", "--folder", folder)
    assert (missing.status, folder.exists()) == (2, False)
    assert missing.line.startswith(
        f"fairdeal: {folder}: there is no such folder; name the referee's with --folder"
    )
    folder.mkdir()
    done = fairdeal("session", "block", "a", "--folder", folder)
    assert (done.status, done.out, done.err) == (0, "", "a is blocked\n")
    assert BlockedFile(folder / "blocked.json").names() == {"a"}
    assert (folder / "blocked.json").stat().st_mode & 0o777 == 0o600
    assert fairdeal("session", "blocked", "--folder", folder, "--json").json == ["a"]
    assert fairdeal("session", "unblock", "a", "--folder", folder).status == 0
    again = fairdeal("session", "unblock", "a", "--folder", folder)
    assert (again.status, again.line) == (1, f"fairdeal: {folder / 'blocked.json'}: a is not blocked")


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (
            ["block", "", "--folder", "/proc"],
            2,
            "'' cannot be the name of an entry: use 1 to 200 characters that can be printed",
        ),
        (["block", "a", "--folder", "/proc"], 1, "/proc/blocked.json: cannot be written ("),
        (["blocked", "--folder", "/proc/version"], 1, "/proc/version/blocked.json: cannot be read ("),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(
    fairdeal: Fairdeal, words: list[str], status: int, told: str
) -> None:
    done = fairdeal("session", *words)
    assert done.status == status
    assert done.line.startswith(f"fairdeal: {told}")


@pytest.mark.parametrize(
    ("words", "taught"),
    [
        (["session"], ["list", "end", "block", "unblock", "blocked"]),
        (["session", "list"], ["--server", "--json", "FAIRDEAL_TOKEN"]),
        (["session", "end"], ["NUMBER", "does not reconnect", "--server"]),
        (["session", "block"], ["ENTRY", "refuse new ones", "--folder", "--server"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_help_teaches(fairdeal: Fairdeal, words: list[str], taught: list[str]) -> None:
    done = fairdeal(*words, "--help")
    assert (done.status, done.err) == (0, "")
    text = " ".join(done.out.replace("│", " ").split())
    for words_taught in taught:
        assert words_taught in text
