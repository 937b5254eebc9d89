"""What is played next: by a schedule, or in a ladder by which competitors are there."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Final, Protocol

from referee.games.registry import GAMES
from tournaments import schedule
from tournaments.plan.plan import Format, Plan
from tournaments.ratings import Rating
from tournaments.running.presence import Attendance
from tournaments.running.roster import Roster
from tournaments.schedule import Pairing
from tournaments.schedule.ladder import REMEMBERED, Candidate, Recent, next_match
from tournaments.schedule.pace import PacedMatches
from tournaments.schedule.swiss import without
from tournaments.store import Store

_BATCH: Final = 500  # matches issued at once: a multiple of the turns of a duplicate set
_AT_ONCE: Final = 0  # a time that is over


class PairingSource(Protocol):
    """Decides which matches are issued."""

    @property
    def absent(self) -> Set[str]:
        """Return the competitors that the last matches of `next` leave out, since they are away."""

    @property
    def due(self) -> int | None:
        """Return when to look again if it waits for competitors that are away, in microseconds."""

    @property
    def resting(self) -> Sequence[str]:
        """Return the competitors that have played all they may for now."""

    async def prepare(self, room: int, idle: bool) -> bool:
        """Return whether `next` may return matches, and fetch what it needs."""

    def next(self, room: int, idle: bool) -> Sequence[Pairing]:
        """Return matches to issue now; it may take long, and may be called in a thread.

        There is ``room`` to begin this many at once; ``idle``: all that were issued are over.
        """

    def restart(self) -> None:
        """Start again from what is issued: the last matches of `next` may not have been."""

    def match_over(self) -> None:
        """Record that a match is over."""


class ScheduleSource:
    """Issues a schedule some way ahead, or as far as the results decide it.

    Until the first matches are issued, entries may come. ``attendance`` says who is absent when a round of a
    Swiss is to be drawn; without it everybody is there.
    """

    def __init__(
        self, roster: Roster, store: Store, attendance: Callable[[], Attendance] = Attendance
    ) -> None:
        self.absent: Set[str] = frozenset()
        self.due: int | None = None
        self.resting: Sequence[str] = ()  # a schedule has no pace
        self._roster = roster
        self._store = store
        self._attendance = attendance
        self._attending: Attendance | None = None  # not known in a run before its first look
        self._format = roster.plan.format
        self._fixed = self._whole({})
        self._has_more = True  # of a fixed schedule
        self._has_news = True

    async def prepare(self, room: int, idle: bool) -> bool:
        """Return whether there may be any more, and look who is there."""
        if self._format.is_fixed:
            return self._has_more
        if self._has_news and idle and self._format is Format.SWISS:
            self._attending = self._attendance()
        return self._has_news and idle

    def next(self, room: int, idle: bool) -> Sequence[Pairing]:
        """Return matches to issue: a batch ahead, or all that new results decide."""
        if self._format.is_fixed:
            try:
                found = tuple(islice(self._fixed, _BATCH))
            except BaseException:
                self.restart()  # a generator that failed yields nothing more
                raise
            self._has_more = len(found) == _BATCH
            return found
        # when all that was issued is over, so that what follows, and its order, depends only on the results
        # and not on their order
        if not (self._has_news and idle):
            return ()
        results = self._store.ranks()
        self.absent = frozenset()
        self.due = None
        plan = self._roster.plan
        last = len(results.rounds)
        is_open = self._format is Format.SWISS and last < plan.rounds
        if is_open and (self._roster.out or any(entry.remote for entry in plan.entries)):
            self.due = _AT_ONCE if self._attending is None else self._attending.due
            if self._attending is None or self.due is not None:
                return ()
            self.absent = without(plan, self._attending.absent, last + 1)
        found = tuple(self._whole(results))
        self._has_news = False
        return found

    def restart(self) -> None:
        """Start again from what is issued."""
        self._fixed = self._whole({})
        self._has_more = self._has_news = True
        self._attending = self.due = None

    def match_over(self) -> None:
        """Record that a match is over."""
        self._has_news = True

    def _whole(self, ranks: Mapping[str, tuple[int, ...]]) -> Iterator[Pairing]:
        yield from schedule.next(self._roster.plan, self._store.issued(), ranks, self.absent)


class LadderSource:
    """Pairs competitors that are there and free, as many as there is room for.

    ``free`` are the competitors that can be seated now, ``ratings`` the rating and the matches of those that
    have any, ``day`` the present one.
    """

    absent: Set[str] = frozenset()  # they are passed over each time
    due = None

    def __init__(
        self,
        roster: Roster,
        store: Store,
        free: Callable[[], Awaitable[Sequence[str]]],
        ratings: Callable[[], Awaitable[Mapping[str, tuple[Rating, int]]]],
        day: Callable[[], str] = lambda: "",
    ) -> None:
        self._roster = roster
        self._store = store
        self._day = day
        self._free = free
        self._ratings = ratings
        self._ready: tuple[Sequence[str], Mapping[str, tuple[Rating, int]]] = (), {}
        self.restart()

    @property
    def resting(self) -> Sequence[str]:
        """Return the competitors that have played all that the pace allows for now."""
        return () if self._played is None else _resting(self._roster.plan, self._played, self._day())

    async def prepare(self, room: int, idle: bool) -> bool:
        """Fetch the competitors that can be seated, and their ratings."""
        free = await self._free() if room > 0 else ()
        if self._played is not None:
            free = [name for name in free if self._played.may_play(name, self._day())]
        is_enough = room > 0 and len(free) >= self._roster.plan.at_table
        self._ready = free, await self._ratings() if is_enough else {}
        return is_enough

    def next(self, room: int, idle: bool) -> Sequence[Pairing]:
        """Return matches between those who could be seated when it was prepared."""
        found: list[Pairing] = []
        free, ratings = self._ready
        self._ready = (), {}
        while len(found) < room and (pairing := self._next(free, ratings)):
            self._serial += 1
            self._note(self._serial, pairing.entries)
            found.append(pairing)
            free = [name for name in free if self._seated[name] != self._serial]
            if self._played is not None:
                self._played.add(_competitors(self._roster.plan, pairing.entries), self._day())
        return found

    def restart(self) -> None:
        """Start again from what is issued."""
        self._serial = self._store.issued_count()
        self._seated: dict[str, int] = {}  # the serial of each one's last match
        self._recent = Recent()
        for issued in self._store.last_issued(REMEMBERED):
            self._note(issued.serial, issued.entries)
        plan = self._roster.plan
        self._played = played_of(plan, self._store, self._day()) if plan.pace else None

    def match_over(self) -> None:
        """Record that a match is over; its result is in the ratings."""

    def _next(self, free: Sequence[str], ratings: Mapping[str, tuple[Rating, int]]) -> Pairing | None:
        plan = self._roster.plan
        beginner = (Rating(plan.rating.mu, plan.rating.sigma), 0)
        candidates = []
        for name in free:
            rating, matches = ratings.get(name, beginner)
            waited = self._serial - self._seated.setdefault(name, self._serial)
            candidates.append(Candidate(name=name, rating=rating, matches=matches, waited=waited))
        played, day = self._played, self._day()

        def may_meet(one: str, other: str) -> bool:
            return played is None or played.may_meet(one, other, day)

        return next_match(plan, candidates, self._recent, self._serial + 1, may_meet)

    def _note(self, serial: int, seats: Sequence[str]) -> None:
        plan = self._roster.plan
        sides = tuple(
            tuple(dict.fromkeys(plan.competitor_of(seats[seat]) for seat in side))
            for side in GAMES[plan.game].sides
        )
        self._recent.add(sides)
        self._seated.update((name, serial) for side in sides for name in side)


def played_of(plan: Plan, store: Store, day: str) -> PacedMatches:
    """Return what the competitors of a ladder with a pace have played, on a day so far and in all.

    A match counts for the day on which it began; one that is not over counts for the present one.

    Raises:
        StoreError: the store cannot be read.
    """
    assert plan.pace is not None
    today = [_competitors(plan, seats) for seats in store.seats_since(day)]
    everybody = store.seats_of_all() if plan.pace.matches is not None else ()
    in_all = Counter(name for seats in everybody for name in _competitors(plan, seats))
    return PacedMatches(plan.pace, day, today, in_all)


def resting(plan: Plan, store: Store, day: str) -> Sequence[str]:
    """Return the competitors of a plan that have played all that its pace allows for now.

    Raises:
        StoreError: the store cannot be read.
    """
    return _resting(plan, played_of(plan, store, day), day) if plan.pace else ()


def _resting(plan: Plan, played: PacedMatches, day: str) -> Sequence[str]:
    return [each.name for each in plan.competitors if not played.may_play(each.name, day)]


def _competitors(plan: Plan, seats: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(map(plan.competitor_of, seats)))
