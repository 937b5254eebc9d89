"""The turns of a duplicate set as one result, as if it were a match: points are added up over the turns."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Final

from referee.cards import Seat
from referee.games.base import ranks_of
from referee.games.registry import GAMES
from referee.match.clock import Micros
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, SeatTime, Termination
from referee.match.ranks import ranks_by_forfeit
from tournaments.plan.plan import Plan
from tournaments.schedule.duplicates import set_of, turn_of
from tournaments.schedule.duplicates import together as sharing
from tournaments.store import Issued, MatchResult

_COUNTS: Final = tuple(field.name for field in fields(FaultCounts))


class Sets:
    """Collects the results of turns until their sets are whole, and sets until all of a shared deck are.

    ``skipped`` are the serials of matches that never have a result: no round waits for their sets.
    """

    def __init__(self, plan: Plan, skipped: Iterable[int] = ()) -> None:
        self._game = plan.game
        self._turns = plan.turns
        self._together = sharing(plan)
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
        outcome = together(self._game, [result.outcome for _issued, result in turns])
        return replace(first, serial=turns[-1][0].serial), replace(result, outcome=outcome)


def together(game: str, turns: Sequence[Outcome]) -> Outcome:
    """Return the outcome of a set by the seats and sides of its first turn.

    In each turn everybody sits one seat further back. Scores, faults and times are added up, and the sums
    decide the ranks; who forfeits one turn forfeits the set.
    """
    rules = GAMES[game]
    side_of = {seat: number for number, side in enumerate(rules.sides) for seat in side}

    def seated(seat: int, turn: int) -> Seat:
        return Seat((seat - turn) % rules.seats)

    seats = range(rules.seats)
    forfeited = tuple(
        Seat(seat)
        for seat in seats
        if any(seated(seat, turn) in one.forfeited for turn, one in enumerate(turns))
    )
    scores = tuple(
        sum(one.scores[side_of[seated(side[0], turn)]] for turn, one in enumerate(turns) if one.scores)
        for side in rules.sides
    )
    out = [not set(side).isdisjoint(forfeited) for side in rules.sides]
    return Outcome(
        termination=Termination.FORFEIT if forfeited else Termination.COMPLETED,
        ranks=ranks_by_forfeit(out) or _ranks(scores, out, low_wins=rules.low_wins),
        scores=scores,
        capped=any(one.capped for one in turns),
        faults=tuple(
            _sum(one.faults[seated(seat, turn)] for turn, one in enumerate(turns)) for seat in seats
        ),
        forfeited=forfeited,
        times=tuple(
            _spent([one.times[seated(seat, turn)] for turn, one in enumerate(turns) if one.times])
            for seat in seats
        ),
    )


def _ranks(scores: Sequence[int], out: Sequence[bool], *, low_wins: bool) -> tuple[int, ...]:
    """Return the ranks by points, and the last one for all who are out."""
    playing = [score for score, is_out in zip(scores, out, strict=True) if not is_out]
    ranks = iter(ranks_of(playing, low_wins=low_wins))
    return tuple(len(playing) + 1 if is_out else next(ranks) for is_out in out)


def _sum(counts: Iterable[FaultCounts]) -> FaultCounts:
    known = list(counts)
    return FaultCounts(**{name: sum(getattr(each, name) for each in known) for name in _COUNTS})


def _spent(times: Sequence[SeatTime]) -> SeatTime:
    return SeatTime(
        answered=sum(time.answered for time in times),
        total=Micros(sum(time.total for time in times)),
        longest=max((time.longest for time in times), default=Micros(0)),
    )
