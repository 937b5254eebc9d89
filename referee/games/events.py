"""Events that several games share; each is public as it stands.

An event is a fact. What a seat may know of one is decided in its game's ``view.py``; the events here hold
nothing that any seat may not know.
"""

from dataclasses import dataclass

from referee.cards import Card, Seat


@dataclass(frozen=True, slots=True)
class BidMade:
    """A seat declared its number of tricks; ``blind`` without having seen its cards (spades only)."""

    seat: Seat
    tricks: int
    blind: bool = False


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """A seat played a card to the trick."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True)
class TrickTaken:
    """A complete trick went to a seat."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class DealScored:
    """A deal is over: the points it brought each side and the totals after it.

    ``bags`` are the bag counters after the deal, empty in games without bags.
    """

    deal: int
    points: tuple[int, ...]
    totals: tuple[int, ...]
    bags: tuple[int, ...] = ()
