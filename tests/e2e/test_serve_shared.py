"""Two referees behind plain balancers, which share tokens and results by one PostgreSQL database."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

import fairdeal
from fairdeal import Decision
from tests.e2e.places import listening
from tests.tournaments.store.conftest import Postgres, postgres  # noqa: F401 - a fixture
from tests.workspace import PATIENCE, Workspace
from tournaments.store.referees import SharedTables

pytestmark = pytest.mark.asyncio

GAME = "two_handed_spades"


def first(decision: Decision) -> fairdeal.Answer:
    assert isinstance(decision.legal, fairdeal.LegalActions)
    return decision.legal.actions[0]


@asynccontextmanager
async def balancing(there: str) -> AsyncIterator[str]:
    """Pass connections on as HAProxy does in TCP mode, all to one referee.

    One that takes turns could give a bot that comes back to the other referee, and both would wait for ever.
    """
    host, _colon, port = there.rpartition(":")

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def passed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        onward, back = await asyncio.open_connection(host, int(port))
        await asyncio.gather(pipe(reader, back), pipe(onward, writer))

    server = await asyncio.start_server(passed_on, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def test_two_referees_share_tokens_and_results(
    workspace: Workspace,
    postgres: Postgres,  # noqa: F811
) -> None:
    url = postgres.new_database()

    def start(folder: str, *words: str) -> tuple[object, str]:
        options = ("--game", GAME, "--deals", "1", "--folder", folder, "--store", url, *words)
        return listening(workspace, *options)

    one, at_one = await asyncio.to_thread(start, "one")
    other, at_other = await asyncio.to_thread(start, "other", "--workers", "2")
    tokens = {}
    for name in "abcd":
        done = await asyncio.to_thread(workspace.ask, "token", "add", name, "--store", url)
        assert done.status == 0, done.err
        tokens[name] = done.out.strip()
    listed = await asyncio.to_thread(workspace.ask, "token", "list", "--store", url)
    assert [line.split()[0] for line in listed.out.splitlines()] == list("abcd")

    async def play(name: str, address: str) -> None:
        while True:  # until the referee has read the token
            try:
                await fairdeal.run_async(
                    first, address, entry=name, token=tokens[name], matches=1, tables=1, keep=""
                )
            except fairdeal.Rejected as error:
                assert error.reason == "MISSING_TOKEN"
                await asyncio.sleep(0.1)
            else:
                return

    async with asyncio.timeout(PATIENCE):
        for address in (at_one, at_other):  # each token opens sessions at both
            await asyncio.gather(play("a", address), play("b", address))
        async with balancing(at_one) as to_one, balancing(at_other) as to_other:
            with pytest.raises(fairdeal.Rejected, match="does not know the token"):
                await fairdeal.run_async(first, to_one, entry="a", token="stolen", keep="")
            places = {"a": to_one, "b": to_one, "c": to_other, "d": to_other}
            await asyncio.gather(*(play(name, place) for name, place in places.items()))
    for serving in (one, other):
        done = await asyncio.to_thread(serving.stopped, signal.SIGTERM)  # type: ignore[attr-defined]
        assert (done.status, done.err) == (0, "")
    with SharedTables(url) as tables:
        results = tables.results()
    assert len(results) == 4
    assert {each.referee.rpartition("/")[2] for each in results} == {"one", "other"}
    assert {each.termination for each in results} == {"completed"}
    records = [path for folder in ("one", "other") for path in workspace.records(folder).paths()]
    assert {path.name.partition(".")[0] for path in records} == {each.match_id for each in results}


async def test_tokens_of_a_folder_are_not_passed_over_in_silence(workspace: Workspace) -> None:
    assert (await asyncio.to_thread(workspace.ask, "token", "add", "a", "--folder", "own")).status == 0
    words = ("serve", "--folder", "own", "--store", "postgresql://u@h/d")
    refused = await asyncio.to_thread(workspace.ask, *words)
    assert refused.status == 2
    assert "own/tokens.json would be passed over: add them with fairdeal token add --store" in refused.line
