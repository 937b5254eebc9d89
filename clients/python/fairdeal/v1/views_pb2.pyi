from fairdeal.v1 import actions_pb2 as _actions_pb2
from fairdeal.v1 import cards_pb2 as _cards_pb2
from fairdeal.v1 import events_pb2 as _events_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HeartsPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HEARTS_PHASE_UNSPECIFIED: _ClassVar[HeartsPhase]
    HEARTS_PHASE_PASS: _ClassVar[HeartsPhase]
    HEARTS_PHASE_PLAY: _ClassVar[HeartsPhase]
    HEARTS_PHASE_MOON: _ClassVar[HeartsPhase]

class TwoHandedSpadesPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TWO_HANDED_SPADES_PHASE_UNSPECIFIED: _ClassVar[TwoHandedSpadesPhase]
    TWO_HANDED_SPADES_PHASE_DRAFT: _ClassVar[TwoHandedSpadesPhase]
    TWO_HANDED_SPADES_PHASE_BID: _ClassVar[TwoHandedSpadesPhase]
    TWO_HANDED_SPADES_PHASE_PLAY: _ClassVar[TwoHandedSpadesPhase]

class SpadesPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SPADES_PHASE_UNSPECIFIED: _ClassVar[SpadesPhase]
    SPADES_PHASE_BLIND: _ClassVar[SpadesPhase]
    SPADES_PHASE_BID: _ClassVar[SpadesPhase]
    SPADES_PHASE_PLAY: _ClassVar[SpadesPhase]

class EuchrePhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EUCHRE_PHASE_UNSPECIFIED: _ClassVar[EuchrePhase]
    EUCHRE_PHASE_UPCARD: _ClassVar[EuchrePhase]
    EUCHRE_PHASE_TRUMP: _ClassVar[EuchrePhase]
    EUCHRE_PHASE_DISCARD: _ClassVar[EuchrePhase]
    EUCHRE_PHASE_ALONE: _ClassVar[EuchrePhase]
    EUCHRE_PHASE_PLAY: _ClassVar[EuchrePhase]

class PiquetPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PIQUET_PHASE_UNSPECIFIED: _ClassVar[PiquetPhase]
    PIQUET_PHASE_BLANK: _ClassVar[PiquetPhase]
    PIQUET_PHASE_EXCHANGE: _ClassVar[PiquetPhase]
    PIQUET_PHASE_LEFTOVERS: _ClassVar[PiquetPhase]
    PIQUET_PHASE_DECLARE: _ClassVar[PiquetPhase]
    PIQUET_PHASE_FURTHER: _ClassVar[PiquetPhase]
    PIQUET_PHASE_PLAY: _ClassVar[PiquetPhase]
HEARTS_PHASE_UNSPECIFIED: HeartsPhase
HEARTS_PHASE_PASS: HeartsPhase
HEARTS_PHASE_PLAY: HeartsPhase
HEARTS_PHASE_MOON: HeartsPhase
TWO_HANDED_SPADES_PHASE_UNSPECIFIED: TwoHandedSpadesPhase
TWO_HANDED_SPADES_PHASE_DRAFT: TwoHandedSpadesPhase
TWO_HANDED_SPADES_PHASE_BID: TwoHandedSpadesPhase
TWO_HANDED_SPADES_PHASE_PLAY: TwoHandedSpadesPhase
SPADES_PHASE_UNSPECIFIED: SpadesPhase
SPADES_PHASE_BLIND: SpadesPhase
SPADES_PHASE_BID: SpadesPhase
SPADES_PHASE_PLAY: SpadesPhase
EUCHRE_PHASE_UNSPECIFIED: EuchrePhase
EUCHRE_PHASE_UPCARD: EuchrePhase
EUCHRE_PHASE_TRUMP: EuchrePhase
EUCHRE_PHASE_DISCARD: EuchrePhase
EUCHRE_PHASE_ALONE: EuchrePhase
EUCHRE_PHASE_PLAY: EuchrePhase
PIQUET_PHASE_UNSPECIFIED: PiquetPhase
PIQUET_PHASE_BLANK: PiquetPhase
PIQUET_PHASE_EXCHANGE: PiquetPhase
PIQUET_PHASE_LEFTOVERS: PiquetPhase
PIQUET_PHASE_DECLARE: PiquetPhase
PIQUET_PHASE_FURTHER: PiquetPhase
PIQUET_PHASE_PLAY: PiquetPhase

