"""The duplicate sets of a run: their turns stay in step, and nothing of a set is told before it is over."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Final

from referee.core.steps import Steps
from referee.match.effects import Outcome
from referee.match.faults import Termination
from referee.server.runtime import FinishedMatch, Referee
from tournaments.plan.plan import Plan
from tournaments.running.backlog import Backlog
from tournaments.schedule.duplicates import set_of, shared_epoch, turn_id, turn_of
from tournaments.store import Issued, MatchResult, Store

_WHO: Final = "the referee"
_WHY: Final = "another turn of its duplicate set has no result, so all are played again with other deals"
_NOT_PLAYED: Final = Outcome(Termination.CANCELLED, (), (), capped=False, faults=(), forfeited=())


class OpenSets:
    """Follows the sets of a plan, of which some turns may be over; without sets it does nothing.

    All turns of a set have a result of the same attempt, with the same decks. A bot that saw a deck must not
    meet it again: where one turn has no result, all are played again. ``running`` are the matches in play,
    ``decided`` is told the serial of a match that has another attempt behind it.
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        referee: Referee,
        backlog: Backlog,
        *,
        running: Callable[[], Collection[Issued]],
        decided: Callable[[int], None],
    ) -> None:
        self._plan = plan
        self._store = store
        self._referee = referee
        self._backlog = backlog
        self._running = running
        self._decided = decided
        self._untold: defaultdict[str, list[FinishedMatch]] = defaultdict(list)  # by set

    def to_tell(self, report: FinishedMatch) -> list[FinishedMatch]:
        """Return what may be told now that a match is over: its set when that is over, else nothing."""
        setup = report.setup
        if not setup.epoch:
            return [report]
        of_set = set_of(setup.match_id)
        if not report.outcome.ranks or self._backlog.get(setup.match_id):
            self._untold.pop(of_set, None)  # they are played again
            return [] if report.outcome.ranks else [report]
        self._untold[of_set].append(report)
        return [] if self._is_open(report) else self._untold.pop(of_set)

    def is_ending(self, issued: Issued) -> bool:
        """Return whether another turn of a match's set is still in play with deals that will not count."""
        return self._plan.duplicate and any(
            set_of(each.match_id) == set_of(issued.match_id) and each.attempt != issued.attempt
            for each in self._running()
        )

    def close(self, report: FinishedMatch) -> None:
        """Drop the key of a match's decks once no turn of its set is played with them any more.

        Raises:
            OSError: the key cannot be removed.
        """
        if report.setup.epoch and not self._is_open(report):
            self._referee.close_epoch(report.setup.epoch)

    def keeping_in_step(self, issued: Issued) -> Steps[None]:
        """Have the turns of a match's set that are an attempt behind another one played again."""
        if not self._plan.duplicate:
            return
        first = issued.serial - turn_of(issued.match_id)
        rows = yield partial(self._store.over, first, first + self._plan.turns - 1)
        standing = {each.match_id: each for each, result in rows if result is not None}
        running = {each.match_id: each for each in self._running()}
        turns = [turn_id(set_of(issued.match_id), turn) for turn in range(self._plan.turns)]
        known = [standing.get(name) or self._backlog.get(name) or running.get(name) for name in turns]
        last = max(each.attempt for each in known if each)
        for each in filter(None, known):
            now = each
            while now.attempt < last:
                if now.match_id in standing:
                    yield partial(self._store.take_back, [now], _WHO, _WHY)
                    del standing[now.match_id]
                elif self._backlog.get(now.match_id):
                    yield partial(self._store.add, _not_played(now))
                else:  # it comes back without a result
                    self._referee.cancel(now.match_id)
                    break
                self._decided(now.serial)
                now = now.again()
                self._backlog.put(now)

    def restoring(self) -> Steps[None]:
        """Bring the sets into step that an earlier run, or a withdrawn result, has left otherwise."""
        if self._plan.duplicate:
            again = {set_of(each.match_id): each for each in self._open() if each.attempt > 1}
            for each in again.values():
                yield from self.keeping_in_step(each)

    def _is_open(self, report: FinishedMatch) -> bool:
        """Return whether another turn of a match's set is still to be played with the same decks."""
        setup = report.setup
        return any(
            shared_epoch(self._plan, each.match_id, each.attempt) == setup.epoch
            for each in self._open_of(set_of(setup.match_id))
            if each.match_id != setup.match_id
        )

    def _open_of(self, of_set: str) -> Iterator[Issued]:
        names = {turn_id(of_set, turn) for turn in range(self._plan.turns)}
        yield from filter(None, map(self._backlog.get, names))
        yield from (each for each in self._running() if each.match_id in names)

    def _open(self) -> Iterator[Issued]:
        yield from self._backlog.all()
        yield from self._running()


def epochs_to_play(plan: Plan, store: Store) -> set[str]:
    """Return the names of the decks that matches share which are still to be played.

    Raises:
        StoreError: the store cannot be read.
    """
    if not plan.duplicate:
        return set()
    return {shared_epoch(plan, each.match_id, each.attempt) for each in store.to_do()}


def _not_played(issued: Issued) -> MatchResult:
    """Return an attempt that was not begun."""
    return MatchResult(
        match_id=issued.match_id,
        attempt=issued.attempt,
        outcome=_NOT_PLAYED,
        record="",
        record_sha256="",
        started="",
        duration=0,
    )
