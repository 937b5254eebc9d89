"""The discrete actions of each game, and decisions as one or several of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Final, Self

from fairdeal.actions import (
    Action,
    Alone,
    Bid,
    Blank,
    Blind,
    Choice,
    Declare,
    Draft,
    Leftovers,
    Legal,
    LegalActions,
    LegalChoice,
    Moon,
    PlayCard,
    TrumpCall,
    UpcardCall,
)
from fairdeal.cards import ALL_CARDS, Card, Rank, Suit
from fairdeal.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from fairdeal.errors import BadSetting


class Stop(Enum):
    """Ends a choice of several."""

    STOP = "stop"


Item = Card | Bid | Choice | Declare | Combination | Stop
"""What one action stands for; `Declare` only for declaring nothing."""

_PIQUET_RANKS: Final = [rank for rank in Rank if rank >= Rank.SEVEN]
PACKS: Final[Mapping[str, tuple[Card, ...]]] = {
    "hearts": ALL_CARDS,
    "spades": ALL_CARDS,
    "euchre": tuple([card for card in ALL_CARDS if card.rank >= Rank.NINE]),
    "piquet": tuple([card for card in ALL_CARDS if card.rank >= Rank.SEVEN]),
    "two_handed_spades": ALL_CARDS,
}
_WORDS: Final[Mapping[type[Choice], str]] = {
    Draft: "draft",
    Moon: "moon",
    Blind: "blind",
    UpcardCall: "upcard",
    TrumpCall: "trump",
    Alone: "alone",
    Blank: "blank",
    Leftovers: "leftovers",
}
_CHOICES: Final[Mapping[str, tuple[type[Choice], ...]]] = {
    "hearts": (Moon,),
    "spades": (Blind,),
    "euchre": (UpcardCall, TrumpCall, Alone),
    "piquet": (Blank, Leftovers),
    "two_handed_spades": (Draft,),
}
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
def items_of(game: str) -> tuple[Item, ...]:
    """Return what the actions of a game stand for, in their order.

    Raises:
        BadSetting: the game is unknown.
    """
    if game not in PACKS:
        raise BadSetting(f"{game!r}: no such game; there are {', '.join(PACKS)}")
    items: list[Item] = [*PACKS[game]]
    if game in ("spades", "two_handed_spades"):
        items += _BIDS
    for choice in _CHOICES[game]:
        items += [word for word in choice if word.value]
    if game == "piquet":
        items += [Declare(None), *_combinations(), Stop.STOP]
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
class Question:
    """A decision as actions: one of ``offered``, or ``minimum`` to ``maximum`` of them, picked one by one.

    ``offered`` are in the order of the legal answers; ``stop`` ends a choice of several, where there is one.
    """

    offered: tuple[int, ...]
    minimum: int
    maximum: int
    stop: int | None

    @classmethod
    def of(cls, game: str, legal: Legal) -> Self:
        """Return the question that legal answers put."""
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
        """Tell whether an action, the last of the picks unless it is ``stop``, completes them."""
        return action == self.stop or len(picked) == self.maximum

    def places(self, picked: Sequence[int]) -> list[int]:
        """Return where the picks stand among the legal answers, ascending."""
        return sorted([self.offered.index(number) for number in picked])


def _item(action: Action) -> Item:
    match action:
        case PlayCard(card):
            return card
        case Declare(combination) if combination is not None:
            return combination
        case (
            Bid()
            | Declare()
            | Draft()
            | Moon()
            | Blind()
            | UpcardCall()
            | TrumpCall()
            | Alone()
            | Blank()
            | Leftovers()
        ):
            return action
    raise BadSetting(f"{action!r} is an action that this version does not know: install a newer fairdeal")
