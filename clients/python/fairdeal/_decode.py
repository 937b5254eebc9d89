"""Turns the protocol's messages into cards, actions and legal answers.

What this version does not know (a card, an enum value, a kind of action, a game) is passed over or given as
``UNKNOWN``, `OtherAction` or None, since a referee may be newer than its bots.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from google.protobuf.duration_pb2 import Duration

from fairdeal.actions import (
    Action,
    Alone,
    Bid,
    Blank,
    Blind,
    Choice,
    ChooseCards,
    ChooseCombinations,
    Declare,
    Draft,
    Leftovers,
    Legal,
    LegalActions,
    LegalChoice,
    LegalCombinations,
    Moon,
    OtherAction,
    PlayCard,
    TrumpCall,
    UpcardCall,
)
from fairdeal.cards import ALL_CARDS, Card, Cards, Rank, Suit
from fairdeal.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from fairdeal.v1 import actions_pb2

# Most of what is decoded is cards, so each card and each play of one is made once.
_CARDS: Final[Mapping[int, Card]] = {card.number: card for card in ALL_CARDS}
_PLAYS: Final[Mapping[int, PlayCard]] = {card.number: PlayCard(card) for card in ALL_CARDS}
_SUITS: Final[Mapping[int, Suit]] = {suit.value: suit for suit in Suit}
_RANKS: Final[Mapping[int, Rank]] = dict(enumerate(Rank, start=1))
_CHOICES: Final[Mapping[str, type[Choice]]] = {
    "draft": Draft,
    "moon": Moon,
    "blind": Blind,
    "upcard_call": UpcardCall,
    "trump_call": TrumpCall,
    "alone": Alone,
    "blank": Blank,
    "leftovers": Leftovers,
}


def cards(numbers: Iterable[int]) -> Cards:
    """Return the cards of some numbers, in the same order."""
    return Cards([_CARDS[number] for number in numbers if number in _CARDS])


def card(number: int) -> Card | None:
    """Return the card of a number, None for no card."""
    return _CARDS.get(number)


def suit(number: int) -> Suit | None:
    """Return the suit of a number, None for no suit."""
    return _SUITS.get(number)


def rank(number: int) -> Rank | None:
    """Return the rank of a number, None for no rank."""
    return _RANKS.get(number)


def seat(number: int) -> int | None:
    """Return the seat that an enum value stands for, counted from 0, None for no seat."""
    return number - 1 if number else None


def seconds(duration: Duration) -> float:
    """Return a duration in seconds."""
    return duration.seconds + duration.nanos / 1e9


def action(message: actions_pb2.Action) -> Action:
    """Return an action."""
    return _known_action(message) or OtherAction(message)


def legal(message: actions_pb2.Legal) -> Legal:
    """Return the legal answers of a decision."""
    match message.WhichOneof("kind"):
        case "choose_cards":
            choice = message.choose_cards
            return LegalChoice(cards(choice.cards), choice.minimum, choice.maximum)
        case "choose_combinations":
            further = message.choose_combinations
            return LegalCombinations(combinations(further.combinations), further.minimum, further.maximum)
    return LegalActions(tuple([action(each) for each in message.actions.actions]))


def combination(message: actions_pb2.Combination) -> Combination | None:
    """Return a combination, None for one that this version does not know."""
    match message.WhichOneof("kind"):
        case "point" if of := suit(message.point.suit):
            return PointCombination(of)
        case "sequence":
            of, top = suit(message.sequence.suit), rank(message.sequence.top)
            return SequenceCombination(of, top, message.sequence.length) if of and top else None
        case "set" if alike := rank(message.set.rank):
            return SetCombination(alike, message.set.count)
    return None


def combinations(messages: Iterable[actions_pb2.Combination]) -> tuple[Combination, ...]:
    """Return combinations, in the same order."""
    return tuple([known for message in messages if (known := combination(message))])


def _known_action(message: actions_pb2.Action) -> Action | None:
    kind = message.WhichOneof("kind")
    match kind:
        case "play_card":
            return _PLAYS.get(message.play_card)
        case "bid":
            return Bid(message.bid)
        case "choose_cards":
            return ChooseCards(cards(message.choose_cards.cards))
        case "declare":
            if not message.declare.HasField("combination"):
                return Declare(None)
            declared = combination(message.declare.combination)
            return Declare(declared) if declared else None
        case "choose_combinations":
            return ChooseCombinations(combinations(message.choose_combinations.combinations))
    if kind in _CHOICES:
        choice = _CHOICES[kind](getattr(message, kind))
        return choice if choice.value else None
    return None
