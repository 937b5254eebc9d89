"""Dataclasses as the bytes of their messages, without a message in between.

What the referee tells is most of its work, and protobuf's own way was the dearest part of it: an object for
each message and each message in it, filled field by field through Python, took some 16 microseconds a
decision. But most of a view is as it was before, the rest is small numbers, and the format is simple: fields
in the order of their numbers, each a tag and a value. So what is known beforehand is done beforehand:
`encoder` puts together, once for each class, functions from the values of its fields to their bytes, found by
the shape of a field and its descriptor. A new view or event needs no code here. Four things keep them
quick:

- The encoder of a class is one expression over all its fields, made as text.
- Small numbers have their bytes, tag included, in a table (`_Numbers`).
- Lists of cards become bytes at once, since each card is one byte: its number and one more.
- Structs in lists (tricks, bids, legal actions) are the same objects from one view to the next, so the bytes
  of those told last are kept (`kept`). They are immutable all the way down.

The bytes are those that protobuf would write: `tests/referee/codec/test_encoders.py` compares them.
"""

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Any, Final, TypeAlias

from google.protobuf.descriptor import FieldDescriptor

from referee.cards import ALL_CARDS, EMPTY, SUIT_MASKS, Card, Hand, cards_of
from referee.codec.field_kinds import Kind, Shape, fields_of, member_name

Encoder: TypeAlias = Callable[[Any], bytes]

# the stubs have two classes for each of them
MessageType: TypeAlias = Any
Field: TypeAlias = Any

_VARINT: Final = 0
_LENGTH: Final = 2
_KEPT: Final = 4096
_TABLE: Final = 128
_MICROS: Final = 1_000_000

# the kinds that count from zero in the domain, where the wire keeps zero for "unspecified"
_FROM_ZERO: Final = (Kind.CARD, Kind.SEAT, Kind.RANKED)
ONE_MORE: Final = bytes(min(n + 1, 255) for n in range(256))
"""Translates cards and seats, a byte each, to their numbers on the wire."""

_UNSIGNED: Final = {
    FieldDescriptor.TYPE_BOOL: 1,
    FieldDescriptor.TYPE_ENUM: 31,
    FieldDescriptor.TYPE_UINT32: 32,
    FieldDescriptor.TYPE_UINT64: 64,
}
"""The bits of each type of whole numbers that are written as they stand."""


def _varint(n: int) -> bytes:
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


class _Varints(dict[int, bytes]):
    """Varints by number; small ones are in the table, which does not grow."""

    def __missing__(self, n: int) -> bytes:
        return _varint(n)


VARINT: Final = _Varints({n: _varint(n) for n in range(2048)})
"""The bytes of a number that is not negative, such as a length."""


class Before(dict[int, bytes]):
    """What stands before bytes of a length: the tags, from the outermost field on, and lengths.

    Those of common lengths are in the table, which does not grow beyond them.
    """

    def __init__(self, *tags: bytes) -> None:
        super().__init__()
        self._tags = tags

    def __missing__(self, length: int) -> bytes:
        made = b""
        for each in reversed(self._tags):
            made = each + VARINT[len(made) + length] + made
        if length < _KEPT:
            self[length] = made
        return made


def tag(field: Field) -> bytes:
    """Return the tag of a field."""
    is_number = field.type in _UNSIGNED or field.type == FieldDescriptor.TYPE_SINT32
    wire_type = _VARINT if is_number and not field.is_repeated else _LENGTH
    return VARINT[field.number << 3 | wire_type]