class View(_message.Message):
    __slots__ = ("hearts", "two_handed_spades", "spades", "euchre", "piquet")
    HEARTS_FIELD_NUMBER: _ClassVar[int]
    TWO_HANDED_SPADES_FIELD_NUMBER: _ClassVar[int]
    SPADES_FIELD_NUMBER: _ClassVar[int]
    EUCHRE_FIELD_NUMBER: _ClassVar[int]
    PIQUET_FIELD_NUMBER: _ClassVar[int]
    hearts: HeartsView
    two_handed_spades: TwoHandedSpadesView
    spades: SpadesView
    euchre: EuchreView
    piquet: PiquetView
    def __init__(self, hearts: _Optional[_Union[HeartsView, _Mapping]] = ..., two_handed_spades: _Optional[_Union[TwoHandedSpadesView, _Mapping]] = ..., spades: _Optional[_Union[SpadesView, _Mapping]] = ..., euchre: _Optional[_Union[EuchreView, _Mapping]] = ..., piquet: _Optional[_Union[PiquetView, _Mapping]] = ...) -> None: ...

class HeartsView(_message.Message):
    __slots__ = ("phase", "deal", "direction", "seat", "hand", "passed", "received", "tricks", "trick", "points", "totals", "hearts_broken")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    TRICKS_FIELD_NUMBER: _ClassVar[int]
    TRICK_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    HEARTS_BROKEN_FIELD_NUMBER: _ClassVar[int]
    phase: HeartsPhase
    deal: int
    direction: _events_pb2.PassDirection
    seat: _cards_pb2.Seat
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    passed: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    received: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    tricks: _containers.RepeatedCompositeFieldContainer[_cards_pb2.Trick]
    trick: _cards_pb2.Trick
    points: _containers.RepeatedScalarFieldContainer[int]
    totals: _containers.RepeatedScalarFieldContainer[int]
    hearts_broken: bool
    def __init__(self, phase: _Optional[_Union[HeartsPhase, str]] = ..., deal: _Optional[int] = ..., direction: _Optional[_Union[_events_pb2.PassDirection, str]] = ..., seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., passed: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., received: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., tricks: _Optional[_Iterable[_Union[_cards_pb2.Trick, _Mapping]]] = ..., trick: _Optional[_Union[_cards_pb2.Trick, _Mapping]] = ..., points: _Optional[_Iterable[int]] = ..., totals: _Optional[_Iterable[int]] = ..., hearts_broken: bool = ...) -> None: ...

class TwoHandedSpadesView(_message.Message):
    __slots__ = ("phase", "deal", "first", "seat", "offered", "choices", "kept", "discarded", "hand", "bids", "tricks", "trick", "taken", "scores", "bags", "spades_broken")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    OFFERED_FIELD_NUMBER: _ClassVar[int]
    CHOICES_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    BIDS_FIELD_NUMBER: _ClassVar[int]
    TRICKS_FIELD_NUMBER: _ClassVar[int]
    TRICK_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    BAGS_FIELD_NUMBER: _ClassVar[int]
    SPADES_BROKEN_FIELD_NUMBER: _ClassVar[int]
    phase: TwoHandedSpadesPhase
    deal: int
    first: _cards_pb2.Seat
    seat: _cards_pb2.Seat
    offered: _cards_pb2.Card
    choices: _containers.RepeatedScalarFieldContainer[_actions_pb2.DraftChoice]
    kept: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    discarded: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    bids: _containers.RepeatedCompositeFieldContainer[_events_pb2.BidMade]
    tricks: _containers.RepeatedCompositeFieldContainer[_cards_pb2.Trick]
    trick: _cards_pb2.Trick
    taken: _containers.RepeatedScalarFieldContainer[int]
    scores: _containers.RepeatedScalarFieldContainer[int]
    bags: _containers.RepeatedScalarFieldContainer[int]
    spades_broken: bool
    def __init__(self, phase: _Optional[_Union[TwoHandedSpadesPhase, str]] = ..., deal: _Optional[int] = ..., first: _Optional[_Union[_cards_pb2.Seat, str]] = ..., seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., offered: _Optional[_Union[_cards_pb2.Card, str]] = ..., choices: _Optional[_Iterable[_Union[_actions_pb2.DraftChoice, str]]] = ..., kept: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., discarded: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., bids: _Optional[_Iterable[_Union[_events_pb2.BidMade, _Mapping]]] = ..., tricks: _Optional[_Iterable[_Union[_cards_pb2.Trick, _Mapping]]] = ..., trick: _Optional[_Union[_cards_pb2.Trick, _Mapping]] = ..., taken: _Optional[_Iterable[int]] = ..., scores: _Optional[_Iterable[int]] = ..., bags: _Optional[_Iterable[int]] = ..., spades_broken: bool = ...) -> None: ...

