"""American hearts: the rules.

Source: the rules of "kierki amerykańskie" at kurnik.pl (https://www.kurnik.pl/kierkiam/zasady.phtml). Four
players, each for himself, thirteen cards each; taking hearts and the queen of spades costs points and the
lowest total wins. In five points:

1. Passing. Each player hands three of his cards to the left in the first deal, to the right in the second,
   across in the third, to nobody in the fourth, and so on round. The cards arrive when all four have chosen.
2. Tricks. Whoever then holds the two of clubs leads it. Follow suit if able; the highest card of the suit led
   takes the trick and its player leads the next. There are no trumps. On the first trick a player who cannot
   follow may play no heart and no queen of spades unless he has nothing else.
3. Breaking. Hearts may not be led until somebody has played a heart on another suit, or the queen of spades
   in any way. A leader with only hearts, or only hearts and the queen, is free. The queen may always be led.
4. Points. A heart is 1, the queen of spades 13. A player who takes them all has shot the moon: he chooses
   whether 26 are taken off his own total or added to each opponent's. Totals may fall below zero.
5. The end. When a total has reached 100 after a deal, the lowest total wins; equal lowest totals draw.

Departures from what is often played: the queen of spades breaks hearts however it is played; a heart that is
led, or that follows a heart, does not (option ``any_heart_breaks``); a leader with only hearts and the queen
may lead either; a hand of only such cards may play any of them to the first trick; the shooter chooses
freely, even to his loss, and only after the thirteenth trick (option ``moon`` settles it beforehand); nobody
plays on to break a tie. The jack of diamonds is worth -10 to its taker only with the option
``jack_of_diamonds``.

Of the deck the seats take blocks of thirteen cards: seat 0 the first, seat 1 the next, and so on.
"""

from collections.abc import Sequence
from enum import IntEnum
from operator import add
from typing import Final

from referee.cards import (
    ALL_CARDS,
    CARD_MASKS,
    EMPTY,
    SUIT_MASKS,
    Card,
    Hand,
    Seat,
    Suit,
    card,
    cards_of,
    hand_of,
    holds,
)
from referee.games.actions import (
    NOTHING,
    SUIT_PLAYS,
    Action,
    Choose,
    ChooseCards,
    Legal,
    LegalActions,
    Moon,
    MoonChoice,
    PlayCard,
    plays,
)
from referee.games.base import Event, State, finish
from referee.games.errors import IllegalAction
from referee.games.events import CARDS_PLAYED, TRICKS_TAKEN, DealScored
from referee.games.hearts.scoring import QUEEN_OF_SPADES, moon_points, shooter, trick_points
from referee.games.options import Option, Options, flag, max_deals, number, word
from referee.games.tricks import TrickPlay
from referee.values import value_class

OPTIONS: Final = (
    Option(
        name="target",
        default=100,
        minimum=10,
        maximum=1000,
        help="The game ends after a deal in which somebody's total has reached this.",
    ),
    Option(
        name="jack_of_diamonds",
        default=False,
        help="Whether the jack of diamonds takes 10 points off the total of the player who takes it.",
    ),
    Option(
        name="any_heart_breaks",
        default=False,
        help="Whether a heart that is led or follows suit breaks hearts too.",
    ),
    Option(
        name="moon",
        default="choose",
        choices=("choose", "add", "subtract"),
        help="Who shoots the moon chooses, or always adds 26 to the others, or always subtracts 26.",
    ),
    max_deals(60),
)

SEATS: Final = tuple(Seat(s) for s in range(4))
TWO_OF_CLUBS: Final = card("2C")

_HEARTS: Final = SUIT_MASKS[Suit.HEARTS]
_TWO_OF_CLUBS: Final = hand_of([TWO_OF_CLUBS])
_NO_HEARTS: Final = ~_HEARTS
_NEITHER_HEARTS_NOR_QUEEN: Final = ~(_HEARTS | 1 << QUEEN_OF_SPADES)
_MAY_BREAK: Final = tuple(holds(_HEARTS | 1 << QUEEN_OF_SPADES, c) for c in ALL_CARDS)
_MOON_CHOICES: Final = LegalActions(tuple(Moon(choice) for choice in MoonChoice))
_SETTLED_MOONS: Final = {"choose": None, "add": MoonChoice.ADD, "subtract": MoonChoice.SUBTRACT}


class Phase(IntEnum):
    """What is decided in a deal, in order."""

    PASS = 1
    PLAY = 2
    MOON = 3


