"""A referee host with real processes; what they would say to the referee is said for them."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Tokens
from referee.core.limits import Limits
from referee.core.observer import UNOBSERVED, Observer
from referee.core.session import Session
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy
from referee.server.play_service import PlayService
from tests.workspace import PATIENCE
from tournaments.plan.plan import Entry, Hosting, Server
from tournaments.running.hosted import Conditions, Lost
from tournaments.running.hosted_bots import HostedBots
from tournaments.running.referee_host import RefereeHost, open_referee_host

Open = Callable[..., Any]  # what opens a host

_LIMITS: Final = Limits(tables_per_session=3)

STAYS: Final = 'echo "$FAIRDEAL_TOKEN $$" > "$FAIRDEAL_ENTRY.fifo"; exec sleep 600'
"""It says what it was given, and stays until it is ended."""

WAITS: Final = "read gate < one.fifo; exit 3"
"""It ends by itself once it is released."""


def entry(name: str, script: str) -> Entry:
    return Entry(name=name, command=("sh", "-c", script))


def match(*entries: str) -> MatchSetup:
    return MatchSetup(
        match_id="m-1",
        game="two_handed_spades",
        options=GAMES["two_handed_spades"].bind({}),
        deals=1,
        entries=entries,
        clock=PROFILES["debug"],
        faults=FaultPolicy(),
    )


class HostUnderTest:
    """A referee host, the bots that it hosts, each with a named pipe, and what is told of them."""

    def __init__(
        self,
        host: RefereeHost,
        folder: Path,
        lost: list[Lost],
        patience: float,
        restarts: int,
        stack: ExitStack,
        **conditions_also: Any,
    ) -> None:
        self.host = host
        self.referee = host.referee
        self.changed = asyncio.Event()
        self._folder = folder
        self._stack = stack
        host.on_arrival(lambda _owner: self.changed.set())
        conditions = Conditions(
            base=folder,
            logs=folder / "logs",
            seed="spring",
            patience=patience,
            hosting=Hosting(restarts=restarts),
            now=lambda: time.monotonic_ns() // 1000,
            **conditions_also,
        )
        self.bots = HostedBots(host, conditions, changed=self.changed.set, on_lost=lost.append)

    @property
    def lost(self) -> dict[str, Lost]:
        return {entry: lost for (entry, _instance), lost in self.bots.lost.items()}

    async def started(self, name: str) -> tuple[str, int]:
        """Return the token and the process id of a bot that stays, once it runs."""
        token, process = (await said(self._folder, name)).split()
        return token, int(process)

    def release(self, name: str) -> None:
        """Let a bot end that waits for it."""
        pipe = os.open(self._folder / f"{name}.fifo", os.O_RDWR)  # which waits for nobody
        self._stack.callback(os.close, pipe)
        os.write(pipe, b"go\n")

    def enter(self, name: str, token: str = "") -> Session:
        """Open a session for a bot, with its own token unless there is another."""
        token = token or self.host.admission.token_for((name, ""))
        session = self.referee.connect(token, lambda: None)
        hello = pb.PlayRequest(hello=pb.Hello(versions=[1], entry=name, tables=4))
        self.referee.receive(session, hello.SerializeToString())
        return session

    async def killed(self, name: str) -> Session:
        """Connect a bot that was started, and kill it; return its session, whose stream is gone."""
        token, process = await self.started(name)
        session = self.enter(name, token)
        await self.until(lambda: self.referee.core.sessions.is_here((name, "")))
        os.kill(process, signal.SIGKILL)
        self.referee.disconnect(session)
        return session

    async def until(self, condition: Callable[[], object]) -> None:
        while not condition():
            self.changed.clear()
            await self.changed.wait()

    async def until_lost(self, *names: str) -> None:
        await self.until(lambda: set(names) <= self.lost.keys())


@asynccontextmanager
async def opened(
    folder: Path,
    lost: list[Lost],
    *entries: Entry,
    patience: float = 10 * PATIENCE,
    restarts: int = 0,
    limits: Limits = _LIMITS,
    observer: Observer = UNOBSERVED,
    **conditions: Any,
) -> AsyncIterator[HostUnderTest]:
    """Open a host for some entries, none of which leaves by itself; by default it waits for each of them."""
    for each in entries:
        with suppress(FileExistsError):
            os.mkfifo(folder / f"{each.name}.fifo")
    async with (
        asyncio.timeout(PATIENCE),
        open_referee_host(
            folder=folder,
            keys=SeededKeys("spring"),
            limits=limits,
            durable=False,
            others=Tokens({}),
            observer=observer,
        ) as host,
    ):
        with ExitStack() as stack:
            tested = HostUnderTest(host, folder, lost, patience, restarts, stack, **conditions)
            services = [PlayService(host.referee)]
            async with host.listening(Server(), services, hosts=True):
                try:
                    for each in entries:
                        tested.bots.start(each, (each.name, ""))
                    yield tested
                    if not host.referee.core.matches:
                        await tested.bots.dismiss()
                finally:
                    await host.referee.close()
                    await tested.bots.close()


async def said(folder: Path, name: str) -> str:
    """Return what a bot writes to its pipe, once it has written it."""
    reader = asyncio.StreamReader()
    pipe = os.fdopen(os.open(folder / f"{name}.fifo", os.O_RDONLY | os.O_NONBLOCK), "rb")
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), pipe
    )
    try:
        return (await reader.read()).decode()
    finally:
        transport.close()


def supervisor_of(process: int) -> int:
    """Return the process that started another one."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def is_alive(process: int) -> bool:
    return Path(f"/proc/{process}").exists()
