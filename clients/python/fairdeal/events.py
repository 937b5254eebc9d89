"""Events: what happened in a match, as the bot's seat may know it. Seats count from 0."""

from dataclasses import dataclass

from fairdeal._wire_enum import WireEnum
from fairdeal.actions import Alone, Draft, Leftovers, Moon, TrumpCall, UpcardCall
from fairdeal.cards import Card, Cards, Rank
from fairdeal.combinations import Combination


class PassDirection(WireEnum):
    """Where the cards of a hearts deal are passed."""

    UNKNOWN = 0
    LEFT = 1
    RIGHT = 2
    ACROSS = 3
    NONE = 4


class PiquetRound(WireEnum):
    """A round of the piquet dialogue."""

    UNKNOWN = 0
    POINT = 1
    SEQUENCE = 2
    SET = 3


class PiquetAnswer(WireEnum):
    """Younger's answer to a declaration of elder's: it cannot match it, has better, has the same."""

    UNKNOWN = 0
    GOOD = 1
    NOT_GOOD = 2
    EQUAL = 3


class PiquetBonus(WireEnum):
    """A bonus of piquet."""

    UNKNOWN = 0
    REPIQUE = 1
    PIQUE = 2
    CARDS = 3
    CAPOT = 4


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


@dataclass(frozen=True, slots=True)
class SpadesDealStarted:
    """A deal of spades began; ``hand`` is one's own, empty for a seat that may bid blind.

    ``blind_sides`` are the sides that may, named by their lower seat.
    """

    deal: int
    dealer: int
    hand: Cards
    blind_sides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CardsLooked:
    """A seat that might bid blind saw its cards; ``hand`` is told for one's own seat only."""

    seat: int
    hand: Cards


@dataclass(frozen=True, slots=True)
class EuchreDealStarted:
    """A deal of euchre began; ``hand`` is one's own."""

    deal: int
    dealer: int
    hand: Cards
    upcard: Card | None


@dataclass(frozen=True, slots=True)
class UpcardCalled:
    """A seat accepted the upcard or passed."""

    seat: int
    call: UpcardCall


@dataclass(frozen=True, slots=True)
class TrumpCalled:
    """A seat named trump or passed."""

    seat: int
    call: TrumpCall


@dataclass(frozen=True, slots=True)
class UpcardTaken:
    """The dealer took the upcard and put a card aside, told to the dealer only."""

    seat: int
    discarded: Card | None


@dataclass(frozen=True, slots=True)
class AloneChosen:
    """A seat chose whether to play alone."""

    seat: int
    choice: Alone


@dataclass(frozen=True, slots=True)
class PiquetDealStarted:
    """A deal of piquet began; ``hand`` is one's own."""

    deal: int
    elder: int
    hand: Cards


@dataclass(frozen=True, slots=True)
class BlankClaimed:
    """A player claimed a blank; ``cards`` are empty until it is proved."""

    seat: int
    cards: Cards


@dataclass(frozen=True, slots=True)
class CardsExchanged:
    """A player exchanged ``count`` cards; the faces are told for one's own seat only.

    ``looked`` are those that elder saw and left in the talon.
    """

    seat: int
    count: int
    discarded: Cards
    drawn: Cards
    looked: Cards


@dataclass(frozen=True, slots=True)
class LeftoversSettled:
    """Younger revealed the cards left over, or left them; ``cards`` are those revealed."""

    choice: Leftovers
    cards: Cards


@dataclass(frozen=True, slots=True)
class CombinationDeclared:
    """What elder said in a round of the dialogue, and younger's answer.

    ``length`` is 0 and ``answer`` None when elder declared nothing; ``value`` of a point and ``rank``, the
    top of a sequence, are None unless younger asked; of a set ``rank`` is always told.
    """

    round: PiquetRound
    length: int
    value: int | None
    rank: Rank | None
    answer: PiquetAnswer | None


@dataclass(frozen=True, slots=True)
class CombinationsShown:
    """Combinations of one round were shown and scored; ``cards`` are those that make them up."""

    seat: int
    round: PiquetRound
    combinations: tuple[Combination, ...]
    points: int
    cards: Cards


@dataclass(frozen=True, slots=True)
class BonusScored:
    """A bonus of piquet was scored."""

    seat: int
    bonus: PiquetBonus
    points: int


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
    | SpadesDealStarted
    | CardsLooked
    | EuchreDealStarted
    | UpcardCalled
    | TrumpCalled
    | UpcardTaken
    | AloneChosen
    | PiquetDealStarted
    | BlankClaimed
    | CardsExchanged
    | LeftoversSettled
    | CombinationDeclared
    | CombinationsShown
    | BonusScored
)
