"""Bury: what a seat may know. This is the security boundary.

Views and projections are built by adding what is known, never by masking the truth.

===================================================  ====================================================
deal number, who begins, played cards, trick         everybody
winners, tricks taken, totals
the cards held                                       their owner
the card buried                                      its owner, once both have chosen
===================================================  ====================================================

The card left over and the opponent's buried card are never shown, not even after the deal. That a seat has
chosen is no event, and no view says it.
"""

from dataclasses import dataclass

from referee.cards import Card, Seat, cards_of
from referee.games.base import Event
from referee.games.bury.rules import BuryState, CardsBuried, Dealt, Phase
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.tricks import Trick


@dataclass(frozen=True, slots=True)
class BuryDealStarted:
    """A deal began; the seat's own cards in canonical order, none for the public."""

    deal: int
    first: Seat
    hand: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class CardBuried:
    """Both have buried a card; the seat's own, none for the public."""

    card: Card | None


@dataclass(frozen=True, slots=True)
class BuryView:
    """What a seat knows of the deal in play.

    ``hand`` is what it holds now, in canonical order; ``buried`` is its own card, once both have chosen;
    ``taken`` counts tricks; ``totals`` are those after the deals scored. For the public ``seat`` is None and
    the seat's own cards are empty.
    """

    phase: Phase
    deal: int
    first: Seat
    seat: Seat | None
    hand: tuple[Card, ...]
    buried: Card | None
    tricks: tuple[Trick, ...]
    trick: Trick | None
    taken: tuple[int, ...]
    totals: tuple[int, ...]


def project(event: Event, seat: Seat | None) -> Event | None:
    """Return what a seat (None: the public) is told of an event, or None when it is told nothing.

    Raises:
        TypeError: the event is none of this game; nobody is told what is not provided for here.
    """
    match event:
        case Dealt(deal, first, hands):
            return BuryDealStarted(deal, first, () if seat is None else hands[seat])
        case CardsBuried(cards):
            return CardBuried(None if seat is None else cards[seat])
        case CardPlayed() | TrickTaken() | DealScored():
            return event
    raise TypeError(f"bury has no projection of {type(event).__name__}")


def view(state: BuryState, seat: Seat | None) -> BuryView:
    """Return all that a seat (None: the public) knows of the deal in play."""
    hand: tuple[Card, ...] = ()
    buried: Card | None = None
    if seat is not None:
        hand = cards_of(state.hands[seat])
        if state.phase == Phase.PLAY:
            buried = state.buried[seat]
    return BuryView(
        phase=state.phase,
        deal=state.deal_number,
        first=state.first,
        seat=seat,
        hand=hand,
        buried=buried,
        tricks=tuple(state.tricks.complete),
        trick=state.tricks.current,
        taken=tuple(state.taken),
        totals=state.totals,
    )
