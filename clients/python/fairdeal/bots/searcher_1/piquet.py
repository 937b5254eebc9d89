"""Piquet: what is searched, which deals are likely, and how a deal is played to its end."""

from collections.abc import Iterator, Sequence
from math import exp
from typing import Any, Final

from fairdeal.actions import Answer, LegalChoice, LegalCombinations
from fairdeal.bots import greedy_piquet
from fairdeal.bots.searcher_1.bits import SUITS, each, high, low, under
from fairdeal.bots.searcher_1.search import GameSearch
from fairdeal.cards import Cards, Suit
from fairdeal.model import State, each_world
from fairdeal.updates import Decision
from referee.games import actions

_HIGH: Final = {12: 5.0, 11: 3.0, 10: 1.5, 9: 0.5}
_SETS: Final = (0.0, 0.0, 1.0, 3.5, 9.0)
_TEN: Final = 8
_PLAY: Final = 6
_USUAL_LOSS: Final = 4.0  # in the values of `_keeping`
_TRIES: Final = 20  # for a deal, the last of which is taken however unusual it is


def candidates(decision: Decision, plain: Answer) -> list[Answer] | None:
    """Return the discards that are worth a search: the least valuable cards, by each suit for the point."""
    legal = decision.legal
    if isinstance(legal, LegalCombinations):
        return [plain, legal.combinations[:0]]  # to show is to tell
    if not isinstance(legal, LegalChoice):
        return None
    hand, most = legal.cards, legal.maximum
    found: list[Answer] = []
    for point in Suit:
        order = sorted(hand, key=lambda card: greedy_piquet.keeping(card, hand, point))
        for count in range(max(legal.minimum, most - 2), most + 1):
            found.append(Cards(order[:count]))
        for place in range(max(0, most - 2), most):
            for other in order[most : most + 2]:
                found.append(Cards([*order[:place], *order[place + 1 : most], other]))
    return list(dict.fromkeys(found))


def deals(decision: Decision) -> Iterator[State]:
    """Yield deals in which the other has kept the cards that are worth most to it, as players do.

    Without that, the other's hand is as poor as what it has given away.
    """
    other, tried = 1 - decision.seat, 0

    def likely(world: State) -> float:
        nonlocal tried
        tried += 1
        return exp(-_lost(world.rules, other) / _USUAL_LOSS) if tried < _TRIES else 1.0

    for world in each_world(decision, weight=likely):
        tried = 0
        yield world


def _lost(state: Any, seat: int) -> float:
    """Return how much more the cards that a seat gave away were worth than its least valuable ones."""
    done = next((done for done in state.exchanges if done.seat == seat), None)
    if done is None:
        return 0.0
    values = _values(state.dealt[seat])
    least = sorted(values.values())[: len(done.discarded)]
    return sum([values[card] for card in done.discarded]) - sum(least)


def play_out(state: Any) -> Sequence[int]:
    """Play a deal to its end by rules of thumb, and return its points by side."""
    while state.phase != _PLAY:
        seat = state.to_act()[0]
        state.apply(seat, _talk(state, seat))
    hands, tricks = state.hands, state.tricks
    # what a seat knows that the other does not hold
    gone = [0, 0]
    for done in state.exchanges:
        gone[done.seat] |= sum([1 << card for card in done.discarded])
    events: list[Any] = []
    while len(tricks.complete) < 12:
        seat = tricks.turn
        legal = state.legal_play(seat).cards
        if legal & (legal - 1):
            out = hands[1 - seat] | gone[1 - seat]
            card = _lead(legal, out) if tricks.led is None else _follow(legal, tricks, out)
        else:
            card = legal.bit_length() - 1
        events = state.apply_play(seat, card)
    points: Sequence[int] = events[-1].points
    return points


def _talk(state: Any, seat: int) -> Any:
    """Return what is said or exchanged before the first card: all that scores, and the least valuable."""
    phase = state.phase
    legal = state.legal(seat)
    if phase == 1:
        return legal.actions[0]  # a blank is claimed where there is one
    if phase == 2:
        chosen = exchanged(state.hands[seat], legal.minimum, legal.maximum)
        return actions.ChooseCards(tuple(chosen))
    if phase == 3:
        return actions.Leftovers(actions.LeftoversChoice.LEAVE)
    if phase == 4:
        hand = state.hands[seat]
        held = [action for action in legal.actions if action.combination is not None]
        return max(held, key=lambda action: _rating(action.combination, hand), default=legal.actions[0])
    return actions.ChooseCombinations(legal.combinations)


def exchanged(hand: int, minimum: int, maximum: int) -> list[Any]:
    """Return the cards that are given away."""
    values = _values(hand)
    order = sorted(values, key=values.__getitem__)
    poor = sum([value < 6.0 for value in values.values()])
    return order[: max(minimum, min(maximum, poor))]


def _values(hand: int) -> dict[Any, float]:
    """Return what it is worth to keep each card of a hand."""
    point = max(range(4), key=lambda suit: _point(hand & SUITS[suit]))
    return {card: _keeping(card, hand, point) for card in each(hand)}


def _keeping(card: int, hand: int, point: int) -> float:
    suit, rank = card // 13, card % 13
    held = hand & SUITS[suit]
    near = (held >> max(13 * suit, card - 2)) & (0x1F if rank >= 2 else 0xF)
    value = _HIGH.get(rank, 0.0) + 0.5 * held.bit_count() + 0.5 * (near.bit_count() - 1)
    if rank >= _TEN:
        value += _SETS[sum([hand >> (13 * other + rank) & 1 for other in range(4)])]
    return value + (2.5 if suit == point else 0.0)


def _point(held: int) -> tuple[int, int]:
    return held.bit_count(), sum([11 if card % 13 == 12 else min(card % 13 + 2, 10) for card in each(held)])


def _rating(combination: Any, hand: int) -> tuple[int, int]:
    kind = type(combination).__name__
    if kind == "PointCombination":
        return _point(hand & SUITS[combination.suit])
    if kind == "SequenceCombination":
        return combination.length, combination.top
    return combination.count, combination.rank


def _lead(legal: int, out: int) -> int:
    best, most = -1, (-1, -1)
    for suit in range(4):
        held = legal & SUITS[suit]
        if held:
            others = out & SUITS[suit]
            winners = (held >> high(others)).bit_count() if others else held.bit_count()
            if (winners, held.bit_count()) > most:
                most = winners, held.bit_count()
                best = high(held) if winners else low(held)
    return best


def _follow(legal: int, tricks: Any, out: int) -> int:
    card = tricks.cards[0]
    if tricks.led == (legal.bit_length() - 1) // 13 or legal & SUITS[tricks.led]:
        over = legal & ~under(card + 1) & SUITS[tricks.led]
        return low(over) if over else low(legal & SUITS[tricks.led])
    best, least = -1, 99.0
    for suit in range(4):
        held = legal & SUITS[suit]
        if not held:
            continue
        thrown, others = low(held), out & SUITS[suit]
        above = (others >> high(held)).bit_count()
        stands = not others >> thrown
        guards = thrown != high(held) and held.bit_count() == above + 1
        cost = 40.0 * stands + 20.0 * guards + thrown % 13
        if cost < least:
            best, least = thrown, cost
    return best


SEARCH: Final = GameSearch(candidates, play_out, deals=deals)
