"""Euchre: the rules.

Source: the rules of "euker" at kurnik.pl (https://www.kurnik.pl/euker/zasady.phtml). Four players, partners
across the table, five cards each of the 24 from nine to ace; the side that makes trump must take three of
the five tricks. In seven points:

1. The upcard. After the deal one card is turned up; three stay unseen. From the dealer's left each player
   accepts its suit as trump or passes. If one accepts, the dealer takes the upcard and puts any one of his
   six cards aside, unseen.
2. Naming trump. If all four pass, each in the same order names one of the other three suits or passes; the
   dealer, who is last, must name one.
3. Playing alone. The player who made trump, the maker, says first whether he plays without his partner; then
   the others in order from the dealer's left, but for those whose partner plays alone. The cards of a
   loner's partner are put aside. Both sides may have a loner.
4. Tricks. The player at the dealer's left leads, or the next one clockwise who plays. Follow suit if able;
   the highest trump takes the trick, else the highest card of the suit led, and its player leads the next.
5. Bowers. The highest trump is its jack; the second is the other jack of that colour, which is a trump for
   every purpose and no card of its printed suit. Then ace, king, queen, ten, nine.
6. Points. The makers get 1 for three or four tricks, 2 for five, 4 for five by a loner. If they take fewer
   than three, their opponents get 2, or 4 for all five by a loner.
7. The end. The first side to reach 10 wins.

Departures from what is often played: the dealer must name trump when all others have passed (option
``stick_the_dealer``; when he may pass, the deal is void and the next dealer deals); the defenders may go
alone, also when the maker does not (option ``defenders_may_go_alone``), and so may the maker's partner
(option ``maker_partner_may_go_alone``); the dealer may put the upcard itself aside (option
``dealer_may_discard_upcard``) and does so before anybody says whether he plays alone; a lone defender needs
all five tricks for his 4; no trump is needed to make trump, and the dealer's partner is not bound to play
alone when he accepts. A cap on the number of deals may end a game in a draw.

Of the deck the seats take blocks of five cards: seat 0 the first, seat 1 the next, and so on; the card after
them is the upcard, the last three are never seen. ``first`` is the dealer of the first deal.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

from referee.cards import (
    ALL_CARDS,
    CARD_MASKS,
    EMPTY,
    Card,
    Hand,
    Rank,
    Seat,
    Suit,
    cards_of,
    hand_of,
    rank_of,
    suit_of,
)
from referee.games.actions import (
    NOTHING,
    SUIT_PLAYS,
    Action,
    Alone,
    AloneChoice,
    CallTrump,
    CallUpcard,
    Choose,
    ChooseCards,
    Legal,
    LegalActions,
    PlayCard,
    TrumpCall,
    UpcardCall,
    plays,
)
from referee.games.base import Event, State, finish
from referee.games.errors import IllegalAction
from referee.games.euchre.bowers import RANKINGS
from referee.games.euchre.events import (
    ALONE_CHOSEN,
    UPCARD_CALLED,
    AloneChosen,
    Dealt,
    Phase,
    PickedUp,
    TrumpCalled,
)
from referee.games.euchre.scoring import TRICKS, deal_points
from referee.games.events import CARDS_PLAYED, TRICKS_TAKEN, DealScored
from referee.games.options import Option, Options, flag, max_deals, number
from referee.games.partners import SEATS, clockwise_from_left, left_of, partner, side_of
from referee.games.tricks import TrickPlay

OPTIONS: Final = (
    Option(
        name="target",
        default=10,
        minimum=1,
        maximum=1000,
        help="The game ends after a deal in which a side's score has reached this.",
    ),
    Option(
        name="stick_the_dealer",
        default=True,
        help="Whether the dealer must name trump when all others have passed; else the deal may be void.",
    ),
    Option(
        name="defenders_may_go_alone",
        default=True,
        help="Whether the opponents of the maker are asked if they play alone.",
    ),
    Option(
        name="maker_partner_may_go_alone",
        default=True,
        help="Whether the maker's partner is asked if it plays alone when the maker does not.",
    ),
    Option(
        name="dealer_may_discard_upcard",
        default=True,
        help="Whether the dealer may put the upcard itself aside.",
    ),
    max_deals(60),
)

CARDS: Final = tuple(c for c in ALL_CARDS if rank_of(c) >= Rank.NINE)

_UPCARD_CALLS: Final = LegalActions(tuple(CallUpcard(call) for call in UpcardCall))
_ALONE_CHOICES: Final = LegalActions(tuple(Alone(choice) for choice in AloneChoice))
# members of an enum are slow to look up by name
_UPCARD, _TRUMP, _DISCARD, _ALONE, _PLAY = Phase
_ACCEPT: Final = UpcardCall.ACCEPT
_PASS: Final = TrumpCall.PASS
_WITHOUT_PARTNER: Final = AloneChoice.ALONE


def _trump_calls(turned_down: Suit, *, stuck: bool) -> LegalActions:
    named = [TrumpCall(suit + 1) for suit in Suit if suit != turned_down]
    return LegalActions(tuple(CallTrump(call) for call in (named if stuck else [*named, TrumpCall.PASS])))


@cache
def asked_alone(dealer: Seat, maker: Seat, mate_may: bool, others_may: bool) -> tuple[Seat, ...]:
    """Return who is asked whether it plays alone: the maker, then those who may from the dealer's left."""
    may = dict.fromkeys(SEATS, others_may)
    may[partner(maker)], may[maker] = mate_may, False
    return (maker, *[seat for seat in clockwise_from_left(dealer) if may[seat]])


