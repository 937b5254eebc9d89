"""Each bot in a sandbox dials in at a socket of its own: what it does there does not affect others."""

import asyncio
import os
import stat
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from referee.core.access import Tokens, Trusting
from referee.core.limits import Limits
from referee.core.observer import Observer
from referee.dealing.keys import SeededKeys
from referee.match.faults import Termination
from referee.match.messages import Reason
from tests.server.conftest import UNHURRIED, Caller
from tests.tournaments.host_under_test import STAYS, Open, entry, match
from tests.workspace import PATIENCE
from tournaments.plan.plan import Entry, Hosting, Server
from tournaments.running.hosted import Lost
from tournaments.running.referee_host import RefereeHost, open_referee_host

SANDBOXED = Hosting(sandbox="bubblewrap")

FLOODS = """
import asyncio, os
import grpc

async def silent(channel):
    while True:
        try:
            await channel.stream_stream("/fairdeal.v1.PlayService/Play")().read()
        except grpc.aio.AioRpcError:
            await asyncio.sleep(0.1)

async def main():
    apart = [("grpc.use_local_subchannel_pool", 1)]
    address = os.environ["FAIRDEAL_ADDRESS"]
    channels = [grpc.aio.insecure_channel(address, options=apart) for _ in range(2)]
    await asyncio.gather(*(silent(channel) for channel in channels for _ in range(50)))

asyncio.run(main())
"""
"""It opens 100 streams by two connections, never says hello, and opens them anew when they are ended."""


class Refusals(Observer):
    """Notes the addresses whose streams were not let in."""

    def __init__(self) -> None:
        self.peers: set[str] = set()
        self.came = asyncio.Event()

    def session_refused(self, peer: str, reason: Reason) -> None:
        self.peers.add(peer)
        self.came.set()


@pytest.mark.asyncio
@pytest.mark.usefixtures("needs_sandbox")
async def test_a_bot_that_floods_its_socket_keeps_nobody_else_out(
    open_host: Open, tmp_path: Path, lost: list[Lost]
) -> None:
    (tmp_path / "flood").mkdir()
    (tmp_path / "flood" / "bot.py").write_text(FLOODS)
    flooder = Entry(name="flooder", command=("{python}", "flood/bot.py"), hosting=SANDBOXED)
    refusals = Refusals()
    async with open_host(flooder, limits=Limits(hellos_awaited=50), observer=refusals) as tested:
        async with asyncio.timeout(PATIENCE):
            await refusals.came.wait()
        owners = [("one", ""), ("two", "")]
        for owner in owners:
            tested.bots.start(Entry(name=owner[0], bot="greedy", hosting=SANDBOXED), owner)
        await tested.until(lambda: lost or all(map(tested.referee.core.sessions.is_here, owners)))
        report = await tested.referee.play(match("one", "two"))
    assert lost == []
    assert report.outcome.termination is Termination.COMPLETED
    assert refusals.peers == {"unix:flooder"}


@asynccontextmanager
async def listening(folder: Path) -> AsyncIterator[RefereeHost]:
    """Open a referee host that believes everybody's name, and hosts nobody but at sockets of their own."""
    async with (
        open_referee_host(
            folder=folder,
            keys=SeededKeys("spring"),
            limits=UNHURRIED,
            durable=False,
            others=Trusting(organisers=False),
        ) as host,
        host.listening(Server(listen="127.0.0.1:0"), [], hosts=False),
    ):
        yield host


@pytest.mark.asyncio
async def test_each_socket_counts_as_an_address_and_takes_few_connections(tmp_path: Path) -> None:
    async with listening(tmp_path) as host, host.socket(("one", "")) as one, host.socket(("two", "3")) as two:
        callers = {"a": Caller(one), "b": Caller(two)}
        for name, caller in callers.items():
            await caller.hello(name)
        peers = {session.entry: session.peer for session in host.referee.core.sessions.present}
        connections = [await asyncio.open_unix_connection(one.removeprefix("unix:")) for _ in range(12)]
        greeted = [await reader.read(1) != b"" for reader, _writer in connections]
        for _reader, writer in connections:
            writer.close()
        for caller in callers.values():
            await caller.channel.close()
    assert peers == {"a": "unix:one", "b": "unix:two~3"}
    assert sum(greeted) == 3  # beside the bot's own


@pytest.mark.asyncio
async def test_the_end_of_a_socket_ends_no_session_at_another(tmp_path: Path) -> None:
    async with listening(tmp_path) as host, host.socket(("one", "")) as one:
        caller = Caller(one)
        await caller.hello("a")
        async with host.socket(("two", "")):
            pass
        (session,) = host.referee.core.sessions.present
        assert session.ended is None
        await caller.taken()
        await caller.channel.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
async def test_a_socket_is_private_short_and_gone_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, umask: int
) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    before = os.umask(umask)
    try:
        async with (
            open_referee_host(
                folder=tmp_path,
                keys=SeededKeys("spring"),
                limits=Limits(),
                durable=False,
                others=Tokens({}),
            ) as host,
            host.listening(Server(), [], hosts=False),
            host.socket(("one", "")) as one,
            host.socket(("one", "2")) as two,
        ):
            sockets = [Path(address.removeprefix("unix:")) for address in (one, two)]
            assert len({socket.parent for socket in sockets}) == 2
            for socket in sockets:
                assert socket.is_socket()
                assert len(os.fsencode(socket)) < 100
                assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
                assert list(socket.parent.iterdir()) == [socket]
        assert not any(socket.parent.exists() for socket in sockets)
    finally:
        os.umask(before)


@pytest.mark.asyncio
async def test_a_bot_for_which_no_socket_can_be_had_is_not_to_blame(
    open_host: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: list[Lost]
) -> None:
    monkeypatch.setattr("tournaments.running.referee_host._LONG_PATH", 1000)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    missing = Entry(name="one", command=("true",), hosting=SANDBOXED)
    async with open_host(missing) as tested:
        await tested.until(lambda: tested.bots.failed)
    text = f"cannot make a folder for a socket in {tmp_path / 'none'}: No such file or directory"
    assert {(each.text, each.by_host) for each in lost} == {(text, True)}


@pytest.mark.asyncio
async def test_a_socket_takes_few_connections_and_its_end_ends_no_session_of_others(
    open_host: Open, lost: list[Lost]
) -> None:
    async with open_host(entry("one", STAYS)) as tested:
        token, _process = await tested.started("one")
        session = tested.enter("one", token)
        async with tested.host.socket(("two", "")) as address:
            path = address.removeprefix("unix:")
            connections = [await asyncio.open_unix_connection(path) for _ in range(12)]
            greeted = [await reader.read(1) != b"" for reader, _writer in connections]
            for _reader, writer in connections:
                writer.close()
        assert (sum(greeted), session.ended) == (4, None)
    assert lost == []
