"""Views: all that the bot's seat knows of the deal in play. Seats count from 0."""

from dataclasses import dataclass

from fairdeal._wire_enum import WireEnum
from fairdeal.actions import Alone, Draft, TrumpCall, UpcardCall
from fairdeal.cards import Card, Cards, Suit, left_bower
from fairdeal.events import (
    AloneChosen,
    BidMade,
    BlankClaimed,
    BonusScored,
    CardsExchanged,
    CombinationDeclared,
    CombinationsShown,
    PassDirection,
)


class HeartsPhase(WireEnum):
    """A phase of a hearts deal."""

    UNKNOWN = 0
    PASS = 1
    PLAY = 2
    MOON = 3


class TwoHandedSpadesPhase(WireEnum):
    """A phase of a two-handed spades deal."""

    UNKNOWN = 0
    DRAFT = 1
    BID = 2
    PLAY = 3


class SpadesPhase(WireEnum):
    """A phase of a spades deal."""

    UNKNOWN = 0
    BLIND = 1
    BID = 2
    PLAY = 3


class EuchrePhase(WireEnum):
    """A phase of a euchre deal."""

    UNKNOWN = 0
    UPCARD = 1
    TRUMP = 2
    DISCARD = 3
    ALONE = 4
    PLAY = 5


class PiquetPhase(WireEnum):
    """A phase of a piquet deal."""

    UNKNOWN = 0
    BLANK = 1
    EXCHANGE = 2
    LEFTOVERS = 3
    DECLARE = 4
    FURTHER = 5
    PLAY = 6


@dataclass(frozen=True, slots=True)
class Trick:
    """Cards of one trick in order of play, the leader's first; ``winner`` is None while it is in play."""

    leader: int
    cards: Cards
    winner: int | None

    @property
    def led(self) -> Suit:
        """Return the suit on the card that was led; in euchre see `EuchreView.suit_of`."""
        return self.cards[0].suit


@dataclass(frozen=True, slots=True)
class HeartsView:
    """What a seat knows in hearts; lists with one item a seat begin with seat 0.

    ``hand`` is what is held now, in canonical order; ``passed`` and ``received`` are empty until all four
    have chosen; ``trick`` is None between tricks; ``points`` were taken in this deal, before any moon;
    ``totals`` are those before this deal; ``hearts_broken`` says whether hearts may be led.
    """

    phase: HeartsPhase
    deal: int
    direction: PassDirection
    seat: int | None
    hand: Cards
    passed: Cards
    received: Cards
    tricks: tuple[Trick, ...]
    trick: Trick | None
    points: tuple[int, ...]
    totals: tuple[int, ...]
    hearts_broken: bool


@dataclass(frozen=True, slots=True)
class TwoHandedSpadesView:
    """What a seat knows in two-handed spades; lists with one item a seat begin with seat 0.

    ``offered`` is the card to keep or refuse, None when that is not asked; ``choices`` are the draft choices
    of both seats in turn, beginning with ``first``; ``kept`` and ``discarded`` are one's own, in order;
    ``hand`` is what is held now, in canonical order; ``taken`` counts tricks; ``scores`` and ``bags`` are
    those before this deal; ``spades_broken`` says whether spades may be led.
    """

    phase: TwoHandedSpadesPhase
    deal: int
    first: int
    seat: int | None
    offered: Card | None
    choices: tuple[Draft, ...]
    kept: Cards
    discarded: Cards
    hand: Cards
    bids: tuple[BidMade, ...]
    tricks: tuple[Trick, ...]
    trick: Trick | None
    taken: tuple[int, ...]
    scores: tuple[int, ...]
    bags: tuple[int, ...]
    spades_broken: bool


@dataclass(frozen=True, slots=True)
class SpadesView:
    """What a seat knows in spades; lists by side begin with the side of seats 0 and 2.

    ``dealer`` bids and leads first; ``hand`` is what is held now, in canonical order, empty until the seat
    may see it; ``blind_sides`` are the sides that may bid blind nil in this deal, named by their lower seat;
    ``looked`` are the seats that declined it; ``taken`` counts tricks by seat; ``scores`` and ``bags`` are
    by side, before this deal; ``spades_broken`` says whether spades may be led.
    """

    phase: SpadesPhase
    deal: int
    dealer: int
    seat: int | None
    hand: Cards
    blind_sides: tuple[int, ...]
    looked: tuple[int, ...]
    bids: tuple[BidMade, ...]
    tricks: tuple[Trick, ...]
    trick: Trick | None
    taken: tuple[int, ...]
    scores: tuple[int, ...]
    bags: tuple[int, ...]
    spades_broken: bool


@dataclass(frozen=True, slots=True)
class EuchreView:
    """What a seat knows in euchre; lists by side begin with the side of seats 0 and 2.

    ``hand`` is what is held now, in canonical order; ``upcard`` is told also after it was turned down; the
    calls are in order from the dealer's left; ``maker`` and ``trump`` are None until trump is made;
    ``discarded`` is what the seat put aside as dealer; ``taken`` counts tricks by side; ``scores`` are those
    before this deal. A trick has a card of every seat that is not ``sitting_out``.
    """

    phase: EuchrePhase
    deal: int
    dealer: int
    seat: int | None
    hand: Cards
    upcard: Card | None
    upcard_calls: tuple[UpcardCall, ...]
    trump_calls: tuple[TrumpCall, ...]
    maker: int | None
    trump: Suit | None
    discarded: Card | None
    alone: tuple[AloneChosen, ...]
    tricks: tuple[Trick, ...]
    trick: Trick | None
    taken: tuple[int, ...]
    scores: tuple[int, ...]

    @property
    def sitting_out(self) -> tuple[int, ...]:
        """Return the seats whose partners play alone, as far as that is decided."""
        return tuple([(made.seat + 2) % 4 for made in self.alone if made.choice is Alone.ALONE])

    def seats_of(self, trick: Trick) -> tuple[int, ...]:
        """Return the seats that played the cards of a trick, in the same order."""
        out = self.sitting_out
        clockwise = [seat for each in range(4) if (seat := (trick.leader + each) % 4) not in out]
        return tuple(clockwise[: len(trick.cards)])

    def suit_of(self, card: Card) -> Suit:
        """Return the suit that a card belongs to: the left bower is a trump."""
        return self.trump if self.trump and card is left_bower(self.trump) else card.suit


@dataclass(frozen=True, slots=True)
class PiquetView:
    """What a seat knows in piquet; lists with one item a seat begin with seat 0.

    ``hand`` is what is held now, in canonical order; ``dealt``, ``discarded``, ``drawn`` and ``looked`` (the
    cards of the talon seen and left) are the seat's own; ``leftovers`` are empty unless younger revealed
    them; ``declarations``, ``shown`` and ``bonuses`` are in order; ``points`` are those booked in this deal
    so far, ``totals`` those before it.
    """

    phase: PiquetPhase
    deal: int
    elder: int
    seat: int | None
    hand: Cards
    dealt: Cards
    discarded: Cards
    drawn: Cards
    looked: Cards
    exchanges: tuple[CardsExchanged, ...]
    blanks: tuple[BlankClaimed, ...]
    leftovers: Cards
    declarations: tuple[CombinationDeclared, ...]
    shown: tuple[CombinationsShown, ...]
    tricks: tuple[Trick, ...]
    trick: Trick | None
    points: tuple[int, ...]
    totals: tuple[int, ...]
    bonuses: tuple[BonusScored, ...]


View = HeartsView | TwoHandedSpadesView | SpadesView | EuchreView | PiquetView
