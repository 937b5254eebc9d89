"""The discrete actions of each game, and decisions as one or several of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Self

from fairdeal._wire_enum import WireEnum
from fairdeal.actions import (
    CHOICES,
    Action,
    Bid,
    Choice,
    Declare,
    Legal,
    LegalActions,
    LegalChoice,
    PlayCard,
)
from fairdeal.cards import ALL_CARDS, Card, Rank, Suit
from fairdeal.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from fairdeal.errors import BadSetting

if TYPE_CHECKING:
    from referee.games.base import Game


class Stop(Enum):
    """Ends a choice of several."""

    STOP = "stop"


Item = Card | Bid | Choice | Declare | Combination | Stop
"""What one action stands for; `Declare` only for declaring nothing."""

_PIQUET_RANKS: Final = [rank for rank in Rank if rank >= Rank.SEVEN]
_WORDS: Final = {choice: name.removesuffix("_call") for name, choice in CHOICES.items()}
_BIDS: Final = [Bid(tricks) for tricks in range(14)]


def _combinations() -> Iterator[Combination]:
    for suit in Suit:
        yield PointCombination(suit)
    for suit in Suit:
        for length in range(3, len(_PIQUET_RANKS) + 1):
            for top in _PIQUET_RANKS[length - 1 :]:
                yield SequenceCombination(suit, top, length)
    for rank in _PIQUET_RANKS[3:]:
        for count in (3, 4):
            yield SetCombination(rank, count)


@cache
def game_of(name: str) -> "Game[Any]":
    """Return a game of the referee's.

    Raises:
        BadSetting: the game is unknown.
    """
    from referee.games.registry import GAMES  # on demand: bots need no referee

    if name not in GAMES:
        raise BadSetting(f"{name!r}: no such game; there are {', '.join(GAMES)}")
    return GAMES[name]


@cache
def items_of(name: str) -> tuple[Item, ...]:
    """Return what the actions of a game stand for, in their order.

    Raises:
        BadSetting: the game is unknown.
    """
    from referee.games.features import features_of

    game = game_of(name)
    kinds = dict.fromkeys(game.answers.values())
    items: list[Item] = [ALL_CARDS[card] for card in game.cards]
    if "bid" in kinds:
        items += _BIDS
    for kind in kinds:
        items += [word for word in CHOICES.get(kind, ()) if word.value]
    if "declare" in kinds:
        items += [Declare(None), *_combinations()]
    if features_of(game).stops:
        items.append(Stop.STOP)
    return tuple(items)


def name_of(item: Item) -> str:
    """Return the name of an action."""
    match item:
        case Card():
            return item.name
        case Bid(tricks):
            return f"bid {tricks}"
        case Declare():
            return "declare nothing"
        case PointCombination(suit):
            return f"point {suit}"
        case SequenceCombination(suit, top, length):
            return f"sequence {top}{suit} {length}"
        case SetCombination(rank, count):
            return f"set {rank} {count}"
        case Stop():
            return item.value
    return f"{_WORDS[type(item)]} {item.name.lower()}"


@cache
def _numbers(game: str) -> dict[Item, int]:
    return {item: number for number, item in enumerate(items_of(game))}


@dataclass(frozen=True, slots=True)
class Offer:
    """A decision as actions: one of ``offered``, or ``minimum`` to ``maximum`` of them, picked one by one.

    ``offered`` are in the order of the legal answers; ``stop`` ends a choice of several, where there is one.
    """

    offered: tuple[int, ...]
    minimum: int
    maximum: int
    stop: int | None

    @classmethod
    def of(cls, game: str, legal: Legal) -> Self:
        """Return the choice that legal answers offer."""
        numbers = _numbers(game)
        if isinstance(legal, LegalActions):
            return cls(tuple([numbers[_item(action)] for action in legal.actions]), 1, 1, None)
        some: Sequence[Item] = legal.cards if isinstance(legal, LegalChoice) else legal.combinations
        offered = tuple([numbers[item] for item in some])
        return cls(offered, legal.minimum, legal.maximum, numbers.get(Stop.STOP))

    def open(self, picked: Sequence[int]) -> list[int]:
        """Return the legal actions after some picks."""
        open_ = [number for number in self.offered if number not in picked]
        if self.stop is not None and len(picked) >= self.minimum:
            open_.append(self.stop)
        return open_

    def is_complete(self, picked: Sequence[int], action: int) -> bool:
        """Return whether an action, the last of the picks unless it is ``stop``, completes them."""
        return action == self.stop or len(picked) == self.maximum

    def places(self, picked: Sequence[int]) -> list[int]:
        """Return the positions of the picks among the legal answers, ascending."""
        return sorted([self.offered.index(number) for number in picked])


def _item(action: Action) -> Item:
    match action:
        case PlayCard(card):
            return card
        case Declare(combination) if combination is not None:
            return combination
        case Bid() | Declare() | WireEnum():
            return action
    raise BadSetting(f"{action!r} is an action that this version does not know: install a newer fairdeal")
