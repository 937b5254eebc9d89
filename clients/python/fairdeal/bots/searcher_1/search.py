"""Which of several answers is best: play out possible deals, and drop the worse half again and again."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from fairdeal.actions import Answer, PlayCard
from fairdeal.bots.searcher_1.bits import bits_of
from fairdeal.bots.searcher_1.endings import FEW, cards_left, solved
from fairdeal.cards import ALL_CARDS, Card, Rank
from fairdeal.model import State, each_world
from fairdeal.model._state import action_of
from fairdeal.updates import Decision
from referee.games.actions import Action
from referee.games.events import DealScored

CAUTION: Final = 1.0
"""By how many standard errors an answer must be better than the plain one."""


@dataclass(frozen=True, slots=True)
class GameSearch:
    """How one game is searched.

    ``candidates`` returns the answers worth trying, given the plain one; None for all of a list. ``deals``
    yields deals that fit the view, and ``play_out`` plays a state of the referee's rules to the end of its
    deal and returns the points by side; ``low_wins`` says whether few of them are good. Endings can be solved
    in games that are ``two_sided``: the seats of two sides take turns. Two cards of a suit without another
    one between them are as good as each other, unless they are among the ``special`` ones.
    """

    candidates: Callable[[Decision, Answer], Sequence[Answer] | None]
    play_out: Callable[[Any], Sequence[int]]
    deals: Callable[[Decision], Iterator[State]] = each_world
    two_sided: bool = True
    low_wins: bool = False
    special: frozenset[Card] = frozenset()


def distinct(options: Sequence[Answer], view: Any, special: frozenset[Card]) -> list[Answer]:
    """Return some answers without the plays of cards that are as good as one that comes before them."""
    gone = {*view.hand, *(card for trick in view.tricks for card in trick.cards)}
    found: list[Answer] = []
    seen: set[Card] = set()
    for option in options:
        if not isinstance(option, PlayCard):
            found.append(option)
        elif option.card not in seen:
            found.append(option)
            seen.update(_alike(option.card, gone, special))
    return found


def _alike(card: Card, gone: Collection[Card], special: frozenset[Card]) -> list[Card]:
    """Return the card, and those next to it, up and down, as far as no other card of its suit is between."""
    suit, place = ALL_CARDS.of(card.suit), card.rank - Rank.TWO
    found = [card]
    for way in (suit[place + 1 :], suit[:place][::-1]):
        for other in way:
            if other not in gone or card in special or other in special:
                break
            found.append(other)
    return found


def best(
    decision: Decision,
    candidates: Sequence[Answer],
    game: GameSearch,
    playouts: int,
    solves: bool,
    in_time: Callable[[], bool],
) -> Answer:
    """Return the first of some answers, the plain one, unless another is better with some certainty.

    All are tried in the same deals, about ``playouts`` times together, and after each round the worse half is
    dropped; with ``solves`` endings are solved. When it is not ``in_time`` any more, what was found so far
    decides.

    Raises:
        BadSetting: no deal fits the view.
    """
    actions = [action_of(each) for each in candidates]
    solves = solves and game.two_sided and isinstance(candidates[0], PlayCard)
    left = list(range(1, len(candidates)))
    sums, squares = [0.0] * len(candidates), [0.0] * len(candidates)
    count, deals = 0, game.deals(decision)

    def promise(number: int) -> float:
        mean = sums[number] / count
        spread = max(0.0, squares[number] / count - mean * mean)
        return mean - CAUTION * sqrt(spread / count)

    rounds = len(left).bit_length()
    for round_ in range(rounds):
        if round_:
            left.sort(key=lambda number: (-sums[number], number))
            left = left[: (len(left) + 1) // 2]
        for _ in range(max(2, playouts // (rounds * (len(left) + 1)))):
            if not in_time():
                break
            world = next(deals)
            plain = _gain(decision, world, actions[0], game, solves)
            for number in left:
                more = _gain(decision, world, actions[number], game, solves) - plain
                sums[number] += more
                squares[number] += more * more
            count += 1
    if count < 2:
        return candidates[0]
    found = max(left, key=promise)
    return candidates[found if promise(found) > 0 else 0]


def _gain(decision: Decision, world: State, action: Action, game: GameSearch, solves: bool) -> float:
    """Return how many points the own side is ahead of the others at the end of a deal after an action."""
    state: Any = world.rules.copy()
    solves = solves and cards_left(state) <= FEW
    events = state.apply(decision.seat, action)  # which is legal
    if events and type(events[-1]) is DealScored:
        points: Sequence[int] = events[-1].points
    elif solves:
        points = solved(state, bits_of(game.special)), 0
    else:
        points = game.play_out(state)
    own = decision.match.side
    ahead = sum([some if side == own else -some / (len(points) - 1) for side, some in enumerate(points)])
    return -ahead if game.low_wins else ahead
