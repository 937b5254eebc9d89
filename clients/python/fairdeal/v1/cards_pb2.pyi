from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Card(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CARD_UNSPECIFIED: _ClassVar[Card]
    CARD_TWO_OF_CLUBS: _ClassVar[Card]
    CARD_THREE_OF_CLUBS: _ClassVar[Card]
    CARD_FOUR_OF_CLUBS: _ClassVar[Card]
    CARD_FIVE_OF_CLUBS: _ClassVar[Card]
    CARD_SIX_OF_CLUBS: _ClassVar[Card]
    CARD_SEVEN_OF_CLUBS: _ClassVar[Card]
    CARD_EIGHT_OF_CLUBS: _ClassVar[Card]
    CARD_NINE_OF_CLUBS: _ClassVar[Card]
    CARD_TEN_OF_CLUBS: _ClassVar[Card]
    CARD_JACK_OF_CLUBS: _ClassVar[Card]
    CARD_QUEEN_OF_CLUBS: _ClassVar[Card]
    CARD_KING_OF_CLUBS: _ClassVar[Card]
    CARD_ACE_OF_CLUBS: _ClassVar[Card]
    CARD_TWO_OF_DIAMONDS: _ClassVar[Card]
    CARD_THREE_OF_DIAMONDS: _ClassVar[Card]
    CARD_FOUR_OF_DIAMONDS: _ClassVar[Card]
    CARD_FIVE_OF_DIAMONDS: _ClassVar[Card]
    CARD_SIX_OF_DIAMONDS: _ClassVar[Card]
    CARD_SEVEN_OF_DIAMONDS: _ClassVar[Card]
    CARD_EIGHT_OF_DIAMONDS: _ClassVar[Card]
    CARD_NINE_OF_DIAMONDS: _ClassVar[Card]
    CARD_TEN_OF_DIAMONDS: _ClassVar[Card]
    CARD_JACK_OF_DIAMONDS: _ClassVar[Card]
    CARD_QUEEN_OF_DIAMONDS: _ClassVar[Card]
    CARD_KING_OF_DIAMONDS: _ClassVar[Card]
    CARD_ACE_OF_DIAMONDS: _ClassVar[Card]
    CARD_TWO_OF_HEARTS: _ClassVar[Card]
    CARD_THREE_OF_HEARTS: _ClassVar[Card]
    CARD_FOUR_OF_HEARTS: _ClassVar[Card]
    CARD_FIVE_OF_HEARTS: _ClassVar[Card]
    CARD_SIX_OF_HEARTS: _ClassVar[Card]
    CARD_SEVEN_OF_HEARTS: _ClassVar[Card]
    CARD_EIGHT_OF_HEARTS: _ClassVar[Card]
    CARD_NINE_OF_HEARTS: _ClassVar[Card]
    CARD_TEN_OF_HEARTS: _ClassVar[Card]
    CARD_JACK_OF_HEARTS: _ClassVar[Card]
    CARD_QUEEN_OF_HEARTS: _ClassVar[Card]
    CARD_KING_OF_HEARTS: _ClassVar[Card]
    CARD_ACE_OF_HEARTS: _ClassVar[Card]
    CARD_TWO_OF_SPADES: _ClassVar[Card]
    CARD_THREE_OF_SPADES: _ClassVar[Card]
    CARD_FOUR_OF_SPADES: _ClassVar[Card]
    CARD_FIVE_OF_SPADES: _ClassVar[Card]
    CARD_SIX_OF_SPADES: _ClassVar[Card]
    CARD_SEVEN_OF_SPADES: _ClassVar[Card]
    CARD_EIGHT_OF_SPADES: _ClassVar[Card]
    CARD_NINE_OF_SPADES: _ClassVar[Card]
    CARD_TEN_OF_SPADES: _ClassVar[Card]
    CARD_JACK_OF_SPADES: _ClassVar[Card]
    CARD_QUEEN_OF_SPADES: _ClassVar[Card]
    CARD_KING_OF_SPADES: _ClassVar[Card]
    CARD_ACE_OF_SPADES: _ClassVar[Card]

class Suit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUIT_UNSPECIFIED: _ClassVar[Suit]
    SUIT_CLUBS: _ClassVar[Suit]
    SUIT_DIAMONDS: _ClassVar[Suit]
    SUIT_HEARTS: _ClassVar[Suit]
    SUIT_SPADES: _ClassVar[Suit]

class Rank(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RANK_UNSPECIFIED: _ClassVar[Rank]
    RANK_TWO: _ClassVar[Rank]
    RANK_THREE: _ClassVar[Rank]
    RANK_FOUR: _ClassVar[Rank]
    RANK_FIVE: _ClassVar[Rank]
    RANK_SIX: _ClassVar[Rank]
    RANK_SEVEN: _ClassVar[Rank]
    RANK_EIGHT: _ClassVar[Rank]
    RANK_NINE: _ClassVar[Rank]
    RANK_TEN: _ClassVar[Rank]
    RANK_JACK: _ClassVar[Rank]
    RANK_QUEEN: _ClassVar[Rank]
    RANK_KING: _ClassVar[Rank]
    RANK_ACE: _ClassVar[Rank]

class Seat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SEAT_UNSPECIFIED: _ClassVar[Seat]
    SEAT_0: _ClassVar[Seat]
    SEAT_1: _ClassVar[Seat]
    SEAT_2: _ClassVar[Seat]
    SEAT_3: _ClassVar[Seat]
CARD_UNSPECIFIED: Card
CARD_TWO_OF_CLUBS: Card
CARD_THREE_OF_CLUBS: Card
CARD_FOUR_OF_CLUBS: Card
CARD_FIVE_OF_CLUBS: Card
CARD_SIX_OF_CLUBS: Card
CARD_SEVEN_OF_CLUBS: Card
CARD_EIGHT_OF_CLUBS: Card
CARD_NINE_OF_CLUBS: Card
CARD_TEN_OF_CLUBS: Card
CARD_JACK_OF_CLUBS: Card
CARD_QUEEN_OF_CLUBS: Card
CARD_KING_OF_CLUBS: Card
CARD_ACE_OF_CLUBS: Card
CARD_TWO_OF_DIAMONDS: Card
CARD_THREE_OF_DIAMONDS: Card
CARD_FOUR_OF_DIAMONDS: Card
CARD_FIVE_OF_DIAMONDS: Card
CARD_SIX_OF_DIAMONDS: Card
CARD_SEVEN_OF_DIAMONDS: Card
CARD_EIGHT_OF_DIAMONDS: Card
CARD_NINE_OF_DIAMONDS: Card
CARD_TEN_OF_DIAMONDS: Card
CARD_JACK_OF_DIAMONDS: Card
CARD_QUEEN_OF_DIAMONDS: Card
CARD_KING_OF_DIAMONDS: Card
CARD_ACE_OF_DIAMONDS: Card
CARD_TWO_OF_HEARTS: Card
CARD_THREE_OF_HEARTS: Card
CARD_FOUR_OF_HEARTS: Card
CARD_FIVE_OF_HEARTS: Card
CARD_SIX_OF_HEARTS: Card
CARD_SEVEN_OF_HEARTS: Card
CARD_EIGHT_OF_HEARTS: Card
CARD_NINE_OF_HEARTS: Card
CARD_TEN_OF_HEARTS: Card
CARD_JACK_OF_HEARTS: Card
CARD_QUEEN_OF_HEARTS: Card
CARD_KING_OF_HEARTS: Card
CARD_ACE_OF_HEARTS: Card
CARD_TWO_OF_SPADES: Card
CARD_THREE_OF_SPADES: Card
CARD_FOUR_OF_SPADES: Card
CARD_FIVE_OF_SPADES: Card
CARD_SIX_OF_SPADES: Card
CARD_SEVEN_OF_SPADES: Card
CARD_EIGHT_OF_SPADES: Card
CARD_NINE_OF_SPADES: Card
CARD_TEN_OF_SPADES: Card
CARD_JACK_OF_SPADES: Card
CARD_QUEEN_OF_SPADES: Card
CARD_KING_OF_SPADES: Card
CARD_ACE_OF_SPADES: Card
SUIT_UNSPECIFIED: Suit
SUIT_CLUBS: Suit
SUIT_DIAMONDS: Suit
SUIT_HEARTS: Suit
SUIT_SPADES: Suit
RANK_UNSPECIFIED: Rank
RANK_TWO: Rank
RANK_THREE: Rank
RANK_FOUR: Rank
RANK_FIVE: Rank
RANK_SIX: Rank
RANK_SEVEN: Rank
RANK_EIGHT: Rank
RANK_NINE: Rank
RANK_TEN: Rank
RANK_JACK: Rank
RANK_QUEEN: Rank
RANK_KING: Rank
RANK_ACE: Rank
SEAT_UNSPECIFIED: Seat
SEAT_0: Seat
SEAT_1: Seat
SEAT_2: Seat
SEAT_3: Seat

class Trick(_message.Message):
    __slots__ = ("leader", "cards", "winner")
    LEADER_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    leader: Seat
    cards: _containers.RepeatedScalarFieldContainer[Card]
    winner: Seat
    def __init__(self, leader: _Optional[_Union[Seat, str]] = ..., cards: _Optional[_Iterable[_Union[Card, str]]] = ..., winner: _Optional[_Union[Seat, str]] = ...) -> None: ...