class _Numbers(dict[int, bytes]):
    """The bytes of numbers in a field, behind a prefix; small ones are in the table, which does not grow.

    Raises:
        TypeError: the field holds other numbers than any that this code knows.
    """

    def __init__(self, field: Field, prefix: bytes, more: int) -> None:
        super().__init__()
        self._prefix = prefix
        self._more = more
        self._is_signed = field.type == FieldDescriptor.TYPE_SINT32
        if not self._is_signed and field.type not in _UNSIGNED:
            raise TypeError(f"no encoder for {field.full_name}")
        self._bits = 32 if self._is_signed else _UNSIGNED[field.type]
        self.update({n: self[n] for n in range(_TABLE) if n + more < 1 << self._bits})

    def __missing__(self, n: int) -> bytes:
        number = n + self._more
        if self._is_signed:
            number = n << 1 if n >= 0 else ~(n << 1)
        if not 0 <= number < 1 << self._bits:
            raise ValueError("a number is out of the range of its field")
        return self._prefix + VARINT[number]


def numbers(field: Field, more: int = 0) -> Encoder:
    """Return the encoder of a field of one number, to which ``more`` is added."""
    table = _Numbers(field, tag(field), more)
    if not field.has_presence:
        table[-more] = b""
    return table.__getitem__


def texts(field: Field) -> Encoder:
    """Return the encoder of a text or of bytes in a field."""
    before, may_be_empty = tag(field), field.has_presence or field.is_repeated

    def encode(value: str | bytes) -> bytes:
        if not value and not may_be_empty:
            return b""
        data = value.encode() if isinstance(value, str) else value
        return before + VARINT[len(data)] + data

    return encode


def within(field: Field, body: Encoder) -> Encoder:
    """Return the encoder of a field that holds a message, given the one of its content."""
    before = tag(field)

    def encode(value: Any) -> bytes:
        data = body(value)
        return before + VARINT[len(data)] + data

    return encode


def kept(encode: Encoder) -> Encoder:
    """Return an encoder of lists of immutable objects that keeps the bytes of those it met last, by identity.

    Those that were not met again while as many others were go first.
    """
    new: dict[int, tuple[Any, bytes]] = {}  # with the object, so that no other one gets its identity
    old: dict[int, tuple[Any, bytes]] = {}

    def keep(value: Any) -> tuple[Any, bytes]:
        nonlocal new, old
        found = old.get(id(value)) or (value, encode(value))
        if len(new) >= _KEPT:
            new, old = {}, new
        new[id(value)] = found
        return found

    def encode_all(values: Iterable[Any]) -> bytes:
        get = new.get
        return b"".join([(get(id(value)) or keep(value))[1] for value in values])

    return encode_all


def durations(micros: int) -> bytes:
    """Return microseconds as bytes of a ``google.protobuf.Duration``."""
    seconds, rest = divmod(micros, _MICROS)
    if micros < 0:
        raise ValueError("a duration is negative")
    return (b"\x08" + VARINT[seconds] if seconds else b"") + (b"\x10" + VARINT[rest * 1000] if rest else b"")


class _OfSuit(dict[Hand, bytes]):
    """The bytes of cards of one suit, one after the other: 8,192 sets, made when first asked for."""

    def __init__(self, each: Callable[[Card], bytes]) -> None:
        super().__init__({EMPTY: b""})
        self._each = each

    def __missing__(self, some: Hand) -> bytes:
        made = self[some] = b"".join(map(self._each, cards_of(some)))
        return made


def card_sets(before: Callable[[int], bytes], each: Callable[[Card], bytes]) -> Callable[[Hand], bytes]:
    """Return the encoder of a set of cards: ``before`` takes its bytes' length, ``each`` one card."""
    of_suit, begin = _OfSuit(each), [before(length) for length in range(52 * len(each(ALL_CARDS[0])) + 1)]
    clubs, diamonds, hearts, spades = SUIT_MASKS

    def encode(some: Hand) -> bytes:
        data = (
            of_suit[some & clubs] + of_suit[some & diamonds] + of_suit[some & hearts] + of_suit[some & spades]
        )
        return begin[len(data)] + data

    return encode


