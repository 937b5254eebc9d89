"""A referee in a process of its own, for `pipes.Process`: its figures can be asked for while it plays.

The configuration holds ``folder`` and, if they differ from the defaults, ``limits``; commands are the
methods of `ServerUnderTest`.
"""

import asyncio
import gc
import json
import sys
import time
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any
from weakref import WeakSet

from referee.cards import Seat
from referee.core.access import Trusting
from referee.core.core import Core
from referee.core.limits import Limits
from referee.core.observer import Observer
from referee.core.session import Session
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.match.clock import PROFILES, ClockSettings
from referee.match.effects import MatchSetup, Outcome
from referee.match.faults import Fault, FaultPolicy
from referee.match.messages import Reason
from referee.server.listen import listening
from referee.server.runtime import Referee
from referee.storage.journal import Journal
from tests.stress.pipes import commands, resident, say


def now() -> int:
    return time.monotonic_ns() // 1000


class TableWatch(Observer):
    """Keeps what the referee books, and for how long each table has waited for its next decision."""

    def __init__(self) -> None:
        self.booked: dict[str, list[int]] = defaultdict(list)
        self.changed = asyncio.Event()
        self.keeps_times = False
        self.counts: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.keeps_quiet = False
        self.stood = 0
        self.longest_gap = 0
        self.most_tables = 0  # at once
        self._tables = 0
        self._moved: dict[str, int] = {}

    def session_opened(self, entry: str, instance: str, peer: str, agent: str) -> None:
        self.counts["sessions"] += 1
        self.changed.set()

    def session_ended(self, entry: str, instance: str, peer: str, reason: Reason | None) -> None:
        self.ended[reason.name if reason else "left"] += 1

    def match_opened(self, setup: MatchSetup, *, recovered: bool) -> None:
        self.counts["opened"] += 1
        self._tables += 1
        self.most_tables = max(self.most_tables, self._tables)

    def match_finished(self, setup: MatchSetup, outcome: Outcome) -> None:
        self._moved.pop(setup.match_id, None)
        self._tables -= 1
        if not self.keeps_quiet:
            say(event="finished", match=setup.match_id)
        self.counts[outcome.termination.name.lower()] += 1
        self.changed.set()

    def answered(self, setup: MatchSetup, seat: Seat, elapsed: int) -> None:
        self.counts["answered"] += 1
        self.longest_gap = max(self.longest_gap, *self.gaps(setup.match_id))
        self._moved[setup.match_id] = now()
        if self.keeps_times:
            self.booked[f"{setup.match_id}/{setup.entries[seat]}"].append(elapsed)

    def fault(self, setup: MatchSetup, seat: Seat, fault: Fault) -> None:
        self.counts[fault.name.lower()] += 1

    def seat_lost(self, setup: MatchSetup, seat: Seat) -> None:
        if not self.keeps_quiet:
            say(event="seat_lost", match=setup.match_id, entry=setup.entries[seat], at=now())

    def stalled(self, late: int, entry: str, cost: int) -> None:
        self.stood += late

    def failed(self, what: str, error: BaseException, match_id: str = "") -> None:
        super().failed(what, error, match_id)
        self.counts["failed"] += 1

    def gaps(self, *match_ids: str) -> list[int]:
        """Return how long tables, by default all, have waited for a decision since their last one."""
        at = now()
        return [0, *(at - self._moved.get(match_id, at) for match_id in match_ids or self._moved)]


class CountedCore(Core):
    """Knows which of its sessions anything still holds.

    Asking the garbage collector for all objects would break whatever builds a tuple in a thread meanwhile.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.held: WeakSet[Session] = WeakSet()

    def connect(self, *args: Any, **given: Any) -> Session:
        session = super().connect(*args, **given)
        self.held.add(session)
        return session


class ServerUnderTest:
    """The referee with the tables that it was told to play."""

    def __init__(
        self, referee: Referee, core: CountedCore, watch: TableWatch, group: asyncio.TaskGroup
    ) -> None:
        self._referee = referee
        self._core = core
        self._watch = watch
        self._group = group  # the process ends with the first table that fails
        self._tables = 0

    async def play(
        self,
        matches: dict[str, list[str]],
        deals: int = 1,
        clock: dict[str, int] | None = None,
        max_faults: int = 3,
        seconds: float = 0,
        spread: float = 0,
        keeps_times: bool = False,
    ) -> dict[str, Any]:
        """Open tables over ``spread`` seconds; with ``seconds`` each has new matches for so long."""
        self._watch.keeps_times = keeps_times
        self._watch.keeps_quiet = bool(seconds)
        rules = GAMES["two_handed_spades"]
        for match_id, entries in matches.items():
            setup = MatchSetup(
                match_id=match_id,
                game=rules.name,
                options=rules.bind({}),
                deals=deals,
                entries=tuple(entries),
                clock=ClockSettings(**clock) if clock else PROFILES["debug"],
                faults=FaultPolicy(max_faults=max_faults),
            )
            self._tables += 1
            self._group.create_task(self._table(setup, time.monotonic() + seconds))
            await asyncio.sleep(spread / len(matches))
        return {}

    async def _table(self, setup: MatchSetup, until: float) -> None:
        await self._referee.play(setup)
        for number in count(2):
            if time.monotonic() >= until:
                break
            await self._referee.play(replace(setup, match_id=f"{setup.match_id}-{number}"))
        self._tables -= 1
        if not self._tables:
            say(event="over")

    async def reach(self, count: str, least: int) -> dict[str, Any]:
        """Return once so many sessions have been welcomed, or matches completed, in all."""
        while self._watch.counts[count] < least:
            self._watch.changed.clear()
            await self._watch.changed.wait()
        return {}

    async def figures(self) -> dict[str, Any]:
        """Return what there is to know."""
        watch = self._watch
        gc.collect()
        return {
            "resident": resident(),
            "most_tables": watch.most_tables,
            "sessions": len(self._core.held),
            "tasks": len(asyncio.all_tasks()),
            "counts": watch.counts,
            "ended": watch.ended,
            "booked": watch.booked,
            "stood": watch.stood,
            "longest_gap": max(watch.longest_gap, *watch.gaps(), 0),
            "cpu": time.process_time(),
        }


async def main(folder: Path, limits: dict[str, int]) -> None:
    """Serve until the parent has enough."""
    watch = TableWatch()
    keys = SeededKeys("spring")
    (folder / "records").mkdir(parents=True)
    core = CountedCore(
        deals=lambda setup, rules: MatchDeals(setup, rules, keys),
        access=Trusting(),
        server="referee/test",
        limits=Limits(**limits),
        observer=watch,
    )
    journal = Journal(folder / "journal", durable=False)
    referee = Referee(
        core,
        keys=keys,
        journal=journal,
        records=folder / "records",
        on_finished=lambda report: referee.settle(report),
    )
    async with listening(referee, "127.0.0.1:0") as at, asyncio.TaskGroup() as group:
        served = ServerUnderTest(referee, core, watch, group)
        say(event="listening", address=at.address)
        async for command in commands():
            name = command.pop("command")
            say(event="reply", to=name, **await getattr(served, name)(**command))
    await referee.close()


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    asyncio.run(main(Path(given["folder"]), given.get("limits", {})))
