"""Turns the protocol's events into those of `fairdeal.events`."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fairdeal._decode import card, cards, combinations, rank
from fairdeal.actions import Alone, Draft, Leftovers, Moon, TrumpCall, UpcardCall
from fairdeal.events import (
    AloneChosen,
    BidMade,
    BlankClaimed,
    BonusScored,
    CardDrafted,
    CardPlayed,
    CardsExchanged,
    CardsLooked,
    CombinationDeclared,
    CombinationsShown,
    DealScored,
    DraftStarted,
    EuchreDealStarted,
    Event,
    HeartsDealStarted,
    LeftoversSettled,
    MoonChosen,
    PassDirection,
    PassReceived,
    PiquetAnswer,
    PiquetBonus,
    PiquetDealStarted,
    PiquetRound,
    SpadesDealStarted,
    TrickTaken,
    TrumpCalled,
    UpcardCalled,
    UpcardTaken,
)
from fairdeal.v1 import events_pb2 as pb


def event(message: pb.Event) -> Event | None:
    """Return an event, None for one that this version has no type for."""
    kind = message.WhichOneof("kind")
    decode = _EVENTS.get(kind) if kind else None
    return decode(getattr(message, kind)) if decode and kind else None


def bid_made(message: pb.BidMade) -> BidMade:
    """Return a bid."""
    return BidMade(message.seat - 1, message.tricks, message.blind)


def alone_chosen(message: pb.AloneChosen) -> AloneChosen:
    """Return a choice to play alone or together."""
    return AloneChosen(message.seat - 1, Alone(message.choice))


def blank_claimed(message: pb.BlankClaimed) -> BlankClaimed:
    """Return the claim of a blank."""
    return BlankClaimed(message.seat - 1, cards(message.cards))


def cards_exchanged(message: pb.CardsExchanged) -> CardsExchanged:
    """Return an exchange."""
    return CardsExchanged(
        seat=message.seat - 1,
        count=message.count,
        discarded=cards(message.discarded),
        drawn=cards(message.drawn),
        looked=cards(message.looked),
    )


def combination_declared(message: pb.CombinationDeclared) -> CombinationDeclared:
    """Return a declaration and its answer."""
    return CombinationDeclared(
        round=PiquetRound(message.round),
        length=message.length,
        value=message.value or None,
        rank=rank(message.rank),
        answer=PiquetAnswer(message.answer) if message.answer else None,
    )


def combinations_shown(message: pb.CombinationsShown) -> CombinationsShown:
    """Return combinations that were shown."""
    return CombinationsShown(
        seat=message.seat - 1,
        round=PiquetRound(message.round),
        combinations=combinations(message.combinations),
        points=message.points,
        cards=cards(message.cards),
    )


def bonus_scored(message: pb.BonusScored) -> BonusScored:
    """Return a bonus."""
    return BonusScored(message.seat - 1, PiquetBonus(message.bonus), message.points)


def _card_played(message: pb.CardPlayed) -> CardPlayed | None:
    played = card(message.card)
    return CardPlayed(message.seat - 1, played) if played else None


def _deal_scored(message: pb.DealScored) -> DealScored:
    return DealScored(message.deal, tuple(message.points), tuple(message.totals), tuple(message.bags))


def _hearts_deal_started(message: pb.HeartsDealStarted) -> HeartsDealStarted:
    return HeartsDealStarted(message.deal, PassDirection(message.direction), cards(message.hand))


def _pass_received(message: pb.PassReceived) -> PassReceived:
    return PassReceived(
        given=cards(message.given),
        given_to=message.given_to - 1,
        received=cards(message.received),
        received_from=message.received_from - 1,
    )


def _card_drafted(message: pb.CardDrafted) -> CardDrafted:
    return CardDrafted(message.seat - 1, Draft(message.choice), card(message.kept), card(message.discarded))


def _spades_deal_started(message: pb.SpadesDealStarted) -> SpadesDealStarted:
    return SpadesDealStarted(
        deal=message.deal,
        dealer=message.dealer - 1,
        hand=cards(message.hand),
        blind_sides=tuple([side - 1 for side in message.blind_sides]),
    )


def _euchre_deal_started(message: pb.EuchreDealStarted) -> EuchreDealStarted:
    return EuchreDealStarted(
        deal=message.deal,
        dealer=message.dealer - 1,
        hand=cards(message.hand),
        upcard=card(message.upcard),
    )


def _piquet_deal_started(message: pb.PiquetDealStarted) -> PiquetDealStarted:
    return PiquetDealStarted(message.deal, message.elder - 1, cards(message.hand))


_EVENTS: Final[Mapping[str, Callable[[Any], Event | None]]] = {
    "card_played": _card_played,
    "trick_taken": lambda message: TrickTaken(message.seat - 1),
    "deal_scored": _deal_scored,
    "bid_made": bid_made,
    "hearts_deal_started": _hearts_deal_started,
    "pass_received": _pass_received,
    "moon_chosen": lambda message: MoonChosen(message.seat - 1, Moon(message.choice)),
    "draft_started": lambda message: DraftStarted(message.deal, message.first - 1),
    "card_drafted": _card_drafted,
    "spades_deal_started": _spades_deal_started,
    "cards_looked": lambda message: CardsLooked(message.seat - 1, cards(message.hand)),
    "euchre_deal_started": _euchre_deal_started,
    "upcard_called": lambda message: UpcardCalled(message.seat - 1, UpcardCall(message.call)),
    "trump_called": lambda message: TrumpCalled(message.seat - 1, TrumpCall(message.call)),
    "upcard_taken": lambda message: UpcardTaken(message.seat - 1, card(message.discarded)),
    "alone_chosen": alone_chosen,
    "piquet_deal_started": _piquet_deal_started,
    "blank_claimed": blank_claimed,
    "cards_exchanged": cards_exchanged,
    "leftovers_settled": lambda message: LeftoversSettled(Leftovers(message.choice), cards(message.cards)),
    "combination_declared": combination_declared,
    "combinations_shown": combinations_shown,
    "bonus_scored": bonus_scored,
}
