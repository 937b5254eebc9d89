"""Turns the protocol's messages into cards, actions, views and events.

What this version does not know (a card, an enum value, a kind of action, a game) is passed over or given as
``UNKNOWN``, `OtherAction` or None, since a referee may be newer than its bots.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from google.protobuf.duration_pb2 import Duration

from fairdeal.actions import (
    Action,
    Bid,
    ChooseCards,
    Draft,
    Legal,
    LegalActions,
    LegalChoice,
    Moon,
    OtherAction,
    PlayCard,
)
from fairdeal.cards import ALL_CARDS, Card, Cards
from fairdeal.events import (
    BidMade,
    CardDrafted,
    CardPlayed,
    DealScored,
    DraftStarted,
    Event,
    HeartsDealStarted,
    MoonChosen,
    PassDirection,
    PassReceived,
    TrickTaken,
)
from fairdeal.v1 import actions_pb2, cards_pb2, events_pb2, views_pb2
from fairdeal.views import HeartsPhase, HeartsView, Trick, TwoHandedSpadesPhase, TwoHandedSpadesView, View

# Most of what is decoded is cards, so each card and each play of one is made once.
_CARDS: Final[Mapping[int, Card]] = {card.number: card for card in ALL_CARDS}
_PLAYS: Final[Mapping[int, PlayCard]] = {card.number: PlayCard(card) for card in ALL_CARDS}
# A view holds up to 52 draft choices, and looking an enum's value up is slow.
_DRAFTS: Final[Mapping[int, Draft]] = {choice.value: choice for choice in Draft}


def cards(numbers: Iterable[int]) -> Cards:
    """Return the cards of some numbers, in the same order."""
    return Cards([_CARDS[number] for number in numbers if number in _CARDS])


def card(number: int) -> Card | None:
    """Return the card of a number, None for no card."""
    return _CARDS.get(number)


def seat(number: int) -> int | None:
    """Return the seat that an enum value stands for, counted from 0, None for no seat."""
    return number - 1 if number else None


def seconds(duration: Duration) -> float:
    """Return a duration in seconds."""
    return duration.seconds + duration.nanos / 1e9


def action(message: actions_pb2.Action) -> Action:
    """Return an action."""
    known: Action | None = None
    match message.WhichOneof("kind"):
        case "play_card":
            known = _PLAYS.get(message.play_card)
        case "bid":
            known = Bid(message.bid)
        case "draft":
            known = Draft(message.draft)
        case "moon":
            known = Moon(message.moon)
        case "choose_cards":
            known = ChooseCards(cards(message.choose_cards.cards))
    return OtherAction(message) if known in (None, Draft.UNKNOWN, Moon.UNKNOWN) else known


def legal(message: actions_pb2.Legal) -> Legal:
    """Return the legal answers of a decision."""
    if message.HasField("choose_cards"):
        choice = message.choose_cards
        return LegalChoice(cards(choice.cards), choice.minimum, choice.maximum)
    return LegalActions(tuple([action(each) for each in message.actions.actions]))


def view(message: views_pb2.View) -> View | None:
    """Return a view, None for a game that this version has no type for."""
    match message.WhichOneof("game"):
        case "hearts":
            return _hearts(message.hearts)
        case "two_handed_spades":
            return _two_handed_spades(message.two_handed_spades)
    return None


def event(message: events_pb2.Event) -> Event | None:
    """Return an event, None for one that this version has no type for."""
    kind = message.WhichOneof("kind")
    decode = _EVENTS.get(kind) if kind else None
    return decode(getattr(message, kind)) if decode and kind else None


def _trick(message: cards_pb2.Trick) -> Trick:
    return Trick(message.leader - 1, cards(message.cards), seat(message.winner))


def _tricks(messages: Iterable[cards_pb2.Trick]) -> tuple[Trick, ...]:
    return tuple([_trick(message) for message in messages])


def _hearts(message: views_pb2.HeartsView) -> HeartsView:
    return HeartsView(
        phase=HeartsPhase(message.phase),
        deal=message.deal,
        direction=PassDirection(message.direction),
        seat=seat(message.seat),
        hand=cards(message.hand),
        passed=cards(message.passed),
        received=cards(message.received),
        tricks=_tricks(message.tricks),
        trick=_trick(message.trick) if message.HasField("trick") else None,
        points=tuple(message.points),
        totals=tuple(message.totals),
        hearts_broken=message.hearts_broken,
    )


def _two_handed_spades(message: views_pb2.TwoHandedSpadesView) -> TwoHandedSpadesView:
    return TwoHandedSpadesView(
        phase=TwoHandedSpadesPhase(message.phase),
        deal=message.deal,
        first=message.first - 1,
        seat=seat(message.seat),
        offered=card(message.offered),
        choices=tuple([_DRAFTS.get(choice, Draft.UNKNOWN) for choice in message.choices]),
        kept=cards(message.kept),
        discarded=cards(message.discarded),
        hand=cards(message.hand),
        bids=tuple([_bid_made(bid) for bid in message.bids]),
        tricks=_tricks(message.tricks),
        trick=_trick(message.trick) if message.HasField("trick") else None,
        taken=tuple(message.taken),
        scores=tuple(message.scores),
        bags=tuple(message.bags),
        spades_broken=message.spades_broken,
    )


def _card_played(message: events_pb2.CardPlayed) -> CardPlayed | None:
    played = card(message.card)
    return CardPlayed(message.seat - 1, played) if played else None


def _deal_scored(message: events_pb2.DealScored) -> DealScored:
    return DealScored(message.deal, tuple(message.points), tuple(message.totals), tuple(message.bags))


def _bid_made(message: events_pb2.BidMade) -> BidMade:
    return BidMade(message.seat - 1, message.tricks, message.blind)


def _hearts_deal_started(message: events_pb2.HeartsDealStarted) -> HeartsDealStarted:
    return HeartsDealStarted(message.deal, PassDirection(message.direction), cards(message.hand))


def _pass_received(message: events_pb2.PassReceived) -> PassReceived:
    return PassReceived(
        given=cards(message.given),
        given_to=message.given_to - 1,
        received=cards(message.received),
        received_from=message.received_from - 1,
    )


def _card_drafted(message: events_pb2.CardDrafted) -> CardDrafted:
    return CardDrafted(message.seat - 1, Draft(message.choice), card(message.kept), card(message.discarded))


_EVENTS: Final[Mapping[str, Callable[[Any], Event | None]]] = {
    "card_played": _card_played,
    "trick_taken": lambda message: TrickTaken(message.seat - 1),
    "deal_scored": _deal_scored,
    "bid_made": _bid_made,
    "hearts_deal_started": _hearts_deal_started,
    "pass_received": _pass_received,
    "moon_chosen": lambda message: MoonChosen(message.seat - 1, Moon(message.choice)),
    "draft_started": lambda message: DraftStarted(message.deal, message.first - 1),
    "card_drafted": _card_drafted,
}
