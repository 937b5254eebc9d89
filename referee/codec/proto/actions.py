"""Actions and the legal ones among them, there and back."""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any, Final, get_args

from fairdeal.v1 import actions_pb2
from referee.cards import Card, Rank, Suit
from referee.codec.field_kinds import Kind, fields_of, snake_name
from referee.codec.proto.fields import fill, member
from referee.games.actions import (
    Action,
    Bid,
    Choose,
    ChooseCards,
    ChooseCombinations,
    Declare,
    Legal,
    LegalActions,
    PlayCard,
)
from referee.games.combinations import (
    Combination,
    PointCombination,
    SequenceCombination,
    SetCombination,
)
from referee.match.messages import Malformed

# actions that are one choice of an enum, by field: the class, its enum
_CHOICES: Final[Mapping[str, tuple[Any, type[IntEnum]]]] = {
    snake_name(shape.type).removesuffix("_choice"): (action, shape.type)
    for action in get_args(Action)
    for _name, shape in fields_of(action)
    if shape.kind is Kind.ENUM
}
_CHOICE_FIELDS: Final[Mapping[type, str]] = {action: field for field, (action, _) in _CHOICES.items()}
_STRUCTS: Final[Mapping[type, str]] = {
    ChooseCards: "choose_cards",
    Declare: "declare",
    ChooseCombinations: "choose_combinations",
}

MAX_COMBINATIONS: Final = 40
"""The most combinations that an answer may name, more than any hand holds."""

_MAX_CARDS: Final = 52


class _Wrong(ValueError):
    """An action that is malformed; the text says what is wrong."""


def fill_legal(message: Any, legal: Legal) -> None:
    """Fill a ``fairdeal.v1.Legal``."""
    if isinstance(legal, LegalActions):
        add = message.actions.actions.add
        for action in legal.actions:
            fill_action(add(), action)
    elif isinstance(legal, Choose):
        fill(member(message, "choose_cards"), legal)
    else:
        fill(member(message, "choose_combinations"), legal)


def fill_action(message: Any, action: Action) -> None:
    """Fill a ``fairdeal.v1.Action``."""
    if isinstance(action, PlayCard):
        message.play_card = action.card + 1
    elif isinstance(action, Bid):
        message.bid = action.tricks
    elif isinstance(action, ChooseCards | Declare | ChooseCombinations):
        fill(member(message, _STRUCTS[type(action)]), action)
    else:
        setattr(message, _CHOICE_FIELDS[type(action)], action.choice)


def action_of(message: actions_pb2.Action) -> Action | Malformed:
    """Return the action in a message, or what is wrong with it."""
    try:
        return _action(message)
    except _Wrong as wrong:
        return Malformed(str(wrong))


def _action(message: actions_pb2.Action) -> Action:
    kind = message.WhichOneof("kind")
    if kind == "play_card":
        return PlayCard(_card(message.play_card))
    if kind == "bid":
        return Bid(message.bid)
    if kind == "choose_cards":
        chosen = _at_most(_MAX_CARDS, message.choose_cards.cards, "cards")
        return ChooseCards(tuple(sorted(map(_card, chosen))))
    if kind == "declare":
        declared = message.declare
        return Declare(_combination(declared.combination) if declared.HasField("combination") else None)
    if kind == "choose_combinations":
        named = _at_most(MAX_COMBINATIONS, message.choose_combinations.combinations, "combinations")
        return ChooseCombinations(_sorted(map(_combination, named)))
    if kind in _CHOICES:
        action, choices = _CHOICES[kind]
        made: Action = action(_member_of(choices, getattr(message, kind)))
        return made
    if not message.ByteSize():
        raise _Wrong("the answer holds an empty action, which bots give whose code failed: see the bot's log")
    raise _Wrong("the action is of no kind that this referee knows")


def _at_most(most: int, items: Any, what: str) -> Any:
    # before any of them is looked at
    if len(items) > most:
        raise _Wrong(f"an action with {len(items)} {what}, where there are {most} at most")
    return items


def _card(number: int) -> Card:
    if not 1 <= number <= 52:
        raise _Wrong(f"card number {number} is not a card")
    return Card(number - 1)


def _member_of(choices: type[IntEnum], number: int) -> IntEnum:
    try:
        return choices(number)
    except ValueError:
        raise _Wrong(f"{choices.__name__} number {number} is not a choice") from None


def _combination(message: actions_pb2.Combination) -> Combination:
    kind = message.WhichOneof("kind")
    if kind == "point":
        return PointCombination(_suit(message.point.suit))
    if kind == "sequence":
        run = message.sequence
        return SequenceCombination(_suit(run.suit), _rank(run.top), run.length)
    if kind == "set":
        return SetCombination(_rank(message.set.rank), message.set.count)
    raise _Wrong("a combination is of no kind that this referee knows")


def _sorted(combinations: Iterable[Combination]) -> tuple[Combination, ...]:
    # by class first: those of different kinds cannot be compared
    return tuple(sorted(combinations, key=lambda c: (type(c).__name__, c)))


def _suit(number: int) -> Suit:
    if not 1 <= number <= len(Suit):
        raise _Wrong(f"suit number {number} is not a suit")
    return Suit(number - 1)


def _rank(number: int) -> Rank:
    if not 1 <= number <= len(Rank):
        raise _Wrong(f"rank number {number} is not a rank")
    return Rank(number - 1)
