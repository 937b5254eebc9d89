"""Spades: the rules.

Source: the rules of "piki" at kurnik.pl (https://www.kurnik.pl/piki/zasady.phtml). Four players, partners
opposite each other, thirteen cards each; spades are always trump, and a side tries to take as many tricks as
its two players bid together. In six points:

1. The dealer. Drawn for the first deal; after each deal the player to the dealer's left deals. He bids first
   and leads first.
2. Bidding. From the dealer clockwise each player bids 0 to 13 tricks, once, for all to hear; 0 is nil. The
   side's contract is the sum of its bids.
3. Blind nil. The players of a side that is 200 points behind or more when the deal begins do not look at
   their cards. Each of them, when it is his turn to bid, bids nil blind, or looks and bids like the others.
4. Tricks. Follow suit if able, else play anything; the highest spade takes the trick, else the highest card
   of the suit led, and its player leads the next. Spades may not be led until a player has played one on
   another suit, unless the leader has nothing else.
5. Points, by side. A contract that is made counts 10 a trick and 1 for each over, a bag; one that fails, -10
   a trick. The tricks of a player who bid nil never fill it: they count 1 each and are bags, whatever becomes
   of it. Each nil is 100 for or against, 200 if blind. Ten bags cost 100; bags beyond ten are carried on.
6. The end. When a side has 500 points or more, or -200 or less, after a deal, the side with more points wins;
   equal ones draw.

Departures from what is often played: the ban on leading spades binds the dealer's first lead, yet a player
who cannot follow may throw a spade on the first trick; a spade that is led, or that follows a spade, breaks
nothing; blind nil needs 200 points, brings no exchange of cards, and only nil may be bid blind; a nil bid
after looking is an ordinary one; both partners may bid nil; contracts may exceed thirteen; one deal may fill
the bags twice; the penalty is taken before the end is tested; -200 is no bound, and a lower score stands; all
thirteen tricks are played and none is claimed.

Of the deck the seats take blocks of thirteen cards: seat 0 the first, seat 1 the next, and so on, whoever
deals.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from referee.cards import EMPTY, Card, Hand, Seat, cards_of, hand_of
from referee.games.actions import (
    NOTHING,
    Action,
    Bid,
    Blind,
    BlindChoice,
    Legal,
    LegalActions,
    PlayCard,
)
from referee.games.bags import BAG_LIMIT, BAG_PENALTY
from referee.games.base import Event
from referee.games.bidding import BIDS, FAILED_NIL_TRICKS, NIL_POINTS, Bidding
from referee.games.errors import IllegalAction
from referee.games.options import Option, Options, max_deals, number
from referee.games.partners import SEATS, SIDES, side_of
from referee.games.spade_play import SpadePlayState
from referee.games.spades.scoring import side_points
from referee.games.tricks import SPADES_ARE_TRUMP, TrickPlay
from referee.values import value_class

OPTIONS: Final = (
    Option(
        name="target",
        default=500,
        minimum=50,
        maximum=5000,
        help="The game ends after a deal in which a side's score has reached this.",
    ),
    Option(
        name="floor",
        default=-200,
        minimum=-5000,
        maximum=-50,
        help="The game ends after a deal in which a side's score has fallen to this or below.",
    ),
    Option(
        name="blind_nil_gap",
        default=200,
        minimum=0,
        maximum=5000,
        help="A side that begins a deal this many points behind, or more, may bid blind nil.",
    ),
    NIL_POINTS,
    Option(
        name="blind_nil_points",
        default=200,
        minimum=0,
        maximum=1000,
        help="What a blind nil bid wins when it is made and loses when it fails.",
    ),
    BAG_LIMIT,
    BAG_PENALTY,
    FAILED_NIL_TRICKS,
    max_deals(60),
)


_BLINDS: Final = LegalActions(tuple(Blind(choice) for choice in BlindChoice))


class Phase(IntEnum):
    """What is decided in a deal; a seat that may bid blind decides that before it bids."""

    BLIND = 1
    BID = 2
    PLAY = 3


_BLIND, _BID, _PLAY = Phase  # members of an enum are slow to look up by name


@value_class
class Dealt:
    """A deal began: who deals, the hands by seat, and the sides that may bid blind."""

    deal: int
    dealer: Seat
    hands: tuple[tuple[Card, ...], ...]
    blind_sides: tuple[Seat, ...]


@value_class
class Looked:
    """A seat that might bid blind nil looked at its cards: it declined, or has just bid it."""

    seat: Seat
    hand: tuple[Card, ...]


def lower_seat(seat: Seat) -> Seat:
    """Return the lower seat of the side of a seat, by which the side is named."""
    return SIDES[side_of(seat)][0]


def may_bid_blind(scores: Sequence[int], gap: int) -> tuple[Seat, ...]:
    """Return the sides that are behind the other by the gap or more, given the scores by side."""
    behind = (scores[1] - scores[0], scores[0] - scores[1])
    return tuple(side[0] for side, points in zip(SIDES, behind, strict=True) if points >= gap)


class SpadesState(SpadePlayState):
    """One match of spades in progress.

    The attributes are for `view` to read; only the methods here change them. ``scores`` and ``bags`` are by
    side; ``seeing`` are the seats that may see their cards, ``looked`` those that declined blind nil, in
    order.
    """

    __slots__ = (
        "_blind_nil_gap",
        "_blind_nil_points",
        "_floor",
        "bidding",
        "blind_sides",
        "dealer",
        "looked",
        "phase",
        "seeing",
    )

    phase: Phase

    def __init__(self, options: Options, *, deals: int | None, dealer: Seat) -> None:
        super().__init__(options, deals=deals)
        self._floor = number(options, "floor")
        self._blind_nil_gap = number(options, "blind_nil_gap")
        self._blind_nil_points = number(options, "blind_nil_points")
        self.dealer = dealer
        self._clear((EMPTY, EMPTY, EMPTY, EMPTY))
        self._due = ()

    def _clear(self, hands: Sequence[Hand]) -> None:
        self.hands = list(hands)
        self.blind_sides = may_bid_blind(self.scores, self._blind_nil_gap)
        self.seeing = {seat for seat in SEATS if lower_seat(seat) not in self.blind_sides}
        self.looked: list[Seat] = []
        self.bidding = Bidding(SEATS, self.dealer)
        self.tricks = TrickPlay(SEATS, self.dealer, SPADES_ARE_TRUMP)
        self.taken = [0, 0, 0, 0]
        self.broken = False
        self._ask()

    def _ask(self) -> None:
        """Go on to the next bidder's decision, or to play after the last."""
        if self.bidding.over:
            self.phase, turn = _PLAY, self.tricks.turn
        else:
            turn = self.bidding.turn
            self.phase = _BID if turn in self.seeing else _BLIND
        self._due = (turn,)

    def deal(self, deck: Sequence[Card]) -> list[Event]:
        """Begin a deal: thirteen cards of the deck to each seat, seat 0 the first; the dealer moves left."""
        self.deal_number += 1
        self.needs_deck = False
        if self.deal_number > 1:
            self.dealer = SEATS[(self.dealer + 1) % 4]
        self._clear([hand_of(deck[13 * seat : 13 * seat + 13]) for seat in SEATS])
        hands = tuple(cards_of(hand) for hand in self.hands)
        return [Dealt(self.deal_number, self.dealer, hands, self.blind_sides)]

    def legal(self, seat: Seat) -> Legal:
        """Return the legal actions of a seat, an empty list for one that is not to act."""
        if seat not in self._due:
            return NOTHING
        if self.phase is _PLAY:
            return self.legal_play(seat)
        return self.legal_bid() if self.phase is _BID else self.legal_blind()

    def apply(self, seat: Seat, action: Action) -> list[Event]:
        """Carry out a legal action and return what happened, in order."""
        if type(action) is PlayCard:
            return self.apply_play(seat, action.card)
        if isinstance(action, Bid):
            return self.apply_bid(action.tricks)
        if isinstance(action, Blind):
            return self.apply_blind(seat, action.choice)
        raise IllegalAction(f"spades knows no {type(action).__name__}")

    # Bidding

    def legal_blind(self) -> LegalActions:
        """Bid nil blind or look."""
        return _BLINDS

    def apply_blind(self, seat: Seat, choice: BlindChoice) -> list[Event]:
        """Bid nil blind for the seat in turn, or decline; it looks at its cards either way."""
        events: list[Event] = []
        if choice == BlindChoice.NIL:
            events.append(self.bidding.bid(0, blind=True))
        else:
            self.looked.append(seat)
        self.seeing.add(seat)
        self._ask()
        return [*events, Looked(seat, cards_of(self.hands[seat]))]

    def legal_bid(self) -> LegalActions:
        """Bid any number of tricks, whatever the others bid."""
        return BIDS

    def apply_bid(self, tricks: int) -> list[Event]:
        """Bid for the seat in turn; after the fourth bid the dealer leads."""
        made = self.bidding.bid(tricks)
        self._ask()
        return [made]

    # The end of a deal

    def _gains(self) -> list[tuple[int, int]]:
        return [
            side_points(
                [bid for bid in self.bidding.made if bid.seat in side],
                self.taken,
                nil_points=self._nil_points,
                blind_nil_points=self._blind_nil_points,
                failed_nil_tricks=self._failed_nil_tricks,
            )
            for side in SIDES
        ]

    def _is_decided(self) -> bool:
        return max(self.scores) >= self._target or min(self.scores) <= self._floor
