"""What is to be played next: from a schedule, or for a ladder from who is there."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, Protocol

from referee.games.registry import GAMES
from tournaments import schedule
from tournaments.plan import Plan
from tournaments.ratings import Rating
from tournaments.schedule import Pairing
from tournaments.schedule.ladder import REMEMBERED, Candidate, Recent, next_match
from tournaments.store import Store

_BATCH: Final = 500  # matches issued at once


class Feed(Protocol):
    """Says which matches are to be issued."""

    def next(self, room: int, idle: bool) -> Sequence[Pairing]:
        """Return matches to be issued now.

        There is ``room`` to begin so many at once; ``idle``: all that were issued are over.
        """

    def over(self) -> None:
        """Take note that a match is over."""


class ScheduleFeed:
    """Issues a schedule, some way ahead; where it follows from results, as far as they decide it.

    ``plan`` is asked for when the first matches are to be issued: until then entries may come.
    """

    def __init__(self, plan: Callable[[], Plan], store: Store) -> None:
        self._plan = plan
        self._store = store
        self._format = plan().format
        self._fixed = self._whole({})
        self._has_news = True

    def next(self, room: int, idle: bool) -> Sequence[Pairing]:
        """Return matches to be issued: a batch ahead, or all that new results decide."""
        if self._format.is_fixed:
            return tuple(islice(self._fixed, _BATCH))
        # when all that was issued is over: so what follows, and in which order, rests on the results alone
        # and not on which of them came first
        if not (self._has_news and idle):
            return ()
        self._has_news = False
        return tuple(self._whole(self._store.ranks()))

    def over(self) -> None:
        """Take note that a match is over."""
        self._has_news = True

    def _whole(self, ranks: Mapping[str, tuple[int, ...]]) -> Iterator[Pairing]:
        yield from schedule.next(self._plan(), self._store.issued(), ranks, set())


class LadderFeed:
    """Pairs who is there and free, as many as there is room for.

    ``plan`` is asked for anew each time, since entries come and go. ``free`` are the competitors that can be
    seated now, ``ratings`` the rating and the matches of those that have any.
    """

    def __init__(
        self,
        plan: Callable[[], Plan],
        store: Store,
        free: Callable[[], Sequence[str]],
        ratings: Callable[[], Mapping[str, tuple[Rating, int]]],
    ) -> None:
        self._plan = plan
        self._free = free
        self._ratings = ratings
        self._serial = store.issued_count()
        self._seated: dict[str, int] = {}  # the serial of each one's last match
        self._recent = Recent()
        for issued in store.last_issued(REMEMBERED):
            self._note(issued.serial, issued.seats)

    def next(self, room: int, idle: bool) -> Sequence[Pairing]:
        """Return matches between those who can be seated."""
        found: list[Pairing] = []
        free = list(self._free()) if room > 0 else []
        ratings = self._ratings() if len(free) >= self._plan().at_table else {}
        while len(found) < room and (pairing := self._next(free, ratings)):
            self._serial += 1
            self._note(self._serial, pairing.seats)
            found.append(pairing)
            free = [name for name in free if self._seated[name] != self._serial]
        return found

    def over(self) -> None:
        """Take note that a match is over; the ratings tell the rest."""

    def _next(self, free: Sequence[str], ratings: Mapping[str, tuple[Rating, int]]) -> Pairing | None:
        plan = self._plan()
        beginner = (Rating(plan.rating.mu, plan.rating.sigma), 0)
        candidates = []
        for name in free:
            rating, matches = ratings.get(name, beginner)
            waited = self._serial - self._seated.setdefault(name, self._serial)
            candidates.append(Candidate(name=name, rating=rating, matches=matches, waited=waited))
        return next_match(plan, candidates, self._recent, self._serial + 1)

    def _note(self, serial: int, seats: Sequence[str]) -> None:
        plan = self._plan()
        sides = tuple(
            tuple(dict.fromkeys(plan.competitor_of(seats[seat]) for seat in side))
            for side in GAMES[plan.game].sides
        )
        self._recent.add(sides)
        self._seated.update((name, serial) for side in sides for name in side)
