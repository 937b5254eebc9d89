"""Matches that are watched while they are played: who watches, what of them is seen, and when.

A watcher sees what is public, some decisions late (`Limits.watch_delay`); a seat sees what it knows itself,
at once. Neither sees anything before it is written: steps are made of the lines of the journal. What waits
for a watcher who does not read is bounded; nobody else waits for one. An error in here ends watching, and
never a match.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Final

from referee.cards import Seat
from referee.core.access import Denied
from referee.core.core import Core
from referee.core.output import Output
from referee.core.running_match import Key, RunningMatch
from referee.core.steps import Steps
from referee.match.effects import MatchSetup
from referee.match.messages import Finished, Reason
from referee.server.shares import Shares, share
from referee.server.slices import Slices
from referee.storage.record import read_input
from referee.viewer.live import SeenMatch, Step

SHARED_DEALS: Final = "other matches are played with the same deals: it can be seen when all of them are over"
NOBODY_WATCHES: Final = "nobody may watch matches here"

_INPUT: Final = '{"type":"input"'
_IN_A_SLICE: Final = 16  # lines


class MatchWatcher:
    """One who watches a match: iterate over it for what is seen, which ends with how the match ended.

    Raises:
        Denied: SLOW_READER, what waited was not read; INTERNAL, the match cannot be shown any more.
    """

    def __init__(self, setup: MatchSetup, most: int) -> None:
        self.setup = setup
        self._most = most
        self._waiting: deque[Step | Finished] = deque()
        self._news = asyncio.Event()
        self._ended: Denied | None = None
        self._is_over = False

    def show(self, seen: Iterable[Step | Finished]) -> None:
        """Let it see something more; one who has not read what was shown before is sent away."""
        if self._ended:
            return
        self._waiting.extend(seen)
        if len(self._waiting) > self._most:
            self.end(Reason.SLOW_READER, f"more than {self._most} steps of the match were not read")
        self._news.set()

    def begin(self, seen: Iterable[Step]) -> None:
        """Let it see what was seen before, which counts for nothing."""
        self._most += len(seen := list(seen))
        self.show(seen)

    def over(self) -> None:
        """Record that no more comes."""
        self._is_over = True
        self._news.set()

    def end(self, reason: Reason, text: str) -> None:
        """Send it away."""
        self._waiting.clear()
        self._ended = Denied(reason, text)
        self._news.set()

    def read(self) -> list[Step | Finished]:
        """Return what is seen by now and was not read before."""
        seen = list(self._waiting)
        self._waiting.clear()
        return seen

    async def __aiter__(self) -> AsyncIterator[Step | Finished]:
        """Yield what is seen, as it comes."""
        while True:
            while self._waiting:
                yield self._waiting.popleft()
            if self._ended:
                raise self._ended
            if self._is_over:
                return
            self._news.clear()
            await self._news.wait()


class _Watched:
    """A match that somebody watches."""

    def __init__(self, table: RunningMatch, seat: Seat | None, delay: int) -> None:
        self.table = table
        self.watchers: set[MatchWatcher] = set()
        self.is_ready = False
        self._delay = delay
        self._live = SeenMatch(table.header, table.setup, table.game, table.deals, seat)
        self._place = 0  # among the lines of the record
        self._hidden: deque[Step] = deque()
        self._seen: list[Step] = []  # of the deal in play

    def catching_up(self) -> Steps[None]:
        """Take all lines that there are."""
        while self._place < len(self.table.lines):
            self._read(self._place + _IN_A_SLICE)
            yield None

    def see(self, now: int) -> None:
        """Show everybody what has become visible."""
        self._read(len(self.table.lines))
        match = self.table.match
        asked = None if match.outcome else match.told_decisions(now) - self._delay
        new: list[Step] = []
        while self._hidden and (asked is None or self._hidden[0].asked <= asked):
            new.append(step := self._hidden.popleft())
            if step.begins_deal:
                self._seen.clear()
            self._seen.append(step)
        shown: list[Step | Finished] = [*new]
        if match.outcome:
            shown.append(match.finished(match.outcome))
        for watcher in self.watchers:
            watcher.show(shown)
            if match.outcome:
                watcher.over()

    def begin(self, watcher: MatchWatcher) -> None:
        """Show a new watcher what others have seen of the deal in play."""
        self.watchers.add(watcher)
        watcher.begin(self._seen)

    def _read(self, end: int) -> None:
        lines = self.table.lines[self._place : end]
        self._place += len(lines)
        for line in lines:
            if line.startswith(_INPUT):
                self._hidden.extend(self._live.take(read_input(json.loads(line))))


class Watching:
    """The watched matches of one referee; ``now`` is the clock of its matches."""

    def __init__(self, core: Core, slices: Slices, now: Callable[[], int]) -> None:
        self._core = core
        self._slices = slices
        self._now = now
        self._watched: dict[Key, dict[Seat | None, _Watched]] = {}
        self._watchers = Shares()
        self.matches_changed = asyncio.Event()
        """Is set, and replaced by another, when matches have begun or ended or records were written."""
        self._tasks: set[asyncio.Task[None]] = set()

    @contextmanager
    def watch(self, match_id: str, seat: Seat | None = None, *, peer: str = "") -> Iterator[MatchWatcher]:
        """Yield a watcher of a match that is being played; with a ``seat`` it is the one who plays there.

        ``peer`` is as for `counted`.

        Raises:
            Denied: MATCH_NOT_FOUND, it is not being played; RATE_LIMITED, there are too many watchers;
                WRONG_STATE, others play with the same deals.
        """
        table = self._core.matches.get(match_id)
        if table is None or not table.header:  # a match that has just begun is not written yet
            raise Denied(Reason.MATCH_NOT_FOUND, "no match of this id is being played")
        if table.setup.epoch and seat is None:
            raise Denied(Reason.WRONG_STATE, SHARED_DEALS)
        counted = nullcontext() if seat is not None else self.counted(peer)
        with counted, self._watching(table, seat) as watcher:
            yield watcher

    @contextmanager
    def _watching(self, table: RunningMatch, seat: Seat | None) -> Iterator[MatchWatcher]:
        limits = self._core.limits
        of_table = self._watched.setdefault(table.key, {})
        watched = of_table.get(seat)
        if watched is None:
            delay = limits.watch_delay if seat is None else 0
            watched = of_table[seat] = _Watched(table, seat, delay)
            self._begin(watched)
        watcher = MatchWatcher(table.setup, limits.watched_steps)
        try:
            watched.begin(watcher)
            yield watcher
        finally:
            watched.watchers.discard(watcher)
            if not watched.watchers:
                self._forget(watched)

    @contextmanager
    def counted(self, peer: str = "") -> Iterator[None]:
        """Count one more watcher, who comes from the address ``peer``, while the context lasts.

        Raises:
            Denied: RATE_LIMITED, there are too many watchers, in all or from this address.
        """
        most = self._core.limits.watchers
        if self._watchers.total >= most:
            many = f"there are {most} watchers already, which is the limit: try again later"
            raise Denied(Reason.RATE_LIMITED, many if most else NOBODY_WATCHES)
        if not self._watchers.is_left(peer, most):
            many = f"there are {share(most)} watchers from this address already, which is its share"
            raise Denied(Reason.RATE_LIMITED, f"{many}: try again later")
        self._watchers.take(peer)
        try:
            yield
        finally:
            self._watchers.give_back(peer)

    def changed(self) -> None:
        """Wake those who wait for another match, or for a record."""
        self.matches_changed.set()
        self.matches_changed = asyncio.Event()

    def turn(self, output: Output) -> None:
        """Show what was written of some matches."""
        if output.opened or output.finished:
            self.changed()
        if not self._watched:
            return
        for table in output.logged.values():
            for watched in [*self._watched.get(table.key, {}).values()]:
                if watched.is_ready:
                    with self._guarding(watched):
                        watched.see(self._now())

    def _begin(self, watched: _Watched) -> None:
        self._tasks.add(task := asyncio.get_running_loop().create_task(self._catch_up(watched)))
        task.add_done_callback(self._tasks.discard)

    async def _catch_up(self, watched: _Watched) -> None:
        with self._guarding(watched):
            await self._slices.run(watched.catching_up())
            watched.is_ready = True
            watched.see(self._now())

    @contextmanager
    def _guarding(self, watched: _Watched) -> Iterator[None]:
        """Send the watchers away when their match cannot be shown; it goes on all the same."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whoever looks on must not change what happens
            self._core.observer.failed("watching", error, watched.table.setup.match_id)
            for watcher in watched.watchers:
                watcher.end(Reason.INTERNAL, "the referee failed; the match goes on, but cannot be watched")
            self._forget(watched)
        if watched.table.match.outcome:
            self._forget(watched)

    def _forget(self, watched: _Watched) -> None:
        of_table = self._watched.get(watched.table.key, {})
        for seat in [seat for seat, each in of_table.items() if each is watched]:
            del of_table[seat]
        if not of_table:
            self._watched.pop(watched.table.key, None)
