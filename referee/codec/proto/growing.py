"""Views as bytes that grow with the deal, without a view in between.

Views are the largest part of what the referee tells. To make one anew for each decision, and then its bytes,
took a third of what a decision costs, although nearly all of it is as it was before: while cards are played,
only a hand, the tricks, some counts and a flag change. So a view is put together from bytes here:

- What changes in a phase is said by the game, next to its `view` (`referee.games.base.Growing`). Nothing here
  decides what a seat may know.
- What does not change comes from `view`, once for each seat in a phase of a deal.
- Hands are sets of cards, written suit by suit; complete tricks are appended to the bytes of those before.

In other phases, and for games that do not say what changes, the bytes are those of `view`. They are the same
in any case: `tests/referee/codec/test_growing.py` compares them at every step of every game, for every seat.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from fairdeal.v1 import cards_pb2, views_pb2
from referee.cards import Seat
from referee.codec.field_kinds import Shape, fields_of
from referee.codec.proto.encoders import (
    ONE_MORE,
    VARINT,
    Encoder,
    encoder,
    field_encoder,
    hands,
    numbers,
    tag,
)
from referee.codec.proto.updates import view_bytes, view_field
from referee.games.base import Game, Growing
from referee.games.tricks import TrickPlay

_Write = Callable[[Any, Seat, tuple[bytes, ...], bytes], bytes]
"""Puts a view together, of the state, the seat, what does not change, and complete tricks."""


class GrowingViews:
    """Writes the views of the seats of one match, as bytes of ``fairdeal.v1.View``, while it is played."""

    __slots__ = (
        "_also",
        "_complete",
        "_deal",
        "_done",
        "_game",
        "_growing",
        "_phase",
        "_still",
        "_tricks",
        "_writer",
    )

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self._phase: int | None = None  # the phase, and below the deal, to which all of the following belongs
        self._deal = 0
        self._growing: Growing | None = None
        self._also = 0
        self._writer: _Writer
        self._still: list[tuple[bytes, ...] | None] = []  # by seat
        self._tricks: TrickPlay | None = None
        self._complete = 0  # of these tricks
        self._done = b""

    def __call__(self, state: Any, seat: Seat) -> bytes:
        """Return the view of a seat now."""
        if state.phase is not self._phase or state.deal_number != self._deal:
            self._phase, self._deal = state.phase, state.deal_number
            self._growing = self._game.growing.get(state.phase)
            self._still = [None] * self._game.seats
        growing = self._growing
        if growing is None:
            return view_bytes(self._game.view(state, seat))
        if growing.also is not None and (also := growing.also(state)) != self._also:
            self._also, self._still = also, [None] * self._game.seats
        still = self._still[seat] or self._begin(state, seat, growing)
        tricks: TrickPlay = state.tricks
        if tricks is not self._tricks or len(tricks.complete) > self._complete:
            self._take(tricks)
        body = self._writer.write(state, seat, still, self._done)
        return self._writer.tag + VARINT[len(body)] + body

    def _begin(self, state: Any, seat: Seat, growing: Growing) -> tuple[bytes, ...]:
        """Return, and keep, what does not change for a seat."""
        view = self._game.view(state, seat)
        struct: type = type(view)
        self._writer = _writer(struct, growing)
        still = self._still[seat] = tuple([part(view) for part in self._writer.still])
        return still

    def _take(self, tricks: TrickPlay) -> None:
        """Write the tricks that have been completed meanwhile."""
        if tricks is not self._tricks:
            self._tricks, self._complete, self._done = tricks, 0, b""
        self._done += self._writer.tricks(tricks.complete[self._complete :])
        self._complete = len(tricks.complete)


class _Writer:
    """How views of one class are written in a phase.

    ``still`` are the encoders of what does not change, between what does; ``write`` puts all together.
    """

    __slots__ = ("still", "tag", "tricks", "write")

    def __init__(self, struct: type, growing: Growing) -> None:
        field: Any = views_pb2.View.DESCRIPTOR.fields_by_name[view_field(struct)]
        message, shapes = field.message_type, dict(fields_of(struct))
        order = sorted(shapes, key=lambda name: message.fields_by_name[name].number)
        self.tag = tag(field)
        self.tricks: Encoder = field_encoder(message.fields_by_name["tricks"], shapes["tricks"])
        self.still: list[Encoder] = []
        changing = {name: at for at, name in enumerate(growing.changing)}
        known: dict[str, Any] = {"now": growing.now}
        parts: list[str] = []
        begin = 0
        for at, name in enumerate([*order, ""]):
            is_tricks = name == "tricks" and "trick" in changing
            if name and not (is_tricks or name in changing):
                continue
            if rest := order[begin:at]:
                parts.append(f"still[{len(self.still)}]")
                self.still.append(encoder(message, struct, frozenset(rest)))
            begin = at + 1
            if is_tricks:
                parts.append("done")
            elif name:
                known[name] = _changing(message.fields_by_name[name], shapes[name])
                parts.append(f"{name}(v[{changing[name]}])")
        # such as `(v := now(state, seat)) and still[0] + hand(v[0]) + done`; the names are those of our own
        # classes
        self.write: _Write = eval(
            f"lambda state, seat, still, done: (v := now(state, seat)) and {' + '.join(parts)}", known
        )


@cache
def _writer(struct: type, growing: Growing) -> _Writer:
    return _Writer(struct, growing)


def _changing(field: Any, shape: Shape) -> Callable[[Any], bytes]:
    """Return the encoder of a field that changes; see `Growing` for what it takes."""
    encode = field_encoder(field, shape)
    if field.name == "trick":
        return _trick(field)
    if field.name == "hand":
        return hands(field)
    return (lambda value: b"" if value is None else encode(value)) if shape.optional else encode


def _trick(field: Any) -> Callable[[TrickPlay], bytes]:
    """Return the encoder of the trick on the table, if there is one."""
    inner: Any = cards_pb2.Trick.DESCRIPTOR.fields_by_name
    leader, cards = numbers(inner["leader"], 1), tag(inner["cards"])

    def before(seat: int, count: int) -> bytes:
        begin = leader(seat) + cards + VARINT[count]
        return tag(field) + VARINT[len(begin) + count] + begin

    begins = [[before(seat, count) for count in range(5)] for seat in range(4)]

    def encode(tricks: TrickPlay) -> bytes:
        played = tricks.cards
        return begins[tricks.leader][len(played)] + bytes(played).translate(ONE_MORE) if played else b""

    return encode
