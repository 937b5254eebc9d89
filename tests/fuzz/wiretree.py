"""Protobuf messages as trees that can be bent: what the wire allows, and what it does not."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

VARINT, FIXED64, LEN, START, END, FIXED32 = range(6)

_MESSAGE: Final = FieldDescriptor.TYPE_MESSAGE


@dataclass(slots=True)
class Node:
    """One field on the wire.

    ``value`` is an int of a varint, the nodes of a message, and bytes of everything else. The length that is
    told is off by ``lie``; ``again`` says how often the whole field stands there.
    """

    number: int
    kind: int
    value: Any
    lie: int = 0
    again: int = 1


@dataclass(slots=True)
class FieldPlace:
    """A field among its siblings."""

    among: list[Node] = field(repr=False)
    index: int

    @property
    def node(self) -> Node:
        return self.among[self.index]


def varint(n: int) -> bytes:
    """Return a number as the wire has it; one of more than 64 bits, as the wire must not have it."""
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def tag(number: int, kind: int) -> bytes:
    """Return what stands before a field."""
    return varint(number << 3 | kind)


def parse(data: bytes, message: Any) -> list[Node]:
    """Return the fields of a well-formed message of a type that is given by its descriptor."""
    nodes: list[Node] = []
    at = 0
    while at < len(data):
        head, at = _varint(data, at)
        number, kind = head >> 3, head & 7
        value: Any
        if kind == VARINT:
            value, at = _varint(data, at)
        elif kind == LEN:
            size, at = _varint(data, at)
            value, at = data[at : at + size], at + size
            known = message.fields_by_number.get(number)
            if known is not None and known.type == _MESSAGE:
                value = parse(value, known.message_type)
        else:
            size = 8 if kind == FIXED64 else 4
            value, at = data[at : at + size], at + size
        nodes.append(Node(number, kind, value))
    return nodes


def build(nodes: list[Node]) -> bytes:
    """Return fields as bytes, with all their lies."""
    return b"".join(_build(node) * node.again for node in nodes)


def places(nodes: list[Node]) -> Iterator[FieldPlace]:
    """Yield every field in a tree."""
    for index, node in enumerate(nodes):
        yield FieldPlace(nodes, index)
        if isinstance(node.value, list):
            yield from places(node.value)


def _build(node: Node) -> bytes:
    head = tag(node.number, node.kind)
    if node.kind == VARINT:
        return head + (varint(node.value) if isinstance(node.value, int) else _flat(node.value))
    value = _flat(node.value)
    return head + varint(max(0, len(value) + node.lie)) + value if node.kind == LEN else head + value


def _flat(value: Any) -> bytes:
    if isinstance(value, int):
        return varint(value)
    return value if isinstance(value, bytes) else build(value)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            return number, at
