"""Following suit and winning tricks, shared by all games."""

from collections.abc import Sequence
from functools import cache
from typing import Final, Self

from referee.cards import ALL_CARDS, EMPTY, SUITS, Card, Hand, Seat, Suit, hand_of
from referee.values import copied, value_class


@value_class
class Trick:
    """Cards played to one trick, in order of play, beginning with the leader's.

    ``winner`` is None while the trick is not complete.
    """

    leader: Seat
    cards: tuple[Card, ...]
    winner: Seat | None = None


Lead = tuple[Suit, Hand, tuple[int, ...]]
"""What a card that is led makes of a trick: the suit, all its cards, and the powers of all cards."""


@value_class
class Ranking:
    """Which suit each card belongs to and how high it is there; trumps beat all other suits.

    ``suits`` and ``heights`` are by card, ``masks`` hold the cards of each suit. They differ from what is
    printed only in games that move a card to another suit or rank, as euchre does with two jacks.
    ``powers`` are by the suit led and card: the card with the greatest takes the trick. ``leads`` are by the
    card led.
    """

    trump: Suit | None
    suits: tuple[Suit, ...]
    heights: tuple[int, ...]
    masks: tuple[int, ...]
    powers: tuple[tuple[int, ...], ...]
    leads: tuple[Lead, ...]


_ABOVE: Final = 100  # more than any height


def ranking_of(trump: Suit | None, suits: Sequence[Suit], heights: Sequence[int]) -> Ranking:
    """Return the ranking of cards whose suits and heights are given by card."""

    def power(led: int, c: Card) -> int:
        if suits[c] == trump:
            return _ABOVE + heights[c]
        return heights[c] if suits[c] == led else -1  # what is thrown off takes nothing

    masks = tuple(hand_of(c for c in ALL_CARDS if suits[c] == suit) for suit in range(len(SUITS)))
    powers = tuple(tuple(power(led, c) for c in ALL_CARDS) for led in range(len(SUITS)))
    leads = tuple((suit, masks[suit], powers[suit]) for suit in suits)
    return Ranking(trump, tuple(suits), tuple(heights), masks, powers, leads)


def _printed(trump: Suit | None) -> Ranking:
    return ranking_of(trump, [Suit(c // 13) for c in ALL_CARDS], [c % 13 for c in ALL_CARDS])


NO_TRUMP: Final = _printed(None)
SPADES_ARE_TRUMP: Final = _printed(Suit.SPADES)


@cache
def _next_of(seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """Return by seat which of some seats plays after it."""
    return tuple(next((after for after in seats if after > seat), seats[0]) for seat in range(seats[-1] + 1))


class TrickPlay:
    """The tricks of one deal while they are played, by every given seat in turn.

    ``seats`` are those that play, ascending; ``complete`` are the finished tricks in order, ``cards`` those
    on the table; ``leader`` leads the trick on the table or the next one; ``turn`` is the seat that plays
    next; ``led`` is the suit that was led and ``led_cards`` all cards of it, None and none when a lead is
    due; ``winning`` is the seat that takes the trick on the table as it stands.
    """

    __slots__ = (
        "_best",
        "_next",
        "_powers",
        "cards",
        "complete",
        "leader",
        "led",
        "led_cards",
        "ranking",
        "seats",
        "turn",
        "winning",
    )

    def __init__(self, seats: tuple[Seat, ...], leader: Seat, ranking: Ranking = NO_TRUMP) -> None:
        self.seats = seats
        self.ranking = ranking
        self.cards: list[Card] = []
        self.complete: list[Trick] = []
        self._next = _next_of(seats)
        self._powers = ranking.powers[0]  # of the cards, and the greatest on the table
        self._best = 0
        self.begin(leader)

    def begin(self, leader: Seat) -> None:
        """Have a seat lead the next trick."""
        self.leader = self.turn = self.winning = leader
        self.led: Suit | None = None
        self.led_cards = EMPTY

    def copy(self) -> Self:
        """Return one of its own that goes on from here."""
        return copied(self)

    @property
    def current(self) -> Trick | None:
        """Return the trick on the table, or None when a lead is due."""
        return Trick(self.leader, tuple(self.cards)) if self.cards else None

    def play(self, card: Card) -> Trick | None:
        """Play a card for the seat in turn; return the trick when this completes it.

        The highest trump takes it, else the highest card of the suit led; its winner leads the next one.
        """
        cards, turn = self.cards, self.turn
        if not cards:
            self.led, self.led_cards, self._powers = self.ranking.leads[card]
            self._best = self._powers[card]
        elif (power := self._powers[card]) > self._best:
            self._best, self.winning = power, turn
        cards.append(card)
        self.turn = turn = self._next[turn]
        if turn != self.leader:
            return None
        trick = Trick(turn, tuple(cards), self.winning)
        self.complete.append(trick)
        cards.clear()
        self.leader = self.turn = self.winning
        self.led, self.led_cards = None, EMPTY
        return trick
