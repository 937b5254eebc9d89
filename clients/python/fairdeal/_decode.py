"""Turns the protocol's messages into the dataclasses with the same fields, along their annotations.

What this version does not know (a card, an enum value, a kind of action, a game) is skipped or given as
``UNKNOWN``, `OtherAction` or None, since a referee may be newer than its bots.
"""

import dataclasses
import re
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final

from google.protobuf.duration_pb2 import Duration

from fairdeal._derive import members_of
from fairdeal._wire_enum import WireEnum
from fairdeal.actions import (
    CHOICES,
    Action,
    Bid,
    ChooseCards,
    ChooseCombinations,
    Declare,
    Legal,
    LegalActions,
    OtherAction,
    PlayCard,
)
from fairdeal.cards import ALL_CARDS, Card, Cards, Rank, Suit
from fairdeal.combinations import Combination
from fairdeal.events import Event
from fairdeal.v1 import actions_pb2, events_pb2, games_pb2, views_pb2
from fairdeal.v1 import play_service_pb2 as play
from fairdeal.views import View

Decode = Callable[..., Any]

# Most of what is decoded is cards, so each card and each play of one is made once.
_CARDS: Final[Mapping[int, Card]] = {card.number: card for card in ALL_CARDS}
_PLAYS: Final[Mapping[int, PlayCard]] = {card.number: PlayCard(card) for card in ALL_CARDS}
_NUMBERED: Final[Mapping[type, Mapping[int, Any]]] = {
    Card: _CARDS,
    Suit: {suit.value: suit for suit in Suit},
    Rank: dict(enumerate(Rank, start=1)),
}
# names of fields on the wire, where they differ
_RENAMED: Final = {"id": "match_id"}
# dataclasses whose messages have other names
_TWINS: Final = {
    "LegalActions": "ActionList",
    "LegalChoice": "ChooseCards",
    "LegalCombinations": "ChooseCombinations",
}


def decoder(twin: type, wire: Any) -> Decode:
    """Return the function that decodes a message into the dataclass with the same fields.

    It returns None for a message that has nothing known where the dataclass must have something. The
    dataclass's ``match``, where it has one, is given before the message.
    """
    names: dict[str, Any] = {"twin": twin, "plays": _PLAYS}
    values, unknown = [], []
    hints = typing.get_type_hints(twin)
    for name, annotation in hints.items():
        if name in ("match", "message"):
            values.append(name)
            continue
        field = wire.fields_by_name[_RENAMED.get(name, name)]
        text, names[f"of_{name}"] = _of_field(annotation, field)
        value = text.format(told=f"message.{field.name}", of=f"of_{name}")
        if field.message_type and NoneType in typing.get_args(annotation):
            value += f" if message.HasField({field.name!r}) else None"
        if _is_needed(annotation):
            unknown.append(f"({name} := {value}) is None")
            value = name
        values.append(value)
    made = f"twin({', '.join(values)})"
    if unknown:
        made = f"None if {' or '.join(unknown)} else {made}"
    # written out and compiled, as dataclasses do their own methods: calls field by field take twice as long
    decode: Decode = eval(f"lambda {'match, ' if 'match' in hints else ''}message: {made}", names)
    return decode


def _of_field(annotation: Any, field: Any) -> tuple[str, Decode | None]:
    """Return how the value of a field is written, from ``{told}``, the message's, and what ``{of}`` calls."""
    if annotation is Cards:
        return "{of}({told})", cards
    members = typing.get_args(annotation)
    is_seat = field.enum_type is not None and field.enum_type.name == "Seat"  # written out: they are many
    if typing.get_origin(annotation) in (tuple, Mapping):
        if is_seat:
            return "tuple([each - 1 for each in {told}])", None
        decode = _of_value(members[0], field)
        if decode is None:
            return "tuple({told})", None
        if typing.get_origin(annotation) is Mapping:
            return "{of}({told})", lambda pairs: MappingProxyType(dict(map(decode, pairs)))
        if decode is action:  # most are plays of cards; no card has number 0
            return "tuple([plays.get(each.play_card) or {of}(each) for each in {told}])", decode
        if field.message_type and field.message_type.name in _EXCEPTIONS:  # these have no unknown values
            return "tuple(map({of}, {told}))", decode
        return "tuple([known for each in {told} if (known := {of}(each)) is not None])", decode
    text, decode = ("{told} - 1", None) if is_seat else ("{of}({told})", _of_value(annotation, field))
    if not is_seat and decode is None:
        text = "{told}"
    if NoneType in members and not field.message_type:
        text = f"({text} if {{told}} else None)"
    return text, decode


def _of_value(annotation: Any, field: Any) -> Decode | None:
    """Return the function that decodes a value, or one of a list; None where it stays as it is."""
    wire = field.message_type or field.enum_type
    if wire is None:
        return None
    if wire.name in _EXCEPTIONS:
        return _EXCEPTIONS[wire.name]
    kinds = [each for each in typing.get_args(annotation) or (annotation,) if each is not NoneType]
    if len(kinds) > 1:
        return union(kinds, wire)
    (kind,) = kinds
    if kind in _NUMBERED:
        return _NUMBERED[kind].get
    if issubclass(kind, WireEnum):
        return _Members(kind).__getitem__
    return decoder(kind, wire)


