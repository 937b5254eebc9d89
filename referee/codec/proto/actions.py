"""Actions and the legal ones among them, there and back."""

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from operator import attrgetter
from typing import Any, Final, get_args

from fairdeal.v1 import actions_pb2
from referee.cards import Card, Hand, Rank, Suit
from referee.codec.field_kinds import Kind, fields_of, snake_name
from referee.codec.proto.encoders import (
    VARINT,
    Encoder,
    card_sets,
    field_encoder,
    kept,
    one_of,
    tag,
    within,
)
from referee.games.actions import (
    Action,
    Bid,
    Choose,
    ChooseCards,
    ChooseCombinations,
    ChooseFurther,
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
_FIELDS: Final[Mapping[type, str]] = {
    PlayCard: "play_card",
    Bid: "bid",
    **{action: field for field, (action, _) in _CHOICES.items()},
}
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


def legal_bytes(legal: Legal) -> bytes:
    """Return legal actions as bytes of ``fairdeal.v1.Legal``."""
    if type(legal) is LegalActions and (some := legal.cards):
        return _OF_SUIT.get(some) or _plays(some)
    return _LEGAL[type(legal)](legal)


def _plays(some: Hand) -> bytes:
    """Return plays of some cards; those of one suit, of which there are some 33,000 sets, are kept."""
    data = _PLAYS(some)
    lowest, highest = (some & -some).bit_length() - 1, some.bit_length() - 1
    if lowest // 13 == highest // 13:
        _OF_SUIT[some] = data
    return data


def action_bytes(action: Action) -> bytes:
    """Return an action as bytes of ``fairdeal.v1.Action``."""
    return _ACTIONS[type(action)](action)


def fill_action(message: Any, action: Action) -> None:
    """Fill a ``fairdeal.v1.Action``."""
    message.MergeFromString(action_bytes(action))


def _action_encoder(action: type) -> Encoder:
    message = actions_pb2.Action.DESCRIPTOR
    if action in _STRUCTS:
        return one_of(message, _STRUCTS[action], action)
    # its only field stands for itself
    ((name, shape),) = fields_of(action)
    get, put = attrgetter(name), field_encoder(message.fields_by_name[_FIELDS[action]], shape)
    return lambda value: put(get(value))


def _listed() -> Encoder:
    return within(actions_pb2.ActionList.DESCRIPTOR.fields_by_name["actions"], action_bytes)


def _play_encoder() -> Callable[[Hand], bytes]:
    """Return the encoder of legal plays, of the set of their cards."""
    before, one = tag(actions_pb2.Legal.DESCRIPTOR.fields_by_name["actions"]), _listed()
    return card_sets(lambda length: before + VARINT[length], lambda c: one(PlayCard(c)))


def _legal_encoders() -> dict[type, Encoder]:
    message = actions_pb2.Legal.DESCRIPTOR
    actions = message.fields_by_name["actions"]
    each = kept(_listed())  # the same bids come again and again
    return {
        LegalActions: within(actions, lambda legal: each(legal.actions)),
        Choose: one_of(message, "choose_cards", Choose),
        ChooseFurther: one_of(message, "choose_combinations", ChooseFurther),
    }


_ACTIONS: Final = {action: _action_encoder(action) for action in get_args(Action)}
_LEGAL: Final = _legal_encoders()
_PLAYS: Final = _play_encoder()
_OF_SUIT: Final[dict[Hand, bytes]] = {}


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
