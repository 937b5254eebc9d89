"""Events that several games share; each is public as it stands.

An event is a fact. What a seat may know of one is decided in its game's ``view.py``; the events here hold
nothing that any seat may not know.
"""

from typing import Final

from referee.cards import ALL_CARDS, Card, Seat
from referee.values import value_class


@value_class
class BidMade:
    """A seat declared its number of tricks; ``blind`` without having seen its cards (spades only)."""

    seat: Seat
    tricks: int
    blind: bool = False


@value_class
class CardPlayed:
    """A seat played a card to the trick."""

    seat: Seat
    card: Card


CARDS_PLAYED: Final = tuple(tuple(CardPlayed(Seat(seat), c) for c in ALL_CARDS) for seat in range(4))
"""These events by seat and card, made once."""


@value_class
class TrickTaken:
    """A complete trick went to a seat."""

    seat: Seat


TRICKS_TAKEN: Final = tuple(TrickTaken(Seat(seat)) for seat in range(4))
"""These events by seat, made once."""


@value_class
class DealScored:
    """A deal is over: the points it brought each side and the totals after it.

    ``bags`` are the bag counters after the deal, empty in games without bags.
    """

    deal: int
    points: tuple[int, ...]
    totals: tuple[int, ...]
    bags: tuple[int, ...] = ()
