"""Knockout: a competitor that loses is out, or is out after losing twice.

At tables of two the winner goes on, at tables of four the best two do, until one table decides. Where the
number is no power of two, only so many of the last seeds play the first round as bring it to one; of an odd
number at tables of four, the last table of this round sends three on, or one. Two at a table may play a
series, and the losers of the semi-finals for the third place.
"""

from collections.abc import Iterator, Mapping

from tournaments.plan.plan import Format, Plan
from tournaments.schedule.bracket import FINAL, THIRD_PLACE, Bracket, Slot
from tournaments.schedule.pairing import Pairing
from tournaments.schedule.series import needed


def knockout(plan: Plan, results: Mapping[str, tuple[int, ...]]) -> Iterator[Pairing]:
    """Yield the matches that the results decide, those of the first round always."""
    yield from _single(Bracket(plan, results)).pairings


def double_knockout(plan: Plan, results: Mapping[str, tuple[int, ...]]) -> Iterator[Pairing]:
    """Yield the matches that the results decide, those of the first round always.

    Who has lost in the winners' bracket goes on in the losers' bracket. A round of the latter is drawn when
    all who play in it are known, such that those who have met meet again as late as may be.
    """
    yield from _double(Bracket(plan, results)).pairings


def length(plan: Plan) -> int:
    """Return how many matches a knockout has at least: without replays, and if each series is a clear one."""
    return _single(Bracket(plan, {})).tables * needed(plan.best_of, 0, 0)


def double_length(plan: Plan) -> int:
    """Return how many matches a double knockout has at least, see `length`; without a second final."""
    return _double(Bracket(plan, {})).tables * needed(plan.best_of, 0, 0)


def places(plan: Plan, results: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Return the places of all competitors, best first, from 1.

    Those who went out in the same round share a place, except at the last table. Those who are not out yet
    share the first place.
    """
    bracket = played(plan, results)
    still_in = len(bracket.seeds) - len(bracket.out)
    found = {
        name: 1 + still_in + sum(other > bracket.out[name] for other in bracket.out.values())
        if name in bracket.out
        else 1
        for name in bracket.seeds
    }
    return dict(sorted(found.items(), key=lambda item: item[1]))


def played(plan: Plan, results: Mapping[str, tuple[int, ...]]) -> Bracket:
    """Return the bracket of a knockout, single or double, as far as the results decide it."""
    run = _double if plan.format is Format.DOUBLE_KNOCKOUT else _single
    return run(Bracket(plan, results))


def _single(bracket: Bracket) -> Bracket:
    slots: list[Slot] = list(bracket.seeds)
    off: list[Slot] = []
    while len(slots) > bracket.size:
        slots, off = bracket.reduce(slots, _next(len(slots), bracket.size))
        bracket.drop(off)
    bracket.round += 1
    if bracket.third_place and len(off) == bracket.size == 2:
        third = bracket.play(bracket.by_seed(off), 1, THIRD_PLACE)
        if third is not None:
            semi_final, _ = bracket.out[third[0].name]
            bracket.out[third[0].name] = (semi_final, 1)
    placed = bracket.play(slots, 1, FINAL)
    if placed is not None:
        bracket.finish(placed)
    return bracket


def _next(count: int, size: int) -> int:
    """Return how many of a count are left after a round: half, or the next lower full bracket."""
    full = size
    while full * 2 <= count:
        full *= 2
    return full if full < count else full // 2


def _double(bracket: Bracket) -> Bracket:
    """Play until the losers' bracket has filled the last table beside those that have not lost.

    At tables of two, one of each bracket is left. At tables of four it is two of each, and four competitors
    have nothing but the last table.
    """
    size = bracket.size
    winners: list[Slot] = list(bracket.seeds)
    losers: list[Slot] = []
    while len(winners) > size // 2 and (size == 2 or len(winners) + len(losers) > size):
        target = _next(len(winners), size)
        if len(winners) == size == 4 and len(losers) == 1:
            target = 1  # with five: three losers could not play
        winners, dropped = bracket.reduce(winners, target)
        losers = [*bracket.by_seed(dropped), *bracket.by_seed(losers)]
        # the losers' bracket waits with as many as drop to it next, or as the last table takes
        enough = len(winners) - _next(len(winners), size) if len(winners) >= size else size - len(winners)
        while len(losers) > enough and len(losers) >= size:
            on, off = bracket.reduce(losers, enough, drawn=True)
            bracket.drop(off)
            losers = bracket.by_seed(on)
    _finals(bracket, winners, losers)
    return bracket


def _finals(bracket: Bracket, winners: list[Slot], losers: list[Slot]) -> None:
    """Play the last table; at a table of two, play it again if the loser has lost for the first time."""
    bracket.round += 1
    placed = bracket.play([*winners, *losers], 1, FINAL)
    if placed is not None and bracket.size == 2 and placed[0].name in losers:
        bracket.round += 1
        placed = bracket.play([*winners, *losers], 1, FINAL)
    if placed is not None:
        bracket.finish(placed)
