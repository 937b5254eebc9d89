"""Hosted bots without a process: a test says when each comes, and how it ends."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Final

from referee.core.access import Tokens
from referee.core.limits import Limits
from referee.dealing.keys import SeededKeys
from referee.match.clock import SECOND
from referee.server.runtime import FinishedMatch
from tests.tournaments.cup import HeldBot
from tests.tournaments.host_under_test import match
from tests.workspace import PATIENCE
from tournaments.hosting.bot_process import Exit, HostedCommand, HostingError
from tournaments.hosting.cpu_use import Use
from tournaments.plan.plan import Entry, Hosting
from tournaments.running.hosted import Conditions, Lost
from tournaments.running.hosted_bots import HostedBots
from tournaments.running.referee_host import RefereeHost, open_referee_host

KILLED: Final = Exit("killed by signal 9 (SIGKILL)", 137, ())
LEFT: Final = Exit("exited with status 0", 0, ())
WITH_SUPERVISOR: Final = Exit("lost with its supervisor: killed by signal 9 (SIGKILL)", 137, (), True)
LAPS: Final = 50  # turns of the loop in which all is done that can be


class Body:
    """What stands for the process of a bot: a test says when it comes, and how it ends."""

    supervisor = 0
    unlogged = ""

    def __init__(self, referee_host: RefereeHost, command: HostedCommand) -> None:
        self.command = command
        self._referee = referee_host.referee
        self._guest: HeldBot | None = None
        self._ended: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()

    @property
    def is_alive(self) -> bool:
        return not self._ended.done()

    def comes(self) -> HeldBot:
        """Open a session, which takes every seat and answers nothing."""
        token = self.command.environment["FAIRDEAL_TOKEN"]
        self._guest = HeldBot(self._referee, self.command.entry, token=token)
        self._guest.open.clear()
        return self._guest

    def ends(self, how: Exit) -> None:
        if self.is_alive:
            self._ended.set_result(how)
            if self._guest:
                self._guest.leave()

    def forget(self) -> None:
        """Go on without the session, which is gone."""
        self._guest = None

    async def wait(self) -> Exit:
        return await asyncio.shield(self._ended)

    async def stop(self, grace: float = 2.0) -> None:
        self.ends(Exit("killed by signal 15 (SIGTERM)", 143, ()))


class Hall:
    """Hosted bots whose starts are counted, and fail as often as a test says."""

    def __init__(self, host: RefereeHost, folder: Path) -> None:
        self.host = host
        self.bodies: list[Body] = []
        self.failures: deque[HostingError] = deque()
        self.lost: list[Lost] = []
        self.warned: list[str] = []
        self.losses: Counter[str] = Counter()
        self.holds = False
        self.now = 0
        self.use = Use(ran=600 * SECOND)  # it computes all the time
        self._folder = folder

    def open(self, *, starting: int = 8, patience: float = PATIENCE, **rule: Any) -> HostedBots:
        hosting = Hosting(**rule)
        conditions = Conditions(
            base=self._folder,
            logs=self._folder,
            seed="spring",
            patience=patience,
            hosting=hosting,
            starting=starting,
            now=lambda: self.now,
            warn=self.warned.append,
            lost_with_supervisor=self._count,
            holds=lambda: self.holds,
        )
        self.bots = HostedBots(self.host, conditions, changed=lambda: None, on_lost=self.lost.append)
        return self.bots

    async def _count(self, entry: str) -> int:
        self.losses[entry] += 1
        return self.losses[entry]

    async def start(self, command: HostedCommand, _logs: Path) -> Body:
        if self.failures:
            raise self.failures.popleft()
        body = Body(self.host, command)
        self.bodies.append(body)
        return body

    def begin(self, *names: str) -> None:
        for name in names:
            self.bots.start(Entry(name=name, command=("./bot",)), (name, ""))

    @property
    def started(self) -> list[str]:
        """Return whose bots were started, in order, each time."""
        return [body.command.entry for body in self.bodies]

    async def settled(self) -> None:
        for _ in range(LAPS):
            await asyncio.sleep(0)

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until a condition holds, or fail when all is done that can be and it does not."""
        for _ in range(20 * LAPS):
            if condition():
                return
            await asyncio.sleep(0)
        raise AssertionError(f"in vain waited for it; lost: {self.lost}, failed: {self.bots.failed}")

    async def passes(self, seconds: float) -> None:
        """Let time pass, and everybody look at the clock."""
        self.now += round(seconds * SECOND)
        await self.settled()

    async def body(self, number: int) -> Body:
        """Return a bot by the number of starts before it."""
        await self.until(lambda: len(self.bodies) > number)
        return self.bodies[number]

    async def playing(self, *names: str) -> asyncio.Future[FinishedMatch]:
        """Have bots come and begin a match, which stands."""
        for name in names:
            newest = next(each for each in reversed(self.bodies) if each.command.entry == name)
            newest.comes()
        await self.until(lambda: all(self.is_here(name) for name in names))
        setup = replace(match(*names), match_id=f"m-{next(_NUMBERS)}")
        return self.host.referee.play(setup)

    def is_here(self, name: str) -> bool:
        return self.host.referee.core.sessions.is_here((name, ""))


_NUMBERS: Final = count(1)


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Hall]:
    async with open_referee_host(
        folder=folder, keys=SeededKeys("spring"), limits=Limits(), durable=False, others=Tokens({})
    ) as host:
        hall = Hall(host, folder)
        try:
            yield hall
        finally:
            await host.referee.close()
            await hall.bots.close()
