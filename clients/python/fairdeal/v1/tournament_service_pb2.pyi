import datetime

from fairdeal.v1 import play_service_pb2 as _play_service_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TournamentFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOURNAMENT_FORMAT_UNSPECIFIED: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_ROUND_ROBIN: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_SWISS: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_KNOCKOUT: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_DOUBLE_KNOCKOUT: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_GAUNTLET: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_LADDER: _ClassVar[TournamentFormat]

class TournamentState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOURNAMENT_STATE_UNSPECIFIED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_CREATED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_RUNNING: _ClassVar[TournamentState]
    TOURNAMENT_STATE_PAUSED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_CANCELLED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_FINISHED: _ClassVar[TournamentState]

class EntryKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENTRY_KIND_UNSPECIFIED: _ClassVar[EntryKind]
    ENTRY_KIND_HOUSE: _ClassVar[EntryKind]
    ENTRY_KIND_COMMAND: _ClassVar[EntryKind]
    ENTRY_KIND_REMOTE: _ClassVar[EntryKind]

class EntryState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENTRY_STATE_UNSPECIFIED: _ClassVar[EntryState]
    ENTRY_STATE_ACTIVE: _ClassVar[EntryState]
    ENTRY_STATE_PAUSED: _ClassVar[EntryState]
    ENTRY_STATE_LEFT: _ClassVar[EntryState]
    ENTRY_STATE_WITHDRAWN: _ClassVar[EntryState]
    ENTRY_STATE_DISQUALIFIED: _ClassVar[EntryState]

class RulingKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RULING_KIND_UNSPECIFIED: _ClassVar[RulingKind]
    RULING_KIND_REPLAY: _ClassVar[RulingKind]
    RULING_KIND_ANNUL: _ClassVar[RulingKind]
    RULING_KIND_VOID: _ClassVar[RulingKind]
    RULING_KIND_WITHDRAW: _ClassVar[RulingKind]
    RULING_KIND_DISQUALIFY: _ClassVar[RulingKind]
    RULING_KIND_REINSTATE: _ClassVar[RulingKind]

class TextKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TEXT_KIND_UNSPECIFIED: _ClassVar[TextKind]
    TEXT_KIND_MATCHES: _ClassVar[TextKind]
    TEXT_KIND_MATCHES_CSV: _ClassVar[TextKind]
    TEXT_KIND_MATCHES_JSON: _ClassVar[TextKind]
    TEXT_KIND_REPORT: _ClassVar[TextKind]
    TEXT_KIND_REPORT_CSV: _ClassVar[TextKind]
    TEXT_KIND_REPORT_JSON: _ClassVar[TextKind]
TOURNAMENT_FORMAT_UNSPECIFIED: TournamentFormat
TOURNAMENT_FORMAT_ROUND_ROBIN: TournamentFormat
TOURNAMENT_FORMAT_SWISS: TournamentFormat
TOURNAMENT_FORMAT_KNOCKOUT: TournamentFormat
TOURNAMENT_FORMAT_DOUBLE_KNOCKOUT: TournamentFormat
TOURNAMENT_FORMAT_GAUNTLET: TournamentFormat
TOURNAMENT_FORMAT_LADDER: TournamentFormat
TOURNAMENT_STATE_UNSPECIFIED: TournamentState
TOURNAMENT_STATE_CREATED: TournamentState
TOURNAMENT_STATE_RUNNING: TournamentState
TOURNAMENT_STATE_PAUSED: TournamentState
TOURNAMENT_STATE_CANCELLED: TournamentState
TOURNAMENT_STATE_FINISHED: TournamentState
ENTRY_KIND_UNSPECIFIED: EntryKind
ENTRY_KIND_HOUSE: EntryKind
ENTRY_KIND_COMMAND: EntryKind
ENTRY_KIND_REMOTE: EntryKind
ENTRY_STATE_UNSPECIFIED: EntryState
ENTRY_STATE_ACTIVE: EntryState
ENTRY_STATE_PAUSED: EntryState
ENTRY_STATE_LEFT: EntryState
ENTRY_STATE_WITHDRAWN: EntryState
ENTRY_STATE_DISQUALIFIED: EntryState
RULING_KIND_UNSPECIFIED: RulingKind
RULING_KIND_REPLAY: RulingKind
RULING_KIND_ANNUL: RulingKind
RULING_KIND_VOID: RulingKind
RULING_KIND_WITHDRAW: RulingKind
RULING_KIND_DISQUALIFY: RulingKind
RULING_KIND_REINSTATE: RulingKind
TEXT_KIND_UNSPECIFIED: TextKind
TEXT_KIND_MATCHES: TextKind
TEXT_KIND_MATCHES_CSV: TextKind
TEXT_KIND_MATCHES_JSON: TextKind
TEXT_KIND_REPORT: TextKind
TEXT_KIND_REPORT_CSV: TextKind
TEXT_KIND_REPORT_JSON: TextKind

