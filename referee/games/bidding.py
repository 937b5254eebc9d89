"""Bidding round the table, and what bids are worth before any bag penalty; shared by the spades games."""

from typing import Final, Self

from referee.cards import Seat
from referee.games.actions import Bid, LegalActions
from referee.games.events import BidMade
from referee.games.options import Option
from referee.values import copied

BIDS: Final = LegalActions(tuple(Bid(tricks) for tricks in range(14)))
"""What every bidder may bid, whatever was bid before."""

NIL_POINTS: Final = Option(
    name="nil_points",
    default=100,
    minimum=0,
    maximum=1000,
    help="What a nil bid wins when it is made and loses when it fails.",
)

FAILED_NIL_TRICKS: Final = Option(
    name="failed_nil_tricks",
    default="bags_and_points",
    choices=("bags_and_points", "bags_only", "nothing"),
    help="What each trick of a failed nil counts: a bag and a point, a bag, or nothing.",
)


class Bidding:
    """The bids of one deal while they are made, one by every seat in turn.

    ``made`` are the bids so far, in order.
    """

    __slots__ = ("_order", "made")

    def __init__(self, seats: tuple[Seat, ...], first: Seat) -> None:
        at = seats.index(first)
        self._order = seats[at:] + seats[:at]
        self.made: list[BidMade] = []

    def copy(self) -> Self:
        """Return one of its own that goes on from here."""
        return copied(self)

    @property
    def turn(self) -> Seat:
        """Return the seat that bids next, until bidding is over."""
        return self._order[len(self.made)]

    @property
    def over(self) -> bool:
        """Return whether every seat has bid."""
        return len(self.made) == len(self._order)

    def bid(self, tricks: int, *, blind: bool = False) -> BidMade:
        """Bid for the seat in turn."""
        made = BidMade(self.turn, tricks, blind)
        self.made.append(made)
        return made


def contract_points(contract: int, taken: int) -> tuple[int, int]:
    """Return the points of a contract and the bags it brings.

    A made contract counts 10 for each trick bid and 1 for each trick over, a bag; a failed one -10 for each
    trick bid.
    """
    if taken < contract:
        return -10 * contract, 0
    over = taken - contract
    return 10 * contract + over, over


def nil_points(taken: int, *, worth: int, failed_nil_tricks: str) -> tuple[int, int]:
    """Return the points of a nil bid and the bags it brings.

    It counts ``worth`` for or against; ``failed_nil_tricks`` says what the tricks of a failed nil are:
    ``bags_and_points``, ``bags_only`` or ``nothing``.
    """
    if taken == 0:
        return worth, 0
    points = taken if failed_nil_tricks == "bags_and_points" else 0
    bags = 0 if failed_nil_tricks == "nothing" else taken
    return points - worth, bags
