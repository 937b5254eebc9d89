"""Results of turns, collected until their duplicate sets are whole and count as one result each."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tournaments.plan.plan import Plan
from tournaments.schedule.duplicates import set_of, together, turn_of
from tournaments.schedule.set_outcome import outcome_of_set
from tournaments.store import Issued, MatchResult


class Sets:
    """Collects the results of turns until their sets are whole, and sets until all of a shared deck are.

    ``skipped`` are the serials of matches that never have a result: no round waits for their sets.
    """

    def __init__(self, plan: Plan, skipped: Iterable[int] = ()) -> None:
        self._game = plan.game
        self._turns = plan.turns
        self._together = together(plan)
        self._in_round = self._together // plan.turns
        out = {(serial - 1) // self._turns for serial in skipped}  # sets, from 0
        self._out = Counter(number // self._in_round for number in out) if self._in_round else Counter[int]()
        self._waiting: defaultdict[int, list[tuple[Issued, MatchResult]]] = defaultdict(list)
        self._voids: defaultdict[str, set[int]] = defaultdict(set)  # attempts of a set
        self._parts: defaultdict[str, dict[int, tuple[Issued, MatchResult]]] = defaultdict(dict)

    def whole(
        self, rows: Iterable[tuple[Issued, MatchResult | None]]
    ) -> Iterator[tuple[Issued, MatchResult | None]]:
        """Yield attempts at matches, and where they are turns, the sets that they complete.

        A set has the seats of its first turn and the serial of its last one; where a round shares its decks,
        all its sets come together, with the serial of its last match. The attempts at a set before, which
        have no result, come before it.
        """
        if self._turns == 1:
            yield from rows
            return
        for issued, result in sorted(rows, key=lambda row: (row[0].serial, row[1] is not None)):
            if result is None:
                self._voids[set_of(issued.match_id)].add(issued.attempt)
                continue
            if not (one := self._completed(issued, result)):
                continue
            for each in self._counting(one):
                voids = sorted(self._voids.pop(set_of(each[0].match_id), ()))
                yield from ((replace(each[0], attempt=attempt), None) for attempt in voids)
                yield each

    def _counting(self, one: tuple[Issued, MatchResult]) -> list[tuple[Issued, MatchResult]]:
        """Return the sets that count now that one is over."""
        if self._in_round <= 1:
            return [one]
        number = (one[0].serial - 1) // self._together  # of its round, from 0
        last = (number + 1) * self._together
        waiting = self._waiting[last]
        waiting.append(one)
        if len(waiting) < self._in_round - self._out[number]:
            return []
        in_order = sorted(self._waiting.pop(last), key=lambda each: each[0].serial)
        return [(replace(issued, serial=last), result) for issued, result in in_order]

    def _completed(self, issued: Issued, result: MatchResult) -> tuple[Issued, MatchResult] | None:
        of_set = set_of(issued.match_id)
        parts = self._parts[of_set]
        parts[turn_of(issued.match_id)] = issued, result
        if len(parts) < self._turns or len({each.attempt for each, _result in parts.values()}) > 1:
            return None
        del self._parts[of_set]
        turns = [parts[turn] for turn in range(self._turns)]
        first, result = turns[0]
        outcome = outcome_of_set(self._game, [result.outcome for _issued, result in turns])
        return replace(first, serial=turns[-1][0].serial), replace(result, outcome=outcome)
