"""The play of a deal in which spades are always trump, shared by the spades games.

Spades are broken by a spade that is played to another suit; one that is led, or that follows a spade, breaks
nothing.
"""

from abc import abstractmethod
from typing import Final

from referee.cards import SUIT_MASKS, Card, Hand, Seat, Suit, cards_of, suit_of
from referee.games.actions import LegalActions, plays
from referee.games.base import Event, TurnState
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.tricks import TrickPlay, follow

HAND_SIZE: Final = 13
_SPADES: Final = SUIT_MASKS[Suit.SPADES]


def legal_lead(hand: Hand, *, broken: bool) -> Hand:
    """Return the cards that may be led: no spades before they are broken, unless there is nothing else."""
    if broken:
        return hand
    return Hand(hand & ~_SPADES) or hand


def breaks(c: Card, led: Suit | None) -> bool:
    """Return whether a card breaks spades, given the suit that was led before it, None if it leads itself."""
    return suit_of(c) == Suit.SPADES and led not in (None, Suit.SPADES)


class SpadePlayState(TurnState):
    """A state of a spades game, as far as the play of a deal goes.

    ``hands`` and ``taken``, which counts tricks, are by seat.
    """

    __slots__ = ("broken", "hands", "taken", "tricks")

    hands: list[Hand]
    tricks: TrickPlay
    taken: list[int]
    broken: bool

    def legal_play(self, seat: Seat) -> LegalActions:
        """Lead no spade before they are broken, unless there is nothing else; follow suit if able."""
        hand, led = self.hands[seat], self.tricks.led
        legal = legal_lead(hand, broken=self.broken) if led is None else follow(hand, led)
        return plays(cards_of(legal))

    def apply_play(self, seat: Seat, c: Card) -> list[Event]:
        """Play a card; take the trick when it is complete, and end the deal with the thirteenth."""
        self.broken = self.broken or breaks(c, self.tricks.led)
        self.hands[seat] = Hand(self.hands[seat] & ~(1 << c))
        events: list[Event] = [CardPlayed(seat, c)]
        if self.tricks.play(c) is None:
            return events
        winner = self.tricks.leader
        self.taken[winner] += 1
        events.append(TrickTaken(winner))
        if len(self.tricks.complete) == HAND_SIZE:
            events.append(self._score())
        return events

    @abstractmethod
    def _score(self) -> DealScored:
        """Score the deal that is over and end the match if it is decided."""