_PASS, _PLAY, _MOON = Phase  # members of an enum are slow to look up by name


class PassDirection(IntEnum):
    """Where the cards of a deal are passed."""

    LEFT = 1
    RIGHT = 2
    ACROSS = 3
    NONE = 4


_PASS_CYCLE: Final = (PassDirection.NONE, PassDirection.LEFT, PassDirection.RIGHT, PassDirection.ACROSS)
_SEATS_ON: Final = {
    PassDirection.LEFT: 1,
    PassDirection.RIGHT: 3,
    PassDirection.ACROSS: 2,
    PassDirection.NONE: 0,
}


@value_class
class Dealt:
    """A deal began; the hands of all seats, each in canonical order."""

    deal: int
    direction: PassDirection
    hands: tuple[tuple[Card, ...], ...]


@value_class
class CardsPassed:
    """All four have chosen and the cards are handed over; what each seat gave, in canonical order."""

    direction: PassDirection
    passed: tuple[tuple[Card, ...], ...]


@value_class
class MoonChosen:
    """The seat that shot the moon chose, or an option chose for it, how it is scored."""

    seat: Seat
    choice: MoonChoice


def pass_direction(deal: int) -> PassDirection:
    """Return where the cards are passed in a deal, counted from 1."""
    return _PASS_CYCLE[deal % 4]


def receiver(seat: Seat, direction: PassDirection) -> Seat:
    """Return the seat that gets what a seat passes."""
    return Seat((seat + _SEATS_ON[direction]) % 4)


def giver(seat: Seat, direction: PassDirection) -> Seat:
    """Return the seat whose passed cards a seat gets."""
    return Seat((seat - _SEATS_ON[direction]) % 4)


def legal_lead(hand: Hand, first_trick: bool, broken: bool) -> Hand:
    """Return the cards that may be led."""
    if first_trick:
        return _TWO_OF_CLUBS
    if broken or not hand & _NEITHER_HEARTS_NOR_QUEEN:
        return hand
    return hand & _NO_HEARTS


def legal_discard(hand: Hand, first_trick: bool) -> Hand:
    """Return the cards that may be played to a lead by a hand without cards of its suit."""
    return (first_trick and hand & _NEITHER_HEARTS_NOR_QUEEN) or hand