def hands(field: Field) -> Callable[[Hand], bytes]:
    """Return the encoder of a field of cards, of a set of them."""
    before = tag(field)
    return card_sets(lambda count: before + VARINT[count] if count else b"", lambda c: bytes([c + 1]))


@cache
def encoder(message: MessageType, struct: type, names: frozenset[str] | None = None) -> Encoder:
    """Return the encoder of a dataclass as a message that has a field for each of its fields.

    With ``names`` those of the other fields are left out.
    """
    fields = [
        (message.fields_by_name[name], shape)
        for name, shape in fields_of(struct)
        if names is None or name in names
    ]
    known: dict[str, Any] = {}
    parts = []
    for field, shape in sorted(fields, key=lambda each: each[0].number):
        parts.append(put(known, field, shape, f"v.{field.name}"))
    # such as `put_phase[v.phase] + put_hand(v.hand)`: to walk through a list of functions takes longer than
    # what they do; the names are those of our own classes
    made: Encoder = eval(f"lambda v: {' + '.join(parts) or 'bytes()'}", known)
    return made


def put(known: dict[str, Any], field: Field, shape: Shape, value: str) -> str:
    """Return an expression for a field of a value that is one itself; what it names goes into ``known``."""
    name, encode = f"put_{field.name}", field_encoder(field, shape)
    table = getattr(encode, "__self__", None)
    known[name], part = encode, f"{name}({value})"
    if isinstance(table, _Numbers):
        known[name], part = table, f"{name}[{value}]"
    return f'(b"" if {value} is None else {part})' if shape.optional else part


def field_encoder(field: Field, shape: Shape) -> Encoder:
    """Return the encoder of one field, tag included, of a value of this shape."""
    if shape.kind is Kind.LIST:
        assert shape.item is not None
        return _list(field, shape.item)
    if shape.kind in (Kind.STRUCT, Kind.UNION):
        return within(field, _body(field, shape))
    if shape.kind is Kind.MICROS:
        return within(field, durations)
    if shape.type in (str, bytes):
        # a match is named in all that is told of it
        return lru_cache(_KEPT)(texts(field)) if field.name == "match_id" else texts(field)
    return numbers(field, _more(shape))


def _more(shape: Shape) -> int:
    return 1 if shape.kind in _FROM_ZERO else 0


def _body(field: Field, shape: Shape) -> Encoder:
    """Return the encoder of a message in a field, which is a struct or one of several."""
    if shape.kind is Kind.STRUCT:
        return encoder(field.message_type, shape.type)
    members = {struct: one_of(field.message_type, member_name(struct), struct) for struct in shape.members}
    return lambda value: members[type(value)](value)


def one_of(message: MessageType, name: str, struct: type) -> Encoder:
    """Return the encoder of a struct that stands alone in a message, in the field of this name."""
    field = message.fields_by_name[name]
    return within(field, encoder(field.message_type, struct))


def _list(field: Field, item: Shape) -> Encoder:
    if item.kind in (Kind.STRUCT, Kind.UNION):
        return kept(within(field, _body(field, item)))
    if item.type in (str, bytes):
        one = texts(field)
        return lambda values: b"".join([one(value) for value in values])
    return _packed(field, item)


def _packed(field: Field, item: Shape) -> Encoder:
    before = tag(field)
    # there are 52 cards and fewer of all others, so that each of them is one byte
    if item.kind in _FROM_ZERO:
        return lambda values: (
            before + VARINT[len(values)] + bytes(values).translate(ONE_MORE) if values else b""
        )
    if item.kind is Kind.ENUM:
        return lambda values: before + VARINT[len(values)] + bytes(values) if values else b""
    each = _Numbers(field, b"", 0)

    @lru_cache(_KEPT)  # scores and counts stay as they are for some decisions
    def encode(values: tuple[int, ...]) -> bytes:
        if not values:
            return b""
        data = b"".join([each[value] for value in values])
        return before + VARINT[len(data)] + data

    return encode
