from fairdeal.v1 import cards_pb2 as _cards_pb2
from fairdeal.v1 import games_pb2 as _games_pb2
from fairdeal.v1 import play_service_pb2 as _play_service_pb2
from fairdeal.v1 import views_pb2 as _views_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListGamesRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListGamesResponse(_message.Message):
    __slots__ = ("games", "next_page_token")
    GAMES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    games: _containers.RepeatedCompositeFieldContainer[_games_pb2.Game]
    next_page_token: str
    def __init__(self, games: _Optional[_Iterable[_Union[_games_pb2.Game, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListMatchesRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "entry", "over")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    entry: str
    over: bool
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., entry: _Optional[str] = ..., over: bool = ...) -> None: ...

class ListMatchesResponse(_message.Message):
    __slots__ = ("matches", "next_page_token")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[Match]
    next_page_token: str
    def __init__(self, matches: _Optional[_Iterable[_Union[Match, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Match(_message.Message):
    __slots__ = ("match_id", "attempt", "game", "entries", "deals")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    attempt: int
    game: str
    entries: _containers.RepeatedScalarFieldContainer[str]
    deals: int
    def __init__(self, match_id: _Optional[str] = ..., attempt: _Optional[int] = ..., game: _Optional[str] = ..., entries: _Optional[_Iterable[str]] = ..., deals: _Optional[int] = ...) -> None: ...

class GetRecordRequest(_message.Message):
    __slots__ = ("match_id", "attempt", "entry")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    attempt: int
    entry: str
    def __init__(self, match_id: _Optional[str] = ..., attempt: _Optional[int] = ..., entry: _Optional[str] = ...) -> None: ...

class GetRecordResponse(_message.Message):
    __slots__ = ("attempt", "data", "view")
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    attempt: int
    data: bytes
    view: bool
    def __init__(self, attempt: _Optional[int] = ..., data: _Optional[bytes] = ..., view: bool = ...) -> None: ...

class WatchMatchRequest(_message.Message):
    __slots__ = ("match_id",)
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    def __init__(self, match_id: _Optional[str] = ...) -> None: ...

class WatchMatchResponse(_message.Message):
    __slots__ = ("match", "step", "finished", "record")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    match: WatchedMatch
    step: PublicStep
    finished: _play_service_pb2.Finished
    record: bytes
    def __init__(self, match: _Optional[_Union[WatchedMatch, _Mapping]] = ..., step: _Optional[_Union[PublicStep, _Mapping]] = ..., finished: _Optional[_Union[_play_service_pb2.Finished, _Mapping]] = ..., record: _Optional[bytes] = ...) -> None: ...

class WatchedMatch(_message.Message):
    __slots__ = ("match", "delay")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    match: Match
    delay: int
    def __init__(self, match: _Optional[_Union[Match, _Mapping]] = ..., delay: _Optional[int] = ...) -> None: ...

class PublicStep(_message.Message):
    __slots__ = ("to_act", "view", "text")
    TO_ACT_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    to_act: _containers.RepeatedScalarFieldContainer[_cards_pb2.Seat]
    view: _views_pb2.View
    text: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, to_act: _Optional[_Iterable[_Union[_cards_pb2.Seat, str]]] = ..., view: _Optional[_Union[_views_pb2.View, _Mapping]] = ..., text: _Optional[_Iterable[str]] = ...) -> None: ...

class CancelMatchRequest(_message.Message):
    __slots__ = ("match_id",)
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    def __init__(self, match_id: _Optional[str] = ...) -> None: ...

class CancelMatchResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