class SpadesView(_message.Message):
    __slots__ = ("phase", "deal", "dealer", "seat", "hand", "blind_sides", "looked", "bids", "tricks", "trick", "taken", "scores", "bags", "spades_broken")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    BLIND_SIDES_FIELD_NUMBER: _ClassVar[int]
    LOOKED_FIELD_NUMBER: _ClassVar[int]
    BIDS_FIELD_NUMBER: _ClassVar[int]
    TRICKS_FIELD_NUMBER: _ClassVar[int]
    TRICK_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    BAGS_FIELD_NUMBER: _ClassVar[int]
    SPADES_BROKEN_FIELD_NUMBER: _ClassVar[int]
    phase: SpadesPhase
    deal: int
    dealer: _cards_pb2.Seat
    seat: _cards_pb2.Seat
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    blind_sides: _containers.RepeatedScalarFieldContainer[_cards_pb2.Seat]
    looked: _containers.RepeatedScalarFieldContainer[_cards_pb2.Seat]
    bids: _containers.RepeatedCompositeFieldContainer[_events_pb2.BidMade]
    tricks: _containers.RepeatedCompositeFieldContainer[_cards_pb2.Trick]
    trick: _cards_pb2.Trick
    taken: _containers.RepeatedScalarFieldContainer[int]
    scores: _containers.RepeatedScalarFieldContainer[int]
    bags: _containers.RepeatedScalarFieldContainer[int]
    spades_broken: bool
    def __init__(self, phase: _Optional[_Union[SpadesPhase, str]] = ..., deal: _Optional[int] = ..., dealer: _Optional[_Union[_cards_pb2.Seat, str]] = ..., seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., blind_sides: _Optional[_Iterable[_Union[_cards_pb2.Seat, str]]] = ..., looked: _Optional[_Iterable[_Union[_cards_pb2.Seat, str]]] = ..., bids: _Optional[_Iterable[_Union[_events_pb2.BidMade, _Mapping]]] = ..., tricks: _Optional[_Iterable[_Union[_cards_pb2.Trick, _Mapping]]] = ..., trick: _Optional[_Union[_cards_pb2.Trick, _Mapping]] = ..., taken: _Optional[_Iterable[int]] = ..., scores: _Optional[_Iterable[int]] = ..., bags: _Optional[_Iterable[int]] = ..., spades_broken: bool = ...) -> None: ...

class EuchreView(_message.Message):
    __slots__ = ("phase", "deal", "dealer", "seat", "hand", "upcard", "upcard_calls", "trump_calls", "maker", "trump", "discarded", "alone", "tricks", "trick", "taken", "scores")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    UPCARD_FIELD_NUMBER: _ClassVar[int]
    UPCARD_CALLS_FIELD_NUMBER: _ClassVar[int]
    TRUMP_CALLS_FIELD_NUMBER: _ClassVar[int]
    MAKER_FIELD_NUMBER: _ClassVar[int]
    TRUMP_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    ALONE_FIELD_NUMBER: _ClassVar[int]
    TRICKS_FIELD_NUMBER: _ClassVar[int]
    TRICK_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    phase: EuchrePhase
    deal: int
    dealer: _cards_pb2.Seat
    seat: _cards_pb2.Seat
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    upcard: _cards_pb2.Card
    upcard_calls: _containers.RepeatedScalarFieldContainer[_actions_pb2.UpcardCall]
    trump_calls: _containers.RepeatedScalarFieldContainer[_actions_pb2.TrumpCall]
    maker: _cards_pb2.Seat
    trump: _cards_pb2.Suit
    discarded: _cards_pb2.Card
    alone: _containers.RepeatedCompositeFieldContainer[_events_pb2.AloneChosen]
    tricks: _containers.RepeatedCompositeFieldContainer[_cards_pb2.Trick]
    trick: _cards_pb2.Trick
    taken: _containers.RepeatedScalarFieldContainer[int]
    scores: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, phase: _Optional[_Union[EuchrePhase, str]] = ..., deal: _Optional[int] = ..., dealer: _Optional[_Union[_cards_pb2.Seat, str]] = ..., seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., upcard: _Optional[_Union[_cards_pb2.Card, str]] = ..., upcard_calls: _Optional[_Iterable[_Union[_actions_pb2.UpcardCall, str]]] = ..., trump_calls: _Optional[_Iterable[_Union[_actions_pb2.TrumpCall, str]]] = ..., maker: _Optional[_Union[_cards_pb2.Seat, str]] = ..., trump: _Optional[_Union[_cards_pb2.Suit, str]] = ..., discarded: _Optional[_Union[_cards_pb2.Card, str]] = ..., alone: _Optional[_Iterable[_Union[_events_pb2.AloneChosen, _Mapping]]] = ..., tricks: _Optional[_Iterable[_Union[_cards_pb2.Trick, _Mapping]]] = ..., trick: _Optional[_Union[_cards_pb2.Trick, _Mapping]] = ..., taken: _Optional[_Iterable[int]] = ..., scores: _Optional[_Iterable[int]] = ...) -> None: ...