class HeartsState(State):
    """One match of hearts in progress.

    The attributes are for `view` to read; only the methods here change them. ``passed`` and ``received`` hold
    three cards a seat once it has chosen and once cards were handed over, none before. ``points`` are those
    taken in the deal, before any moon.
    """

    __slots__ = (
        "_any_heart_breaks",
        "_deals",
        "_jack_of_diamonds",
        "_max_deals",
        "_settled_moon",
        "_target",
        "broken",
        "deal_number",
        "hands",
        "needs_deck",
        "passed",
        "phase",
        "points",
        "received",
        "totals",
        "tricks",
    )

    phase: Phase
    deal_number: int
    needs_deck: bool

    def __init__(self, options: Options, *, deals: int | None) -> None:
        self._target = number(options, "target")
        self._jack_of_diamonds = flag(options, "jack_of_diamonds")
        self._any_heart_breaks = flag(options, "any_heart_breaks")
        self._settled_moon = _SETTLED_MOONS[word(options, "moon")]
        self._max_deals = number(options, "max_deals")
        self._deals = deals
        self._due, self._result = (), None
        self.deal_number = 0
        self.needs_deck = True
        self.totals: tuple[int, ...] = (0, 0, 0, 0)
        self._clear((EMPTY, EMPTY, EMPTY, EMPTY))

    def _clear(self, hands: Sequence[Hand]) -> None:
        self.phase = _PASS
        self.hands = list(hands)
        self.passed: list[tuple[Card, ...]] = [(), (), (), ()]
        self.received: list[tuple[Card, ...]] = [(), (), (), ()]
        self.tricks = TrickPlay(SEATS, SEATS[0])
        self.points = [0, 0, 0, 0]
        self.broken = False

    @property
    def direction(self) -> PassDirection:
        """Return where the cards are passed in this deal."""
        return pass_direction(self.deal_number)

    def deal(self, deck: Sequence[Card]) -> list[Event]:
        """Begin a deal: thirteen cards of the deck to each seat, seat 0 the first thirteen."""
        self.deal_number += 1
        self.needs_deck = False
        self._clear([hand_of(deck[13 * seat : 13 * seat + 13]) for seat in SEATS])
        self._due = SEATS
        dealt = Dealt(self.deal_number, self.direction, tuple(cards_of(hand) for hand in self.hands))
        if self.direction == PassDirection.NONE:
            self._begin_play()
        return [dealt]

    def legal(self, seat: Seat) -> Legal:
        """Return the legal actions of a seat, an empty list for one that is not to act."""
        if seat not in self._due:
            return NOTHING
        if self.phase is _PLAY:
            return self.legal_play(seat)
        return self.legal_pass(seat) if self.phase is _PASS else self.legal_moon()

    def apply(self, seat: Seat, action: Action) -> list[Event]:
        """Carry out a legal action and return what happened, in order."""
        if type(action) is PlayCard:
            return self.apply_play(seat, action.card)
        if isinstance(action, ChooseCards):
            return self.apply_pass(seat, action.cards)
        if isinstance(action, Moon):
            return self.apply_moon(seat, action.choice)
        raise IllegalAction(f"hearts knows no {type(action).__name__}")

    # Passing

    def legal_pass(self, seat: Seat) -> Choose:
        """Choose any three of the thirteen cards dealt."""
        return Choose(cards_of(self.hands[seat]), 3, 3)

    def apply_pass(self, seat: Seat, cards: tuple[Card, ...]) -> list[Event]:
        """Lay three cards aside; hand all over when the last of the four has chosen."""
        self.passed[seat] = tuple(sorted(cards))  # sorted, since the order of choosing must not show
        self._due = tuple([other for other in self._due if other != seat])
        if self._due:
            return []
        direction, gone = self.direction, [hand_of(each) for each in self.passed]
        for taker in SEATS:
            source = giver(taker, direction)
            self.received[taker] = self.passed[source]
            self.hands[taker] ^= gone[taker] | gone[source]
        self._begin_play()
        return [CardsPassed(direction, tuple(self.passed))]

    def _begin_play(self) -> None:
        self.phase = _PLAY
        leader = next(seat for seat in SEATS if holds(self.hands[seat], TWO_OF_CLUBS))
        self.tricks.begin(leader)
        self._due = (leader,)

    # Play

    def legal_play(self, seat: Seat) -> LegalActions:
        """Lead the two of clubs to begin, no hearts before they are broken; follow suit if able."""
        hand, tricks = self.hands[seat], self.tricks
        if same := hand & tricks.led_cards:
            return SUIT_PLAYS[same]
        first = not tricks.complete
        return plays(legal_discard(hand, first) if tricks.cards else legal_lead(hand, first, self.broken))

    def apply_play(self, seat: Seat, c: Card) -> list[Event]:
        """Play a card; take the trick when it is complete, and end the deal with the thirteenth."""
        tricks = self.tricks
        if not self.broken and _MAY_BREAK[c]:
            self.broken = self._breaks(c)
        self.hands[seat] ^= CARD_MASKS[c]
        trick = tricks.play(c)
        winner = tricks.turn
        self._due = (winner,)
        if trick is None:
            return [CARDS_PLAYED[seat][c]]
        self.points[winner] += trick_points(trick.cards, self._jack_of_diamonds)
        events: list[Event] = [CARDS_PLAYED[seat][c], TRICKS_TAKEN[winner]]
        if len(tricks.complete) == 13:
            events += self._end_play()
        return events

    def _breaks(self, c: Card) -> bool:
        return c == QUEEN_OF_SPADES or self._any_heart_breaks or self.tricks.led not in (None, Suit.HEARTS)

    def _end_play(self) -> list[Event]:
        seat = shooter(self.tricks.complete)
        if seat is None:
            return [self._score(tuple(self.points))]
        self.phase, self._due = _MOON, (seat,)
        return [] if self._settled_moon is None else self.apply_moon(seat, self._settled_moon)

    # The moon

    def legal_moon(self) -> LegalActions:
        """Choose either, whatever it leads to."""
        return _MOON_CHOICES

    def apply_moon(self, seat: Seat, choice: MoonChoice) -> list[Event]:
        """Score the deal as the shooter chose."""
        return [MoonChosen(seat, choice), self._score(moon_points(self.points, seat, choice))]

    # The end of a deal

    def _score(self, points: tuple[int, ...]) -> DealScored:
        self.totals = tuple(map(add, self.totals, points))
        self._result = finish(
            self.totals,
            low_wins=True,
            played=self.deal_number,
            decided=max(self.totals) >= self._target,
            deals=self._deals,
            max_deals=self._max_deals,
        )
        self.needs_deck, self._due = self._result is None, ()
        return DealScored(self.deal_number, points, self.totals)
