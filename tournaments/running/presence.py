"""Where the bots of a tournament are, since when some have been away, and who is absent for that."""

from collections.abc import Callable, Collection, Iterable, Iterator, Set
from enum import Enum, auto
from typing import NamedTuple

from referee.match.effects import Owner
from referee.server.runtime import Referee
from tournaments.plan.instances import instances
from tournaments.plan.plan import Plan
from tournaments.running.hosted_bots import HostedBots


class Presence(Enum):
    """Where the bot of a seat is."""

    READY = auto()  # it has a table free
    BUSY = auto()
    AWAY = auto()  # it has no session: it may come, and a hosted bot can be started
    LOST = auto()  # it will not come back


class Whereabouts:
    """Where bots are, by the referee and the hosted bots.

    ``is_unattended`` says whether a bot plays a match in which no side is complete; ``now`` is a clock in
    microseconds.
    """

    def __init__(
        self,
        referee: Referee,
        bots: HostedBots,
        is_unattended: Callable[[Owner], bool],
        now: Callable[[], int],
    ) -> None:
        self._referee = referee
        self._bots = bots
        self._is_unattended = is_unattended
        self._now = now
        self._away_since: dict[Owner, int] = {}

    def of(self, owner: Owner) -> Presence:
        """Return where a bot is."""
        if owner in self._bots.lost:
            # to abandon it now would decide such a match before the other side forfeits it, too
            return Presence.BUSY if self._is_unattended(owner) else Presence.LOST
        if self._bots.awaits(owner):  # a session in its name is that of another bot
            return Presence.AWAY
        if self._referee.core.sessions.free_tables(owner) > 0:
            return Presence.READY
        if not self._referee.core.sessions.is_here(owner):
            return Presence.AWAY
        # it plays nothing and has no table free: its `matches` are used up, so the start clock decides
        is_idle = not self._referee.core.matches.plays(owner)
        return Presence.READY if is_idle else Presence.BUSY

    def presences(self) -> "Presences":
        """Return where bots are now, to be looked up one by one."""
        return Presences(self)

    def note_away(self, owners: Iterable[Owner]) -> None:
        """Note that these are away from now on, unless that is noted already."""
        for owner in owners:
            self._away_since.setdefault(owner, self._now())

    def away_since(self, owners: Collection[Owner]) -> int:
        """Return since when all of some owners have been away; owners that were not noted, since now."""
        return max(self._away_since.get(owner, self._now()) for owner in owners)

    def noted(self) -> Iterator[tuple[Owner, int]]:
        """Yield the owners that were noted as away, longest first, with since when."""
        yield from sorted(self._away_since.items(), key=lambda each: each[1])

    def arrived(self, owner: Owner) -> None:
        """Record that a bot has arrived."""
        self._away_since.pop(owner, None)

    def forget(self) -> None:
        """Forget since when bots have been away."""
        self._away_since.clear()


class Presences(dict[Owner, Presence]):
    """A cache of where bots are, each as first looked up; clear it when something has changed."""

    def __init__(self, where: Whereabouts) -> None:
        super().__init__()
        self._where = where

    def __missing__(self, owner: Owner) -> Presence:
        found = self[owner] = self._where.of(owner)
        return found


class Attendance(NamedTuple):
    """Who is absent when a round is to be drawn: remote competitors that were waited for long enough.

    ``due`` is when the next one that is still waited for will have been, None if nobody is.
    """

    absent: frozenset[str] = frozenset()
    due: int | None = None


def attendance(
    plan: Plan, where: Whereabouts, presence: Presences, now: int, out: Set[str] = frozenset()
) -> Attendance:
    """Return who of a plan is absent; those who are away are noted as away.

    Nobody waits for competitors with an entry that is ``out`` by a ruling: they are absent.
    """
    remote = {entry.name for entry in plan.entries if entry.remote}
    absent: set[str] = set()
    due: list[int] = []
    for competitor in plan.competitors:
        if not out.isdisjoint(competitor.entries):
            absent.add(competitor.name)
            continue
        names = [name for name in dict.fromkeys(competitor.entries) if name in remote]
        owners = [(name, instance) for name in names for instance in instances(plan, name)]
        away = [owner for owner in owners if presence[owner] is Presence.AWAY]
        if not away:
            continue
        where.note_away(away)
        at = min(where.away_since([owner]) for owner in away) + plan.remote.wait
        if now < at:
            due.append(at)
        else:
            absent.add(competitor.name)
    return Attendance(frozenset(absent), min(due, default=None))
