import datetime

from fairdeal.v1 import actions_pb2 as _actions_pb2
from fairdeal.v1 import cards_pb2 as _cards_pb2
from fairdeal.v1 import events_pb2 as _events_pb2
from fairdeal.v1 import games_pb2 as _games_pb2
from fairdeal.v1 import views_pb2 as _views_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CloseReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CLOSE_REASON_UNSPECIFIED: _ClassVar[CloseReason]
    CLOSE_REASON_ANSWERED: _ClassVar[CloseReason]
    CLOSE_REASON_DEFAULTED: _ClassVar[CloseReason]
    CLOSE_REASON_CANCELLED: _ClassVar[CloseReason]

class Fault(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAULT_UNSPECIFIED: _ClassVar[Fault]
    FAULT_MALFORMED: _ClassVar[Fault]
    FAULT_ILLEGAL: _ClassVar[Fault]
    FAULT_DISCONNECTED: _ClassVar[Fault]
    FAULT_LATE: _ClassVar[Fault]

class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REASON_UNSPECIFIED: _ClassVar[Reason]
    REASON_MALFORMED_ACTION: _ClassVar[Reason]
    REASON_ILLEGAL_ACTION: _ClassVar[Reason]
    REASON_NOT_YOUR_DECISION: _ClassVar[Reason]
    REASON_STALE_DECISION: _ClassVar[Reason]
    REASON_DECISION_ALREADY_ANSWERED: _ClassVar[Reason]
    REASON_MATCH_FINISHED: _ClassVar[Reason]
    REASON_MATCH_NOT_FOUND: _ClassVar[Reason]
    REASON_MISSING_TOKEN: _ClassVar[Reason]
    REASON_WRONG_SEAT: _ClassVar[Reason]
    REASON_WRONG_ROLE: _ClassVar[Reason]
    REASON_RATE_LIMITED: _ClassVar[Reason]
    REASON_TOO_MANY_SESSIONS: _ClassVar[Reason]
    REASON_MESSAGE_TOO_LARGE: _ClassVar[Reason]
    REASON_SHUTTING_DOWN: _ClassVar[Reason]
    REASON_UNSUPPORTED_VERSION: _ClassVar[Reason]
    REASON_PROTOCOL_VIOLATION: _ClassVar[Reason]
    REASON_REPLACED: _ClassVar[Reason]
    REASON_SLOW_READER: _ClassVar[Reason]
    REASON_INTERNAL: _ClassVar[Reason]
    REASON_IDLE: _ClassVar[Reason]
    REASON_TOURNAMENT_NOT_FOUND: _ClassVar[Reason]
    REASON_TOURNAMENT_EXISTS: _ClassVar[Reason]
    REASON_BAD_TOURNAMENT: _ClassVar[Reason]
    REASON_WRONG_STATE: _ClassVar[Reason]
    REASON_ENTRY_NOT_FOUND: _ClassVar[Reason]
    REASON_ENTRY_EXISTS: _ClassVar[Reason]
    REASON_BAD_REQUEST: _ClassVar[Reason]
    REASON_ENDED_BY_ORGANISER: _ClassVar[Reason]
    REASON_SESSION_NOT_FOUND: _ClassVar[Reason]

class Termination(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TERMINATION_UNSPECIFIED: _ClassVar[Termination]
    TERMINATION_COMPLETED: _ClassVar[Termination]
    TERMINATION_FORFEIT: _ClassVar[Termination]
    TERMINATION_CANCELLED: _ClassVar[Termination]
    TERMINATION_VOID: _ClassVar[Termination]

class NoticeKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NOTICE_KIND_UNSPECIFIED: _ClassVar[NoticeKind]
    NOTICE_KIND_DRAINING: _ClassVar[NoticeKind]
    NOTICE_KIND_REPLACED: _ClassVar[NoticeKind]
    NOTICE_KIND_HEARTBEAT: _ClassVar[NoticeKind]
CLOSE_REASON_UNSPECIFIED: CloseReason
CLOSE_REASON_ANSWERED: CloseReason
CLOSE_REASON_DEFAULTED: CloseReason
CLOSE_REASON_CANCELLED: CloseReason
FAULT_UNSPECIFIED: Fault
FAULT_MALFORMED: Fault
FAULT_ILLEGAL: Fault
FAULT_DISCONNECTED: Fault
FAULT_LATE: Fault
REASON_UNSPECIFIED: Reason
REASON_MALFORMED_ACTION: Reason
REASON_ILLEGAL_ACTION: Reason
REASON_NOT_YOUR_DECISION: Reason
REASON_STALE_DECISION: Reason
REASON_DECISION_ALREADY_ANSWERED: Reason
REASON_MATCH_FINISHED: Reason
REASON_MATCH_NOT_FOUND: Reason
REASON_MISSING_TOKEN: Reason
REASON_WRONG_SEAT: Reason
REASON_WRONG_ROLE: Reason
REASON_RATE_LIMITED: Reason
REASON_TOO_MANY_SESSIONS: Reason
REASON_MESSAGE_TOO_LARGE: Reason
REASON_SHUTTING_DOWN: Reason
REASON_UNSUPPORTED_VERSION: Reason
REASON_PROTOCOL_VIOLATION: Reason
REASON_REPLACED: Reason
REASON_SLOW_READER: Reason
REASON_INTERNAL: Reason
REASON_IDLE: Reason
REASON_TOURNAMENT_NOT_FOUND: Reason
REASON_TOURNAMENT_EXISTS: Reason
REASON_BAD_TOURNAMENT: Reason
REASON_WRONG_STATE: Reason
REASON_ENTRY_NOT_FOUND: Reason
REASON_ENTRY_EXISTS: Reason
REASON_BAD_REQUEST: Reason
REASON_ENDED_BY_ORGANISER: Reason
REASON_SESSION_NOT_FOUND: Reason
TERMINATION_UNSPECIFIED: Termination
TERMINATION_COMPLETED: Termination
TERMINATION_FORFEIT: Termination
TERMINATION_CANCELLED: Termination
TERMINATION_VOID: Termination
NOTICE_KIND_UNSPECIFIED: NoticeKind
NOTICE_KIND_DRAINING: NoticeKind
NOTICE_KIND_REPLACED: NoticeKind
NOTICE_KIND_HEARTBEAT: NoticeKind

class PlayRequest(_message.Message):
    __slots__ = ("frames_received", "hello", "ready", "declines", "answers", "bye", "no_more_matches")
    FRAMES_RECEIVED_FIELD_NUMBER: _ClassVar[int]
    HELLO_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    DECLINES_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    BYE_FIELD_NUMBER: _ClassVar[int]
    NO_MORE_MATCHES_FIELD_NUMBER: _ClassVar[int]
    frames_received: int
    hello: Hello
    ready: _containers.RepeatedCompositeFieldContainer[Ready]
    declines: _containers.RepeatedCompositeFieldContainer[Decline]
    answers: _containers.RepeatedCompositeFieldContainer[Answer]
    bye: Bye
    no_more_matches: bool
    def __init__(self, frames_received: _Optional[int] = ..., hello: _Optional[_Union[Hello, _Mapping]] = ..., ready: _Optional[_Iterable[_Union[Ready, _Mapping]]] = ..., declines: _Optional[_Iterable[_Union[Decline, _Mapping]]] = ..., answers: _Optional[_Iterable[_Union[Answer, _Mapping]]] = ..., bye: _Optional[_Union[Bye, _Mapping]] = ..., no_more_matches: bool = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("updates",)
    UPDATES_FIELD_NUMBER: _ClassVar[int]
    updates: _containers.RepeatedCompositeFieldContainer[Update]
    def __init__(self, updates: _Optional[_Iterable[_Union[Update, _Mapping]]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("versions", "entry", "instance", "games", "tables", "matches", "events", "resume", "agent", "redirects")
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RESUME_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    REDIRECTS_FIELD_NUMBER: _ClassVar[int]
    versions: _containers.RepeatedScalarFieldContainer[int]
    entry: str
    instance: str
    games: _containers.RepeatedScalarFieldContainer[str]
    tables: int
    matches: int
    events: bool
    resume: _containers.RepeatedCompositeFieldContainer[ResumePoint]
    agent: str
    redirects: bool
    def __init__(self, versions: _Optional[_Iterable[int]] = ..., entry: _Optional[str] = ..., instance: _Optional[str] = ..., games: _Optional[_Iterable[str]] = ..., tables: _Optional[int] = ..., matches: _Optional[int] = ..., events: bool = ..., resume: _Optional[_Iterable[_Union[ResumePoint, _Mapping]]] = ..., agent: _Optional[str] = ..., redirects: bool = ...) -> None: ...

class ResumePoint(_message.Message):
    __slots__ = ("match_id", "sequence", "attempt")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    sequence: int
    attempt: int
    def __init__(self, match_id: _Optional[str] = ..., sequence: _Optional[int] = ..., attempt: _Optional[int] = ...) -> None: ...

class Ready(_message.Message):
    __slots__ = ("match_id",)
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    def __init__(self, match_id: _Optional[str] = ...) -> None: ...

class Decline(_message.Message):
    __slots__ = ("match_id",)
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    def __init__(self, match_id: _Optional[str] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("match_id", "decision_id", "action", "index", "note")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    decision_id: int
    action: _actions_pb2.Action
    index: int
    note: bytes
    def __init__(self, match_id: _Optional[str] = ..., decision_id: _Optional[int] = ..., action: _Optional[_Union[_actions_pb2.Action, _Mapping]] = ..., index: _Optional[int] = ..., note: _Optional[bytes] = ...) -> None: ...

class Bye(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Update(_message.Message):
    __slots__ = ("welcome", "seated", "happened", "decision", "closed", "refused", "finished", "notice", "redirect")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    SEATED_FIELD_NUMBER: _ClassVar[int]
    HAPPENED_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    NOTICE_FIELD_NUMBER: _ClassVar[int]
    REDIRECT_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    seated: Seated
    happened: Happened
    decision: Decision
    closed: Closed
    refused: Refused
    finished: Finished
    notice: Notice
    redirect: Redirect
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., seated: _Optional[_Union[Seated, _Mapping]] = ..., happened: _Optional[_Union[Happened, _Mapping]] = ..., decision: _Optional[_Union[Decision, _Mapping]] = ..., closed: _Optional[_Union[Closed, _Mapping]] = ..., refused: _Optional[_Union[Refused, _Mapping]] = ..., finished: _Optional[_Union[Finished, _Mapping]] = ..., notice: _Optional[_Union[Notice, _Mapping]] = ..., redirect: _Optional[_Union[Redirect, _Mapping]] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("version", "epoch", "max_frame_bytes", "max_unacknowledged_frames", "max_unacknowledged_bytes", "max_tables", "heartbeat", "server")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    MAX_FRAME_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_UNACKNOWLEDGED_FRAMES_FIELD_NUMBER: _ClassVar[int]
    MAX_UNACKNOWLEDGED_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_TABLES_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    SERVER_FIELD_NUMBER: _ClassVar[int]
    version: int
    epoch: int
    max_frame_bytes: int
    max_unacknowledged_frames: int
    max_unacknowledged_bytes: int
    max_tables: int
    heartbeat: _duration_pb2.Duration
    server: str
    def __init__(self, version: _Optional[int] = ..., epoch: _Optional[int] = ..., max_frame_bytes: _Optional[int] = ..., max_unacknowledged_frames: _Optional[int] = ..., max_unacknowledged_bytes: _Optional[int] = ..., max_tables: _Optional[int] = ..., heartbeat: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., server: _Optional[str] = ...) -> None: ...

class Seated(_message.Message):
    __slots__ = ("match_id", "attempt", "game", "rules_version", "options", "deals", "seat", "entries", "commitment", "clock", "max_faults", "sides")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    MAX_FAULTS_FIELD_NUMBER: _ClassVar[int]
    SIDES_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    attempt: int
    game: str
    rules_version: int
    options: _containers.RepeatedCompositeFieldContainer[_games_pb2.OptionValue]
    deals: int
    seat: _cards_pb2.Seat
    entries: _containers.RepeatedScalarFieldContainer[str]
    commitment: Commitment
    clock: Clock
    max_faults: int
    sides: _containers.RepeatedCompositeFieldContainer[_games_pb2.Side]
    def __init__(self, match_id: _Optional[str] = ..., attempt: _Optional[int] = ..., game: _Optional[str] = ..., rules_version: _Optional[int] = ..., options: _Optional[_Iterable[_Union[_games_pb2.OptionValue, _Mapping]]] = ..., deals: _Optional[int] = ..., seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., entries: _Optional[_Iterable[str]] = ..., commitment: _Optional[_Union[Commitment, _Mapping]] = ..., clock: _Optional[_Union[Clock, _Mapping]] = ..., max_faults: _Optional[int] = ..., sides: _Optional[_Iterable[_Union[_games_pb2.Side, _Mapping]]] = ...) -> None: ...

class Commitment(_message.Message):
    __slots__ = ("scheme", "epoch_id", "commit", "manifest", "repeatable")
    SCHEME_FIELD_NUMBER: _ClassVar[int]
    EPOCH_ID_FIELD_NUMBER: _ClassVar[int]
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    MANIFEST_FIELD_NUMBER: _ClassVar[int]
    REPEATABLE_FIELD_NUMBER: _ClassVar[int]
    scheme: str
    epoch_id: str
    commit: bytes
    manifest: bytes
    repeatable: bool
    def __init__(self, scheme: _Optional[str] = ..., epoch_id: _Optional[str] = ..., commit: _Optional[bytes] = ..., manifest: _Optional[bytes] = ..., repeatable: bool = ...) -> None: ...

class Clock(_message.Message):
    __slots__ = ("move", "bank", "increment", "lag", "lag_cap", "start")
    MOVE_FIELD_NUMBER: _ClassVar[int]
    BANK_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_FIELD_NUMBER: _ClassVar[int]
    LAG_FIELD_NUMBER: _ClassVar[int]
    LAG_CAP_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    move: _duration_pb2.Duration
    bank: _duration_pb2.Duration
    increment: _duration_pb2.Duration
    lag: _duration_pb2.Duration
    lag_cap: _duration_pb2.Duration
    start: _duration_pb2.Duration
    def __init__(self, move: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., bank: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., increment: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., lag: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., lag_cap: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., start: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class Happened(_message.Message):
    __slots__ = ("match_id", "event")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    event: _events_pb2.Event
    def __init__(self, match_id: _Optional[str] = ..., event: _Optional[_Union[_events_pb2.Event, _Mapping]] = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("match_id", "decision_id", "sequence", "move_time", "bank", "legal", "view")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    MOVE_TIME_FIELD_NUMBER: _ClassVar[int]
    BANK_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    decision_id: int
    sequence: int
    move_time: _duration_pb2.Duration
    bank: _duration_pb2.Duration
    legal: _actions_pb2.Legal
    view: _views_pb2.View
    def __init__(self, match_id: _Optional[str] = ..., decision_id: _Optional[int] = ..., sequence: _Optional[int] = ..., move_time: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., bank: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., legal: _Optional[_Union[_actions_pb2.Legal, _Mapping]] = ..., view: _Optional[_Union[_views_pb2.View, _Mapping]] = ...) -> None: ...

class Closed(_message.Message):
    __slots__ = ("match_id", "decision_id", "reason", "fault", "note_dropped")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    NOTE_DROPPED_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    decision_id: int
    reason: CloseReason
    fault: Fault
    note_dropped: bool
    def __init__(self, match_id: _Optional[str] = ..., decision_id: _Optional[int] = ..., reason: _Optional[_Union[CloseReason, str]] = ..., fault: _Optional[_Union[Fault, str]] = ..., note_dropped: bool = ...) -> None: ...

class Refused(_message.Message):
    __slots__ = ("match_id", "decision_id", "reason", "still_open", "text")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    STILL_OPEN_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    decision_id: int
    reason: Reason
    still_open: bool
    text: str
    def __init__(self, match_id: _Optional[str] = ..., decision_id: _Optional[int] = ..., reason: _Optional[_Union[Reason, str]] = ..., still_open: bool = ..., text: _Optional[str] = ...) -> None: ...

class FaultCounts(_message.Message):
    __slots__ = ("malformed", "illegal", "disconnected", "late", "sessions_lost")
    MALFORMED_FIELD_NUMBER: _ClassVar[int]
    ILLEGAL_FIELD_NUMBER: _ClassVar[int]
    DISCONNECTED_FIELD_NUMBER: _ClassVar[int]
    LATE_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_LOST_FIELD_NUMBER: _ClassVar[int]
    malformed: int
    illegal: int
    disconnected: int
    late: int
    sessions_lost: int
    def __init__(self, malformed: _Optional[int] = ..., illegal: _Optional[int] = ..., disconnected: _Optional[int] = ..., late: _Optional[int] = ..., sessions_lost: _Optional[int] = ...) -> None: ...

class SeatTime(_message.Message):
    __slots__ = ("answered", "total", "longest")
    ANSWERED_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    LONGEST_FIELD_NUMBER: _ClassVar[int]
    answered: int
    total: _duration_pb2.Duration
    longest: _duration_pb2.Duration
    def __init__(self, answered: _Optional[int] = ..., total: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., longest: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class Finished(_message.Message):
    __slots__ = ("match_id", "termination", "ranks", "scores", "capped", "faults", "forfeited", "secret", "times")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    TERMINATION_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    CAPPED_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    TIMES_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    termination: Termination
    ranks: _containers.RepeatedScalarFieldContainer[int]
    scores: _containers.RepeatedScalarFieldContainer[int]
    capped: bool
    faults: _containers.RepeatedCompositeFieldContainer[FaultCounts]
    forfeited: _containers.RepeatedScalarFieldContainer[_cards_pb2.Seat]
    secret: bytes
    times: _containers.RepeatedCompositeFieldContainer[SeatTime]
    def __init__(self, match_id: _Optional[str] = ..., termination: _Optional[_Union[Termination, str]] = ..., ranks: _Optional[_Iterable[int]] = ..., scores: _Optional[_Iterable[int]] = ..., capped: bool = ..., faults: _Optional[_Iterable[_Union[FaultCounts, _Mapping]]] = ..., forfeited: _Optional[_Iterable[_Union[_cards_pb2.Seat, str]]] = ..., secret: _Optional[bytes] = ..., times: _Optional[_Iterable[_Union[SeatTime, _Mapping]]] = ...) -> None: ...

class Notice(_message.Message):
    __slots__ = ("kind", "text")
    KIND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    kind: NoticeKind
    text: str
    def __init__(self, kind: _Optional[_Union[NoticeKind, str]] = ..., text: _Optional[str] = ...) -> None: ...

class Redirect(_message.Message):
    __slots__ = ("address",)
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    address: str
    def __init__(self, address: _Optional[str] = ...) -> None: ...
