"""Updates to bots, encoded one by one and joined into frames as bytes.

So the size of a frame is known while it is filled. A new event or view needs no code here: the field that
carries it is found by the name of its class.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from fairdeal.v1 import play_service_pb2
from referee.codec.field_kinds import snake_name
from referee.codec.proto.actions import fill_legal
from referee.codec.proto.fields import fill, fill_duration, fill_option, fill_sides, member
from referee.match.clock import ClockSettings
from referee.match.messages import (
    Closed,
    Decision,
    Finished,
    Happened,
    Notice,
    Refused,
    Seated,
    Update,
    Welcome,
)

# those that need more than their fields have fillers of their own below
_UPDATES: Final[Mapping[type, str]] = {
    Welcome: "welcome",
    Closed: "closed",
    Refused: "refused",
    Finished: "finished",
    Notice: "notice",
}


def encode(update: Update) -> bytes:
    """Return one update as bytes of ``fairdeal.v1.Update``."""
    message = play_service_pb2.Update()
    if isinstance(update, Decision):
        _fill_decision(message.decision, update)
    elif isinstance(update, Happened):
        message.happened.match_id = update.match_id
        event = message.happened.event
        event.sequence = update.sequence
        struct: type = type(update.event)
        fill(member(event, snake_name(struct)), update.event)
    elif isinstance(update, Seated):
        _fill_seated(message.seated, update)
    else:
        fill(member(message, _UPDATES[type(update)]), update)
    return message.SerializeToString()


@cache
def view_field(struct: type) -> str:
    """Return the name of the field that carries a view: ``HeartsView`` is in ``hearts``."""
    return snake_name(struct).removesuffix("_view")


def frame(updates: Iterable[bytes]) -> bytes:
    """Return a ``fairdeal.v1.PlayResponse`` that holds updates as `encode` gave them."""
    # a message with one repeated field is its items, each behind the field's tag and its own length
    return b"".join(b"\x0a" + _varint(len(update)) + update for update in updates)


def _varint(n: int) -> bytes:
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def _fill_decision(message: Any, decision: Decision) -> None:
    message.match_id = decision.match_id
    message.decision_id = decision.decision_id
    message.sequence = decision.sequence
    fill_duration(message.move_time, decision.move_time)
    fill_duration(message.bank, decision.bank)
    fill_legal(message.legal, decision.legal)
    struct: type = type(decision.view)
    fill(member(message.view, view_field(struct)), decision.view)


def _fill_seated(message: Any, seated: Seated) -> None:
    message.match_id = seated.match_id
    message.attempt = seated.attempt
    message.game = seated.game
    message.rules_version = seated.rules_version
    for name in sorted(seated.options):
        fill_option(message.options.add(), name, seated.options[name])
    message.deals = seated.deals
    message.seat = seated.seat + 1
    message.entries.extend(seated.entries)
    fill(message.commitment, seated.commitment)
    _fill_clock(message.clock, seated.clock)
    message.max_faults = seated.max_faults
    fill_sides(message.sides, seated.sides)


def _fill_clock(message: Any, clock: ClockSettings) -> None:
    for name in ("move", "bank", "increment", "lag", "lag_cap", "start"):
        fill_duration(getattr(message, name), getattr(clock, name))
