"""Last trick: what a seat may know. This is the security boundary.

Views and projections are built by adding what is known, never by masking the truth.

===================================================  ====================================================
deal number, who begins, played cards, trick         everybody
winners, totals
the cards held                                       their owner
===================================================  ====================================================
"""

from dataclasses import dataclass

from referee.cards import Card, Seat, cards_of
from referee.games.base import Event
from referee.games.events import CardPlayed, DealScored
from referee.games.last_trick.rules import Dealt, LastTrickState, Phase
from referee.games.tricks import Trick


@dataclass(frozen=True, slots=True)
class LastTrickDealStarted:
    """A deal began; the seat's own cards in canonical order, none for the public."""

    deal: int
    first: Seat
    hand: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class LastTrickView:
    """What a seat knows of the deal in play; for the public ``seat`` is None and ``hand`` is empty."""

    phase: Phase
    deal: int
    first: Seat
    seat: Seat | None
    hand: tuple[Card, ...]
    tricks: tuple[Trick, ...]
    trick: Trick | None
    totals: tuple[int, ...]


def project(event: Event, seat: Seat | None) -> Event | None:
    """Return what a seat (None: the public) is told of an event, or None when it is told nothing.

    Raises:
        TypeError: the event is none of this game; nobody is told what is not provided for here.
    """
    match event:
        case Dealt(deal, first, hands):
            return LastTrickDealStarted(deal, first, () if seat is None else hands[seat])
        case CardPlayed() | DealScored():
            return event
    raise TypeError(f"last_trick has no projection of {type(event).__name__}")


def view(state: LastTrickState, seat: Seat | None) -> LastTrickView:
    """Return all that a seat (None: the public) knows of the deal in play."""
    return LastTrickView(
        phase=state.phase,
        deal=state.deal_number,
        first=state.first,
        seat=seat,
        hand=() if seat is None else cards_of(state.hands[seat]),
        tricks=tuple(state.tricks.complete),
        trick=state.tricks.current,
        totals=state.totals,
    )
