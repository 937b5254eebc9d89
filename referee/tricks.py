"""Following suit and winning tricks, shared by all games."""

from collections.abc import Sequence
from dataclasses import dataclass

from referee.cards import SUIT_MASKS, Card, Hand, Seat, Suit, suit_of


@dataclass(frozen=True, slots=True)
class Trick:
    """Cards played to one trick, in order of play, beginning with the leader's.

    ``winner`` is None while the trick is not complete.
    """

    leader: Seat
    cards: tuple[Card, ...]
    winner: Seat | None = None


def follow(hand: Hand, led: Suit) -> Hand:
    """Return the cards that follow the led suit, or the whole hand when there are none."""
    same = hand & SUIT_MASKS[led]
    return Hand(same) if same else hand


def winning_index(played: Sequence[Card], trump: Suit | None = None) -> int:
    """Return the position in a trick of the card that wins it.

    The highest trump wins, else the highest card of the suit that the first card led.
    """
    led = played[0] // 13
    best, best_value = 0, -1
    for i, c in enumerate(played):
        suit, rank = divmod(c, 13)
        value = rank + 13 if suit == trump else rank if suit == led else -1
        if value > best_value:
            best, best_value = i, value
    return best


class TrickPlay:
    """The tricks of one deal while they are played, by every seat in turn.

    ``complete`` are the finished ones in order, ``cards`` those on the table.
    """

    __slots__ = ("cards", "complete", "leader", "seats", "trump")

    def __init__(self, seats: int, leader: Seat, trump: Suit | None = None) -> None:
        self.seats = seats
        self.leader = leader
        self.trump = trump
        self.cards: list[Card] = []
        self.complete: list[Trick] = []

    @property
    def turn(self) -> Seat:
        """Return the seat that plays next."""
        return Seat((self.leader + len(self.cards)) % self.seats)

    @property
    def led(self) -> Suit | None:
        """Return the suit that was led, or None when a lead is due."""
        return suit_of(self.cards[0]) if self.cards else None

    @property
    def current(self) -> Trick | None:
        """Return the trick on the table, or None when a lead is due."""
        return Trick(self.leader, tuple(self.cards)) if self.cards else None

    def play(self, card: Card) -> Trick | None:
        """Play a card for the seat in turn; return the trick when this completes it.

        Its winner leads the next one.
        """
        self.cards.append(card)
        if len(self.cards) < self.seats:
            return None
        winner = Seat((self.leader + winning_index(self.cards, self.trump)) % self.seats)
        trick = Trick(self.leader, tuple(self.cards), winner)
        self.complete.append(trick)
        self.leader = winner
        self.cards.clear()
        return trick