class PiquetView(_message.Message):
    __slots__ = ("phase", "deal", "elder", "seat", "hand", "dealt", "discarded", "drawn", "looked", "exchanges", "blanks", "leftovers", "declarations", "shown", "tricks", "trick", "points", "totals", "bonuses")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    ELDER_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    DEALT_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    LOOKED_FIELD_NUMBER: _ClassVar[int]
    EXCHANGES_FIELD_NUMBER: _ClassVar[int]
    BLANKS_FIELD_NUMBER: _ClassVar[int]
    LEFTOVERS_FIELD_NUMBER: _ClassVar[int]
    DECLARATIONS_FIELD_NUMBER: _ClassVar[int]
    SHOWN_FIELD_NUMBER: _ClassVar[int]
    TRICKS_FIELD_NUMBER: _ClassVar[int]
    TRICK_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    BONUSES_FIELD_NUMBER: _ClassVar[int]
    phase: PiquetPhase
    deal: int
    elder: _cards_pb2.Seat
    seat: _cards_pb2.Seat
    hand: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    dealt: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    discarded: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    drawn: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    looked: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    exchanges: _containers.RepeatedCompositeFieldContainer[_events_pb2.CardsExchanged]
    blanks: _containers.RepeatedCompositeFieldContainer[_events_pb2.BlankClaimed]
    leftovers: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    declarations: _containers.RepeatedCompositeFieldContainer[_events_pb2.CombinationDeclared]
    shown: _containers.RepeatedCompositeFieldContainer[_events_pb2.CombinationsShown]
    tricks: _containers.RepeatedCompositeFieldContainer[_cards_pb2.Trick]
    trick: _cards_pb2.Trick
    points: _containers.RepeatedScalarFieldContainer[int]
    totals: _containers.RepeatedScalarFieldContainer[int]
    bonuses: _containers.RepeatedCompositeFieldContainer[_events_pb2.BonusScored]
    def __init__(self, phase: _Optional[_Union[PiquetPhase, str]] = ..., deal: _Optional[int] = ..., elder: _Optional[_Union[_cards_pb2.Seat, str]] = ..., seat: _Optional[_Union[_cards_pb2.Seat, str]] = ..., hand: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., dealt: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., discarded: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., drawn: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., looked: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., exchanges: _Optional[_Iterable[_Union[_events_pb2.CardsExchanged, _Mapping]]] = ..., blanks: _Optional[_Iterable[_Union[_events_pb2.BlankClaimed, _Mapping]]] = ..., leftovers: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., declarations: _Optional[_Iterable[_Union[_events_pb2.CombinationDeclared, _Mapping]]] = ..., shown: _Optional[_Iterable[_Union[_events_pb2.CombinationsShown, _Mapping]]] = ..., tricks: _Optional[_Iterable[_Union[_cards_pb2.Trick, _Mapping]]] = ..., trick: _Optional[_Union[_cards_pb2.Trick, _Mapping]] = ..., points: _Optional[_Iterable[int]] = ..., totals: _Optional[_Iterable[int]] = ..., bonuses: _Optional[_Iterable[_Union[_events_pb2.BonusScored, _Mapping]]] = ...) -> None: ...
