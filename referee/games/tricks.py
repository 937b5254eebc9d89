"""Following suit and winning tricks, shared by all games."""

from collections.abc import Sequence
from typing import Final

from referee.cards import ALL_CARDS, SUIT_MASKS, Card, Hand, Seat, Suit
from referee.values import value_class


@value_class
class Trick:
    """Cards played to one trick, in order of play, beginning with the leader's.

    ``winner`` is None while the trick is not complete.
    """

    leader: Seat
    cards: tuple[Card, ...]
    winner: Seat | None = None


@value_class
class Ranking:
    """Which suit each card belongs to and how high it is there; trumps beat all other suits.

    ``suits`` and ``heights`` are by card, ``masks`` hold the cards of each suit. They differ from what is
    printed only in games that move a card to another suit or rank, as euchre does with two jacks.
    """

    trump: Suit | None
    suits: tuple[Suit, ...]
    heights: tuple[int, ...]
    masks: tuple[int, ...]


def _printed(trump: Suit | None) -> Ranking:
    return Ranking(
        trump, tuple(Suit(c // 13) for c in ALL_CARDS), tuple(c % 13 for c in ALL_CARDS), SUIT_MASKS
    )


NO_TRUMP: Final = _printed(None)
SPADES_ARE_TRUMP: Final = _printed(Suit.SPADES)


def follow(hand: Hand, led: Suit, ranking: Ranking = NO_TRUMP) -> Hand:
    """Return the cards that follow the led suit, or the whole hand when there are none."""
    same = hand & ranking.masks[led]
    return Hand(same) if same else hand


def winning_index(played: Sequence[Card], ranking: Ranking = NO_TRUMP) -> int:
    """Return the position in a trick of the card that wins it.

    The highest trump wins, else the highest card of the suit that the first card led.
    """
    suits, heights = ranking.suits, ranking.heights
    deciding = suits[played[0]]
    best = 0
    for i, c in enumerate(played):
        suit = suits[c]
        if suit == deciding:
            if heights[c] > heights[played[best]]:
                best = i
        elif suit == ranking.trump:
            deciding, best = suit, i
    return best


class TrickPlay:
    """The tricks of one deal while they are played, by every given seat in turn.

    ``seats`` are those that play, ascending; ``complete`` are the finished tricks in order, ``cards`` those
    on the table; ``turn`` is the seat that plays next.
    """

    __slots__ = ("_leader", "_next", "cards", "complete", "ranking", "seats", "turn")

    def __init__(self, seats: tuple[Seat, ...], leader: Seat, ranking: Ranking = NO_TRUMP) -> None:
        self.seats = seats
        self._next = dict(zip(seats, seats[1:] + seats[:1], strict=True))
        self.leader = leader
        self.ranking = ranking
        self.cards: list[Card] = []
        self.complete: list[Trick] = []

    @property
    def leader(self) -> Seat:
        """The seat that leads the trick on the table or the next one; who sets it has played none."""
        return self._leader

    @leader.setter
    def leader(self, seat: Seat) -> None:
        self._leader = self.turn = seat

    @property
    def led(self) -> Suit | None:
        """Return the suit that was led, or None when a lead is due."""
        return self.ranking.suits[self.cards[0]] if self.cards else None

    @property
    def current(self) -> Trick | None:
        """Return the trick on the table, or None when a lead is due."""
        return Trick(self.leader, tuple(self.cards)) if self.cards else None

    def play(self, card: Card) -> Trick | None:
        """Play a card for the seat in turn; return the trick when this completes it.

        Its winner leads the next one.
        """
        self.cards.append(card)
        self.turn = self._next[self.turn]
        if len(self.cards) < len(self.seats):
            return None
        place = winning_index(self.cards, self.ranking)
        winner = self.seats[(self.seats.index(self.leader) + place) % len(self.seats)]
        trick = Trick(self.leader, tuple(self.cards), winner)
        self.complete.append(trick)
        self.leader = winner
        self.cards.clear()
        return trick
