"""Turns the protocol's views into those of `fairdeal.views`."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from fairdeal import _decode_events
from fairdeal._decode import card, cards, seat, suit
from fairdeal.actions import Draft, TrumpCall, UpcardCall
from fairdeal.events import PassDirection
from fairdeal.v1 import cards_pb2
from fairdeal.v1 import views_pb2 as pb
from fairdeal.views import (
    EuchrePhase,
    EuchreView,
    HeartsPhase,
    HeartsView,
    PiquetPhase,
    PiquetView,
    SpadesPhase,
    SpadesView,
    Trick,
    TwoHandedSpadesPhase,
    TwoHandedSpadesView,
    View,
)

# A view holds up to 26 draft choices, and looking an enum's value up is slow.
_DRAFTS: Final[Mapping[int, Draft]] = {choice.value: choice for choice in Draft}


def view(message: pb.View) -> View | None:
    """Return a view, None for a game that this version has no type for."""
    match message.WhichOneof("game"):
        case "hearts":
            return _hearts(message.hearts)
        case "two_handed_spades":
            return _two_handed_spades(message.two_handed_spades)
        case "spades":
            return _spades(message.spades)
        case "euchre":
            return _euchre(message.euchre)
        case "piquet":
            return _piquet(message.piquet)
    return None


def _trick(message: cards_pb2.Trick) -> Trick:
    return Trick(message.leader - 1, cards(message.cards), seat(message.winner))


def _tricks(messages: Iterable[cards_pb2.Trick]) -> tuple[Trick, ...]:
    return tuple([_trick(message) for message in messages])


def _current(message: Any) -> Trick | None:
    """Return the trick in play of any game's view, None between tricks."""
    return _trick(message.trick) if message.HasField("trick") else None


def _hearts(message: pb.HeartsView) -> HeartsView:
    return HeartsView(
        phase=HeartsPhase(message.phase),
        deal=message.deal,
        direction=PassDirection(message.direction),
        seat=seat(message.seat),
        hand=cards(message.hand),
        passed=cards(message.passed),
        received=cards(message.received),
        tricks=_tricks(message.tricks),
        trick=_current(message),
        points=tuple(message.points),
        totals=tuple(message.totals),
        hearts_broken=message.hearts_broken,
    )


def _two_handed_spades(message: pb.TwoHandedSpadesView) -> TwoHandedSpadesView:
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
        bids=tuple(map(_decode_events.bid_made, message.bids)),
        tricks=_tricks(message.tricks),
        trick=_current(message),
        taken=tuple(message.taken),
        scores=tuple(message.scores),
        bags=tuple(message.bags),
        spades_broken=message.spades_broken,
    )


def _spades(message: pb.SpadesView) -> SpadesView:
    return SpadesView(
        phase=SpadesPhase(message.phase),
        deal=message.deal,
        dealer=message.dealer - 1,
        seat=seat(message.seat),
        hand=cards(message.hand),
        blind_sides=tuple([side - 1 for side in message.blind_sides]),
        looked=tuple([looker - 1 for looker in message.looked]),
        bids=tuple(map(_decode_events.bid_made, message.bids)),
        tricks=_tricks(message.tricks),
        trick=_current(message),
        taken=tuple(message.taken),
        scores=tuple(message.scores),
        bags=tuple(message.bags),
        spades_broken=message.spades_broken,
    )


def _euchre(message: pb.EuchreView) -> EuchreView:
    return EuchreView(
        phase=EuchrePhase(message.phase),
        deal=message.deal,
        dealer=message.dealer - 1,
        seat=seat(message.seat),
        hand=cards(message.hand),
        upcard=card(message.upcard),
        upcard_calls=tuple(map(UpcardCall, message.upcard_calls)),
        trump_calls=tuple(map(TrumpCall, message.trump_calls)),
        maker=seat(message.maker),
        trump=suit(message.trump),
        discarded=card(message.discarded),
        alone=tuple(map(_decode_events.alone_chosen, message.alone)),
        tricks=_tricks(message.tricks),
        trick=_current(message),
        taken=tuple(message.taken),
        scores=tuple(message.scores),
    )


def _piquet(message: pb.PiquetView) -> PiquetView:
    return PiquetView(
        phase=PiquetPhase(message.phase),
        deal=message.deal,
        elder=message.elder - 1,
        seat=seat(message.seat),
        hand=cards(message.hand),
        dealt=cards(message.dealt),
        discarded=cards(message.discarded),
        drawn=cards(message.drawn),
        looked=cards(message.looked),
        exchanges=tuple(map(_decode_events.cards_exchanged, message.exchanges)),
        blanks=tuple(map(_decode_events.blank_claimed, message.blanks)),
        leftovers=cards(message.leftovers),
        declarations=tuple(map(_decode_events.combination_declared, message.declarations)),
        shown=tuple(map(_decode_events.combinations_shown, message.shown)),
        tricks=_tricks(message.tricks),
        trick=_current(message),
        points=tuple(message.points),
        totals=tuple(message.totals),
        bonuses=tuple(map(_decode_events.bonus_scored, message.bonuses)),
    )
