from fairdeal.v1 import actions_pb2 as _actions_pb2
from fairdeal.v1 import cards_pb2 as _cards_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PassDirection(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PASS_DIRECTION_UNSPECIFIED: _ClassVar[PassDirection]
    PASS_DIRECTION_LEFT: _ClassVar[PassDirection]
    PASS_DIRECTION_RIGHT: _ClassVar[PassDirection]
    PASS_DIRECTION_ACROSS: _ClassVar[PassDirection]
    PASS_DIRECTION_NONE: _ClassVar[PassDirection]

class PiquetRound(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PIQUET_ROUND_UNSPECIFIED: _ClassVar[PiquetRound]
    PIQUET_ROUND_POINT: _ClassVar[PiquetRound]
    PIQUET_ROUND_SEQUENCE: _ClassVar[PiquetRound]
    PIQUET_ROUND_SET: _ClassVar[PiquetRound]

class PiquetAnswer(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PIQUET_ANSWER_UNSPECIFIED: _ClassVar[PiquetAnswer]
    PIQUET_ANSWER_GOOD: _ClassVar[PiquetAnswer]
    PIQUET_ANSWER_NOT_GOOD: _ClassVar[PiquetAnswer]
    PIQUET_ANSWER_EQUAL: _ClassVar[PiquetAnswer]

class PiquetBonus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PIQUET_BONUS_UNSPECIFIED: _ClassVar[PiquetBonus]
    PIQUET_BONUS_REPIQUE: _ClassVar[PiquetBonus]
    PIQUET_BONUS_PIQUE: _ClassVar[PiquetBonus]
    PIQUET_BONUS_CARDS: _ClassVar[PiquetBonus]
    PIQUET_BONUS_CAPOT: _ClassVar[PiquetBonus]
PASS_DIRECTION_UNSPECIFIED: PassDirection
PASS_DIRECTION_LEFT: PassDirection
PASS_DIRECTION_RIGHT: PassDirection
PASS_DIRECTION_ACROSS: PassDirection
PASS_DIRECTION_NONE: PassDirection
PIQUET_ROUND_UNSPECIFIED: PiquetRound
PIQUET_ROUND_POINT: PiquetRound
PIQUET_ROUND_SEQUENCE: PiquetRound
PIQUET_ROUND_SET: PiquetRound
PIQUET_ANSWER_UNSPECIFIED: PiquetAnswer
PIQUET_ANSWER_GOOD: PiquetAnswer
PIQUET_ANSWER_NOT_GOOD: PiquetAnswer
PIQUET_ANSWER_EQUAL: PiquetAnswer
PIQUET_BONUS_UNSPECIFIED: PiquetBonus
PIQUET_BONUS_REPIQUE: PiquetBonus
PIQUET_BONUS_PIQUE: PiquetBonus
PIQUET_BONUS_CARDS: PiquetBonus
PIQUET_BONUS_CAPOT: PiquetBonus

class Event(_message.Message):
    __slots__ = ("sequence", "card_played", "trick_taken", "deal_scored", "bid_made", "hearts_deal_started", "pass_received", "moon_chosen", "draft_started", "card_drafted", "spades_deal_started", "cards_looked", "euchre_deal_started", "upcard_called", "trump_called", "upcard_taken", "alone_chosen", "piquet_deal_started", "blank_claimed", "cards_exchanged", "leftovers_settled", "combination_declared", "combinations_shown", "bonus_scored")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    CARD_PLAYED_FIELD_NUMBER: _ClassVar[int]
    TRICK_TAKEN_FIELD_NUMBER: _ClassVar[int]
    DEAL_SCORED_FIELD_NUMBER: _ClassVar[int]
    BID_MADE_FIELD_NUMBER: _ClassVar[int]
    HEARTS_DEAL_STARTED_FIELD_NUMBER: _ClassVar[int]
    PASS_RECEIVED_FIELD_NUMBER: _ClassVar[int]
    MOON_CHOSEN_FIELD_NUMBER: _ClassVar[int]
    DRAFT_STARTED_FIELD_NUMBER: _ClassVar[int]
    CARD_DRAFTED_FIELD_NUMBER: _ClassVar[int]
    SPADES_DEAL_STARTED_FIELD_NUMBER: _ClassVar[int]
    CARDS_LOOKED_FIELD_NUMBER: _ClassVar[int]
    EUCHRE_DEAL_STARTED_FIELD_NUMBER: _ClassVar[int]
    UPCARD_CALLED_FIELD_NUMBER: _ClassVar[int]
    TRUMP_CALLED_FIELD_NUMBER: _ClassVar[int]
    UPCARD_TAKEN_FIELD_NUMBER: _ClassVar[int]
    ALONE_CHOSEN_FIELD_NUMBER: _ClassVar[int]
    PIQUET_DEAL_STARTED_FIELD_NUMBER: _ClassVar[int]
    BLANK_CLAIMED_FIELD_NUMBER: _ClassVar[int]
    CARDS_EXCHANGED_FIELD_NUMBER: _ClassVar[int]
    LEFTOVERS_SETTLED_FIELD_NUMBER: _ClassVar[int]
    COMBINATION_DECLARED_FIELD_NUMBER: _ClassVar[int]
    COMBINATIONS_SHOWN_FIELD_NUMBER: _ClassVar[int]
    BONUS_SCORED_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    card_played: CardPlayed
    trick_taken: TrickTaken
    deal_scored: DealScored
    bid_made: BidMade
    hearts_deal_started: HeartsDealStarted
    pass_received: PassReceived
    moon_chosen: MoonChosen
    draft_started: DraftStarted
    card_drafted: CardDrafted
    spades_deal_started: SpadesDealStarted
    cards_looked: CardsLooked
    euchre_deal_started: EuchreDealStarted
    upcard_called: UpcardCalled
    trump_called: TrumpCalled
    upcard_taken: UpcardTaken
    alone_chosen: AloneChosen
    piquet_deal_started: PiquetDealStarted
    blank_claimed: BlankClaimed
    cards_exchanged: CardsExchanged
    leftovers_settled: LeftoversSettled
    combination_declared: CombinationDeclared
    combinations_shown: CombinationsShown
    bonus_scored: BonusScored
    def __init__(self, sequence: _Optional[int] = ..., card_played: _Optional[_Union[CardPlayed, _Mapping]] = ..., trick_taken: _Optional[_Union[TrickTaken, _Mapping]] = ..., deal_scored: _Optional[_Union[DealScored, _Mapping]] = ..., bid_made: _Optional[_Union[BidMade, _Mapping]] = ..., hearts_deal_started: _Optional[_Union[HeartsDealStarted, _Mapping]] = ..., pass_received: _Optional[_Union[PassReceived, _Mapping]] = ..., moon_chosen: _Optional[_Union[MoonChosen, _Mapping]] = ..., draft_started: _Optional[_Union[DraftStarted, _Mapping]] = ..., card_drafted: _Optional[_Union[CardDrafted, _Mapping]] = ..., spades_deal_started: _Optional[_Union[SpadesDealStarted, _Mapping]] = ..., cards_looked: _Optional[_Union[CardsLooked, _Mapping]] = ..., euchre_deal_started: _Optional[_Union[EuchreDealStarted, _Mapping]] = ..., upcard_called: _Optional[_Union[UpcardCalled, _Mapping]] = ..., trump_called: _Optional[_Union[TrumpCalled, _Mapping]] = ..., upcard_taken: _Optional[_Union[UpcardTaken, _Mapping]] = ..., alone_chosen: _Optional[_Union[AloneChosen, _Mapping]] = ..., piquet_deal_started: _Optional[_Union[PiquetDealStarted, _Mapping]] = ..., blank_claimed: _Optional[_Union[BlankClaimed, _Mapping]] = ..., cards_exchanged: _Optional[_Union[CardsExchanged, _Mapping]] = ..., leftovers_settled: _Optional[_Union[LeftoversSettled, _Mapping]] = ..., combination_declared: _Optional[_Union[CombinationDeclared, _Mapping]] = ..., combinations_shown: _Optional[_Union[CombinationsShown, _Mapping]] = ..., bonus_scored: _Optional[_Union[BonusScored, _Mapping]] = ...) -> None: ...

class CardPlayed(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    card: _cards_pb2.Card
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class TrickTaken(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ...) -> None: ...

class DealScored(_message.Message):
    __slots__ = ("deal", "points", "totals", "bags")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    BAGS_FIELD_NUMBER: _ClassVar[int]
    deal: int
    points: _containers.RepeatedScalarFieldContainer[int]
    totals: _containers.RepeatedScalarFieldContainer[int]
    bags: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, deal: _Optional[int] = ..., points: _Optional[_Iterable[int]] = ..., totals: _Optional[_Iterable[int]] = ..., bags: _Optional[_Iterable[int]] = ...) -> None: ...

class BidMade(_message.Message):
    __slots__ = ("seat", "tricks", "blind")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TRICKS_FIELD_NUMBER: _ClassVar[int]
    BLIND_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    tricks: int
    blind: bool
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., tricks: _Optional[int] = ..., blind: bool = ...) -> None: ...

class HeartsDealStarted(_message.Message):
    __slots__ = ("deal", "direction", "hand")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    deal: int
    direction: PassDirection
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, deal: _Optional[int] = ..., direction: _Optional[_Union[PassDirection, str]] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class PassReceived(_message.Message):
    __slots__ = ("given", "given_to", "received", "received_from")
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    GIVEN_TO_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FROM_FIELD_NUMBER: _ClassVar[int]
    given: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    given_to: _cards_pb2.Seat
    received: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    received_from: _cards_pb2.Seat
    def __init__(self, given: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., given_to: _Optional[_Union[_cards_pb2.Seat, str]] = ..., received: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., received_from: _Optional[_Union[_cards_pb2.Seat, str]] = ...) -> None: ...

class MoonChosen(_message.Message):
    __slots__ = ("seat", "choice")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    choice: _actions_pb2.MoonChoice
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., choice: _Optional[_Union[_actions_pb2.MoonChoice, str]] = ...) -> None: ...

class DraftStarted(_message.Message):
    __slots__ = ("deal", "first")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    deal: int
    first: _cards_pb2.Seat
    def __init__(self, deal: _Optional[int] = ..., first: _Optional[_Union[_cards_pb2.Seat, str]] = ...) -> None: ...

class CardDrafted(_message.Message):
    __slots__ = ("seat", "choice", "kept", "discarded")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    choice: _actions_pb2.DraftChoice
    kept: _cards_pb2.Card
    discarded: _cards_pb2.Card
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., choice: _Optional[_Union[_actions_pb2.DraftChoice, str]] = ..., kept: _Optional[_Union[_cards_pb2.Card, str]] = ..., discarded: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class SpadesDealStarted(_message.Message):
    __slots__ = ("deal", "dealer", "hand", "blind_sides")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    BLIND_SIDES_FIELD_NUMBER: _ClassVar[int]
    deal: int
    dealer: _cards_pb2.Seat
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    blind_sides: _containers.RepeatedScalarFieldContainer[_cards_pb2.Seat]
    def __init__(self, deal: _Optional[int] = ..., dealer: _Optional[_Union[_cards_pb2.Seat, str]] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., blind_sides: _Optional[_Iterable[_Union[_cards_pb2.Seat, str]]] = ...) -> None: ...

class CardsLooked(_message.Message):
    __slots__ = ("seat", "hand")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class EuchreDealStarted(_message.Message):
    __slots__ = ("deal", "dealer", "hand", "upcard")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    UPCARD_FIELD_NUMBER: _ClassVar[int]
    deal: int
    dealer: _cards_pb2.Seat
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    upcard: _cards_pb2.Card
    def __init__(self, deal: _Optional[int] = ..., dealer: _Optional[_Union[_cards_pb2.Seat, str]] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., upcard: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class UpcardCalled(_message.Message):
    __slots__ = ("seat", "call")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    call: _actions_pb2.UpcardCall
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., call: _Optional[_Union[_actions_pb2.UpcardCall, str]] = ...) -> None: ...

class TrumpCalled(_message.Message):
    __slots__ = ("seat", "call")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    call: _actions_pb2.TrumpCall
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., call: _Optional[_Union[_actions_pb2.TrumpCall, str]] = ...) -> None: ...

