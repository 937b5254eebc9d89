"""Piquet: what is said in a round of the dialogue. Pure functions of the two hands."""

from referee.cards import Hand, Rank
from referee.games.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from referee.games.piquet.events import Declared, PiquetAnswer, PiquetRound
from referee.games.piquet.holdings import best, combinations_of, strength


def declare(
    in_round: PiquetRound, combination: Combination | None, *, elder: Hand, younger: Hand
) -> Declared:
    """Return what elder says when it declares a combination or nothing, and what younger truly answers.

    Value and top are said only when younger's best is as long; more than was needed is never said.
    """
    if combination is None:
        return Declared(in_round, None, 0, None, None, None)
    length, height = strength(elder, combination)
    rival = best(younger, in_round)
    theirs = (0, 0) if rival is None else strength(younger, rival)
    asked = theirs[0] == length
    value: int | None = None
    rank: Rank | None = None
    match combination:
        case PointCombination():
            value = height if asked else None
        case SequenceCombination(_, top, _):
            rank = top if asked else None
        case SetCombination(of, _):
            rank = of
    return Declared(in_round, combination, length, value, rank, _answer((length, height), theirs))


def _answer(declared: tuple[int, int], theirs: tuple[int, int]) -> PiquetAnswer:
    if declared == theirs:
        return PiquetAnswer.EQUAL
    return PiquetAnswer.GOOD if declared > theirs else PiquetAnswer.NOT_GOOD


def further(declared: Combination, in_round: PiquetRound, *, elder: Hand) -> tuple[Combination, ...]:
    """Return what elder may add to a declaration that was good: its others that do not outrank it."""
    limit = strength(elder, declared)
    return tuple(
        other
        for other in combinations_of(elder, in_round)
        if other != declared and strength(elder, other) <= limit
    )


def reply(declared: Declared, *, younger: Hand) -> tuple[Combination, ...]:
    """Return what younger shows in a round once elder has led: all it holds, of points its best.

    It shows nothing where elder's declaration was good or equal.
    """
    if declared.answer in (PiquetAnswer.GOOD, PiquetAnswer.EQUAL):
        return ()
    if declared.round == PiquetRound.POINT:
        point = best(younger, PiquetRound.POINT)
        return () if point is None else (point,)
    return combinations_of(younger, declared.round)
