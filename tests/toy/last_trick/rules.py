"""Last trick: the rules.

Source: made up for the page on adding a game (https://example.org/last-trick). Two players with the six
spades from the nine up. In three points:

1. Tricks. Each player gets three cards. The player who begins, the other one each deal, leads. The higher
   card takes the trick, and its player leads the next.
2. Points. The third trick is 1, the others are nothing.
3. The end. Who has 4 points has won.

Of the deck seat 0 takes the first three cards, seat 1 the next three.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from referee.cards import EMPTY, Card, Seat, cards_of, hand_of
from referee.games.actions import NOTHING, Action, LegalActions, PlayCard, plays
from referee.games.base import Event, State, finish
from referee.games.errors import IllegalAction
from referee.games.events import CardPlayed, DealScored
from referee.games.tricks import TrickPlay

SEATS: Final = (Seat(0), Seat(1))
TRICKS: Final = 3
TARGET: Final = 4


class Phase(IntEnum):
    """What is decided in a deal."""

    PLAY = 1


@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal began: who leads, the hands of both seats in canonical order."""

    deal: int
    first: Seat
    hands: tuple[tuple[Card, ...], ...]


class LastTrickState(State):
    """One match of last trick in progress.

    The attributes are for `view` to read; only the methods here change them.
    """

    __slots__ = ("_deals", "deal_number", "first", "hands", "needs_deck", "totals", "tricks")

    deal_number: int
    needs_deck: bool

    def __init__(self, *, deals: int | None, first: Seat) -> None:
        self._deals = deals
        self._due, self._result = (), None
        self.deal_number = 0
        self.needs_deck = True
        self.first = first
        self.totals: tuple[int, ...] = (0, 0)
        self.hands = [EMPTY, EMPTY]
        self.tricks = TrickPlay(SEATS, first)

    @property
    def phase(self) -> Phase:
        """Return the phase; there is one."""
        return Phase.PLAY

    def deal(self, deck: Sequence[Card]) -> list[Event]:
        """Begin a deal: three cards of the deck to each seat, seat 0 the first; who leads alternates."""
        self.deal_number += 1
        self.needs_deck = False
        if self.deal_number > 1:
            self.first = SEATS[1 - self.first]
        self.hands = [hand_of(deck[TRICKS * seat : TRICKS * (seat + 1)]) for seat in SEATS]
        self.tricks = TrickPlay(SEATS, self.first)
        self._due = (self.first,)
        return [Dealt(self.deal_number, self.first, tuple(map(cards_of, self.hands)))]

    def legal(self, seat: Seat) -> LegalActions:
        """Return the legal actions of a seat, an empty list for one that is not to act."""
        return plays(self.hands[seat]) if seat in self._due else NOTHING

    def apply(self, seat: Seat, action: Action) -> list[Event]:
        """Play a card; the third trick ends the deal."""
        if not isinstance(action, PlayCard):
            raise IllegalAction(f"last_trick knows no {type(action).__name__}")
        self.hands[seat] ^= 1 << action.card
        self.tricks.play(action.card)
        self._due = (self.tricks.turn,)
        events: list[Event] = [CardPlayed(seat, action.card)]
        if len(self.tricks.complete) == TRICKS:
            events.append(self._score(self.tricks.leader))
        return events

    def _score(self, winner: Seat) -> DealScored:
        points = tuple(int(seat == winner) for seat in SEATS)
        self.totals = tuple(total + gained for total, gained in zip(self.totals, points, strict=True))
        self._result = finish(
            self.totals,
            low_wins=False,
            played=self.deal_number,
            decided=max(self.totals) >= TARGET,
            deals=self._deals,
            max_deals=2 * TARGET,  # never reached: each deal is somebody's point
        )
        self.needs_deck, self._due = self._result is None, ()
        return DealScored(self.deal_number, points, self.totals)
