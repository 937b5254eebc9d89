"""Views: all that the bot's seat knows of the deal in play. Seats count from 0."""

from dataclasses import dataclass

from fairdeal._wire_enum import WireEnum
from fairdeal.actions import Draft
from fairdeal.cards import Card, Cards, Suit
from fairdeal.events import BidMade, PassDirection


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


@dataclass(frozen=True, slots=True)
class Trick:
    """Cards of one trick in order of play, the leader's first; ``winner`` is None while it is in play."""

    leader: int
    cards: Cards
    winner: int | None

    @property
    def led(self) -> Suit:
        """Return the suit that was led."""
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


View = HeartsView | TwoHandedSpadesView
