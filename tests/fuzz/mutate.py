"""Frames made wrong: each a function of a key, so that every run makes the same ones."""

import copy
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as pb
from tests.choices import Choices
from tests.fuzz.wiretree import (
    END,
    FIXED32,
    FIXED64,
    LEN,
    START,
    VARINT,
    FieldPlace,
    Node,
    build,
    parse,
    places,
    tag,
)

T = TypeVar("T")

EDGES: Final = (0, 1, 13, 52, 53, 127, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1)
"""Numbers at which something ends: an enum, a byte, a width, a sign."""

TOO_WIDE: Final = 2**80

WORDS: Final = (
    b"",
    b"\xff\xfe",  # no UTF-8
    b"\xed\xa0\x80",  # half of a surrogate pair
    b"\xc0\xaf",  # longer than it need be
    b"\x00",
    b"a\nb\r\x1b[2J",
    "\u202e\ufeff\u2028".encode(),
    "\U0001f0a1".encode() * 200,  # as long as a name may be, and as wide as characters come
    b"n" * 200,
    b"n" * 201,
    b"n" * 5_000,
    b"../../etc/passwd",
    b"{0.__class__} %s %n",
    b"m-1",
    b"hearts",
)
"""What may stand where a name is expected."""

MOST_BYTES: Final = 32 * 1024
FEW, MANY = 64, 40_000

_ANSWERS: Final = pb.PlayRequest.ANSWERS_FIELD_NUMBER
_ACTION: Final = pb.Answer.ACTION_FIELD_NUMBER
_INDEX: Final = pb.Answer.INDEX_FIELD_NUMBER
_ANSWER_KINDS: Final = (_ACTION, _INDEX)
_ACTION_KINDS: Final = len(actions_pb2.Action.DESCRIPTOR.fields)
_CHOOSE_CARDS: Final = actions_pb2.Action.CHOOSE_CARDS_FIELD_NUMBER
_DECLARE: Final = actions_pb2.Action.DECLARE_FIELD_NUMBER
_CHOOSE_COMBINATIONS: Final = actions_pb2.Action.CHOOSE_COMBINATIONS_FIELD_NUMBER


# What is done to the fields of a frame

Bend = Callable[[list[Node], Choices], None]


def _number(nodes: list[Node], chance: Choices) -> None:
    if found := [place.node for place in places(nodes) if place.node.kind == VARINT]:
        chance.one(found).value = chance.one(EDGES)


def _too_wide(nodes: list[Node], chance: Choices) -> None:
    if found := [place.node for place in places(nodes) if place.node.kind == VARINT]:
        chance.one(found).value = TOO_WIDE


def _word(nodes: list[Node], chance: Choices) -> None:
    if found := [place.node for place in places(nodes) if isinstance(place.node.value, bytes)]:
        chance.one(found).value = chance.one(WORDS)


def _lie(nodes: list[Node], chance: Choices) -> None:
    if found := [place.node for place in places(nodes) if place.node.kind == LEN]:
        chance.one(found).lie = chance.one((-1, 1, 2, -5, 100, 2**31 - 1, 2**32, 2**62, TOO_WIDE))


def _drop(nodes: list[Node], chance: Choices) -> None:
    place = _any(nodes, chance)
    del place.among[place.index]


def _twice(nodes: list[Node], chance: Choices) -> None:
    place = _any(nodes, chance)
    place.among.insert(chance.below(len(place.among) + 1), copy.deepcopy(place.node))


def _repeat(nodes: list[Node], chance: Choices) -> None:
    _any(nodes, chance).node.again = 2 + chance.below(FEW)


