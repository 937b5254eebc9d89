"""A tournament without a referee: it keeps what it is told, and states outlive it as on a disk."""

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final, Self

import pytest

from referee.core.access import Denied
from referee.match.faults import FaultCounts, Termination
from referee.match.messages import Reason
from tests.workspace import ALONE
from tournaments.plan.plan import Entry, Plan
from tournaments.plan.states import EntryState, RulingKind, TournamentState
from tournaments.ratings import Rating
from tournaments.running.errors import WrongState
from tournaments.running.watch import (
    Changes,
    EntryChanged,
    EntryKind,
    EntrySnapshot,
    Snapshot,
    StateChanged,
    Watcher,
)
from tournaments.service.manager import Manager
from tournaments.standings.shapes import Report, Standing, Tally, ThinkTime
from tournaments.store import Extent, Issued, Registered, Store

DUEL: Final = """\
game = "two_handed_spades"
concurrency = 2

[[entries]]
name = "house"
bot = "greedy"

[[entries]]
name = "away"
version = "1"
remote = true
"""
DUEL_LADDER: Final = f'format = "ladder"\n{DUEL}'
DUEL_OPEN: Final = f'registration = "open"\n{DUEL}'


class Disk:
    """Opens tournaments for a manager; ``failing`` is what opening raises, by name."""

    def __init__(self) -> None:
        self.states: dict[str, TournamentState] = {}
        self.opened: list[FakeTournament] = []
        self.failing: dict[str, Exception] = {}

    def open(self, plan: Plan) -> Callable[[], Any]:
        if plan.name in self.failing:
            raise self.failing[plan.name]

        def made() -> FakeTournament:
            self.opened.append(FakeTournament(plan, self))
            return self.opened[-1]

        return made


