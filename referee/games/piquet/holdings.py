"""Piquet: which combinations a hand holds, and how they compare. Pure functions of the cards.

The units are whole: all cards of a suit, sequences that the hand cannot make longer, all cards of a rank.
"""

from functools import cache, lru_cache
from typing import Final

from referee.cards import SUIT_MASKS, Card, Hand, Rank, Suit, cards_of, hand_of, rank_of, suit_of
from referee.games.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from referee.games.piquet.events import PiquetRound

RANKS: Final = tuple(Rank)[Rank.SEVEN :]
COURTS: Final = (Rank.JACK, Rank.QUEEN, Rank.KING)

_SHORTEST_SEQUENCE: Final = 3
_SMALLEST_SET: Final = 3
_POINTS: Final = tuple([(PointCombination(suit), SUIT_MASKS[suit]) for suit in Suit])
_SETS: Final = tuple([(rank, hand_of(Card(13 * suit + rank) for suit in Suit)) for rank in RANKS[3:]])


def is_blank(hand: Hand) -> bool:
    """Return whether a hand has no king, queen or jack."""
    return not any(rank_of(c) in COURTS for c in cards_of(hand))


def value_of(c: Card) -> int:
    """Return what a card adds to the value of a point: an ace 11, a court 10, others their pips."""
    rank = rank_of(c)
    return 11 if rank == Rank.ACE else min(rank + 2, 10)


def combinations_of(hand: Hand, in_round: PiquetRound) -> tuple[Combination, ...]:
    """Return the combinations of a round that a hand holds, in wire order."""
    match in_round:
        case PiquetRound.POINT:
            return tuple([point for point, mask in _POINTS if hand & mask])
        case PiquetRound.SEQUENCE:
            return tuple([run for mask in SUIT_MASKS for run in _sequences(hand & mask)])
        case PiquetRound.SET:
            counts = [(rank, (hand & mask).bit_count()) for rank, mask in _SETS]
            return tuple([SetCombination(rank, count) for rank, count in counts if count >= _SMALLEST_SET])


@cache  # a suit has 256 sets of cards
def _sequences(held: Hand) -> tuple[SequenceCombination, ...]:
    found, length = [], 0
    for c in cards_of(held):
        length += 1
        if not held >> (c + 1) & 1:  # held are cards of one suit: no other one follows its ace
            if length >= _SHORTEST_SEQUENCE:
                found.append(SequenceCombination(suit_of(c), rank_of(c), length))
            length = 0
    return tuple(found)


@cache
def _value(held: Hand) -> int:
    return sum(map(value_of, cards_of(held)))


def cards_in(hand: Hand, combination: Combination) -> tuple[Card, ...]:
    """Return the cards of a hand that make up a combination it holds, in canonical order."""
    match combination:
        case PointCombination(suit):
            return cards_of(hand & SUIT_MASKS[suit])
        case SequenceCombination(suit, top, length):
            return tuple(Card(13 * suit + rank) for rank in range(top - length + 1, top + 1))
        case SetCombination(rank, _):
            return tuple([c for c in cards_of(hand) if rank_of(c) == rank])


def strength(hand: Hand, combination: Combination) -> tuple[int, int]:
    """Return how good a combination of a hand is among those of its round: more cards, then higher ones."""
    match combination:
        case PointCombination(suit):
            held = hand & SUIT_MASKS[suit]
            return held.bit_count(), _value(held)
        case SequenceCombination(_, top, length):
            return length, top
        case SetCombination(rank, count):
            return count, rank


@lru_cache(maxsize=64)  # a declaration is compared with the same hand for each that it may be
def best(hand: Hand, in_round: PiquetRound) -> Combination | None:
    """Return the best combination of a round that a hand holds, None when it holds none.

    Of equal ones it is that of the highest suit: spades, hearts, diamonds, clubs.
    """
    held = combinations_of(hand, in_round)[::-1]
    return max(held, key=lambda combination: strength(hand, combination), default=None)
