"""Piquet: the points of one deal, booked as they are scored."""

from collections.abc import Sequence
from typing import Self

from referee.cards import Seat
from referee.games.piquet.events import Bonus, BonusScored, PiquetRound
from referee.games.piquet.scoring import (
    BLANK_POINTS,
    BONUS_POINTS,
    LEAD_POINTS,
    reaches,
    repique,
    trick_bonus,
    trick_points,
)
from referee.games.tricks import Trick
from referee.values import copied


class Ledger:
    """The accounts of both players in one deal, and the bonuses.

    Points are booked when they are scored. Repique is judged in the order of the categories instead, once all
    combinations are known, so that no booking tells what a hand does not hold.
    """

    __slots__ = ("_account", "_combinations", "_elder", "bonuses")

    def __init__(self, elder: Seat) -> None:
        self._elder = elder
        self._account = [0, 0]  # by seat, without bonuses
        self._combinations = [
            [0, 0] for _ in range(1 + len(PiquetRound))
        ]  # by seat: the blank, then by round
        self.bonuses: list[BonusScored] = []

    def copy(self) -> Self:
        """Return one of its own that goes on from here."""
        return copied(self)

    @property
    def points(self) -> tuple[int, ...]:
        """Return the points booked so far, by seat, bonuses included."""
        points = list(self._account)
        for scored in self.bonuses:
            points[scored.seat] += scored.points
        return tuple(points)

    def blank(self, seat: Seat) -> None:
        """Book a proved blank."""
        self._book(seat, 0, BLANK_POINTS)

    def combinations(self, seat: Seat, in_round: PiquetRound, points: int) -> None:
        """Book combinations that were shown."""
        self._book(seat, in_round, points)

    def _book(self, seat: Seat, category: int, points: int) -> None:
        self._combinations[category][seat] += points
        self._account[seat] += points

    def lead(self) -> list[BonusScored]:
        """Book elder's first lead, after younger's combinations, and return the bonus they bring."""
        self._account[self._elder] += LEAD_POINTS
        seat = repique(self._combinations)
        return self._pique() if seat is None else [self._bonus(seat, Bonus.REPIQUE)]

    def trick(self, trick: Trick) -> list[BonusScored]:
        """Book a complete trick and return the bonus it brings."""
        assert trick.winner is not None
        self._account[trick.winner] += trick_points(trick)
        return self._pique()

    def end(self, taken: Sequence[int]) -> list[BonusScored]:
        """Book what the number of tricks taken, by seat, brings in the end."""
        earned = ((Seat(seat), trick_bonus(tricks)) for seat, tricks in enumerate(taken))
        return [self._bonus(seat, bonus) for seat, bonus in earned if bonus is not None]

    def _pique(self) -> list[BonusScored]:
        # younger cannot, since elder's lead counts before any trick; nor does any bonus come twice
        if not self.bonuses and reaches(self._account, self._elder):
            return [self._bonus(self._elder, Bonus.PIQUE)]
        return []

    def _bonus(self, seat: Seat, bonus: Bonus) -> BonusScored:
        self.bonuses.append(BonusScored(seat, bonus, BONUS_POINTS[bonus]))
        return self.bonuses[-1]