class CountedChanges(Changes):
    """Changes whose watchers can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self._moved = asyncio.Event()

    def watch(self) -> Watcher:
        watcher = super().watch()
        forget = watcher._on_closed

        def closed(watcher: Watcher) -> None:
            forget(watcher)
            self._moved.set()

        watcher._on_closed = closed
        self._moved.set()
        return watcher

    @property
    def watchers(self) -> set[Watcher]:
        return self._watchers

    async def until_watched_by(self, number: int) -> None:
        """Wait until so many watch."""
        async with asyncio.timeout(ALONE):
            while len(self._watchers) != number:
                self._moved.clear()
                await self._moved.wait()


class FakeStore:
    """Keeps who takes part; ``failing`` is what reading raises."""

    def __init__(self, plan: Plan) -> None:
        self.entries = {each.name: Registered(each, EntryState.ACTIVE, True, "") for each in plan.entries}
        self.version = 0
        self.played = 7
        self.failing: Exception | None = None

    def roster(self) -> tuple[Registered, ...]:
        if self.failing:
            raise self.failing
        return tuple(self.entries.values())

    def roster_version(self) -> int:
        if self.failing:
            raise self.failing
        return self.version

    def extent(self) -> Extent:
        return Extent(10, self.played, 0, self.roster_version())

    def bring_home(self) -> None:
        """Do nothing: it is there."""


class FakeStandings:
    """Those of a tournament, made at once."""

    def __init__(self, tournament: "FakeTournament") -> None:
        self._tournament = tournament

    async def __call__(self) -> Report:
        self._tournament.reports += 1
        return Report(tuple(self._tournament.lines), {})

    async def lines(self, encoded: Callable[[Standing], bytes]) -> list[bytes]:
        return [encoded(each) for each in (await self()).standings]


class FakeTournament:
    """Does at once what it is asked for."""

    def __init__(self, plan: Plan, disk: Disk) -> None:
        self.plan = plan
        self.changes = CountedChanges()
        self.calls: list[str] = []
        self.planned: int | None = 12
        self.lines = [line(entry.name, rank) for rank, entry in enumerate(plan.entries, 1)]
        self.store = FakeStore(plan)
        self.held = asyncio.Event()  # without it no change of an entry ends
        self.held.set()
        self.reports = 0  # how often its standings were made
        self.looks = 0  # how often somebody looked at it
        self.seen = asyncio.Event()  # set by each look
        self._states = disk.states
        disk.states.setdefault(plan.name, TournamentState.CREATED)

    @property
    def state(self) -> TournamentState:
        return self._states[self.plan.name]

    @state.setter
    def state(self, state: TournamentState) -> None:
        self._states[self.plan.name] = state
        self.changes.publish(StateChanged(state))

    def start(self) -> None:
        self.calls.append("start")
        if self.state in (TournamentState.CANCELLED, TournamentState.FINISHED):
            raise WrongState(f"it is {self.state}")
        self.state = TournamentState.RUNNING

    def pause(self) -> None:
        self.calls.append("pause")
        if self.state is not TournamentState.RUNNING:
            raise WrongState(f"it is {self.state}")
        self.state = TournamentState.PAUSED

    async def cancel(self) -> None:
        self.calls.append("cancel")
        if self.state is TournamentState.FINISHED:
            raise WrongState(f"it is {self.state}")
        self.state = TournamentState.CANCELLED

    @property
    def rulings(self) -> Self:
        return self

    async def adjudicate(
        self, kind: RulingKind, chosen: Callable[[Plan, Store], Sequence[Issued]], who: str, why: str
    ) -> None:
        self.calls.append("adjudicate")
        await self.held.wait()

    async def void(self, match_ids: Sequence[str], who: str, why: str) -> None:
        self.calls.append(f"void {' '.join(match_ids)} by {who}")

    async def rule_on_entry(
        self, kind: RulingKind, entry: str, who: str, why: str, *, is_struck: bool, check: object
    ) -> EntrySnapshot:
        self.calls.append(f"{kind} {entry}{' struck' if is_struck else ''} by {who}")
        return seen(next(kept for kept in self.store.roster() if kept.entry.name == entry))

    def snapshot(self) -> Snapshot:
        extent = self.store.extent()
        return Snapshot(
            name=self.plan.name,
            game=self.plan.game,
            format=self.plan.format,
            state=self.state,
            planned=self.planned,
            turns=self.plan.turns,
            issued=extent.issued,
            played=extent.decided,
            skipped=0,
            playing=2,
            attempts={Termination.COMPLETED: extent.decided},
            taken_back=0,
            is_running=self.state is TournamentState.RUNNING,
            entries=tuple(map(seen, self.store.roster())),
        )

    async def look(self, *, entries: bool = True) -> Snapshot:
        await asyncio.sleep(0)
        self.looks += 1
        self.seen.set()
        found = self.snapshot()
        return found if entries else replace(found, entries=())

    @property
    def entries(self) -> Self:
        return self

    def find(self, name: str) -> EntrySnapshot | None:
        return next((seen(kept) for kept in self.store.roster() if kept.entry.name == name), None)

    @property
    def standings(self) -> "FakeStandings":
        return FakeStandings(self)

    async def register(self, entry: Entry) -> None:
        self.calls.append(f"register {entry.name} {entry.version}")
        await self.held.wait()
        self._change(entry, EntryState.ACTIVE)

    async def set_standing(self, name: str, state: EntryState) -> EntrySnapshot:
        self.calls.append(f"{name} {state}")
        await self.held.wait()
        self._change(self.store.entries[name].entry, state)
        return seen(self.store.entries[name])

    async def output(self, entry: str) -> tuple[tuple[str, bytes], ...]:
        self.calls.append(f"output {entry}")
        return (("", f"{entry} crashed\n".encode()),)

    def plays(self, match_id: str) -> bool:
        return match_id == f"{self.plan.name}-1"

    def watch(self) -> Watcher:
        return self.changes.watch()

    async def close(self) -> None:
        self.calls.append("close")
        self.changes.close()

    def _change(self, entry: Entry, state: EntryState) -> None:
        self.store.entries[entry.name] = Registered(entry, state, False, "")
        self.store.version += 1
        self.changes.publish(EntryChanged(seen(self.store.entries[entry.name])))


def seen(kept: Registered) -> EntrySnapshot:
    """Return an entry whose bot is away."""
    entry = kept.entry
    return EntrySnapshot(entry.name, entry.version, EntryKind.of(entry), kept.state, False)


def created(manager: Manager, text: str, stem: str) -> Any:
    """Make a tournament from the text of a file, as the service does."""
    return at_once(manager.create(text, manager.plan(text, stem)))


def at_once(call: Coroutine[Any, Any, Any]) -> Any:
    """Return what comes of a manager's call, in tests that have a loop and those that have none."""
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, call).result()


def line(name: str, rank: int, **fields: Any) -> Standing:
    """Return a line of the standings."""
    usual: dict[str, Any] = {
        "rank": rank,
        "entry": name,
        "matches": 7,
        "tally": Tally(4, 1, 2),
        "mean_score": 1.5,
        "score_deviation": 0.5,
        "scored": 6,
        "rating": Rating(25.5, 3.25),
        "forfeits": {"late": 1, "illegal+late": 2},
        "faults": FaultCounts(1, 2, 3, 4, 5),
        "voids": 3,
        "think": ThinkTime(100, 5_000_001, 70_000),
        "is_current": True,
        "state": EntryState.ACTIVE,
        "history": (),
        "scores": (),
    }
    return Standing(**{**usual, **fields})


def refusal(call: Callable[..., Any], *args: Any) -> tuple[Reason, str]:
    """Return why a manager refuses what it is asked."""
    with pytest.raises(Denied) as caught:
        if inspect.iscoroutine(made := call(*args)):
            at_once(made)
    return caught.value.reason, caught.value.text
