"""The messages between bots and the referee as domain values; see `codec.proto` for their bytes."""

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any

from referee.cards import Seat
from referee.games.actions import Action, Legal
from referee.games.options import OptionValue
from referee.match.clock import ClockSettings, Micros
from referee.match.faults import Fault, FaultCounts, SeatTime, Termination
from referee.values import value_class


class Reason(IntEnum):
    """Reasons for refusals, which stay stable, numbered as on the wire."""

    MALFORMED_ACTION = 1
    ILLEGAL_ACTION = 2
    NOT_YOUR_DECISION = 3
    STALE_DECISION = 4
    DECISION_ALREADY_ANSWERED = 5
    MATCH_FINISHED = 6
    MATCH_NOT_FOUND = 7
    MISSING_TOKEN = 8
    WRONG_SEAT = 9
    WRONG_ROLE = 10
    RATE_LIMITED = 11
    TOO_MANY_SESSIONS = 12
    MESSAGE_TOO_LARGE = 13
    SHUTTING_DOWN = 14
    UNSUPPORTED_VERSION = 15
    PROTOCOL_VIOLATION = 16
    REPLACED = 17
    SLOW_READER = 18
    INTERNAL = 19
    IDLE = 20
    TOURNAMENT_NOT_FOUND = 21
    TOURNAMENT_EXISTS = 22
    BAD_TOURNAMENT = 23
    WRONG_STATE = 24
    ENTRY_NOT_FOUND = 25
    ENTRY_EXISTS = 26
    BAD_REQUEST = 27
    ENDED_BY_ORGANISER = 28
    SESSION_NOT_FOUND = 29


class CloseReason(IntEnum):
    """Why a decision is closed."""

    ANSWERED = 1
    DEFAULTED = 2
    CANCELLED = 3


class NoticeKind(IntEnum):
    """What a notice is about."""

    DRAINING = 1
    REPLACED = 2
    HEARTBEAT = 3


# What bots tell


@value_class
class Index:
    """An answer by its position in the legal list."""

    index: int


@value_class
class Malformed:
    """An answer that is not an action; the text says what is wrong with it."""

    text: str


Given = Action | Index | Malformed


@value_class
class Answer:
    """An answer to a decision: an index, or what decodes it, which is done only when the decision is open."""

    match_id: str
    decision_id: int
    given: Index | Callable[[], Given]
    note: bytes = b""


@value_class
class ResumePoint:
    """Where a bot left off in a match: the last event that it has, and in which attempt (0: any)."""

    sequence: int
    attempt: int = 0


@value_class(kw_only=True)
class Hello:
    """The opening of a session; ``resume`` holds where the bot left off, by match."""

    versions: tuple[int, ...]
    entry: str
    instance: str = ""
    games: tuple[str, ...] = ()
    tables: int = 1
    matches: int = 0
    events: bool = False
    resume: Mapping[str, ResumePoint]
    agent: str = ""
    redirects: bool = False


@value_class(kw_only=True)
class Request:
    """One frame from a bot."""

    frames_received: int
    hello: Hello | None
    ready: tuple[str, ...]
    declines: tuple[str, ...]
    answers: tuple[Answer, ...]
    bye: bool
    no_more_matches: bool = False


# What the referee tells


@value_class(kw_only=True)
class Welcome:
    """The session is open."""

    version: int
    epoch: int
    max_frame_bytes: int
    max_unacknowledged_frames: int
    max_unacknowledged_bytes: int
    max_tables: int
    heartbeat: Micros | None
    server: str


@value_class(kw_only=True)
class Commitment:
    """What commits the referee to the deals before the first card."""

    scheme: str
    epoch_id: str
    commit: bytes
    manifest: bytes
    repeatable: bool


@value_class(kw_only=True)
class Seated:
    """The bot has a seat; ``deals`` is 0 for a whole game, ``sides`` are the seats of each."""

    match_id: str
    attempt: int
    game: str
    rules_version: int
    options: Mapping[str, OptionValue]
    deals: int
    seat: Seat
    entries: tuple[str, ...]
    commitment: Commitment
    clock: ClockSettings
    max_faults: int
    sides: tuple[tuple[Seat, ...], ...]


@value_class
class Happened:
    """An event as this seat may know it."""

    match_id: str
    sequence: int
    event: Any


@value_class
class Decision:
    """A question to the seat."""

    match_id: str
    decision_id: int
    sequence: int
    move_time: Micros
    bank: Micros
    legal: Legal
    view: Any


@value_class
class Closed:
    """A decision is closed."""

    match_id: str
    decision_id: int
    reason: CloseReason
    fault: Fault | None = None
    note_dropped: bool = False


@value_class
class Refused:
    """An answer is refused."""

    match_id: str
    decision_id: int
    reason: Reason
    still_open: bool
    text: str


@value_class
class Finished:
    """A match is over; ranks and scores by side, faults and times by seat."""

    match_id: str
    termination: Termination
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    capped: bool
    faults: tuple[FaultCounts, ...]
    forfeited: tuple[Seat, ...]
    secret: bytes
    times: tuple[SeatTime, ...] = ()


@value_class
class Notice:
    """Something about the session itself."""

    kind: NoticeKind
    text: str


@value_class
class Redirect:
    """The session goes on at another address; empty: at the one that the bot was given at its start."""

    address: str


Update = Welcome | Seated | Happened | Decision | Closed | Refused | Finished | Notice | Redirect
