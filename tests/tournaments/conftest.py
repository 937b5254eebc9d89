"""The command line in this process, for what needs no process of its own, and a server for it."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

import tournaments.running.entries_in_play
from referee.core.access import Role
from referee.server.tokens import TokenFile
from tests.tournaments.fake_tournament import Disk
from tests.tournaments.host_under_test import Open, opened
from tests.tournaments.manager_server import ServedManager, serving
from tests.workspace import PATIENCE, CompletedCommand
from tournaments.cli.app import main
from tournaments.hosting import sandbox
from tournaments.running.hosted import Lost
from tournaments.service.manager import Manager

Fairdeal = Callable[..., CompletedCommand]
"""Runs a command in this process, given its words."""
Run = Callable[..., Awaitable[CompletedCommand]]
"""Runs a command in a thread, beside the server that it calls."""


@pytest.fixture(scope="session")
def needs_sandbox() -> None:
    """Skip a test where bots cannot be put into a sandbox, with the reason."""
    if why := sandbox.probe():
        pytest.skip(why)


@pytest.fixture(autouse=True)
def patiently(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the limits that only end a hang, so that a busy machine does not meet them."""
    monkeypatch.setattr("tournaments.cli.server_calls.SECONDS", PATIENCE)
    monkeypatch.setattr("tournaments.hosting.bot_process._STOP_MARGIN", PATIENCE)
    monkeypatch.setattr("tournaments.hosting.sandbox.PROBE_SECONDS", PATIENCE)


@pytest.fixture
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read the roster often, and do not wait for bots that were asked to leave."""
    monkeypatch.setattr(tournaments.running.entries_in_play, "_ROSTER_SECONDS", 0.01)
    monkeypatch.setattr("tournaments.running.hosted_bots.LEAVE_SECONDS", 0.0)


@pytest.fixture
def fairdeal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Fairdeal:
    """Return a function that runs a command in a folder of the test's own."""
    for name in ("FAIRDEAL_ADDRESS", "FAIRDEAL_DEBUG", "FORCE_COLOR", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> CompletedCommand:
        monkeypatch.setattr(sys, "argv", ["fairdeal", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        out, err = capsys.readouterr()
        return CompletedCommand(ended.value.code, out, err)

    return run


@pytest_asyncio.fixture
async def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ServedManager]:
    """Serve a manager, whose organiser this environment is."""
    async with serving(tmp_path / "server") as served:
        monkeypatch.setenv("FAIRDEAL_TOKEN", served.boss)
        for name in ("FAIRDEAL_CA", "FAIRDEAL_CERT", "FAIRDEAL_KEY"):
            monkeypatch.delenv(name, raising=False)
        yield served


@pytest.fixture
def run(served: ServedManager, fairdeal: Fairdeal) -> Run:
    """Return a function that runs a command on the server, beside it."""

    async def run(*words: object) -> CompletedCommand:
        return await asyncio.to_thread(fairdeal, *words, "--server", served.address)

    return run


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    file = TokenFile(tmp_path / "tokens.json")
    file.add("boss", Role.ORGANISER)
    return file


@pytest.fixture
def open_manager(tmp_path: Path, disk: Disk, tokens: TokenFile) -> Callable[..., Manager]:
    """Return a function that opens a manager on the same folder and disk each time."""

    def opened(**options: Any) -> Manager:
        return Manager(disk.open, tmp_path / "desk", options.pop("tokens", tokens), **options)

    return opened


@pytest.fixture
def manager(open_manager: Callable[..., Manager]) -> Manager:
    return open_manager()


@pytest.fixture
def lost() -> list[Lost]:
    """Return where the losses of a place's bots are noted."""
    return []


@pytest.fixture
def open_host(tmp_path: Path, lost: list[Lost], monkeypatch: pytest.MonkeyPatch) -> Open:
    """Return a function that opens a referee host for some entries."""
    monkeypatch.setattr("tournaments.running.hosted_bots.LEAVE_SECONDS", 0.1)
    monkeypatch.setattr("tournaments.running.hosted_bots.RESTART_SECONDS", 0.0)
    # the sessions of a place are nobody's: to wait until they have left is to wait in vain
    monkeypatch.setattr("referee.server.listen._FAREWELL", 0.0)
    (tmp_path / "logs").mkdir()
    return partial(opened, tmp_path, lost)
