"""Tournaments at a real referee host; their bots are sessions in this process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

from referee.core.access import Trusting
from referee.core.limits import Limits
from referee.dealing.keys import SeededKeys
from referee.match.effects import Owner
from tests.tournaments.cup import HeldBot
from tests.workspace import ALONE, PATIENCE
from tournaments.plan.plan import Entry, Plan
from tournaments.plan.states import TournamentState
from tournaments.running.progress import Progress
from tournaments.running.referee_host import RefereeHost, open_referee_host
from tournaments.running.tournament import Tournament
from tournaments.running.watch import (
    Change,
    EntryChanged,
    MatchBegun,
    MatchFinished,
    Missed,
    StateChanged,
    Watcher,
)
from tournaments.store import Store
from tournaments.tournament_file.reader import load

HEAD: Final = 'game = "two_handed_spades"\nmatch = { deals = 1 }\nclock = "debug"\nconcurrency = 2\n'
CUP: Final = f"{HEAD}rounds = 2\n"
LADDER: Final = f'{HEAD}format = "ladder"\n'


def remote(*names: str) -> str:
    """Return entries that dial in."""
    return "".join(f'[[entries]]\nname = "{name}"\nremote = true\n' for name in names)


TWO: Final = CUP + remote("a", "b")
OPEN: Final = f'{HEAD}registration = "open"\n{remote("a", "b")}'


def hosted(name: str, more: str = "") -> str:
    """Return an entry whose bot is started here, and does nothing: what it says a guest says for it."""
    return f'[[entries]]\nname = "{name}"\ncommand = ["sh", "-c", "exec sleep 600"]\n{more}'


class TournamentUnderTest:
    """A tournament at a referee host, the bots that come there, and all that was published."""

    def __init__(
        self, plan: Plan, store: Store, host: RefereeHost, progress: Sequence[Progress] = ()
    ) -> None:
        self.plan = plan
        self.store = store
        self.host = host
        self.now = 0
        self.failures: list[Exception] = []
        self.tournament = Tournament(
            plan, store, host, progress=progress, on_failed=self._fail, now=lambda: self.now
        )
        self.seen: list[Change | Missed] = []
        self._changed = asyncio.Event()
        self._watching = asyncio.create_task(self._watch(self.tournament.watch()))
        self._start_bot = self.tournament._bots.start
        self.tournament._bots.start = self._started

    def _started(self, entry: Entry, owner: Owner) -> None:
        self._start_bot(entry, owner)
        self._changed.set()

    async def _watch(self, watcher: Watcher) -> None:
        async for change in watcher:
            self.seen.append(change)
            self._changed.set()

    def _fail(self, error: Exception) -> None:
        self.failures.append(error)
        self._changed.set()

    def guest(self, name: str, *, held: bool = False, **wishes: Any) -> HeldBot:
        """Let a bot come; one that is held answers nothing until its `open` is set."""
        guest = HeldBot(self.host.referee, name, **wishes)
        if held:
            guest.open.clear()
        return guest

    def hosted_guest(self, name: str, **wishes: Any) -> HeldBot:
        """Open a session with the token of a hosted bot."""
        instance = self.plan.instance
        token = self.host.admission.token_for((name, instance))
        return self.guest(name, token=token, instance=instance, **wishes)

    def of(self, kind: type[Any]) -> list[Any]:
        """Return what was published of one kind."""
        return [change for change in self.seen if isinstance(change, kind)]

    @property
    def begun(self) -> list[MatchBegun]:
        return self.of(MatchBegun)

    @property
    def finished(self) -> list[MatchFinished]:
        return self.of(MatchFinished)

    @property
    def states(self) -> list[TournamentState]:
        return [change.state for change in self.of(StateChanged)]

    @property
    def present(self) -> list[tuple[str, bool]]:
        """Return who came, in order, as it was published."""
        return [(change.entry.name, change.entry.present) for change in self.of(EntryChanged)]

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(ALONE):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def settled(self) -> None:
        """Let everybody do what there is to do."""
        for _ in range(20):
            await asyncio.sleep(0)

    async def until_over(self) -> None:
        """Wait until the run is over, whatever ended it."""
        run = self.tournament.running
        assert run
        await asyncio.wait({run}, timeout=PATIENCE)
        assert run.done()
        await self.settled()

    async def until_hosted(self, name: str, version: str) -> None:
        """Wait until the bot that runs for an entry is of some version."""
        running = self.tournament._bots.running
        owner = (name, self.plan.instance)
        await self.until(lambda: owner in running and running[owner].version == version)

    async def close(self) -> None:
        await self.host.referee.close()
        await self.tournament.close()
        await self._watching


def written(folder: Path, text: str, name: str = "cup") -> Plan:
    """Return the plan of a text, which is written to a file."""
    path = folder / f"{name}.toml"
    path.write_text(text)
    return load(path)


@asynccontextmanager
async def opened_tournament(
    folder: Path, *plans: Plan, progress: Sequence[Progress] = ()
) -> AsyncIterator[Any]:
    """Open tournaments at one referee host, each taken over but not started."""
    async with AsyncExitStack() as stack:
        (folder / "venue").mkdir(exist_ok=True)
        host = await stack.enter_async_context(
            open_referee_host(
                folder=folder / "venue",
                keys=SeededKeys("spring"),
                limits=Limits(),
                durable=False,
                others=Trusting(),
            )
        )
        stages = [
            TournamentUnderTest(plan, stack.enter_context(Store.open(plan)), host, progress) for plan in plans
        ]
        try:
            for tested in stages:
                tested.tournament.take_over()
            yield stages[0] if len(stages) == 1 else stages
        finally:
            for tested in stages:
                await tested.close()
