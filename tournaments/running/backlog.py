"""The matches of a tournament that are issued and not begun."""

from collections.abc import Callable, Collection, Iterable, Sequence, Set
from functools import partial
from itertools import islice
from typing import Final

from referee.core.steps import Steps, at_once
from referee.server.slices import Slices
from tournaments.plan.plan import Format
from tournaments.running.pairing_source import PairingSource
from tournaments.running.roster import Roster
from tournaments.running.store_outage import Patience
from tournaments.store import Issued, Store

LOOK_AHEAD: Final = 1000
"""How many matches are looked at for one whose bots are free."""


class Backlog:
    """Holds the matches that are to begin, in the order of the schedule, and has more issued in time.

    ``stored`` does what is done with the store; ``slices`` keep what takes long from holding up the loop.
    While ``has_stopped`` returns True nothing is issued.
    """

    def __init__(
        self,
        roster: Roster,
        store: Store,
        source: PairingSource,
        *,
        stored: Patience,
        slices: Slices,
        has_stopped: Callable[[], bool],
    ) -> None:
        self._roster = roster
        self._store = store
        self._source = source
        self._stored = stored
        self._slices = slices
        self._has_stopped = has_stopped
        self._to_do: dict[str, Issued] = {}
        self._is_exhausted = False
        self._is_in_doubt = False
        self.issued = 0
        """How many matches were issued in all."""

    @property
    def is_exhausted(self) -> bool:
        """Return whether all matches of the tournament were issued, and none was left when that was found."""
        return self._is_exhausted

    @property
    def may_have_more(self) -> bool:
        """Return whether there are matches to begin, or it is in doubt whether there are."""
        return bool(self._to_do) or self._is_in_doubt

    @property
    def due(self) -> int | None:
        """Return until when the next round waits for entries that are away; None when it waits for nobody."""
        return self._source.due

    @property
    def resting(self) -> Sequence[str]:
        """Return the competitors that have played all they may for now."""
        return self._source.resting

    def __len__(self) -> int:
        return len(self._to_do)

    def get(self, match_id: str) -> Issued | None:
        """Return a match, or None when it is not to begin."""
        return self._to_do.get(match_id)

    def is_to_begin(self, issued: Issued) -> bool:
        """Return whether a match is still to begin, with this attempt."""
        return self._to_do.get(issued.match_id) == issued

    def all(self) -> tuple[Issued, ...]:
        """Return all matches."""
        return tuple(self._to_do.values())

    def first(self) -> list[Issued]:
        """Return the matches among which one is looked for that can begin."""
        return list(islice(self._to_do.values(), LOOK_AHEAD))

    def entries(self) -> set[str]:
        """Return the entries of all matches."""
        return {entry for issued in self._to_do.values() for entry in issued.entries}

    def take_out(self, entries: Set[str]) -> None:
        """Remove the matches of entries that are out by a ruling."""
        self._to_do = {
            name: issued for name, issued in self._to_do.items() if entries.isdisjoint(issued.entries)
        }

    def put(self, issued: Issued) -> None:
        """Add a match, at the end if it was not there."""
        self._to_do[issued.match_id] = issued
        self._is_exhausted = False

    def remove(self, match_id: str) -> None:
        """Remove a match that begins or is skipped."""
        del self._to_do[match_id]

    def restore(self) -> None:
        """Take over what the store holds.

        Raises:
            StoreError: the store cannot be read.
        """
        self._to_do = {issued.match_id: issued for issued in self._store.to_do()}
        self.issued = self._store.issued_count()

    def doubt(self) -> None:
        """Have the next `refill` look which matches are open: results may have been withdrawn, or not."""
        self._is_in_doubt = True
        self._is_exhausted = False
        self.match_over()

    def go_on(self) -> None:
        """Issue matches again after a failure: those that were being issued may not have been."""
        self._source.restart()

    def match_over(self) -> None:
        """Record that a match is over, which may decide the next ones."""
        self._source.match_over()

    def fill(self, playing: Collection[str]) -> None:
        """Issue the first matches at once, if there are not enough; ``playing`` are the ids of those in play.

        Raises:
            StoreError: the store fails.
        """
        if self._has_room:
            at_once(self._issuing(0, playing))

    async def refill(self, playing: Collection[str]) -> None:
        """Issue what is to be played next, as long as there is not enough to choose from.

        ``playing`` are the ids of the matches in play.

        Raises:
            StoreError: the store fails, or was gone for too long.
        """
        if self._is_in_doubt:
            to_do = await self._stored(self._store.to_do, in_thread=True)
            self._is_in_doubt = False
            self._to_do.clear()
            self._take(to_do, playing)
        plan, idle = self._roster.plan, self._is_idle(playing)
        is_ladder = plan.format is Format.LADDER
        room = plan.concurrency - len(playing) - (len(self._to_do) if is_ladder else 0)
        call = partial(self._stored, in_thread=True)  # it waits for the disk
        while self._has_room and await self._source.prepare(room, idle):
            if self._has_stopped():
                return
            before = self.issued
            await self._slices.run(self._issuing(room, playing), call)
            if self.issued == before or self._to_do:
                return
            # all that was issued is left out by rulings on entries
        if idle and not is_ladder and self.due is None:
            self._is_exhausted = True

    def gone(self, issued: Issued) -> tuple[str, ...]:
        """Return the entries of a match of a ladder that have gone, or have another version, since."""
        plan = self._roster.plan
        if plan.format is not Format.LADDER:
            return ()
        here = {(entry.name, entry.version) for entry in plan.entries}
        seated = zip(issued.entries, issued.versions, strict=True)
        return tuple(dict.fromkeys(name for name, version in seated if (name, version) not in here))

    @property
    def _has_room(self) -> bool:
        return len(self._to_do) < LOOK_AHEAD // 2

    def _is_idle(self, playing: Collection[str]) -> bool:
        return not self._to_do and not playing

    def _issuing(self, room: int, playing: Collection[str]) -> Steps[None]:
        """Issue the next matches; a call that failed may be repeated."""
        idle = self._is_idle(playing)
        if self._roster.plan.format is Format.LADDER:
            pairings = self._source.next(room, idle)  # of what is known now
        else:  # off the loop: pairing a large round takes seconds
            pairings = yield partial(self._source.next, room, idle)
        if self._has_stopped():
            return
        if pairings:
            known = len(playing) + len(self._to_do)
            yield partial(self._store.issue, pairings, self._source.absent)
            self.issued = yield self._store.issued_count
            to_do = yield partial(self._store.to_do, known + len(pairings))
            self._take(to_do, playing)
            if any(each.match_id not in self._to_do for each in pairings):
                self._source.match_over()  # some are left out by a ruling on an entry, and so decided
        elif idle and self.due is None and self._roster.plan.format is not Format.LADDER:
            self._is_exhausted = True

    def _take(self, to_do: Iterable[Issued], playing: Collection[str]) -> None:
        """Add what the store holds to what is known; ``playing`` are the ids of those in play."""
        for issued in to_do:
            if issued.match_id not in playing:
                self._to_do.setdefault(issued.match_id, issued)
