"""Piquet: what combinations, tricks, a deal and a partie are worth. Pure functions of what happened."""

from collections.abc import Sequence
from typing import Final

from referee.cards import Seat
from referee.games.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from referee.games.piquet.events import Bonus
from referee.games.tricks import Trick

BLANK_POINTS: Final = 10
LEAD_POINTS: Final = 1
TRICKS: Final = 12
BONUS_POINTS: Final = {Bonus.REPIQUE: 60, Bonus.PIQUE: 30, Bonus.CARDS: 10, Bonus.CAPOT: 40}

_THRESHOLD: Final = 30
_SETTLEMENT: Final = 100


def combination_points(combination: Combination, length: int) -> int:
    """Return the points of a combination of ``length`` cards.

    A point is worth its length; a sequence too, and ten more from five cards on; three of a rank 3, four 14.
    """
    match combination:
        case PointCombination():
            return length
        case SequenceCombination():
            return length if length < 5 else length + 10
        case SetCombination():
            return 3 if length == 3 else 14


def trick_points(trick: Trick) -> int:
    """Return what a trick brings its winner: 1 if it led, 2 if the other did."""
    return 1 if trick.winner == trick.leader else 2


def repique(categories: Sequence[Sequence[int]]) -> Seat | None:
    """Return the seat that reached 30 in combinations before the other had any point, None when none did.

    ``categories`` are the points by seat for the blank, the point, the sequences and the sets, in this order.
    """
    account = [0, 0]
    for gained in categories:
        for seat in (Seat(0), Seat(1)):
            account[seat] += gained[seat]
        for seat in (Seat(0), Seat(1)):
            if reaches(account, seat):
                return seat
    return None


def reaches(account: Sequence[int], seat: Seat) -> bool:
    """Return whether a seat's account has 30 points while the other's has none."""
    return account[seat] >= _THRESHOLD and account[1 - seat] == 0


def trick_bonus(taken: int) -> Bonus | None:
    """Return the bonus of a player who took this many of the twelve tricks."""
    if taken == TRICKS:
        return Bonus.CAPOT
    return Bonus.CARDS if taken > TRICKS // 2 else None


def settlement(totals: Sequence[int], *, rubicon: int) -> tuple[int, ...]:
    """Return what a partie is worth, by seat: the settlement for the winner, 0 for the loser, 0 for a draw.

    The winner gets 100 and the difference of the totals, or their sum when the loser is below ``rubicon``.
    """
    if totals[0] == totals[1]:
        return (0, 0)
    low, high = sorted(totals)
    won = _SETTLEMENT + (high - low if low >= rubicon else high + low)
    return tuple(won if total == high else 0 for total in totals)
