"""Following suit and winning tricks, shared by all games."""

from collections.abc import Sequence
from dataclasses import dataclass

from referee.cards import SUIT_MASKS, Card, Hand, Seat, Suit


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