def _swarm(nodes: list[Node], chance: Choices) -> None:
    node = _any(nodes, chance).node
    node.again = min(MANY, MOST_BYTES // max(1, len(build([node]))))


def _swap(nodes: list[Node], chance: Choices) -> None:
    one, other = _any(nodes, chance), _any(nodes, chance)
    a, b = one.node, other.node
    # none may come to stand in itself
    if not any(p.node is b for p in places([a])) and not any(p.node is a for p in places([b])):
        one.among[one.index], other.among[other.index] = b, a


def _renumber(nodes: list[Node], chance: Choices) -> None:
    _any(nodes, chance).node.number = chance.one((0, 1, 2, 3, 4, 5, 6, 7, 13, 99, 2**29 - 1, 2**29))


def _retype(nodes: list[Node], chance: Choices) -> None:
    _any(nodes, chance).node.kind = chance.below(8)


def _unknown(nodes: list[Node], chance: Choices) -> None:
    kind = chance.one((VARINT, FIXED64, LEN, FIXED32))
    sizes = {FIXED64: 8, FIXED32: 4}
    value = chance.one(EDGES) if kind == VARINT else chance.junk(sizes.get(kind, chance.below(40)))
    _put(nodes, chance, Node(chance.one((7, 16, 500, 2**29 - 1)), kind, value))


def _group(nodes: list[Node], chance: Choices) -> None:
    """Put a field into a group, which may lack its end or have another's."""
    place = _any(nodes, chance)
    number = chance.one((1, 5, 77))
    place.among.insert(place.index, Node(number, START, b""))
    if chance.below(3):
        place.among.insert(place.index + 2, Node(chance.one((number, number, 78)), END, b""))


def _deep(nodes: list[Node], chance: Choices) -> None:
    """Put groups or messages into one another, below and beyond what decoders go down."""
    depth = chance.one((20, 99, 100, 101, 500, 10_000))
    number = chance.one((2, 3, 5, 77))
    if chance.below(2):
        _put(nodes, chance, Node(number, START, tag(number, START) * depth + tag(number, END) * (depth + 1)))
    else:
        data = b""
        for _ in range(min(depth, 500)):
            data = build([Node(number, LEN, data)])
        _put(nodes, chance, Node(number, LEN, data))


def _action(nodes: list[Node], chance: Choices) -> None:
    """Give one of the answers another action, of any game and often of none."""
    if answers := [node for node in nodes if node.number == _ANSWERS and isinstance(node.value, list)]:
        answer = chance.one(answers)
        kept = [field for field in answer.value if field.number not in _ANSWER_KINDS]
        answer.value = [*kept, _some_action(chance)]


def _some_action(chance: Choices) -> Node:
    number = chance.below(_ACTION_KINDS + 2)
    if number == 0:
        return Node(_INDEX, VARINT, chance.one((chance.below(20), chance.one(EDGES))))
    if number == _CHOOSE_CARDS:
        cards = bytes(chance.below(55) for _ in range(chance.below(15)))
        action = Node(number, LEN, [Node(1, LEN, cards)])
    elif number in (_DECLARE, _CHOOSE_COMBINATIONS):
        action = Node(number, LEN, [_some_combination(chance) for _ in range(chance.below(4))])
    else:
        action = Node(number, VARINT, chance.one((chance.below(55), chance.below(6), chance.one(EDGES))))
    return Node(_ACTION, LEN, [action])


def _some_combination(chance: Choices) -> Node:
    fields = [Node(number, VARINT, chance.below(size)) for number, size in ((1, 6), (2, 15), (3, 10))]
    return Node(1, LEN, [Node(1 + chance.below(4), LEN, fields[: 1 + chance.below(3)])])


def _any(nodes: list[Node], chance: Choices) -> FieldPlace:
    if not nodes:
        nodes.append(Node(1, VARINT, 0))
    return chance.one(tuple(places(nodes)))


def _put(nodes: list[Node], chance: Choices, *added: Node) -> None:
    place = _any(nodes, chance)
    place.among[place.index : place.index] = added


FIELDS: Final[Mapping[str, Bend]] = {
    "number": _number,
    "too_wide": _too_wide,
    "word": _word,
    "lie": _lie,
    "drop": _drop,
    "twice": _twice,
    "repeat": _repeat,
    "swap": _swap,
    "renumber": _renumber,
    "retype": _retype,
    "unknown": _unknown,
    "group": _group,
    "deep": _deep,
    "action": _action,
}


# What is done to the bytes of a frame

Spoil = Callable[[bytes, bytes, Choices], bytes]


def _flip(data: bytes, other: bytes, chance: Choices) -> bytes:
    spoilt = bytearray(data or b"\x00")
    for _ in range(1 + chance.below(4)):
        spoilt[chance.below(len(spoilt))] ^= 1 << chance.below(8)
    return bytes(spoilt)


def _cut(data: bytes, other: bytes, chance: Choices) -> bytes:
    return data[: chance.below(len(data) + 1)]


def _splice(data: bytes, other: bytes, chance: Choices) -> bytes:
    return data[: chance.below(len(data) + 1)] + other[chance.below(len(other) + 1) :]


def _joined(data: bytes, other: bytes, chance: Choices) -> bytes:
    return data + other


def _insert(data: bytes, other: bytes, chance: Choices) -> bytes:
    at = chance.below(len(data) + 1)
    return data[:at] + chance.junk(1 + chance.below(9)) + data[at:]


def _junk(data: bytes, other: bytes, chance: Choices) -> bytes:
    return chance.junk(chance.below(80))


BYTES: Final[Mapping[str, Spoil]] = {
    "flip": _flip,
    "cut": _cut,
    "splice": _splice,
    "joined": _joined,
    "insert": _insert,
    "junk": _junk,
}

# more often than others what is still a frame
_KINDS: Final = (
    *FIELDS,
    *BYTES,
    *("number", "word", "swap", "twice", "drop", "unknown", "action", "action") * 3,
)
_SWARMS: Final = 2_000  # one frame in so many is filled to the brim
_LONG: Final = 4_000


def mutate(frame: bytes, other: bytes, chance: Choices, message: Any = pb.PlayRequest.DESCRIPTOR) -> bytes:
    """Return a frame made wrong in one to three ways; some take what they need from another frame.

    ``message`` describes its type.
    """
    nodes = parse(frame, message) if len(frame) < _LONG else []
    if chance.below(_SWARMS) == 0:
        _swarm(nodes, chance)
        return build(nodes)
    kinds = [chance.one(_KINDS) for _ in range(chance.one((1, 1, 2, 3)))]
    for kind in kinds:
        if kind in FIELDS:
            FIELDS[kind](nodes, chance)
    data = build(nodes)
    for kind in kinds:
        if kind in BYTES:
            data = BYTES[kind](data, other, chance)
    return data
