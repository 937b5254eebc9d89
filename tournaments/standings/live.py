"""The present standings of a store."""

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from referee.core.steps import Steps, at_once
from tournaments.plan.plan import Plan
from tournaments.schedule.duplicates import together
from tournaments.standings.fits import Fits, Fitted
from tournaments.standings.fold import Standings, fingerprint, is_of_this_version
from tournaments.standings.ranking import needs_ranks
from tournaments.standings.sets import Sets
from tournaments.standings.shapes import NOTHING_FITTED, Report, Skills
from tournaments.store import Checkpoint, Store

OnProgress: TypeAlias = Callable[[int, int], None]
"""Called with how many of the issued matches are done, and how many there are."""

OnAnew: TypeAlias = Callable[[int], None]
"""Called with how many results are ranked anew, since the rules of another version ranked them before."""

_SPACING: Final = 32  # matches between two states that are kept
_WORTH_KEEPING: Final = 500  # matches: fewer are folded again in a moment
_PROGRESS_EVERY: Final = 1000  # matches
_BATCH: Final = 25  # matches read at once, in a millisecond or two


class Live:
    """The standings of a store that is still being filled: a result is folded once, however many there are.

    A result may come late, since a slow match does not hold up those after it, and running ratings follow the
    order of the schedule: then what comes after it is folded again, from the latest state in memory that is
    not touched by it. The memory for these states grows with the logarithm of how far behind the slowest
    match is, and not with the matches played. The fit takes all matches at once; see `Standings.reporting`.
    """

    def __init__(
        self,
        store: Store,
        plan: Plan,
        *,
        rebuild: bool = False,
        on_anew: OnAnew | None = None,
        fits: Fits | None = None,
    ) -> None:
        """Start from the store's checkpoint at the first report, or with ``rebuild`` from nothing.

        With ``fits`` large fits are made there, and no report waits for them: it has the latest one.
        """
        self._store = store
        self.plan = plan
        self.fits = fits
        self._rebuild = rebuild
        self._on_anew = on_anew
        self._rulings = 0  # how many adjudications are taken into account
        self._now = Standings(plan)
        self._kept = 0
        self._states: list[Standings] = []  # by serial; up to the first one every match is over
        self._open: set[int] = set()  # serials up to now of matches without a result
        self._told: set[int] = set()
        self._gone_back = 0  # how many times
        self._shown = Fitted()

    def changed(self, serial: int) -> None:
        """Record that a match has a new result, or a new attempt without one, or is skipped.

        Call it for each one since this object was made, in any order, even while a report is being made; a
        match that is not recorded is seen late.
        """
        self._told.add(serial)

    def report(self, on_progress: OnProgress | None = None) -> Report:
        """Return the report of all that is stored.

        Raises:
            StoreError: the store cannot be read, or the checkpoint not be written.
        """
        return at_once(self.reporting(on_progress))

    def folded(self, on_progress: OnProgress | None = None) -> Standings:
        """Return the standings of all that is stored, for reading.

        Raises:
            StoreError: the store cannot be read, or the checkpoint not be written.
        """
        at_once(self._following(on_progress))
        return self._now

    def is_fitted(self, *, whole: bool) -> bool:
        """Return whether the last report had a fit of all its matches, where a large one has a part in it."""
        return self.fits is None or not self._now.is_large or self._is_of_all(self._shown, whole=whole)

    def _is_of_all(self, fitted: Fitted, *, whole: bool) -> bool:
        return fitted.moment == self._moment and (fitted.is_whole or not whole)

    @property
    def _moment(self) -> tuple[int, int]:
        return self._gone_back, self._now.rated.matches

    def reporting(
        self, on_progress: OnProgress | None = None, *, fitted: bool = True, whole: bool = True
    ) -> Steps[Report]:
        """Do the same as `report` in steps, one report at a time; one that was interrupted goes on.

        Without ``fitted`` no large fit is begun, and the running ratings decide. One that need not be
        ``whole`` goes on from the last one.
        """
        yield from self._following(on_progress)
        roster = yield self._store.roster
        ranks = (yield self._store.ranks) if needs_ranks(self.plan) else {}
        skills = (yield from self._skills(whole=whole)) if fitted else NOTHING_FITTED
        return (yield from self._now.reporting(roster, ranks, skills=skills))

    def _following(self, on_progress: OnProgress | None) -> Steps[None]:
        """Fold what is new, and keep a checkpoint of it now and then."""
        rulings: int = yield self._store.withdrawn_count
        if rulings != self._rulings:  # which may have withdrawn a result of long ago
            self._begin_anew()
            self._rulings = rulings
        if not self._states:
            yield from self._begin()
        yield from self._go_back_to_told()
        prefix: int = yield self._store.prefix
        if missed := {serial for serial in self._open if serial <= prefix}:
            yield from self._go_back(min(missed))
            self._open -= missed
        yield from self._fold(prefix, on_progress)
        complete = self._states[0]
        if complete.serial - self._kept >= _WORTH_KEEPING:
            data = yield from complete.dumping()
            yield partial(
                self._store.keep, Checkpoint(complete.serial, self._fingerprint(self._rulings), data)
            )
            self._kept = complete.serial

    def _skills(self, *, whole: bool) -> Steps[Skills | None]:
        """Return the skills by the latest large fit, and begin the next; None where the fit is not large."""
        whole = whole or self.plan.shared_decks  # how decks differ is told by all matches together
        fits = self.fits
        if fits is None or not self._now.is_large:
            return None
        self._shown = fits.latest
        if not fits.is_busy and not self._is_of_all(self._shown, whole=whole):
            yield from fits.beginning(self._now, self._moment, whole=whole)
        return self._shown.skills

    def _fingerprint(self, rulings: int) -> str:
        """Return what a checkpoint rests on besides results: one from before a ruling fits no more."""
        return fingerprint(self.plan, rulings)

    def _begin_anew(self) -> None:
        """Forget everything; what is told meanwhile counts."""
        self._now = Standings(self.plan)
        self._kept = 0
        self._states = []
        self._open.clear()
        self._gone_back += 1

    def _begin(self) -> Steps[None]:
        checkpoint = None if self._rebuild else (yield self._store.checkpoint)
        if checkpoint is not None and checkpoint.fingerprint == self._fingerprint(self._rulings):
            self._now = yield from Standings.loading(self.plan, checkpoint.data)
        elif checkpoint is not None and self._on_anew and not is_of_this_version(checkpoint.fingerprint):
            skipped: int = yield self._store.skipped_count
            self._on_anew((yield self._store.played_count) - skipped)
        self._kept = self._now.serial
        self._states = [(yield from self._now.copying())]

    def _go_back_to_told(self) -> Steps[None]:
        told = set(self._told)
        self._open -= told
        touched = [serial for serial in told if self._states[0].serial < serial <= self._now.serial]
        if touched:
            yield from self._go_back(min(touched))
        self._told -= told

    def _go_back(self, serial: int) -> Steps[None]:
        """Go back to the latest state before a serial."""
        states = [state for state in self._states if state.serial < serial]
        if states and serial <= self._now.serial:
            now = yield from states[-1].copying()
            self._states, self._now = states, now
            self._gone_back += 1

    def _fold(self, prefix: int, on_progress: OnProgress | None) -> Steps[None]:
        """Add what is stored after `_now`."""
        now = self._now
        total: int = yield self._store.issued_count
        skipped: list[int] = (yield self._store.skipped) if self.plan.shared_decks else []
        sets, size = Sets(self.plan, skipped), together(self.plan)
        for first in range(now.serial + 1, total + 1, _BATCH):
            batch = yield partial(self._store.over, first, min(first + _BATCH - 1, total))
            for issued, result in sets.whole(batch):
                serial = issued.serial
                if serial > now.serial:  # in between, since an interrupted report goes on with the next match
                    yield None
                    if serial > prefix:
                        yield from self._mark(prefix)
                        self._open.update(range(max(now.serial, prefix) + 1, serial + 1))
                    if on_progress and serial // _PROGRESS_EVERY > now.serial // _PROGRESS_EVERY:
                        on_progress(now.serial, total)
                if result is None:
                    now.add_void(issued)
                else:
                    now.add(issued, result)
                    self._open.difference_update(range(serial - size + 1, serial + 1))
        yield from self._mark(prefix)
        if on_progress:
            on_progress(total, total)

    def _mark(self, prefix: int) -> Steps[None]:
        """Keep the present state to go on from it again, unless one just before it is kept."""
        if self._now.serial - self._states[-1].serial >= _SPACING:
            self._states.append((yield from self._now.copying()))
            self._thin(prefix)

    def _thin(self, prefix: int) -> None:
        """Drop the states before the last one of the complete prefix, and most of those far back."""
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
    on_anew: OnAnew | None = None,
) -> Report:
    """Return the report of all that is stored, from the store's checkpoint on, and leave a new one.

    With ``rebuild`` it begins anew, which gives the same. ``on_anew`` is told when a checkpoint of another
    version makes it do so.

    Raises:
        StoreError: the store cannot be read, or the checkpoint not be written.
    """
    return Live(store, plan, rebuild=rebuild, on_anew=on_anew).report(on_progress)
