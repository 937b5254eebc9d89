"""What is said in piquet's dialogue, by the rules page (1.3 and 1.4) and not by the game."""

from collections.abc import Iterable, Sequence
from typing import Final

from referee.cards import Card, Suit, rank_of, suit_of
from referee.games.base import Event
from referee.games.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from referee.games.piquet.events import Dealt, Exchanged, PiquetRound

Strength = tuple[int, int]
"""The number of cards, then value, top or rank."""

_NOTHING: Final[Strength] = (0, 0)
_TEN: Final = 8


def hand_after(past: Sequence[Event], seat: int) -> tuple[Card, ...]:
    """Return the hand of a seat after its exchange."""
    hand: set[Card] = set()
    for event in past:
        if isinstance(event, Dealt):
            hand |= set(event.hands[seat])
        elif isinstance(event, Exchanged) and event.seat == seat:
            hand = hand - set(event.discarded) | set(event.drawn)
    return tuple(sorted(hand))


def cards_in(hand: Iterable[Card], combination: Combination) -> tuple[Card, ...]:
    """Return the cards of a hand that make up a combination."""
    match combination:
        case PointCombination(suit):
            return tuple(c for c in hand if suit_of(c) == suit)
        case SequenceCombination(suit, top, length):
            return tuple(c for c in hand if suit_of(c) == suit and top - length < rank_of(c) <= top)
        case SetCombination(rank):
            return tuple(c for c in hand if rank_of(c) == rank)


def strength(hand: Iterable[Card], combination: Combination) -> Strength:
    """Return how strong a combination of a hand is."""
    held = cards_in(hand, combination)
    match combination:
        case PointCombination():
            return len(held), sum(11 if rank_of(c) == 12 else min(10, rank_of(c) + 2) for c in held)
        case SequenceCombination(_, top):
            return len(held), top
        case SetCombination(rank):
            return len(held), rank


def best(hand: Sequence[Card], in_round: PiquetRound) -> Strength:
    """Return how strong the best combination of a round in a hand is."""
    if in_round == PiquetRound.POINT:
        return max(strength(hand, PointCombination(suit)) for suit in Suit)
    if in_round == PiquetRound.SET:
        counts = [(sum(rank_of(c) == rank for c in hand), rank) for rank in range(_TEN, 13)]
        return max((counted for counted in counts if counted[0] >= 3), default=_NOTHING)
    runs = [_NOTHING]
    for top in hand:
        length = 1
        while Card(top - length) in hand and suit_of(Card(top - length)) == suit_of(top):
            length += 1
        runs.append((length, rank_of(top)))
    return max(run for run in runs if run == _NOTHING or run[0] >= 3)


def said(past: Sequence[Event], in_round: PiquetRound, combination: Combination | None) -> tuple[object, ...]:
    """Return what both hear in a round: the words of elder in order, each followed by younger's answer."""
    if combination is None:
        return ("nothing",)
    dealt = past[0]
    assert isinstance(dealt, Dealt)
    length, height = strength(hand_after(past, dealt.elder), combination)
    theirs, their_height = best(hand_after(past, 1 - dealt.elder), in_round)
    if in_round == PiquetRound.SET:
        return (length, height, "good" if (length, height) > (theirs, their_height) else "not good")
    if length != theirs:
        return (length, "good" if length > theirs else "not good")
    answers = {True: "good", False: "not good"}
    return (length, "making", height, "equal" if height == their_height else answers[height > their_height])