class Tournament(_message.Message):
    __slots__ = ("name", "game", "format", "state", "planned", "issued", "played", "playing", "entries", "skipped", "attempts", "taken_back", "is_running", "running", "awaited", "matches_per_hour", "rulings", "owner", "matches_per_set", "pace", "resting")
    class AttemptsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PLANNED_FIELD_NUMBER: _ClassVar[int]
    ISSUED_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    PLAYING_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    TAKEN_BACK_FIELD_NUMBER: _ClassVar[int]
    IS_RUNNING_FIELD_NUMBER: _ClassVar[int]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    AWAITED_FIELD_NUMBER: _ClassVar[int]
    MATCHES_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    RULINGS_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    MATCHES_PER_SET_FIELD_NUMBER: _ClassVar[int]
    PACE_FIELD_NUMBER: _ClassVar[int]
    RESTING_FIELD_NUMBER: _ClassVar[int]
    name: str
    game: str
    format: TournamentFormat
    state: TournamentState
    planned: int
    issued: int
    played: int
    playing: int
    entries: _containers.RepeatedCompositeFieldContainer[TournamentEntry]
    skipped: int
    attempts: _containers.ScalarMap[str, int]
    taken_back: int
    is_running: bool
    running: _containers.RepeatedCompositeFieldContainer[RunningMatch]
    awaited: _containers.RepeatedCompositeFieldContainer[AwaitedEntry]
    matches_per_hour: float
    rulings: _containers.RepeatedCompositeFieldContainer[Ruling]
    owner: str
    matches_per_set: int
    pace: Pace
    resting: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., game: _Optional[str] = ..., format: _Optional[_Union[TournamentFormat, str]] = ..., state: _Optional[_Union[TournamentState, str]] = ..., planned: _Optional[int] = ..., issued: _Optional[int] = ..., played: _Optional[int] = ..., playing: _Optional[int] = ..., entries: _Optional[_Iterable[_Union[TournamentEntry, _Mapping]]] = ..., skipped: _Optional[int] = ..., attempts: _Optional[_Mapping[str, int]] = ..., taken_back: _Optional[int] = ..., is_running: bool = ..., running: _Optional[_Iterable[_Union[RunningMatch, _Mapping]]] = ..., awaited: _Optional[_Iterable[_Union[AwaitedEntry, _Mapping]]] = ..., matches_per_hour: _Optional[float] = ..., rulings: _Optional[_Iterable[_Union[Ruling, _Mapping]]] = ..., owner: _Optional[str] = ..., matches_per_set: _Optional[int] = ..., pace: _Optional[_Union[Pace, _Mapping]] = ..., resting: _Optional[_Iterable[str]] = ...) -> None: ...

class Pace(_message.Message):
    __slots__ = ("matches_per_day", "meetings_per_day", "matches")
    MATCHES_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    MEETINGS_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    matches_per_day: int
    meetings_per_day: int
    matches: int
    def __init__(self, matches_per_day: _Optional[int] = ..., meetings_per_day: _Optional[int] = ..., matches: _Optional[int] = ...) -> None: ...

class Ruling(_message.Message):
    __slots__ = ("kind", "match_id", "attempt", "who", "at", "why", "entry", "struck")
    KIND_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    WHO_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    STRUCK_FIELD_NUMBER: _ClassVar[int]
    kind: RulingKind
    match_id: str
    attempt: int
    who: str
    at: str
    why: str
    entry: str
    struck: bool
    def __init__(self, kind: _Optional[_Union[RulingKind, str]] = ..., match_id: _Optional[str] = ..., attempt: _Optional[int] = ..., who: _Optional[str] = ..., at: _Optional[str] = ..., why: _Optional[str] = ..., entry: _Optional[str] = ..., struck: bool = ...) -> None: ...

