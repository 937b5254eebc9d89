"""A server with two tournaments at once, run from afar: hosted and remote bots, a crash in between."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from fairdeal.v1 import tournament_service_pb2 as pb
from fairdeal.v1 import tournament_service_pb2_grpc as pb_grpc
from fairdeal.v1.play_service_pb2 import TERMINATION_COMPLETED
from referee.core.access import Role
from referee.server.tokens import TokenFile
from tests.e2e.places import free_port
from tests.workspace import PATIENCE

PROGRAM: Final = Path(sys.executable).with_name("fairdeal")
ROUNDS: Final = 6
DUEL: Final = f"""\
game = "two_handed_spades"
clock = "debug"
rounds = {ROUNDS}
match = {{ deals = 2 }}
entries = [
    {{ name = "g", bot = "greedy" }},
    {{ name = "far", remote = true }},
]
"""
LADDER: Final = DUEL.replace(f"rounds = {ROUNDS}", 'format = "ladder"')


@asynccontextmanager
async def started(*words: object, **env: str) -> AsyncIterator[Process]:
    """Run a command while the context lasts."""
    process = await asyncio.create_subprocess_exec(
        str(PROGRAM), *map(str, words), stdout=PIPE, stderr=PIPE, env={**os.environ, **env}
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@asynccontextmanager
async def serving(folder: Path, listen: str) -> AsyncIterator[tuple[Process, str]]:
    """Run a server while the context lasts, and tell where it listens."""
    async with started("serve", "--tournaments", "--folder", folder, "--listen", listen) as server:
        assert server.stdout is not None
        async with asyncio.timeout(PATIENCE):
            line = (await server.stdout.readline()).decode()
        assert line.startswith("fairdeal listens on "), line
        yield server, line.split()[3].rstrip(";")


async def until_finished(address: str, name: str, count: int) -> None:
    """Watch a tournament until so many of its matches have ended."""
    request = pb.WatchTournamentRequest(tournament=name)
    async with asyncio.timeout(PATIENCE), grpc.aio.insecure_channel(address) as channel:
        async for told in pb_grpc.TournamentServiceStub(channel).WatchTournament(request):
            count -= told.match_finished.termination == TERMINATION_COMPLETED
            if not count:
                return
    raise AssertionError(f"{name} ended with {count} matches to come")


@pytest.mark.process
@pytest.mark.asyncio
async def test_tournaments_of_a_server(
    tmp_path: Path, fairdeal: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "serve"
    monkeypatch.setenv("FAIRDEAL_TOKEN", TokenFile(folder / "tokens.json").add("boss", Role.ORGANISER))
    (tmp_path / "duel.toml").write_text(DUEL)
    (tmp_path / "ladder.toml").write_text(LADDER)

    async def run(*words: str) -> Any:
        done = await asyncio.to_thread(fairdeal, *words, "--server", address)
        assert done.status == 0, done.err
        return done

    async with AsyncExitStack() as bots:
        async with serving(folder, f"127.0.0.1:{free_port(tmp_path)}") as (server, address):
            for name in ("duel", "ladder"):
                await run("tournament", "create", f"{name}.toml")
            token = (await run("entry", "add", "duel", "far")).out.strip()
            assert (await run("entry", "add", "ladder", "far")).out == ""  # one bot, one token
            words = ("bot", "greedy", "--connect", address, "--matches", 0)
            await bots.enter_async_context(started(*words, FAIRDEAL_TOKEN=token, FAIRDEAL_ENTRY="far"))
            for name in ("duel", "ladder"):
                await run("tournament", "start", name)
            await until_finished(address, "ladder", 3)
            server.kill()
        # whatever was being played goes on where it was, and so do the tournaments
        async with serving(folder, address) as (server, address):
            await until_finished(address, "ladder", 3)
            async with started("tournament", "watch", "duel", "--server", address) as watch:
                async with asyncio.timeout(PATIENCE):
                    out, _err = await watch.communicate()
                assert b"is finished" in out or b": finished;" in out
            status = (await run("tournament", "status", "duel", "--json")).json
            assert status["state"] == "finished"
            assert (status["matches"], status["played"]) == (ROUNDS, ROUNDS)
            standings = (await run("tournament", "standings", "duel", "--json")).json["standings"]
            assert [line["matches"] for line in standings] == [ROUNDS] * 2
            assert sum(line["wins"] + line["draws"] / 2 for line in standings) == ROUNDS
            await run("tournament", "cancel", "ladder")
            assert (await run("tournament", "status", "ladder", "--json")).json["state"] == "cancelled"
            server.terminate()
            async with asyncio.timeout(PATIENCE):
                _out, err = await server.communicate()
            assert (server.returncode, b"Traceback" in err) == (0, False)
