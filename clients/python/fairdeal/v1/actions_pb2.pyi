from fairdeal.v1 import cards_pb2 as _cards_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DraftChoice(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DRAFT_CHOICE_UNSPECIFIED: _ClassVar[DraftChoice]
    DRAFT_CHOICE_KEEP: _ClassVar[DraftChoice]
    DRAFT_CHOICE_REFUSE: _ClassVar[DraftChoice]

class MoonChoice(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MOON_CHOICE_UNSPECIFIED: _ClassVar[MoonChoice]
    MOON_CHOICE_SUBTRACT: _ClassVar[MoonChoice]
    MOON_CHOICE_ADD: _ClassVar[MoonChoice]

class BlindChoice(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BLIND_CHOICE_UNSPECIFIED: _ClassVar[BlindChoice]
    BLIND_CHOICE_NIL: _ClassVar[BlindChoice]
    BLIND_CHOICE_LOOK: _ClassVar[BlindChoice]

class UpcardCall(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    UPCARD_CALL_UNSPECIFIED: _ClassVar[UpcardCall]
    UPCARD_CALL_ACCEPT: _ClassVar[UpcardCall]
    UPCARD_CALL_PASS: _ClassVar[UpcardCall]

class TrumpCall(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRUMP_CALL_UNSPECIFIED: _ClassVar[TrumpCall]
    TRUMP_CALL_CLUBS: _ClassVar[TrumpCall]
    TRUMP_CALL_DIAMONDS: _ClassVar[TrumpCall]
    TRUMP_CALL_HEARTS: _ClassVar[TrumpCall]
    TRUMP_CALL_SPADES: _ClassVar[TrumpCall]
    TRUMP_CALL_PASS: _ClassVar[TrumpCall]

class AloneChoice(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ALONE_CHOICE_UNSPECIFIED: _ClassVar[AloneChoice]
    ALONE_CHOICE_ALONE: _ClassVar[AloneChoice]
    ALONE_CHOICE_TOGETHER: _ClassVar[AloneChoice]

class BlankChoice(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BLANK_CHOICE_UNSPECIFIED: _ClassVar[BlankChoice]
    BLANK_CHOICE_CLAIM: _ClassVar[BlankChoice]
    BLANK_CHOICE_DECLINE: _ClassVar[BlankChoice]

class LeftoversChoice(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LEFTOVERS_CHOICE_UNSPECIFIED: _ClassVar[LeftoversChoice]
    LEFTOVERS_CHOICE_REVEAL: _ClassVar[LeftoversChoice]
    LEFTOVERS_CHOICE_LEAVE: _ClassVar[LeftoversChoice]
DRAFT_CHOICE_UNSPECIFIED: DraftChoice
DRAFT_CHOICE_KEEP: DraftChoice
DRAFT_CHOICE_REFUSE: DraftChoice
MOON_CHOICE_UNSPECIFIED: MoonChoice
MOON_CHOICE_SUBTRACT: MoonChoice
MOON_CHOICE_ADD: MoonChoice
BLIND_CHOICE_UNSPECIFIED: BlindChoice
BLIND_CHOICE_NIL: BlindChoice
BLIND_CHOICE_LOOK: BlindChoice
UPCARD_CALL_UNSPECIFIED: UpcardCall
UPCARD_CALL_ACCEPT: UpcardCall
UPCARD_CALL_PASS: UpcardCall
TRUMP_CALL_UNSPECIFIED: TrumpCall
TRUMP_CALL_CLUBS: TrumpCall
TRUMP_CALL_DIAMONDS: TrumpCall
TRUMP_CALL_HEARTS: TrumpCall
TRUMP_CALL_SPADES: TrumpCall
TRUMP_CALL_PASS: TrumpCall
ALONE_CHOICE_UNSPECIFIED: AloneChoice
ALONE_CHOICE_ALONE: AloneChoice
ALONE_CHOICE_TOGETHER: AloneChoice
BLANK_CHOICE_UNSPECIFIED: BlankChoice
BLANK_CHOICE_CLAIM: BlankChoice
BLANK_CHOICE_DECLINE: BlankChoice
LEFTOVERS_CHOICE_UNSPECIFIED: LeftoversChoice
LEFTOVERS_CHOICE_REVEAL: LeftoversChoice
LEFTOVERS_CHOICE_LEAVE: LeftoversChoice

class Action(_message.Message):
    __slots__ = ("play_card", "bid", "draft", "moon", "choose_cards", "blind", "upcard_call", "trump_call", "alone", "blank", "leftovers", "declare", "choose_combinations")
    PLAY_CARD_FIELD_NUMBER: _ClassVar[int]
    BID_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    MOON_FIELD_NUMBER: _ClassVar[int]
    CHOOSE_CARDS_FIELD_NUMBER: _ClassVar[int]
    BLIND_FIELD_NUMBER: _ClassVar[int]
    UPCARD_CALL_FIELD_NUMBER: _ClassVar[int]
    TRUMP_CALL_FIELD_NUMBER: _ClassVar[int]
    ALONE_FIELD_NUMBER: _ClassVar[int]
    BLANK_FIELD_NUMBER: _ClassVar[int]
    LEFTOVERS_FIELD_NUMBER: _ClassVar[int]
    DECLARE_FIELD_NUMBER: _ClassVar[int]
    CHOOSE_COMBINATIONS_FIELD_NUMBER: _ClassVar[int]
    play_card: _cards_pb2.Card
    bid: int
    draft: DraftChoice
    moon: MoonChoice
    choose_cards: CardList
    blind: BlindChoice
    upcard_call: UpcardCall
    trump_call: TrumpCall
    alone: AloneChoice
    blank: BlankChoice
    leftovers: LeftoversChoice
    declare: Declaration
    choose_combinations: CombinationList
    def __init__(self, play_card: _Optional[_Union[_cards_pb2.Card, str]] = ..., bid: _Optional[int] = ..., draft: _Optional[_Union[DraftChoice, str]] = ..., moon: _Optional[_Union[MoonChoice, str]] = ..., choose_cards: _Optional[_Union[CardList, _Mapping]] = ..., blind: _Optional[_Union[BlindChoice, str]] = ..., upcard_call: _Optional[_Union[UpcardCall, str]] = ..., trump_call: _Optional[_Union[TrumpCall, str]] = ..., alone: _Optional[_Union[AloneChoice, str]] = ..., blank: _Optional[_Union[BlankChoice, str]] = ..., leftovers: _Optional[_Union[LeftoversChoice, str]] = ..., declare: _Optional[_Union[Declaration, _Mapping]] = ..., choose_combinations: _Optional[_Union[CombinationList, _Mapping]] = ...) -> None: ...

class Legal(_message.Message):
    __slots__ = ("actions", "choose_cards", "choose_combinations")
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    CHOOSE_CARDS_FIELD_NUMBER: _ClassVar[int]
    CHOOSE_COMBINATIONS_FIELD_NUMBER: _ClassVar[int]
    actions: ActionList
    choose_cards: ChooseCards
    choose_combinations: ChooseCombinations
    def __init__(self, actions: _Optional[_Union[ActionList, _Mapping]] = ..., choose_cards: _Optional[_Union[ChooseCards, _Mapping]] = ..., choose_combinations: _Optional[_Union[ChooseCombinations, _Mapping]] = ...) -> None: ...

class ActionList(_message.Message):
    __slots__ = ("actions",)
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    actions: _containers.RepeatedCompositeFieldContainer[Action]
    def __init__(self, actions: _Optional[_Iterable[_Union[Action, _Mapping]]] = ...) -> None: ...

class ChooseCards(_message.Message):
    __slots__ = ("cards", "minimum", "maximum")
    CARDS_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    minimum: int
    maximum: int
    def __init__(self, cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., minimum: _Optional[int] = ..., maximum: _Optional[int] = ...) -> None: ...

class ChooseCombinations(_message.Message):
    __slots__ = ("combinations", "minimum", "maximum")
    COMBINATIONS_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    combinations: _containers.RepeatedCompositeFieldContainer[Combination]
    minimum: int
    maximum: int
    def __init__(self, combinations: _Optional[_Iterable[_Union[Combination, _Mapping]]] = ..., minimum: _Optional[int] = ..., maximum: _Optional[int] = ...) -> None: ...

class CardList(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class CombinationList(_message.Message):
    __slots__ = ("combinations",)
    COMBINATIONS_FIELD_NUMBER: _ClassVar[int]
    combinations: _containers.RepeatedCompositeFieldContainer[Combination]
    def __init__(self, combinations: _Optional[_Iterable[_Union[Combination, _Mapping]]] = ...) -> None: ...

class Declaration(_message.Message):
    __slots__ = ("combination",)
    COMBINATION_FIELD_NUMBER: _ClassVar[int]
    combination: Combination
    def __init__(self, combination: _Optional[_Union[Combination, _Mapping]] = ...) -> None: ...

class Combination(_message.Message):
    __slots__ = ("point", "sequence", "set")
    POINT_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    point: PointCombination
    sequence: SequenceCombination
    set: SetCombination
    def __init__(self, point: _Optional[_Union[PointCombination, _Mapping]] = ..., sequence: _Optional[_Union[SequenceCombination, _Mapping]] = ..., set: _Optional[_Union[SetCombination, _Mapping]] = ...) -> None: ...

class PointCombination(_message.Message):
    __slots__ = ("suit",)
    SUIT_FIELD_NUMBER: _ClassVar[int]
    suit: _cards_pb2.Suit
    def __init__(self, suit: _Optional[_Union[_cards_pb2.Suit, str]] = ...) -> None: ...

class SequenceCombination(_message.Message):
    __slots__ = ("suit", "top", "length")
    SUIT_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    suit: _cards_pb2.Suit
    top: _cards_pb2.Rank
    length: int
    def __init__(self, suit: _Optional[_Union[_cards_pb2.Suit, str]] = ..., top: _Optional[_Union[_cards_pb2.Rank, str]] = ..., length: _Optional[int] = ...) -> None: ...

class SetCombination(_message.Message):
    __slots__ = ("rank", "count")
    RANK_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    rank: _cards_pb2.Rank
    count: int
    def __init__(self, rank: _Optional[_Union[_cards_pb2.Rank, str]] = ..., count: _Optional[int] = ...) -> None: ...