class RunningMatch(_message.Message):
    __slots__ = ("match_id", "attempt", "entries", "elapsed")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    attempt: int
    entries: _containers.RepeatedScalarFieldContainer[str]
    elapsed: _duration_pb2.Duration
    def __init__(self, match_id: _Optional[str] = ..., attempt: _Optional[int] = ..., entries: _Optional[_Iterable[str]] = ..., elapsed: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class AwaitedEntry(_message.Message):
    __slots__ = ("entry", "elapsed")
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_FIELD_NUMBER: _ClassVar[int]
    entry: str
    elapsed: _duration_pb2.Duration
    def __init__(self, entry: _Optional[str] = ..., elapsed: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class TournamentEntry(_message.Message):
    __slots__ = ("name", "version", "kind", "state", "present")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PRESENT_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    kind: EntryKind
    state: EntryState
    present: bool
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., kind: _Optional[_Union[EntryKind, str]] = ..., state: _Optional[_Union[EntryState, str]] = ..., present: bool = ...) -> None: ...

class CreateTournamentRequest(_message.Message):
    __slots__ = ("request_id", "name", "file")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    name: str
    file: str
    def __init__(self, request_id: _Optional[str] = ..., name: _Optional[str] = ..., file: _Optional[str] = ...) -> None: ...

class CreateTournamentResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class TournamentProblems(_message.Message):
    __slots__ = ("problems", "omitted")
    PROBLEMS_FIELD_NUMBER: _ClassVar[int]
    OMITTED_FIELD_NUMBER: _ClassVar[int]
    problems: _containers.RepeatedCompositeFieldContainer[TournamentProblem]
    omitted: int
    def __init__(self, problems: _Optional[_Iterable[_Union[TournamentProblem, _Mapping]]] = ..., omitted: _Optional[int] = ...) -> None: ...

class TournamentProblem(_message.Message):
    __slots__ = ("place", "text")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    place: str
    text: str
    def __init__(self, place: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class StartTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class StartTournamentResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class PauseTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class PauseTournamentResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class CancelTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class CancelTournamentResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class DeleteTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class DeleteTournamentResponse(_message.Message):
    __slots__ = ("archived",)
    ARCHIVED_FIELD_NUMBER: _ClassVar[int]
    archived: str
    def __init__(self, archived: _Optional[str] = ...) -> None: ...

class GetTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class GetTournamentResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class ListTournamentsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListTournamentsResponse(_message.Message):
    __slots__ = ("tournaments", "next_page_token")
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tournaments: _containers.RepeatedCompositeFieldContainer[Tournament]
    next_page_token: str
    def __init__(self, tournaments: _Optional[_Iterable[_Union[Tournament, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Invitation(_message.Message):
    __slots__ = ("number", "note", "by", "made", "entry", "used", "revoked")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    MADE_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    USED_FIELD_NUMBER: _ClassVar[int]
    REVOKED_FIELD_NUMBER: _ClassVar[int]
    number: int
    note: str
    by: str
    made: str
    entry: str
    used: str
    revoked: str
    def __init__(self, number: _Optional[int] = ..., note: _Optional[str] = ..., by: _Optional[str] = ..., made: _Optional[str] = ..., entry: _Optional[str] = ..., used: _Optional[str] = ..., revoked: _Optional[str] = ...) -> None: ...

class CreateInvitationRequest(_message.Message):
    __slots__ = ("request_id", "tournament", "note")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    tournament: str
    note: str
    def __init__(self, request_id: _Optional[str] = ..., tournament: _Optional[str] = ..., note: _Optional[str] = ...) -> None: ...

class CreateInvitationResponse(_message.Message):
    __slots__ = ("invitation", "code")
    INVITATION_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    invitation: Invitation
    code: str
    def __init__(self, invitation: _Optional[_Union[Invitation, _Mapping]] = ..., code: _Optional[str] = ...) -> None: ...

class ListInvitationsRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class ListInvitationsResponse(_message.Message):
    __slots__ = ("invitations",)
    INVITATIONS_FIELD_NUMBER: _ClassVar[int]
    invitations: _containers.RepeatedCompositeFieldContainer[Invitation]
    def __init__(self, invitations: _Optional[_Iterable[_Union[Invitation, _Mapping]]] = ...) -> None: ...

class RevokeInvitationRequest(_message.Message):
    __slots__ = ("tournament", "number")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    number: int
    def __init__(self, tournament: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class RevokeInvitationResponse(_message.Message):
    __slots__ = ("invitation",)
    INVITATION_FIELD_NUMBER: _ClassVar[int]
    invitation: Invitation
    def __init__(self, invitation: _Optional[_Union[Invitation, _Mapping]] = ...) -> None: ...

class AcceptInvitationRequest(_message.Message):
    __slots__ = ("request_id", "tournament", "code", "entry", "version")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    tournament: str
    code: str
    entry: str
    version: str
    def __init__(self, request_id: _Optional[str] = ..., tournament: _Optional[str] = ..., code: _Optional[str] = ..., entry: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class AcceptInvitationResponse(_message.Message):
    __slots__ = ("entry", "token")
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    entry: TournamentEntry
    token: str
    def __init__(self, entry: _Optional[_Union[TournamentEntry, _Mapping]] = ..., token: _Optional[str] = ...) -> None: ...

class GetOutputRequest(_message.Message):
    __slots__ = ("tournament", "entry")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    entry: str
    def __init__(self, tournament: _Optional[str] = ..., entry: _Optional[str] = ...) -> None: ...

class GetOutputResponse(_message.Message):
    __slots__ = ("outputs",)
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    outputs: _containers.RepeatedCompositeFieldContainer[BotOutput]
    def __init__(self, outputs: _Optional[_Iterable[_Union[BotOutput, _Mapping]]] = ...) -> None: ...

class BotOutput(_message.Message):
    __slots__ = ("instance", "data")
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    instance: str
    data: bytes
    def __init__(self, instance: _Optional[str] = ..., data: _Optional[bytes] = ...) -> None: ...

class RegisterEntryRequest(_message.Message):
    __slots__ = ("request_id", "tournament", "entry", "version")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    tournament: str
    entry: str
    version: str
    def __init__(self, request_id: _Optional[str] = ..., tournament: _Optional[str] = ..., entry: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class RegisterEntryResponse(_message.Message):
    __slots__ = ("entry", "token", "has_token")
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    HAS_TOKEN_FIELD_NUMBER: _ClassVar[int]
    entry: TournamentEntry
    token: str
    has_token: bool
    def __init__(self, entry: _Optional[_Union[TournamentEntry, _Mapping]] = ..., token: _Optional[str] = ..., has_token: bool = ...) -> None: ...

class SetEntryStateRequest(_message.Message):
    __slots__ = ("tournament", "entry", "state")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    entry: str
    state: EntryState
    def __init__(self, tournament: _Optional[str] = ..., entry: _Optional[str] = ..., state: _Optional[_Union[EntryState, str]] = ...) -> None: ...

class SetEntryStateResponse(_message.Message):
    __slots__ = ("entry",)
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    entry: TournamentEntry
    def __init__(self, entry: _Optional[_Union[TournamentEntry, _Mapping]] = ...) -> None: ...

class RuleOnMatchesRequest(_message.Message):
    __slots__ = ("request_id", "tournament", "kind", "match_ids", "why", "entries", "only_forfeits", "only_no_shows")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    MATCH_IDS_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    ONLY_FORFEITS_FIELD_NUMBER: _ClassVar[int]
    ONLY_NO_SHOWS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    tournament: str
    kind: RulingKind
    match_ids: _containers.RepeatedScalarFieldContainer[str]
    why: str
    entries: _containers.RepeatedScalarFieldContainer[str]
    only_forfeits: bool
    only_no_shows: bool
    def __init__(self, request_id: _Optional[str] = ..., tournament: _Optional[str] = ..., kind: _Optional[_Union[RulingKind, str]] = ..., match_ids: _Optional[_Iterable[str]] = ..., why: _Optional[str] = ..., entries: _Optional[_Iterable[str]] = ..., only_forfeits: bool = ..., only_no_shows: bool = ...) -> None: ...

class RuleOnMatchesResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class RuleOnEntryRequest(_message.Message):
    __slots__ = ("request_id", "tournament", "kind", "entry", "struck", "why")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    STRUCK_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    tournament: str
    kind: RulingKind
    entry: str
    struck: bool
    why: str
    def __init__(self, request_id: _Optional[str] = ..., tournament: _Optional[str] = ..., kind: _Optional[_Union[RulingKind, str]] = ..., entry: _Optional[str] = ..., struck: bool = ..., why: _Optional[str] = ...) -> None: ...

class RuleOnEntryResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class GetTournamentTextRequest(_message.Message):
    __slots__ = ("tournament", "kind", "entries", "only_faults")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    ONLY_FAULTS_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    kind: TextKind
    entries: _containers.RepeatedScalarFieldContainer[str]
    only_faults: bool
    def __init__(self, tournament: _Optional[str] = ..., kind: _Optional[_Union[TextKind, str]] = ..., entries: _Optional[_Iterable[str]] = ..., only_faults: bool = ...) -> None: ...

class GetTournamentTextResponse(_message.Message):
    __slots__ = ("part",)
    PART_FIELD_NUMBER: _ClassVar[int]
    part: bytes
    def __init__(self, part: _Optional[bytes] = ...) -> None: ...

class ListStandingsRequest(_message.Message):
    __slots__ = ("tournament", "page_size", "page_token")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    page_size: int
    page_token: str
    def __init__(self, tournament: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListStandingsResponse(_message.Message):
    __slots__ = ("standings", "next_page_token")
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    standings: _containers.RepeatedCompositeFieldContainer[Standing]
    next_page_token: str
    def __init__(self, standings: _Optional[_Iterable[_Union[Standing, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Standing(_message.Message):
    __slots__ = ("rank", "competitor", "matches", "wins", "draws", "losses", "mean_score", "score_deviation", "scored", "mu", "sigma", "conservative", "forfeits", "faults", "voids", "think", "current", "state", "points", "buchholz", "place", "skill", "ranked_by_skill", "clean_matches", "decided_by_faults", "clean_skill")
    class ForfeitsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    RANK_FIELD_NUMBER: _ClassVar[int]
    COMPETITOR_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    LOSSES_FIELD_NUMBER: _ClassVar[int]
    MEAN_SCORE_FIELD_NUMBER: _ClassVar[int]
    SCORE_DEVIATION_FIELD_NUMBER: _ClassVar[int]
    SCORED_FIELD_NUMBER: _ClassVar[int]
    MU_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    CONSERVATIVE_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    VOIDS_FIELD_NUMBER: _ClassVar[int]
    THINK_FIELD_NUMBER: _ClassVar[int]
    CURRENT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    BUCHHOLZ_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    SKILL_FIELD_NUMBER: _ClassVar[int]
    RANKED_BY_SKILL_FIELD_NUMBER: _ClassVar[int]
    CLEAN_MATCHES_FIELD_NUMBER: _ClassVar[int]
    DECIDED_BY_FAULTS_FIELD_NUMBER: _ClassVar[int]
    CLEAN_SKILL_FIELD_NUMBER: _ClassVar[int]
    rank: int
    competitor: str
    matches: int
    wins: int
    draws: int
    losses: int
    mean_score: float
    score_deviation: float
    scored: int
    mu: float
    sigma: float
    conservative: float
    forfeits: _containers.ScalarMap[str, int]
    faults: _play_service_pb2.FaultCounts
    voids: int
    think: _play_service_pb2.SeatTime
    current: bool
    state: EntryState
    points: float
    buchholz: float
    place: int
    skill: Skill
    ranked_by_skill: bool
    clean_matches: int
    decided_by_faults: int
    clean_skill: Skill
    def __init__(self, rank: _Optional[int] = ..., competitor: _Optional[str] = ..., matches: _Optional[int] = ..., wins: _Optional[int] = ..., draws: _Optional[int] = ..., losses: _Optional[int] = ..., mean_score: _Optional[float] = ..., score_deviation: _Optional[float] = ..., scored: _Optional[int] = ..., mu: _Optional[float] = ..., sigma: _Optional[float] = ..., conservative: _Optional[float] = ..., forfeits: _Optional[_Mapping[str, int]] = ..., faults: _Optional[_Union[_play_service_pb2.FaultCounts, _Mapping]] = ..., voids: _Optional[int] = ..., think: _Optional[_Union[_play_service_pb2.SeatTime, _Mapping]] = ..., current: bool = ..., state: _Optional[_Union[EntryState, str]] = ..., points: _Optional[float] = ..., buchholz: _Optional[float] = ..., place: _Optional[int] = ..., skill: _Optional[_Union[Skill, _Mapping]] = ..., ranked_by_skill: bool = ..., clean_matches: _Optional[int] = ..., decided_by_faults: _Optional[int] = ..., clean_skill: _Optional[_Union[Skill, _Mapping]] = ...) -> None: ...

class Skill(_message.Message):
    __slots__ = ("mu", "sigma", "ahead", "margin", "best_rank", "worst_rank", "tier")
    MU_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    AHEAD_FIELD_NUMBER: _ClassVar[int]
    MARGIN_FIELD_NUMBER: _ClassVar[int]
    BEST_RANK_FIELD_NUMBER: _ClassVar[int]
    WORST_RANK_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    mu: float
    sigma: float
    ahead: float
    margin: float
    best_rank: int
    worst_rank: int
    tier: int
    def __init__(self, mu: _Optional[float] = ..., sigma: _Optional[float] = ..., ahead: _Optional[float] = ..., margin: _Optional[float] = ..., best_rank: _Optional[int] = ..., worst_rank: _Optional[int] = ..., tier: _Optional[int] = ...) -> None: ...

class ListParRequest(_message.Message):
    __slots__ = ("tournament", "page_size", "page_token")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    page_size: int
    page_token: str
    def __init__(self, tournament: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListParResponse(_message.Message):
    __slots__ = ("par", "lines", "next_page_token")
    PAR_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    par: Par
    lines: _containers.RepeatedCompositeFieldContainer[ParLine]
    next_page_token: str
    def __init__(self, par: _Optional[_Union[Par, _Mapping]] = ..., lines: _Optional[_Iterable[_Union[ParLine, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Par(_message.Message):
    __slots__ = ("bot", "signature", "named_before_first_card", "per_match", "matches", "factor", "left_out", "without_par", "missing")
    BOT_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    NAMED_BEFORE_FIRST_CARD_FIELD_NUMBER: _ClassVar[int]
    PER_MATCH_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_PAR_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    bot: str
    signature: str
    named_before_first_card: bool
    per_match: bool
    matches: int
    factor: float
    left_out: int
    without_par: int
    missing: int
    def __init__(self, bot: _Optional[str] = ..., signature: _Optional[str] = ..., named_before_first_card: bool = ..., per_match: bool = ..., matches: _Optional[int] = ..., factor: _Optional[float] = ..., left_out: _Optional[int] = ..., without_par: _Optional[int] = ..., missing: _Optional[int] = ...) -> None: ...

class ParLine(_message.Message):
    __slots__ = ("competitor", "opponent", "matches", "raw", "raw_margin", "adjusted", "margin", "factor")
    COMPETITOR_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    RAW_FIELD_NUMBER: _ClassVar[int]
    RAW_MARGIN_FIELD_NUMBER: _ClassVar[int]
    ADJUSTED_FIELD_NUMBER: _ClassVar[int]
    MARGIN_FIELD_NUMBER: _ClassVar[int]
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    competitor: str
    opponent: str
    matches: int
    raw: float
    raw_margin: float
    adjusted: float
    margin: float
    factor: float
    def __init__(self, competitor: _Optional[str] = ..., opponent: _Optional[str] = ..., matches: _Optional[int] = ..., raw: _Optional[float] = ..., raw_margin: _Optional[float] = ..., adjusted: _Optional[float] = ..., margin: _Optional[float] = ..., factor: _Optional[float] = ...) -> None: ...

class ListModelsRequest(_message.Message):
    __slots__ = ("tournament", "page_size", "page_token")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    page_size: int
    page_token: str
    def __init__(self, tournament: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListModelsResponse(_message.Message):
    __slots__ = ("models", "lines", "next_page_token")
    MODELS_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    models: Models
    lines: _containers.RepeatedCompositeFieldContainer[ModelLine]
    next_page_token: str
    def __init__(self, models: _Optional[_Union[Models, _Mapping]] = ..., lines: _Optional[_Iterable[_Union[ModelLine, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Models(_message.Message):
    __slots__ = ("budgets", "missing_records")
    BUDGETS_FIELD_NUMBER: _ClassVar[int]
    MISSING_RECORDS_FIELD_NUMBER: _ClassVar[int]
    budgets: _containers.RepeatedScalarFieldContainer[str]
    missing_records: int
    def __init__(self, budgets: _Optional[_Iterable[str]] = ..., missing_records: _Optional[int] = ...) -> None: ...

class ModelLine(_message.Message):
    __slots__ = ("entry", "matches", "asked", "first", "defaults", "calls", "unreadable", "truncated", "empty", "illegal", "transport", "tokens_in", "tokens_out", "estimated", "cost", "seconds", "waited")
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    DEFAULTS_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    UNREADABLE_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    EMPTY_FIELD_NUMBER: _ClassVar[int]
    ILLEGAL_FIELD_NUMBER: _ClassVar[int]
    TRANSPORT_FIELD_NUMBER: _ClassVar[int]
    TOKENS_IN_FIELD_NUMBER: _ClassVar[int]
    TOKENS_OUT_FIELD_NUMBER: _ClassVar[int]
    ESTIMATED_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    WAITED_FIELD_NUMBER: _ClassVar[int]
    entry: str
    matches: int
    asked: int
    first: int
    defaults: int
    calls: int
    unreadable: int
    truncated: int
    empty: int
    illegal: int
    transport: int
    tokens_in: int
    tokens_out: int
    estimated: int
    cost: float
    seconds: float
    waited: float
    def __init__(self, entry: _Optional[str] = ..., matches: _Optional[int] = ..., asked: _Optional[int] = ..., first: _Optional[int] = ..., defaults: _Optional[int] = ..., calls: _Optional[int] = ..., unreadable: _Optional[int] = ..., truncated: _Optional[int] = ..., empty: _Optional[int] = ..., illegal: _Optional[int] = ..., transport: _Optional[int] = ..., tokens_in: _Optional[int] = ..., tokens_out: _Optional[int] = ..., estimated: _Optional[int] = ..., cost: _Optional[float] = ..., seconds: _Optional[float] = ..., waited: _Optional[float] = ...) -> None: ...

class WatchTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class WatchTournamentResponse(_message.Message):
    __slots__ = ("missed", "tournament", "match_begun", "match_finished", "entry_changed", "state_changed", "heartbeat")
    MISSED_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    MATCH_BEGUN_FIELD_NUMBER: _ClassVar[int]
    MATCH_FINISHED_FIELD_NUMBER: _ClassVar[int]
    ENTRY_CHANGED_FIELD_NUMBER: _ClassVar[int]
    STATE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    missed: int
    tournament: Tournament
    match_begun: MatchBegun
    match_finished: MatchFinished
    entry_changed: EntryChanged
    state_changed: StateChanged
    heartbeat: Heartbeat
    def __init__(self, missed: _Optional[int] = ..., tournament: _Optional[_Union[Tournament, _Mapping]] = ..., match_begun: _Optional[_Union[MatchBegun, _Mapping]] = ..., match_finished: _Optional[_Union[MatchFinished, _Mapping]] = ..., entry_changed: _Optional[_Union[EntryChanged, _Mapping]] = ..., state_changed: _Optional[_Union[StateChanged, _Mapping]] = ..., heartbeat: _Optional[_Union[Heartbeat, _Mapping]] = ...) -> None: ...

class MatchBegun(_message.Message):
    __slots__ = ("match_id", "attempt", "round", "entries")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    attempt: int
    round: int
    entries: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, match_id: _Optional[str] = ..., attempt: _Optional[int] = ..., round: _Optional[int] = ..., entries: _Optional[_Iterable[str]] = ...) -> None: ...

class MatchFinished(_message.Message):
    __slots__ = ("match_id", "attempt", "entries", "termination", "ranks", "scores")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    TERMINATION_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    attempt: int
    entries: _containers.RepeatedScalarFieldContainer[str]
    termination: _play_service_pb2.Termination
    ranks: _containers.RepeatedScalarFieldContainer[int]
    scores: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, match_id: _Optional[str] = ..., attempt: _Optional[int] = ..., entries: _Optional[_Iterable[str]] = ..., termination: _Optional[_Union[_play_service_pb2.Termination, str]] = ..., ranks: _Optional[_Iterable[int]] = ..., scores: _Optional[_Iterable[int]] = ...) -> None: ...

class EntryChanged(_message.Message):
    __slots__ = ("entry",)
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    entry: TournamentEntry
    def __init__(self, entry: _Optional[_Union[TournamentEntry, _Mapping]] = ...) -> None: ...

class StateChanged(_message.Message):
    __slots__ = ("state",)
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: TournamentState
    def __init__(self, state: _Optional[_Union[TournamentState, str]] = ...) -> None: ...

class Heartbeat(_message.Message):
    __slots__ = ("interval",)
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    interval: _duration_pb2.Duration
    def __init__(self, interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...
