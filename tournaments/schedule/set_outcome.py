"""What the turns of a duplicate set make together, as if it were one match: points are added up."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import fields
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
from tournaments.schedule.results import Ranks, forfeits_last

_COUNTS: Final = tuple(field.name for field in fields(FaultCounts))


def ranks_of_sets(plan: Plan, results: Iterable[tuple[str, int, Outcome]]) -> dict[str, Ranks]:
    """Return the ranks by side of each set that is over, by its id, from the results of turns.

    Each result is a match id, an attempt and its outcome. A set is over when each of its turns has a result
    of the same attempt.
    """
    sets: defaultdict[str, dict[int, tuple[int, Outcome]]] = defaultdict(dict)
    for match_id, attempt, outcome in results:
        sets[set_of(match_id)][turn_of(match_id)] = attempt, outcome
    found: dict[str, Ranks] = {}
    for name, of_set in sets.items():
        turns = [of_set[turn] for turn in sorted(of_set)]
        if len(turns) == plan.turns and len({attempt for attempt, _outcome in turns}) == 1:
            total = outcome_of_set(plan.game, [outcome for _attempt, outcome in turns])
            found[name] = forfeits_last(total.ranks, total.forfeited)
    return found


def outcome_of_set(game: str, turns: Sequence[Outcome]) -> Outcome:
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
