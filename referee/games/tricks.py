"""Following suit and winning tricks, shared by all games."""

from collections.abc import Sequence
from functools import cache
from typing import Final, Self

from referee.cards import ALL_CARDS, SUITS, Card, Hand, Seat, Suit, hand_of
from referee.values import copied, value_class


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
    ``powers`` are by the suit led and card: the card with the greatest takes the trick.
    """

    trump: Suit | None
    suits: tuple[Suit, ...]
    heights: tuple[int, ...]
    masks: tuple[int, ...]
    powers: tuple[tuple[int, ...], ...]


_ABOVE: Final = 100  # more than any height


def ranking_of(trump: Suit | None, suits: Sequence[Suit], heights: Sequence[int]) -> Ranking:
    """Return the ranking of cards whose suits and heights are given by card."""

    def power(led: int, c: Card) -> int:
        if suits[c] == trump:
            return _ABOVE + heights[c]
        return heights[c] if suits[c] == led else -1  # what is thrown off takes nothing

    return Ranking(
        trump,
        tuple(suits),
        tuple(heights),
        masks=tuple(hand_of(c for c in ALL_CARDS if suits[c] == suit) for suit in range(len(SUITS))),
        powers=tuple(tuple(power(led, c) for c in ALL_CARDS) for led in range(len(SUITS))),
    )


def _printed(trump: Suit | None) -> Ranking:
    return ranking_of(trump, [Suit(c // 13) for c in ALL_CARDS], [c % 13 for c in ALL_CARDS])


NO_TRUMP: Final = _printed(None)
SPADES_ARE_TRUMP: Final = _printed(Suit.SPADES)


def follow(hand: Hand, led: Suit, ranking: Ranking = NO_TRUMP) -> Hand:
    """Return the cards that follow the led suit, or the whole hand when there are none."""
    same = hand & ranking.masks[led]
    return same or hand


def winning_index(played: Sequence[Card], ranking: Ranking = NO_TRUMP) -> int:
    """Return the position in a trick of the card that wins it.

    The highest trump wins, else the highest card of the suit that the first card led.
    """
    powers = ranking.powers[ranking.suits[played[0]]]
    return played.index(max(played, key=powers.__getitem__))


@cache
def _orders(seats: tuple[Seat, ...]) -> dict[Seat, tuple[Seat, ...]]:
    """Return by leader the order in which some seats play to a trick."""
    return {leader: seats[place:] + seats[:place] for place, leader in enumerate(seats)}


class TrickPlay:
    """The tricks of one deal while they are played, by every given seat in turn.

    ``seats`` are those that play, ascending; ``complete`` are the finished tricks in order, ``cards`` those
    on the table; ``leader`` leads the trick on the table or the next one; ``turn`` is the seat that plays
    next; ``led`` is the suit that was led, None when a lead is due.
    """

    __slots__ = ("_order", "_orders", "cards", "complete", "leader", "led", "ranking", "seats", "turn")

    def __init__(self, seats: tuple[Seat, ...], leader: Seat, ranking: Ranking = NO_TRUMP) -> None:
        self.seats = seats
        self._orders = _orders(seats)
        self.begin(leader)
        self.led: Suit | None = None
        self.ranking = ranking
        self.cards: list[Card] = []
        self.complete: list[Trick] = []

    def begin(self, leader: Seat) -> None:
        """Have a seat lead the next trick."""
        self.leader = self.turn = leader
        self._order = self._orders[leader]

    def copy(self) -> Self:
        """Return one of its own that goes on from here."""
        return copied(self)

    @property
    def current(self) -> Trick | None:
        """Return the trick on the table, or None when a lead is due."""
        return Trick(self.leader, tuple(self.cards)) if self.cards else None

    def play(self, card: Card) -> Trick | None:
        """Play a card for the seat in turn; return the trick when this completes it.

        Its winner leads the next one.
        """
        cards, order = self.cards, self._order
        if not cards:
            self.led = self.ranking.suits[card]
        cards.append(card)
        if len(cards) < len(order):
            self.turn = order[len(cards)]
            return None
        winner = order[winning_index(cards, self.ranking)]
        trick = Trick(self.leader, tuple(cards), winner)
        self.complete.append(trick)
        self.begin(winner)
        self.led = None
        cards.clear()
        return trick
