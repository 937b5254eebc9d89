"""Updates to bots, encoded one by one and joined into frames as bytes.

So the size of a frame is known while it is filled. A new event or view needs no code here: the field that
carries it is found by the name of its class.
"""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, Final

from fairdeal.v1 import events_pb2, play_service_pb2, views_pb2
from referee.cards import Seat
from referee.codec.field_kinds import snake_name
from referee.codec.proto.actions import legal_bytes
from referee.codec.proto.answers import question_bytes
from referee.codec.proto.encoders import (
    VARINT,
    Before,
    Encoder,
    durations,
    encoder,
    numbers,
    one_of,
    tag,
    texts,
    within,
)
from referee.codec.proto.fields import fill_duration, fill_option, fill_sides
from referee.games.base import View
from referee.games.options import OptionValue
from referee.match.clock import ClockSettings, Micros
from referee.match.messages import (
    Closed,
    CloseReason,
    Commitment,
    Decision,
    Finished,
    Happened,
    Notice,
    Redirect,
    Refused,
    Seated,
    Update,
    Welcome,
)

_SAME: Final = 4096  # how many texts and times are kept as bytes that come again with each decision


def decision_in_frame(decision: bytes) -> bytes:
    """Return the update that holds a decision, of its bytes, as it stands in a frame."""
    return _BEFORE_DECISION[len(decision)] + decision


def in_frame(update: bytes) -> bytes:
    """Return an update as `encode` gave it as it stands in a frame: frames are nothing but such items."""
    return _BEFORE_UPDATE[len(update)] + update


def encode(update: Update) -> bytes:
    """Return one update as bytes of ``fairdeal.v1.Update``."""
    return _UPDATES[type(update)](update)


@cache
def view_field(struct: type) -> str:
    """Return the name of the field that carries a view: ``HeartsView`` is in ``hearts``."""
    return snake_name(struct).removesuffix("_view")


def _decisions() -> Callable[[bytes, Decision], bytes]:
    fields = play_service_pb2.Decision.DESCRIPTOR.fields_by_name
    before_sequence = tag(fields["sequence"])
    move_time, bank = within(fields["move_time"], durations), within(fields["bank"], durations)
    before_legal, before_view = Before(tag(fields["legal"])), Before(tag(fields["view"]))

    @lru_cache(_SAME)
    def times(move: Micros, left: Micros) -> bytes:
        return move_time(move) + bank(left)

    def encode(question: bytes, decision: Decision) -> bytes:
        legal = legal_bytes(decision.legal)
        view = decision.view
        if type(view) is not bytes:  # as `GrowingViews` gives it
            view = view_bytes(view)
        return (
            question
            + (before_sequence + VARINT[decision.sequence] if decision.sequence else b"")
            + times(decision.move_time, decision.bank)
            + before_legal[len(legal)]
            + legal
            + before_view[len(view)]
            + view
        )

    return encode


def decision_bytes(decision: Decision) -> bytes:
    """Return a decision as bytes of ``fairdeal.v1.Decision``."""
    return decision_behind(question_bytes(decision.match_id, decision.decision_id), decision)


def view_bytes(view: View) -> bytes:
    """Return a view as bytes of ``fairdeal.v1.View``."""
    struct: type = type(view)
    return _view_encoder(struct)(view)


@cache
def _view_encoder(struct: type) -> Encoder:
    return one_of(views_pb2.View.DESCRIPTOR, view_field(struct), struct)


def answered_in_frame(question: bytes) -> bytes:
    """Return the update that closes a question that was answered, as it stands in a frame."""
    return _BEFORE_CLOSED[len(question) + len(_ANSWERED)] + question + _ANSWERED


def _events() -> Encoder:
    fields = play_service_pb2.Happened.DESCRIPTOR.fields_by_name
    match_id = lru_cache(_SAME)(texts(fields["match_id"]))
    sequence = numbers(events_pb2.Event.DESCRIPTOR.fields_by_name["sequence"])

    def encode_event(told: Happened) -> bytes:
        struct: type = type(told.event)
        return sequence(told.sequence) + event_encoder(struct)(told.event)

    event = within(fields["event"], encode_event)
    return lambda told: match_id(told.match_id) + event(told)


