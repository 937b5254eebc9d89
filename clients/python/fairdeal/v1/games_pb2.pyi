from fairdeal.v1 import cards_pb2 as _cards_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OptionValue(_message.Message):
    __slots__ = ("name", "number", "flag", "word")
    NAME_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    FLAG_FIELD_NUMBER: _ClassVar[int]
    WORD_FIELD_NUMBER: _ClassVar[int]
    name: str
    number: int
    flag: bool
    word: str
    def __init__(self, name: _Optional[str] = ..., number: _Optional[int] = ..., flag: bool = ..., word: _Optional[str] = ...) -> None: ...

class OptionSchema(_message.Message):
    __slots__ = ("default_value", "help", "minimum", "maximum", "choices")
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    HELP_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    CHOICES_FIELD_NUMBER: _ClassVar[int]
    default_value: OptionValue
    help: str
    minimum: int
    maximum: int
    choices: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, default_value: _Optional[_Union[OptionValue, _Mapping]] = ..., help: _Optional[str] = ..., minimum: _Optional[int] = ..., maximum: _Optional[int] = ..., choices: _Optional[_Iterable[str]] = ...) -> None: ...

class Side(_message.Message):
    __slots__ = ("seats",)
    SEATS_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedScalarFieldContainer[_cards_pb2.Seat]
    def __init__(self, seats: _Optional[_Iterable[_Union[_cards_pb2.Seat, str]]] = ...) -> None: ...

class DecisionKind(_message.Message):
    __slots__ = ("name", "default_action", "answer")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_ACTION_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    name: str
    default_action: str
    answer: str
    def __init__(self, name: _Optional[str] = ..., default_action: _Optional[str] = ..., answer: _Optional[str] = ...) -> None: ...

class Game(_message.Message):
    __slots__ = ("name", "title", "summary", "sides", "low_wins", "options", "decisions", "rules_version")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    SIDES_FIELD_NUMBER: _ClassVar[int]
    LOW_WINS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    name: str
    title: str
    summary: str
    sides: _containers.RepeatedCompositeFieldContainer[Side]
    low_wins: bool
    options: _containers.RepeatedCompositeFieldContainer[OptionSchema]
    decisions: _containers.RepeatedCompositeFieldContainer[DecisionKind]
    rules_version: int
    def __init__(self, name: _Optional[str] = ..., title: _Optional[str] = ..., summary: _Optional[str] = ..., sides: _Optional[_Iterable[_Union[Side, _Mapping]]] = ..., low_wins: bool = ..., options: _Optional[_Iterable[_Union[OptionSchema, _Mapping]]] = ..., decisions: _Optional[_Iterable[_Union[DecisionKind, _Mapping]]] = ..., rules_version: _Optional[int] = ...) -> None: ...