class UpcardTaken(_message.Message):
    __slots__ = ("seat", "discarded")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    discarded: _cards_pb2.Card
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., discarded: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class AloneChosen(_message.Message):
    __slots__ = ("seat", "choice")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    choice: _actions_pb2.AloneChoice
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., choice: _Optional[_Union[_actions_pb2.AloneChoice, str]] = ...) -> None: ...

class PiquetDealStarted(_message.Message):
    __slots__ = ("deal", "elder", "hand")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    ELDER_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    deal: int
    elder: _cards_pb2.Seat
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, deal: _Optional[int] = ..., elder: _Optional[_Union[_cards_pb2.Seat, str]] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class BlankClaimed(_message.Message):
    __slots__ = ("seat", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class CardsExchanged(_message.Message):
    __slots__ = ("seat", "count", "discarded", "drawn", "looked")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    LOOKED_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    count: int
    discarded: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    drawn: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    looked: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., count: _Optional[int] = ..., discarded: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., drawn: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., looked: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class LeftoversSettled(_message.Message):
    __slots__ = ("choice", "cards")
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    choice: _actions_pb2.LeftoversChoice
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, choice: _Optional[_Union[_actions_pb2.LeftoversChoice, str]] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class CombinationDeclared(_message.Message):
    __slots__ = ("round", "length", "value", "rank", "answer")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    round: PiquetRound
    length: int
    value: int
    rank: _cards_pb2.Rank
    answer: PiquetAnswer
    def __init__(self, round: _Optional[_Union[PiquetRound, str]] = ..., length: _Optional[int] = ..., value: _Optional[int] = ..., rank: _Optional[_Union[_cards_pb2.Rank, str]] = ..., answer: _Optional[_Union[PiquetAnswer, str]] = ...) -> None: ...

class CombinationsShown(_message.Message):
    __slots__ = ("seat", "round", "combinations", "points", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    COMBINATIONS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    round: PiquetRound
    combinations: _containers.RepeatedCompositeFieldContainer[_actions_pb2.Combination]
    points: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., round: _Optional[_Union[PiquetRound, str]] = ..., combinations: _Optional[_Iterable[_Union[_actions_pb2.Combination, _Mapping]]] = ..., points: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class BonusScored(_message.Message):
    __slots__ = ("seat", "bonus", "points")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BONUS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    seat: _cards_pb2.Seat
    bonus: PiquetBonus
    points: int
    def __init__(self, seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., bonus: _Optional[_Union[PiquetBonus, str]] = ..., points: _Optional[int] = ...) -> None: ...
