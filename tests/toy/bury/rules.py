"""Bury: the rules.

Source: made up for the page on adding a game (https://example.org/bury). Two players with the thirteen
hearts; each buries a card and tries to take more tricks than the other. In four points:

1. Burying. Each player gets six cards; one is left over, face down. Both choose one of the six and put it
   aside, face down. Play begins when both have chosen.
2. Tricks. The player who begins, the other one each deal, leads. The higher card takes the trick, and its
   player leads the next.
3. Points. A trick is 1; a player who takes all five gets 3 more.
4. The end. When a total has reached 25 after a deal, the higher total wins; equal ones draw.

Of the deck seat 0 takes the first six cards, seat 1 the next six; the last card is left over.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from referee.cards import EMPTY, Card, Hand, Seat, cards_of, hand_of
from referee.games.actions import (
    NOTHING,
    Action,
    Choose,
    ChooseCards,
    Legal,
    LegalActions,
    PlayCard,
    plays,
)
from referee.games.base import Event, State, finish
from referee.games.bury.scoring import TRICKS, deal_points
from referee.games.errors import IllegalAction
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.options import Option, Options, number
from referee.games.tricks import TrickPlay

OPTIONS: Final = (
    Option(
        name="target",
        default=25,
        minimum=5,
        maximum=1000,
        help="The game ends after a deal in which a total has reached this.",
    ),
    Option(
        name="sweep_points",
        default=3,
        minimum=0,
        maximum=100,
        help="What all five tricks bring beside the points of the tricks.",
    ),
    Option(
        name="max_deals",
        default=50,
        minimum=1,
        maximum=1000,
        help="A game that is not over after this many deals is decided by the totals.",
    ),
)

SEATS: Final = (Seat(0), Seat(1))


class Phase(IntEnum):
    """What is decided in a deal, in order."""

    BURY = 1
    PLAY = 2


@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal began: who leads, the hands of both seats in canonical order, the card left over."""

    deal: int
    first: Seat
    hands: tuple[tuple[Card, ...], ...]
    left_over: Card


@dataclass(frozen=True, slots=True)
class CardsBuried:
    """Both have chosen; the card that each seat put aside."""

    cards: tuple[Card, ...]


class BuryState(State):
    """One match of bury in progress.

    The attributes are for `view` to read; only the methods here change them. ``buried`` holds a card for each
    seat that has chosen.
    """

    __slots__ = (
        "_deals",
        "_max_deals",
        "_sweep_points",
        "_target",
        "buried",
        "deal_number",
        "first",
        "hands",
        "needs_deck",
        "phase",
        "taken",
        "totals",
        "tricks",
    )

    phase: Phase
    deal_number: int
    needs_deck: bool

    def __init__(self, options: Options, *, deals: int | None, first: Seat) -> None:
        self._target = number(options, "target")
        self._sweep_points = number(options, "sweep_points")
        self._max_deals = number(options, "max_deals")
        self._deals = deals
        self._due, self._result = (), None
        self.deal_number = 0
        self.needs_deck = True
        self.first = first
        self.totals: tuple[int, ...] = (0, 0)
        self._clear((EMPTY, EMPTY))

    def _clear(self, hands: Sequence[Hand]) -> None:
        self.phase = Phase.BURY
        self.hands = list(hands)
        self.buried: dict[Seat, Card] = {}
        self.tricks = TrickPlay(SEATS, self.first)
        self.taken = [0, 0]

    def deal(self, deck: Sequence[Card]) -> list[Event]:
        """Begin a deal: six cards of the deck to each seat, seat 0 the first six; who leads alternates."""
        self.deal_number += 1
        self.needs_deck = False
        if self.deal_number > 1:
            self.first = SEATS[1 - self.first]
        self._clear([hand_of(deck[6 * seat : 6 * seat + 6]) for seat in SEATS])
        self._due = SEATS
        return [Dealt(self.deal_number, self.first, tuple(map(cards_of, self.hands)), deck[-1])]

    def legal(self, seat: Seat) -> Legal:
        """Return the legal actions of a seat, an empty list for one that is not to act."""
        if seat not in self._due:
            return NOTHING
        match self.phase:
            case Phase.BURY:
                return self.legal_bury(seat)
            case Phase.PLAY:
                return self.legal_play(seat)

    def apply(self, seat: Seat, action: Action) -> list[Event]:
        """Carry out a legal action and return what happened, in order."""
        match action:
            case ChooseCards(cards):
                return self.apply_bury(seat, cards)
            case PlayCard(c):
                return self.apply_play(seat, c)
        raise IllegalAction(f"bury knows no {type(action).__name__}")

    # Burying

    def legal_bury(self, seat: Seat) -> Choose:
        """Choose any one of the six cards dealt."""
        return Choose(cards_of(self.hands[seat]), 1, 1)

    def apply_bury(self, seat: Seat, cards: tuple[Card, ...]) -> list[Event]:
        """Lay a card aside; play begins when both have chosen."""
        (self.buried[seat],) = cards
        if len(self.buried) < len(SEATS):
            self._due = (SEATS[1 - seat],)
            return []
        for owner, c in self.buried.items():
            self.hands[owner] ^= 1 << c
        self.phase, self._due = Phase.PLAY, (self.first,)
        return [CardsBuried(tuple(self.buried[owner] for owner in SEATS))]

    # Play

    def legal_play(self, seat: Seat) -> LegalActions:
        """Play any card of the hand: all are of one suit."""
        return plays(self.hands[seat])

    def apply_play(self, seat: Seat, c: Card) -> list[Event]:
        """Play a card; take the trick when it is complete, and end the deal with the fifth."""
        self.hands[seat] ^= 1 << c
        events: list[Event] = [CardPlayed(seat, c)]
        trick = self.tricks.play(c)
        winner = self.tricks.turn
        self._due = (winner,)
        if trick is None:
            return events
        self.taken[winner] += 1
        events.append(TrickTaken(winner))
        if len(self.tricks.complete) == TRICKS:
            events.append(self._score())
        return events

    # The end of a deal

    def _score(self) -> DealScored:
        points = deal_points(self.taken, sweep_points=self._sweep_points)
        self.totals = tuple(total + gained for total, gained in zip(self.totals, points, strict=True))
        self._result = finish(
            self.totals,
            low_wins=False,
            played=self.deal_number,
            decided=max(self.totals) >= self._target,
            deals=self._deals,
            max_deals=self._max_deals,
        )
        self.needs_deck, self._due = self._result is None, ()
        return DealScored(self.deal_number, points, self.totals)
