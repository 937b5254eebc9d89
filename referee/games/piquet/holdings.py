"""Piquet: which combinations a hand holds, and how they compare. Pure functions of the cards.

The units are whole: all cards of a suit, sequences that the hand cannot make longer, all cards of a rank.
"""

from collections.abc import Iterator
from typing import Final

from referee.cards import SUIT_MASKS, Card, Hand, Rank, Suit, cards_of, holds, rank_of
from referee.games.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from referee.games.piquet.events import PiquetRound

RANKS: Final = tuple(Rank)[Rank.SEVEN :]
COURTS: Final = (Rank.JACK, Rank.QUEEN, Rank.KING)

_SHORTEST_SEQUENCE: Final = 3
_SMALLEST_SET: Final = 3
_SET_RANKS: Final = tuple(Rank)[Rank.TEN :]


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
            return tuple(PointCombination(suit) for suit in Suit if hand & SUIT_MASKS[suit])
        case PiquetRound.SEQUENCE:
            return tuple(run for suit in Suit for run in _sequences(hand, suit))
        case PiquetRound.SET:
            return tuple(_sets(hand))


def _sequences(hand: Hand, suit: Suit) -> Iterator[SequenceCombination]:
    ranks = [rank for rank in RANKS if holds(hand, Card(13 * suit + rank))]
    length = 0
    for rank in ranks:
        length += 1
        if rank + 1 not in ranks:
            if length >= _SHORTEST_SEQUENCE:
                yield SequenceCombination(suit, rank, length)
            length = 0


def _sets(hand: Hand) -> Iterator[SetCombination]:
    for rank in _SET_RANKS:
        count = len(_of_rank(hand, rank))
        if count >= _SMALLEST_SET:
            yield SetCombination(rank, count)


def _of_rank(hand: Hand, rank: Rank) -> tuple[Card, ...]:
    return tuple(c for c in cards_of(hand) if rank_of(c) == rank)


def cards_in(hand: Hand, combination: Combination) -> tuple[Card, ...]:
    """Return the cards of a hand that make up a combination it holds, in canonical order."""
    match combination:
        case PointCombination(suit):
            return cards_of(hand & SUIT_MASKS[suit])
        case SequenceCombination(suit, top, length):
            return tuple(Card(13 * suit + rank) for rank in range(top - length + 1, top + 1))
        case SetCombination(rank, _):
            return _of_rank(hand, rank)


def strength(hand: Hand, combination: Combination) -> tuple[int, int]:
    """Return how good a combination of a hand is among those of its round: more cards, then higher ones."""
    cards = cards_in(hand, combination)
    match combination:
        case PointCombination():
            return len(cards), sum(map(value_of, cards))
        case SequenceCombination(_, top, _):
            return len(cards), top
        case SetCombination(rank, _):
            return len(cards), rank


def best(hand: Hand, in_round: PiquetRound) -> Combination | None:
    """Return the best combination of a round that a hand holds, None when it holds none.

    Of equal ones it is that of the highest suit: spades, hearts, diamonds, clubs.
    """
    held = combinations_of(hand, in_round)
    if not held:
        return None
    top = max(strength(hand, combination) for combination in held)
    return [combination for combination in held if strength(hand, combination) == top][-1]