@cache
def event_encoder(struct: type) -> Encoder:
    """Return the encoder of a kind of event as ``fairdeal.v1.Event`` without its number."""
    return one_of(events_pb2.Event.DESCRIPTOR, snake_name(struct), struct)


def _seats() -> Encoder:
    fields = play_service_pb2.Seated.DESCRIPTOR.fields_by_name
    match_id, game, entry = texts(fields["match_id"]), texts(fields["game"]), texts(fields["entries"])
    attempt, rules_version = numbers(fields["attempt"]), numbers(fields["rules_version"])
    deals, max_faults = numbers(fields["deals"]), numbers(fields["max_faults"])
    seat = numbers(fields["seat"], 1)
    commitment = within(fields["commitment"], encoder(fields["commitment"].message_type, Commitment))

    # what follows comes again with each match of a kind
    @lru_cache(_SAME, typed=True)  # since 1 is no flag, though it equals True
    def option(name: str, value: OptionValue) -> bytes:
        message: Any = play_service_pb2.Seated()
        fill_option(message.options.add(), name, value)
        data: bytes = message.SerializeToString()
        return data

    @lru_cache(_SAME)
    def clock(settings: ClockSettings) -> bytes:
        message: Any = play_service_pb2.Seated()
        for name in ("move", "bank", "increment", "lag", "lag_cap", "start"):
            fill_duration(getattr(message.clock, name), getattr(settings, name))
        data: bytes = message.SerializeToString()
        return data

    @lru_cache(_SAME)
    def sides(seats: tuple[tuple[Seat, ...], ...]) -> bytes:
        message: Any = play_service_pb2.Seated()
        fill_sides(message.sides, seats)
        data: bytes = message.SerializeToString()
        return data

    return lambda seated: b"".join(
        (
            match_id(seated.match_id),
            attempt(seated.attempt),
            game(seated.game),
            rules_version(seated.rules_version),
            *[option(name, seated.options[name]) for name in sorted(seated.options)],
            deals(seated.deals),
            seat(seated.seat),
            *map(entry, seated.entries),
            commitment(seated.commitment),
            clock(seated.clock),
            max_faults(seated.max_faults),
            sides(seated.sides),
        )
    )


def _updates() -> dict[type, Encoder]:
    message = play_service_pb2.Update.DESCRIPTOR
    fields = message.fields_by_name
    return {
        Decision: within(fields["decision"], decision_bytes),
        Happened: within(fields["happened"], _events()),
        Seated: within(fields["seated"], _seats()),
        Welcome: one_of(message, "welcome", Welcome),
        Closed: one_of(message, "closed", Closed),
        Refused: one_of(message, "refused", Refused),
        Finished: one_of(message, "finished", Finished),
        Notice: one_of(message, "notice", Notice),
        Redirect: one_of(message, "redirect", Redirect),
    }


_IN_FRAME: Final = tag(play_service_pb2.PlayResponse.DESCRIPTOR.fields_by_name["updates"])
_BEFORE_UPDATE: Final = Before(_IN_FRAME)
_BEFORE_DECISION: Final = Before(
    _IN_FRAME, tag(play_service_pb2.Update.DESCRIPTOR.fields_by_name["decision"])
)
_BEFORE_CLOSED: Final = Before(_IN_FRAME, tag(play_service_pb2.Update.DESCRIPTOR.fields_by_name["closed"]))
_ANSWERED: Final = numbers(play_service_pb2.Closed.DESCRIPTOR.fields_by_name["reason"])(CloseReason.ANSWERED)
decision_behind: Final = _decisions()
"""Returns a decision as bytes of ``fairdeal.v1.Decision``, given the question with which they begin."""
_UPDATES: Final[Mapping[type, Encoder]] = _updates()