def _is_needed(annotation: Any) -> bool:
    """Return whether a field is required although a message may lack it, or have an unknown value in it."""
    if typing.get_origin(annotation) not in (None, UnionType):
        return False
    kinds = typing.get_args(annotation) or (annotation,)
    return (
        any(each in _NUMBERED or dataclasses.is_dataclass(each) for each in kinds) and NoneType not in kinds
    )


def union(kinds: Iterable[type], wire: Any, unknown: object = None) -> Decode:
    """Return the function that decodes a message of one oneof into the dataclass of its member.

    It returns ``unknown`` for a member without a dataclass.
    """
    named = {_TWINS.get(kind.__name__, kind.__name__): kind for kind in kinds}
    (oneof,) = wire.oneofs
    name = oneof.name
    decoders: dict[str | None, Decode] = {
        field.name: decoder(named[field.message_type.name], field.message_type)
        for field in oneof.fields
        if field.message_type.name in named
    }

    def decode(message: Any) -> Any:
        kind = message.WhichOneof(name)
        return decoders[kind](getattr(message, kind)) if kind in decoders else unknown

    return decode


class _Members(dict[int, WireEnum]):
    """The members of an enum by number; looking them up in the enum is slow."""

    def __init__(self, kind: type[WireEnum]) -> None:
        super().__init__({member.value: member for member in kind})

    def __missing__(self, number: int) -> WireEnum:
        return self[0]


# What is decoded by hand


def cards(numbers: Iterable[int]) -> Cards:
    """Return the cards of some numbers, in the same order."""
    return Cards(filter(None, map(_CARDS.get, numbers)))


def card(number: int) -> Card | None:
    """Return the card of a number, None for no card."""
    return _CARDS.get(number)


def play_of(card: Card) -> PlayCard:
    """Return the play of a card."""
    return _PLAYS[card.number]


def seconds(duration: Duration) -> float:
    """Return a duration in seconds."""
    return duration.seconds + duration.nanos / 1e9


def action(message: actions_pb2.Action) -> Action:
    """Return an action."""
    kind = message.WhichOneof("kind")
    known: Action | None = _ACTIONS[kind](getattr(message, kind)) if kind in _ACTIONS else None
    return known or OtherAction(message)


def combinations(messages: Iterable[actions_pb2.Combination]) -> tuple[Combination, ...]:
    """Return the known combinations, in the same order."""
    return tuple([known for message in messages if (known := combination(message))])


def _declare(message: actions_pb2.Declaration) -> Declare | None:
    declared = combination(message.combination)
    return Declare(declared) if declared or not message.HasField("combination") else None


def _option(message: games_pb2.OptionValue) -> tuple[str, int | bool | str]:
    kind = message.WhichOneof("value")
    return message.name, getattr(message, kind or "number")


def _reason(number: int) -> str:
    """Return the name of a reason without its prefix, or its number when this version does not know it."""
    known = play.Reason.DESCRIPTOR.values_by_number.get(number)
    return known.name.removeprefix("REASON_") if known else str(number)


# by the name of the message or enum
_EXCEPTIONS: Final[Mapping[str, Decode]] = {
    "Action": action,
    "Duration": seconds,
    "OptionValue": _option,
    "Reason": _reason,
    "Side": lambda side: tuple([seat - 1 for seat in side.seats]),
}

combination: Final[Callable[[Any], Combination | None]] = union(
    typing.get_args(Combination), actions_pb2.Combination.DESCRIPTOR
)
# a game whose dataclasses are not written out, in `views` and `events`, has them made from its messages
event: Final[Callable[[Any], Event | None]] = union(members_of(events_pb2.Event), events_pb2.Event.DESCRIPTOR)
view: Final[Callable[[Any], View | None]] = union(members_of(views_pb2.View), views_pb2.View.DESCRIPTOR)
_legal: Final[Callable[[Any], Legal]] = union(
    typing.get_args(Legal), actions_pb2.Legal.DESCRIPTOR, unknown=LegalActions(())
)


def legal(message: actions_pb2.Legal) -> Legal:
    """Return the legal answers."""
    data = message.SerializeToString()
    if _are_plays(data):
        return LegalActions(tuple([_PLAYS[number] for number in data[5::4]]))
    return _other_legal(data)


# Most are lists of cards to play: read from their bytes, they take a third of the time. A list of less than
# 128 bytes begins with its tag and its length; each play is an action of two bytes, the tag and the card.
_are_plays: Final = re.compile(rb"\n.(?:\n\x02\x08[\x01-\x34])+", re.DOTALL).fullmatch


@lru_cache(256)
def _other_legal(data: bytes) -> Legal:
    # the same bids and choices come again and again
    return _legal(actions_pb2.Legal.FromString(data))


_ACTIONS: Final[Mapping[str | None, Decode]] = {
    "play_card": _PLAYS.get,
    "bid": Bid,
    "choose_cards": lambda message: ChooseCards(cards(message.cards)),
    "declare": _declare,
    "choose_combinations": lambda message: ChooseCombinations(combinations(message.combinations)),
    **{
        kind: {choice.value: choice for choice in choices if choice.value}.get
        for kind, choices in CHOICES.items()
    },
}
