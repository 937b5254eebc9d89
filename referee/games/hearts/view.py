"""American hearts: what a seat may know. This is the security boundary.

Views and projections are built by adding what is known, never by masking the truth.

=================================================  =======================================================
deal number, direction, totals, played cards,      everybody
trick winners, points taken, whether broken
the cards held                                     their owner
the three passed and the three received            their giver and their receiver, once all four have chosen
the moon choice                                    everybody
=================================================  =======================================================

That a seat has chosen its pass is no event, and no view says it: only the handing over is seen.
"""

from collections.abc import Mapping
from typing import Final

from referee.cards import Card, Seat, cards_of
from referee.games.base import Event, Growing
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.hearts.rules import (
    CardsPassed,
    Dealt,
    HeartsState,
    MoonChosen,
    PassDirection,
    Phase,
    giver,
    receiver,
)
from referee.games.tricks import Trick
from referee.values import value_class


@value_class
class HeartsDealStarted:
    """A deal began; the seat's own cards in canonical order, none for the public."""

    deal: int
    direction: PassDirection
    hand: tuple[Card, ...]


@value_class
class PassReceived:
    """The cards were handed over: what the seat gave and got, in canonical order."""

    given: tuple[Card, ...]
    given_to: Seat
    received: tuple[Card, ...]
    received_from: Seat


@value_class
class HeartsView:
    """What a seat knows of the deal in play.

    ``hand`` is what it holds now; ``passed`` and ``received`` are empty until cards were handed over;
    ``points`` were taken in this deal, before any moon; ``totals`` are those of the deals scored. A seat's
    cards are in canonical order. For the public ``seat`` is None and the seat's own cards are empty.
    """

    phase: Phase
    deal: int
    direction: PassDirection
    seat: Seat | None
    hand: tuple[Card, ...]
    passed: tuple[Card, ...]
    received: tuple[Card, ...]
    tricks: tuple[Trick, ...]
    trick: Trick | None
    points: tuple[int, ...]
    totals: tuple[int, ...]
    hearts_broken: bool


PUBLIC: Final = frozenset({CardPlayed, TrickTaken, MoonChosen, DealScored})
"""The events that everybody is told as they are."""


def project(event: Event, seat: Seat | None) -> Event | None:
    """Return what a seat (None: the public) is told of an event, or None when it is told nothing.

    Raises:
        TypeError: the event is none of this game; nobody is told what is not provided for here.
    """
    if type(event) in PUBLIC:
        return event
    match event:
        case Dealt(deal, direction, hands):
            return HeartsDealStarted(deal, direction, () if seat is None else hands[seat])
        case CardsPassed(direction, passed):
            if seat is None:
                return None
            to, source = receiver(seat, direction), giver(seat, direction)
            return PassReceived(passed[seat], to, passed[source], source)
    raise TypeError(f"hearts has no projection of {type(event).__name__}")


def view(state: HeartsState, seat: Seat | None) -> HeartsView:
    """Return all that a seat (None: the public) knows of the deal in play."""
    hand: tuple[Card, ...] = ()
    passed: tuple[Card, ...] = ()
    received: tuple[Card, ...] = ()
    if seat is not None:
        hand = cards_of(state.hands[seat])
        received = state.received[seat]
        if received:
            passed = state.passed[seat]
    return HeartsView(
        phase=state.phase,
        deal=state.deal_number,
        direction=state.direction,
        seat=seat,
        hand=hand,
        passed=passed,
        received=received,
        tricks=tuple(state.tricks.complete),
        trick=state.tricks.current,
        points=tuple(state.points),
        totals=state.totals,
        hearts_broken=state.broken,
    )


GROWING: Final[Mapping[int, Growing]] = {
    Phase.PLAY: Growing(
        ("hand", "trick", "hearts_broken"),
        lambda state, seat: (state.hands[seat], state.tricks, state.broken),
        by_trick=("points",),
        then=lambda state: (tuple(state.points),),
    ),
}
"""What changes of `view` in a phase; tests hold views that grow by it to `view`."""
