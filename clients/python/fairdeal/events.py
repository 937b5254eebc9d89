"""Events: what happened in a match, as the bot's seat may know it. Seats count from 0."""

from dataclasses import dataclass

from fairdeal._wire_enum import WireEnum
from fairdeal.actions import Draft, Moon
from fairdeal.cards import Card, Cards


class PassDirection(WireEnum):
    """Where the cards of a hearts deal are passed."""

    UNKNOWN = 0
    LEFT = 1
    RIGHT = 2
    ACROSS = 3
    NONE = 4


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """A seat played a card to the trick."""

    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class TrickTaken:
    """A complete trick went to a seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class DealScored:
    """A deal is over: the points it brought each side, the totals after it.

    ``bags`` are the bag counters after it, empty in games without bags.
    """

    deal: int
    points: tuple[int, ...]
    totals: tuple[int, ...]
    bags: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BidMade:
    """A seat declared its number of tricks, 0 being nil."""

    seat: int
    tricks: int
    blind: bool = False


@dataclass(frozen=True, slots=True)
class HeartsDealStarted:
    """A deal of hearts began; ``hand`` is one's own."""

    deal: int
    direction: PassDirection
    hand: Cards


@dataclass(frozen=True, slots=True)
class PassReceived:
    """The cards of a hearts deal were passed."""

    given: Cards
    given_to: int
    received: Cards
    received_from: int


@dataclass(frozen=True, slots=True)
class MoonChosen:
    """The seat that shot the moon chose how it is scored."""

    seat: int
    choice: Moon


@dataclass(frozen=True, slots=True)
class DraftStarted:
    """A deal of two-handed spades began; ``first`` drafts, bids and leads first."""

    deal: int
    first: int


@dataclass(frozen=True, slots=True)
class CardDrafted:
    """A seat kept or refused a card; the faces are told for one's own seat only."""

    seat: int
    choice: Draft
    kept: Card | None
    discarded: Card | None


Event = (
    CardPlayed
    | TrickTaken
    | DealScored
    | BidMade
    | HeartsDealStarted
    | PassReceived
    | MoonChosen
    | DraftStarted
    | CardDrafted
)
