"""The standings of a store as it is now."""

import heapq
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from tournaments.plan import Plan
from tournaments.standings.fold import Standings, fingerprint
from tournaments.standings.ranking import RANKED_BY_SCHEDULE
from tournaments.standings.shapes import Report
from tournaments.store import Checkpoint, Issued, MatchResult, Store

OnProgress: TypeAlias = Callable[[int, int], None]
"""Takes how many of the matches that were issued are seen to, and how many there are."""

_SPACING: Final = 32  # matches between two states that are kept
_WORTH_KEEPING: Final = 500  # matches: fewer are folded again in a moment
_PROGRESS_EVERY: Final = 1000  # matches


class Live:
    """The standings of a store that goes on being filled, at a cost that does not grow with it.

    A result may come late, since a slow match does not hold up those after it, and ratings follow the order
    of the schedule: then what comes after it is folded again, from the latest state in memory that is not
    touched by it. The memory that this takes grows with the logarithm of the matches that a slow one is
    behind, and so does not with the matches played.
    """

    def __init__(self, store: Store, plan: Plan, *, rebuild: bool = False, keep: bool = False) -> None:
        """Begin with the store's checkpoint, or with ``rebuild`` without; ``keep`` writes new ones.

        Raises:
            StoreError: the store cannot be read.
        """
        self._store = store
        self._plan = plan
        self._keep = keep
        self._fingerprint = fingerprint(plan)
        checkpoint = None if rebuild else store.checkpoint()
        if checkpoint is not None and checkpoint.fingerprint == self._fingerprint:
            self._now = Standings.load(plan, checkpoint.data)
        else:
            self._now = Standings(plan)
        self._kept = self._now.serial
        self._states = [self._now.copy()]  # by serial; up to the first one every match is over
        self._open: set[int] = set()  # serials up to now of matches whose result is not in

    def changed(self, serial: int) -> None:
        """Take note that a match has a new result, or a new attempt without one, or is skipped.

        To be called for each since this object was made, in whatever order; what is not told is seen late.
        """
        self._open.discard(serial)
        if self._states[0].serial < serial <= self._now.serial:
            self._states = [state for state in self._states if state.serial < serial]
            self._now = self._states[-1].copy()

    def report(self, on_progress: OnProgress | None = None) -> Report:
        """Return the report of all that is stored.

        Raises:
            StoreError: the store cannot be read, or the checkpoint not be written.
        """
        prefix = self._store.prefix()
        if missed := {serial for serial in self._open if serial <= prefix}:
            self.changed(min(missed))
            self._open -= missed
        self._fold(prefix, on_progress)
        complete = self._states[0]
        if self._keep and complete.serial - self._kept >= _WORTH_KEEPING:
            self._store.keep(Checkpoint(complete.serial, self._fingerprint, complete.dump()))
            self._kept = complete.serial
        ranks = self._store.ranks() if self._plan.format in RANKED_BY_SCHEDULE else {}
        return self._now.report(self._store.roster(), ranks)

    def _fold(self, prefix: int, on_progress: OnProgress | None) -> None:
        """Add what is stored after `_now`."""
        now = self._now
        total = self._store.issued_count() if on_progress else 0
        for issued, result in self._after(now.serial):
            serial = issued.serial
            if serial > now.serial:
                if serial > prefix:
                    self._mark(prefix)
                    self._open.update(range(max(now.serial, prefix) + 1, serial + 1))
                if on_progress and serial // _PROGRESS_EVERY > now.serial // _PROGRESS_EVERY:
                    on_progress(now.serial, total)
            if result is None:
                now.add_void(issued)
            else:
                now.add(issued, result)
                self._open.discard(serial)
        self._mark(prefix)
        if on_progress:
            on_progress(total, total)

    def _after(self, serial: int) -> Iterator[tuple[Issued, MatchResult | None]]:
        """Yield results and, with None, attempts without one, by serial."""
        voids = ((issued, None) for issued in self._store.voids(serial))
        return heapq.merge(self._store.results(serial), voids, key=lambda each: each[0].serial)

    def _mark(self, prefix: int) -> None:
        """Keep the state that is reached, to go on from it again, unless one just before it is kept."""
        if self._now.serial - self._states[-1].serial >= _SPACING:
            self._states.append(self._now.copy())
            self._thin(prefix)

    def _thin(self, prefix: int) -> None:
        """Drop the states before the last one of the complete prefix, and most of those far behind now."""
        end = self._now.serial
        kept: list[Standings] = []
        for state in reversed(self._states):
            is_complete = state.serial <= prefix
            if is_complete or not kept or end - state.serial >= 2 * (end - kept[-1].serial):
                kept.append(state)
            if is_complete:
                break
        self._states = kept[::-1]


def current(
    store: Store,
    plan: Plan,
    on_progress: OnProgress | None = None,
    *,
    rebuild: bool = False,
    keep: bool = False,
) -> Report:
    """Return the report of all that is stored, from the store's checkpoint on.

    With ``rebuild`` it begins anew, which gives the same; with ``keep`` it leaves a new checkpoint, for which
    the store must be open for writing.

    Raises:
        StoreError: the store cannot be read, or the checkpoint not be written.
    """
    return Live(store, plan, rebuild=rebuild, keep=keep).report(on_progress)
