"""The duplicate sets of a run: their turns stay in step, and nothing of a deck is told too early."""

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
from tournaments.schedule.duplicates import epoch_of, epoch_of_round, set_of, together, turn_id, turn_of
from tournaments.store import Issued, MatchResult, Store

_WHO: Final = "the referee"
_WHY: Final = "another turn of its duplicate set has no result, so all are played again with other deals"
_NOT_PLAYED: Final = Outcome(Termination.CANCELLED, (), (), capped=False, faults=(), forfeited=())


class OpenSets:
    """Follows the sets of a plan in which some turns may be over; without sets it does nothing.

    All turns of a set have a result of the same attempt, with the same decks. A bot that saw a deck must not
    meet it again: where one turn has no result, all are played again. Where a round shares its decks, its
    other sets keep theirs. ``running`` are the matches in play, ``end`` ends an attempt of theirs, and
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
        end: Callable[[Issued], None],
        decided: Callable[[int], None],
    ) -> None:
        self._plan = plan
        self._store = store
        self._referee = referee
        self._backlog = backlog
        self._running = running
        self._end = end
        self._decided = decided
        self._untold: defaultdict[str, list[FinishedMatch]] = defaultdict(list)  # by epoch

    def to_tell(self, report: FinishedMatch) -> list[FinishedMatch]:
        """Return what may be told now that a match is over: all with the same decks once they are over."""
        setup = report.setup
        if not setup.epoch:
            return [report]
        untold = self._untold[setup.epoch]
        if not report.outcome.ranks or self._backlog.get(setup.match_id):  # the set is played again
            of_set = set_of(setup.match_id)
            untold[:] = [each for each in untold if set_of(each.setup.match_id) != of_set]
            return [] if report.outcome.ranks else [report]
        untold.append(report)
        # others, too: the last set of a round may have been one that is played again
        still_open = self._open_epochs(but=setup.match_id)
        over = [epoch for epoch in self._untold if epoch not in still_open]
        return [each for epoch in over for each in self._untold.pop(epoch)]

    def is_ending(self, issued: Issued) -> bool:
        """Return whether another turn of a match's set is still in play with deals that will not count."""
        return self._plan.duplicate and any(
            set_of(each.match_id) == set_of(issued.match_id) and each.attempt != issued.attempt
            for each in self._running()
        )

    def has_begun(self, issued: Issued) -> bool:
        """Return whether another turn of a match's set is in play or over."""
        turns = (turn_id(set_of(issued.match_id), turn) for turn in range(self._plan.turns))
        return self._plan.duplicate and any(self._backlog.get(name) is None for name in turns)

    def close(self, report: FinishedMatch) -> None:
        """Drop the key of a match's decks once no turn of its set is played with them any more.

        Raises:
            OSError: the key cannot be removed.
        """
        epoch = report.setup.epoch
        if epoch and epoch not in self._open_epochs(but=report.setup.match_id):
            self._referee.close_epoch(epoch)

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
                    self._end(now)
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

    def _open_epochs(self, *, but: str) -> set[str]:
        """Return the decks with which matches are still to be played, other than the match of an id."""
        found = {
            epoch_of(self._plan, each.match_id, each.attempt) for each in self._open() if each.match_id != but
        }
        return found | _half_issued(self._plan, self._backlog.issued)

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
    to_do = {epoch_of(plan, each.match_id, each.attempt) for each in store.to_do()}
    return to_do | _half_issued(plan, store.issued_count())


def _half_issued(plan: Plan, issued: int) -> set[str]:
    """Return the decks of rounds that are only partly issued, as far as rounds share decks."""
    if not plan.shared_decks:
        return set()
    rounds, rest = divmod(issued, together(plan) or 1)
    return {epoch_of_round(plan, rounds + 1)} if rest else set()


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
