"""Two-handed spades: the rules.

Source: "Spades Two Handed Rules" of dkmgames (http://dkmgames.com/CardSharp/Spades/Spades2Help.php). Two
players, each for himself; hands are drafted from the stock, spades are always trump, and each tries to take
as many tricks as he bid. In six points:

1. The draft. All 52 cards lie face down. The player who goes first, another one each deal, looks at the top
   card. If he keeps it, he looks at the next and discards that; if he refuses it, it is discarded and the
   next is his. So in turn, until each has thirteen cards in hand and has discarded thirteen, all seen by him.
2. Bidding. The first player, then the other, bids 0 to 13 tricks, once; a bid of 0 is nil.
3. Tricks. The first player leads. Follow suit if able; the highest spade takes the trick, else the highest
   card of the suit led, and its player leads the next.
4. Breaking. Spades may not be led until a player has played one on another suit, unless the leader has
   nothing else.
5. Points. A bid that is made counts 10 a trick and 1 for each over, a bag; one that fails, -10 a trick. Nil
   is 100 for or against. Ten bags cost 100; bags beyond ten are carried on.
6. The end. When a score has reached 300 after a deal, the higher score wins; equal ones play another deal.

Departures from what is often played: the second card of a turn is seen by the player who discards it; whether
he kept the first is public, his discards never are, not even after the deal; a spade that is led, or that
follows a spade, breaks nothing; the tricks of a failed nil count 1 each and are bags (option
``failed_nil_tricks``); one deal may fill the bags twice; the penalty is taken before the end is tested; no
score loses by being low; there are no blind bids.

The deck is the stock, its first card on top.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from referee.cards import EMPTY, Card, Seat
from referee.games.actions import (
    NOTHING,
    Action,
    Bid,
    Draft,
    DraftChoice,
    Legal,
    LegalActions,
    PlayCard,
)
from referee.games.bags import BAG_LIMIT, BAG_PENALTY
from referee.games.base import Event
from referee.games.bidding import BIDS, FAILED_NIL_TRICKS, NIL_POINTS, Bidding
from referee.games.errors import IllegalAction
from referee.games.options import Option, Options, max_deals
from referee.games.spade_play import SpadePlayState
from referee.games.tricks import SPADES_ARE_TRUMP, TrickPlay
from referee.games.two_handed_spades.scoring import deal_points
from referee.values import value_class

OPTIONS: Final = (
    Option(
        name="target",
        default=300,
        minimum=50,
        maximum=5000,
        help="The game ends after a deal in which a score has reached this and the scores differ.",
    ),
    NIL_POINTS,
    BAG_LIMIT,
    BAG_PENALTY,
    FAILED_NIL_TRICKS,
    max_deals(30),
)

SEATS: Final = (Seat(0), Seat(1))

_DRAFTS: Final = LegalActions(tuple(Draft(choice) for choice in DraftChoice))


class Phase(IntEnum):
    """What is decided in a deal, in order."""

    DRAFT = 1
    BID = 2
    PLAY = 3


# members of an enum are slow to look up by name
_DRAFT, _BID, _PLAY = Phase
_KEEP: Final = DraftChoice.KEEP


@value_class
class Dealt:
    """A deal began: who goes first, and the stock from the top."""

    deal: int
    first: Seat
    stock: tuple[Card, ...]


@value_class
class Drafted:
    """A seat used the two top cards of the stock."""

    seat: Seat
    choice: DraftChoice
    kept: Card
    discarded: Card


class TwoHandedSpadesState(SpadePlayState):
    """One match of two-handed spades in progress.

    The attributes are for `view` to read; only the methods here change them. ``kept`` and ``discarded`` are
    by seat, in the order of the draft; ``choices`` are of both seats in turn, ``first`` beginning.
    """

    __slots__ = (
        "_stock",
        "bidding",
        "choices",
        "discarded",
        "first",
        "kept",
        "phase",
    )

    phase: Phase

    def __init__(self, options: Options, *, deals: int | None, first: Seat) -> None:
        super().__init__(options, deals=deals)
        self.first = first
        self._clear(())

    def _clear(self, stock: Sequence[Card]) -> None:
        self.phase = _DRAFT
        self._stock = tuple(stock)
        self.choices: list[DraftChoice] = []
        self.kept: tuple[list[Card], list[Card]] = ([], [])
        self.discarded: tuple[list[Card], list[Card]] = ([], [])
        self.hands = [EMPTY, EMPTY]
        self.bidding = Bidding(SEATS, self.first)
        self.tricks = TrickPlay(SEATS, self.first, SPADES_ARE_TRUMP)
        self.taken = [0, 0]
        self.broken = False

    def deal(self, deck: Sequence[Card]) -> list[Event]:
        """Begin a deal: the deck is the stock, its first card on top; who goes first alternates."""
        self.deal_number += 1
        self.needs_deck = False
        if self.deal_number > 1:
            self.first = SEATS[1 - self.first]
        self._clear(deck)
        self._due = (self.first,)
        return [Dealt(self.deal_number, self.first, self._stock)]

    def legal(self, seat: Seat) -> Legal:
        """Return the legal actions of a seat, an empty list for one that is not to act."""
        if seat not in self._due:
            return NOTHING
        if self.phase is _PLAY:
            return self.legal_play(seat)
        return self.legal_bid() if self.phase is _BID else self.legal_draft()

    def apply(self, seat: Seat, action: Action) -> list[Event]:
        """Carry out a legal action and return what happened, in order."""
        if type(action) is PlayCard:
            return self.apply_play(seat, action.card)
        if isinstance(action, Draft):
            return self.apply_draft(seat, action.choice)
        if isinstance(action, Bid):
            return self.apply_bid(action.tricks)
        raise IllegalAction(f"two_handed_spades knows no {type(action).__name__}")

    # The draft

    @property
    def top(self) -> Card:
        """Return the top card of the stock during the draft, which the seat in turn looks at."""
        return self._stock[2 * len(self.choices)]

    def legal_draft(self) -> LegalActions:
        """Keep or refuse the top card."""
        return _DRAFTS

    def apply_draft(self, seat: Seat, choice: DraftChoice) -> list[Event]:
        """Take one of the two top cards and discard the other; the choice was made on the first alone."""
        top, next_one = self.top, self._stock[2 * len(self.choices) + 1]
        kept, discarded = (top, next_one) if choice == _KEEP else (next_one, top)
        self.choices.append(choice)
        self.kept[seat].append(kept)
        self.discarded[seat].append(discarded)
        self.hands[seat] |= 1 << kept
        if len(self.choices) == 26:
            self.phase = _BID
        self._due = (SEATS[1 - seat],)  # after the last choice it is the first seat, which bids first, too
        return [Drafted(seat, choice, kept, discarded)]

    # Bidding

    def legal_bid(self) -> LegalActions:
        """Bid any number of tricks, whatever the other bid."""
        return BIDS

    def apply_bid(self, tricks: int) -> list[Event]:
        """Bid for the seat in turn; after the second bid the first bidder leads."""
        made = self.bidding.bid(tricks)
        if self.bidding.over:
            self.phase = _PLAY
        self._due = (SEATS[1 - made.seat],)  # after the last bid it is the first bidder, who leads
        return [made]

    # The end of a deal

    def _gains(self) -> list[tuple[int, int]]:
        bids = {bid.seat: bid.tricks for bid in self.bidding.made}
        return [
            deal_points(
                bids[seat],
                self.taken[seat],
                nil_points=self._nil_points,
                failed_nil_tricks=self._failed_nil_tricks,
            )
            for seat in SEATS
        ]

    def _is_decided(self) -> bool:
        return max(self.scores) >= self._target and self.scores[0] != self.scores[1]
