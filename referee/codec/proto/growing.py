"""Views as bytes that grow with the deal, without a view in between.

Views are the largest part of what the referee tells. To make one anew for each decision, and then its bytes,
took a third of what a decision costs, although nearly all of it is as it was before: while cards are played,
only a hand, the trick on the table and perhaps a flag change with each card, and some counts with each trick.
So a view is put together from bytes here:

- What changes in a phase is said by the game, next to its `view` (`referee.games.base.Growing`). Nothing here
  decides what a seat may know.
- What stays comes from `view`, once for each seat in a phase of a deal.
- Hands are sets of cards, written suit by suit; complete tricks are appended to the bytes of those before.

In other phases, and for games that do not say what changes, the bytes are those of `view`. They are the same
in any case: `tests/referee/codec/test_growing.py` compares them at every step of every game, for every seat.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from fairdeal.v1 import cards_pb2, views_pb2
from referee.cards import Seat
from referee.codec.field_kinds import fields_of
from referee.codec.proto.encoders import (
    ONE_MORE,
    VARINT,
    Before,
    Encoder,
    encoder,
    hands,
    numbers,
    put,
    tag,
)
from referee.codec.proto.updates import view_bytes, view_field
from referee.games.base import Game, Growing
from referee.games.tricks import Trick, TrickPlay


class GrowingViews:
    """Writes the views of the seats of one match, as bytes of ``fairdeal.v1.View``, while it is played."""

    __slots__ = (
        "_also",
        "_complete",
        "_deal",
        "_done",
        "_game",
        "_growing",
        "_in_trick",
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
        self._still: list[tuple[bytes, ...] | None] = []  # what stays, by seat
        self._tricks: TrickPlay | None = None
        self._complete = 0  # of these tricks
        self._done = b""
        self._in_trick: tuple[bytes, ...] = ()  # what stays during a trick, for all seats

    def __call__(self, state: Any, seat: Seat) -> bytes:
        """Return the view of a seat now."""
        if state.phase is not self._phase or state.deal_number != self._deal:
            self._phase, self._deal = state.phase, state.deal_number
            self._growing = self._game.growing.get(state.phase)
            self._still = [None] * self._game.seats
            self._tricks = None
        growing = self._growing
        if growing is None:
            return view_bytes(self._game.view(state, seat))
        if growing.also is not None and (also := growing.also(state)) != self._also:
            self._also, self._still = also, [None] * self._game.seats
        still = self._still[seat] or self._begin(state, seat, growing)
        tricks: TrickPlay = state.tricks
        if tricks is not self._tricks or len(tricks.complete) != self._complete:
            self._take(state, tricks)
        writer = self._writer
        body = writer.write(state, seat, still, self._in_trick)
        return writer.before[len(body)] + body

    def _begin(self, state: Any, seat: Seat, growing: Growing) -> tuple[bytes, ...]:
        """Return, and keep, what stays for a seat."""
        view = self._game.view(state, seat)
        struct: type = type(view)
        self._writer = _writer(struct, growing)
        still = self._still[seat] = tuple([part(view) for part in self._writer.still])
        return still

    def _take(self, state: Any, tricks: TrickPlay) -> None:
        """Write the tricks that have been completed meanwhile, and what changes with them."""
        if tricks is not self._tricks:
            self._tricks, self._complete, self._done = tricks, 0, b""
        for trick in tricks.complete[self._complete :]:
            self._done += self._writer.complete(trick)
        self._complete = len(tricks.complete)
        self._in_trick = self._writer.in_trick(state, self._done)


class _Writer:
    """How views of one class are written in a phase.

    ``still`` are the encoders of what stays, between what does not; ``complete`` is that of a complete trick.
    ``in_trick`` takes the state and the bytes of complete tricks, and returns what stays during a trick;
    ``write`` puts all together, of the state, the seat, what stays for it, and what stays during the trick.
    """

    __slots__ = ("before", "complete", "in_trick", "still", "write")

    def __init__(self, struct: type, growing: Growing) -> None:
        field: Any = views_pb2.View.DESCRIPTOR.fields_by_name[view_field(struct)]
        message, shapes = field.message_type, dict(fields_of(struct))
        self.before = Before(tag(field))
        self.still: list[Encoder] = []
        self.complete: Callable[[Trick], bytes] = _no_trick
        changing = {name: at for at, name in enumerate(growing.changing)}
        by_trick = {name: at for at, name in enumerate(growing.by_trick)}
        known: dict[str, Any] = {"now": growing.now, "then": growing.then, "join": b"".join}
        parts: list[str] = []  # of a view, as expressions
        in_trick: list[str] = []  # of them those that stay during a trick
        rest: list[str] = []
        for name in sorted(shapes, key=lambda name: message.fields_by_name[name].number):
            is_tricks = name == "tricks" and "trick" in changing
            if not (is_tricks or name in changing or name in by_trick):
                rest.append(name)
                continue
            if rest:
                parts.append(f"still[{len(self.still)}]")
                self.still.append(encoder(message, struct, frozenset(rest)))
                rest = []
            inner, shape = message.fields_by_name[name], shapes[name]
            if name in _OWN and name in changing:
                known[name] = _OWN[name](inner)
                parts.append(f"{name}(v[{changing[name]}])")
            elif name in changing:
                parts.append(put(known, inner, shape, f"v[{changing[name]}]"))
            else:
                parts.append(f"in_trick[{len(in_trick)}]")
                in_trick.append("done" if is_tricks else put(known, inner, shape, f"v[{by_trick[name]}]"))
                if is_tricks:
                    self.complete = _complete_trick(inner)
        if rest:
            parts.append(f"still[{len(self.still)}]")
            self.still.append(encoder(message, struct, frozenset(rest)))
        # such as `(v := now(state, seat)) and join((still[0], hand(v[0]), in_trick[0]))`; the names are those
        # of our own classes
        whole, kept = (f"({''.join([f'{part},' for part in each])})" for each in (parts, in_trick))
        self.write: Callable[[Any, Seat, tuple[bytes, ...], tuple[bytes, ...]], bytes] = eval(
            f"lambda state, seat, still, in_trick: (v := now(state, seat)) and join({whole})", known
        )
        self.in_trick: Callable[[Any, bytes], tuple[bytes, ...]] = eval(
            f"lambda state, done: [v := then(state)] and {kept}", known
        )


@cache
def _writer(struct: type, growing: Growing) -> _Writer:
    return _Writer(struct, growing)


def _begins(field: Any, more: int = 0) -> list[list[bytes]]:
    """Return what stands before the cards of a trick, by leader and their number; ``more`` bytes follow."""
    inner: Any = cards_pb2.Trick.DESCRIPTOR.fields_by_name
    leader, cards = numbers(inner["leader"], 1), tag(inner["cards"])

    def before(seat: int, count: int) -> bytes:
        begin = leader(seat) + cards + VARINT[count]
        return tag(field) + VARINT[len(begin) + count + more] + begin

    return [[before(seat, count) for count in range(5)] for seat in range(4)]


def _trick(field: Any) -> Callable[[TrickPlay], bytes]:
    """Return the encoder of the trick on the table, if there is one."""
    begins = _begins(field)

    def encode(tricks: TrickPlay) -> bytes:
        played = tricks.cards
        return begins[tricks.leader][len(played)] + bytes(played).translate(ONE_MORE) if played else b""

    return encode


def _complete_trick(field: Any) -> Callable[[Trick], bytes]:
    """Return the encoder of a complete trick."""
    winner = numbers(cards_pb2.Trick.DESCRIPTOR.fields_by_name["winner"], 1)
    begins = _begins(field, len(winner(0)))

    def encode(trick: Trick) -> bytes:
        cards = trick.cards
        return begins[trick.leader][len(cards)] + bytes(cards).translate(ONE_MORE) + winner(trick.winner)

    return encode


def _no_trick(trick: Trick) -> bytes:
    raise AssertionError("tricks are played in a phase whose views do not grow by them")


# how fields are written whose values `Growing` gives in another form than views have
_OWN: Final[dict[str, Callable[[Any], Callable[[Any], bytes]]]] = {"hand": hands, "trick": _trick}
