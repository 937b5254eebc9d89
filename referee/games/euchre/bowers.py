"""Euchre: which suit a card belongs to and how high it is there, for each trump suit.

With hearts as trump the right bower is the jack of hearts, the left bower the jack of diamonds, which is a
heart for every purpose; so for each suit and the other of its colour.
"""

from typing import Final

from referee.cards import ALL_CARDS, Card, Rank, Suit, rank_of, suit_of
from referee.games.tricks import Ranking, ranking_of

_LEFT_HEIGHT: Final = Rank.ACE + 1
_RIGHT_HEIGHT: Final = Rank.ACE + 2


def same_colour(suit: Suit) -> Suit:
    """Return the other suit of a suit's colour."""
    return Suit(Suit.SPADES - suit)


def right_bower(trump: Suit) -> Card:
    """Return the jack of the trump suit."""
    return Card(13 * trump + Rank.JACK)


def left_bower(trump: Suit) -> Card:
    """Return the jack that a trump suit takes from the other suit of its colour."""
    return right_bower(same_colour(trump))


def _ranking(trump: Suit) -> Ranking:
    left = left_bower(trump)
    bowers = {left: _LEFT_HEIGHT, right_bower(trump): _RIGHT_HEIGHT}
    return ranking_of(
        trump,
        suits=[trump if c == left else suit_of(c) for c in ALL_CARDS],
        heights=[bowers.get(c, rank_of(c)) for c in ALL_CARDS],
    )


RANKINGS: Final = tuple(_ranking(trump) for trump in Suit)
"""The order of the cards by trump suit."""