_TRUMP_CALLS: Final = {stuck: [_trump_calls(suit, stuck=stuck) for suit in Suit] for stuck in (False, True)}
_VOID: Final = (0, 0)


class EuchreState(State):
    """One match of euchre in progress.

    The attributes are for `view` to read; only the methods here change them. The calls are in order from the
    dealer's left, ``alone`` in the order given; ``active`` are the seats that play, all but the partners of
    loners; ``taken`` and ``scores`` are by side. ``hands`` of seats that sit out stay as they are.
    """

    __slots__ = (
        "_dealer_may_discard_upcard",
        "_deals",
        "_defenders_may_go_alone",
        "_maker_partner_may_go_alone",
        "_max_deals",
        "_stick_the_dealer",
        "_target",
        "_to_ask",
        "active",
        "alone",
        "deal_number",
        "dealer",
        "discarded",
        "hands",
        "maker",
        "needs_deck",
        "phase",
        "scores",
        "taken",
        "tricks",
        "trump",
        "trump_calls",
        "upcard",
        "upcard_calls",
    )

    phase: Phase
    deal_number: int
    needs_deck: bool

    def __init__(self, options: Options, *, deals: int | None, first: Seat) -> None:
        self._target = number(options, "target")
        self._stick_the_dealer = flag(options, "stick_the_dealer")
        self._defenders_may_go_alone = flag(options, "defenders_may_go_alone")
        self._maker_partner_may_go_alone = flag(options, "maker_partner_may_go_alone")
        self._dealer_may_discard_upcard = flag(options, "dealer_may_discard_upcard")
        self._max_deals = number(options, "max_deals")
        self._deals = deals
        self._due, self._result = (), None
        self.deal_number = 0
        self.needs_deck = True
        self.dealer = first
        self.scores: tuple[int, ...] = (0, 0)
        self._clear((EMPTY, EMPTY, EMPTY, EMPTY), None)

    def _clear(self, hands: Sequence[Hand], upcard: Card | None) -> None:
        self.phase = _UPCARD
        self.hands = list(hands)
        self.upcard = upcard
        self.upcard_calls: list[UpcardCall] = []
        self.trump_calls: list[TrumpCall] = []
        self.maker: Seat | None = None
        self.trump: Suit | None = None
        self.discarded: Card | None = None
        self.alone: list[AloneChosen] = []
        self.active = SEATS
        self._to_ask: tuple[Seat, ...] = ()  # whether they play alone, in order
        self.tricks = TrickPlay(SEATS, SEATS[0])
        self.taken = [0, 0]

    def deal(self, deck: Sequence[Card]) -> list[Event]:
        """Begin a deal: five cards of the deck to each seat, then the upcard; the deal moves to the left."""
        self.deal_number += 1
        self.needs_deck = False
        if self.deal_number > 1:
            self.dealer = left_of(self.dealer)
        upcard, unseen = deck[20], tuple(deck[21:])
        self._clear([hand_of(deck[5 * seat : 5 * seat + 5]) for seat in SEATS], upcard)
        self._due = (left_of(self.dealer),)
        hands = tuple(cards_of(hand) for hand in self.hands)
        return [Dealt(self.deal_number, self.dealer, hands, upcard, unseen)]

    def legal(self, seat: Seat) -> Legal:
        """Return the legal actions of a seat, an empty list for one that is not to act."""
        if seat not in self._due:
            return NOTHING
        phase = self.phase
        if phase is _PLAY:
            return self.legal_play(seat)
        if phase is _UPCARD:
            return self.legal_upcard()
        if phase is _ALONE:
            return self.legal_alone()
        return self.legal_trump(seat) if phase is _TRUMP else self.legal_discard(seat)

    def apply(self, seat: Seat, action: Action) -> list[Event]:
        """Carry out a legal action and return what happened, in order."""
        if type(action) is PlayCard:
            return self.apply_play(seat, action.card)
        if type(action) is Alone:
            return self.apply_alone(seat, action.choice)
        if type(action) is CallUpcard:
            return self.apply_upcard(seat, action.choice)
        if isinstance(action, CallTrump):
            return self.apply_trump(seat, action.choice)
        if isinstance(action, ChooseCards):
            return self.apply_discard(seat, *action.cards)
        raise IllegalAction(f"euchre knows no {type(action).__name__}")

    # Making trump

    @property
    def _turned_up(self) -> Card:
        assert self.upcard is not None  # a deal is in play
        return self.upcard

    def legal_upcard(self) -> LegalActions:
        """Accept the upcard or pass, whatever the hand holds."""
        return _UPCARD_CALLS

    def apply_upcard(self, seat: Seat, call: UpcardCall) -> list[Event]:
        """Make trump of the upcard's suit, the dealer taking it up; after four passes trump is named."""
        self.upcard_calls.append(call)
        if call == _ACCEPT:
            self.maker, self.trump = seat, suit_of(self._turned_up)
            self.hands[self.dealer] |= 1 << self._turned_up
            self.phase, self._due = _DISCARD, (self.dealer,)
            return [UPCARD_CALLED[seat][call]]
        if seat == self.dealer:
            self.phase = _TRUMP
        self._due = (left_of(seat),)
        return [UPCARD_CALLED[seat][call]]

    def legal_discard(self, seat: Seat) -> Choose:
        """Choose one of the dealer's six cards, or of the five dealt when the upcard must be kept."""
        hand = self.hands[seat]
        if not self._dealer_may_discard_upcard:
            hand = hand & ~(1 << self._turned_up)
        return Choose(cards_of(hand), 1, 1)

    def apply_discard(self, seat: Seat, c: Card) -> list[Event]:
        """Put a card aside; then the maker is asked whether it plays alone."""
        self.discarded = c
        self.hands[seat] ^= CARD_MASKS[c]
        self._make_trump()
        return [PickedUp(seat, c)]

    def legal_trump(self, seat: Seat) -> LegalActions:
        """Name any suit but the one turned down, or pass; the dealer, when it is stuck, may not pass."""
        stuck = self._stick_the_dealer and seat == self.dealer
        return _TRUMP_CALLS[stuck][suit_of(self._turned_up)]

    def apply_trump(self, seat: Seat, call: TrumpCall) -> list[Event]:
        """Make trump of a suit; after four passes the deal is void."""
        self.trump_calls.append(call)
        called = TrumpCalled(seat, call)
        if call != _PASS:
            self.maker, self.trump = seat, Suit(call - 1)
            self._make_trump()
        elif seat == self.dealer:
            return [called, self._score(_VOID)]
        else:
            self._due = (left_of(seat),)
        return [called]

    # Playing alone

    def _make_trump(self) -> None:
        """Begin to ask who plays alone."""
        assert self.maker is not None
        may_go_alone = (self._maker_partner_may_go_alone, self._defenders_may_go_alone)
        self._to_ask = asked_alone(self.dealer, self.maker, *may_go_alone)
        self._ask_alone()

    def _ask_alone(self) -> None:
        """Ask the next seat whether it plays alone, or go on to play after the last."""
        if self._to_ask:
            self.phase, self._due, self._to_ask = _ALONE, self._to_ask[:1], self._to_ask[1:]
        else:
            self._begin_play()

    def legal_alone(self) -> LegalActions:
        """Play alone or together, whatever the hand holds."""
        return _ALONE_CHOICES

    def apply_alone(self, seat: Seat, choice: AloneChoice) -> list[Event]:
        """Play alone or together; after the last choice the first active seat at the dealer's left leads."""
        said = ALONE_CHOSEN[seat][choice]
        self.alone.append(said)
        if choice == _WITHOUT_PARTNER:
            out = partner(seat)
            self.active = tuple([each for each in self.active if each != out])
            self._to_ask = tuple([each for each in self._to_ask if each != out])
        self._ask_alone()
        return [said]

    # Play

    def _begin_play(self) -> None:
        assert self.trump is not None  # trump is made
        leader = left_of(self.dealer)
        while leader not in self.active:
            leader = left_of(leader)
        self.tricks = TrickPlay(self.active, leader, RANKINGS[self.trump])
        self.phase, self._due = _PLAY, (leader,)

    def legal_play(self, seat: Seat) -> LegalActions:
        """Lead anything; follow suit if able, the left bower being a trump."""
        hand = self.hands[seat]
        same = hand & self.tricks.led_cards
        return SUIT_PLAYS[same] if same else plays(hand)

    def apply_play(self, seat: Seat, c: Card) -> list[Event]:
        """Play a card; take the trick when it is complete, and end the deal with the fifth."""
        tricks = self.tricks
        self.hands[seat] ^= CARD_MASKS[c]
        trick = tricks.play(c)
        winner = tricks.turn
        self._due = (winner,)
        if trick is None:
            return [CARDS_PLAYED[seat][c]]
        self.taken[side_of(winner)] += 1
        events: list[Event] = [CARDS_PLAYED[seat][c], TRICKS_TAKEN[winner]]
        if len(tricks.complete) == TRICKS:
            events.append(self._score(self._points()))
        return events

    # The end of a deal

    def _points(self) -> tuple[int, int]:
        assert self.maker is not None  # trump is made
        alone = [False, False]
        for said in self.alone:
            if said.choice == _WITHOUT_PARTNER:
                alone[side_of(said.seat)] = True
        return deal_points(side_of(self.maker), self.taken, alone)

    def _score(self, points: tuple[int, int]) -> DealScored:
        self.scores = (self.scores[0] + points[0], self.scores[1] + points[1])
        self._result = finish(
            self.scores,
            low_wins=False,
            played=self.deal_number,
            decided=max(self.scores) >= self._target,
            deals=self._deals,
            max_deals=self._max_deals,
        )
        self.needs_deck, self._due = self._result is None, ()
        return DealScored(self.deal_number, points, self.scores)
