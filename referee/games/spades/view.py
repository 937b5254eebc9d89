"""Spades: what a seat may know. This is the security boundary.

Views and projections are built by adding what is known, never by masking the truth.

===================================================  =====================================================
deal number, dealer, whose side may bid blind, bids  everybody
and whether blind, who looked, played cards, trick
winners, tricks taken, whether broken, scores, bags
the cards held                                       their owner, from the deal on
the cards held by a seat that may bid blind          their owner, once it looked or bid blind nil
===================================================  =====================================================

A partner's cards are as hidden as an opponent's, and no cards are disclosed after the deal. That a seat
looked is told to all, before its bid if it declined blind nil, after it if it bid blind.
"""

from collections.abc import Mapping
from typing import Final

from referee.cards import EMPTY, Card, Seat, cards_of
from referee.games.base import Event, Growing
from referee.games.events import BidMade, CardPlayed, DealScored, TrickTaken
from referee.games.spades.rules import Dealt, Looked, Phase, SpadesState, lower_seat
from referee.games.tricks import Trick
from referee.values import value_class


@value_class
class SpadesDealStarted:
    """A deal began; the seat's own cards in canonical order, none for the public or if it may bid blind.

    ``blind_sides`` are named by their lower seat.
    """

    deal: int
    dealer: Seat
    hand: tuple[Card, ...]
    blind_sides: tuple[Seat, ...]


@value_class
class CardsLooked:
    """A seat looked at its cards, which only it is told; it declined blind nil or has just bid it."""

    seat: Seat
    hand: tuple[Card, ...]


@value_class
class SpadesView:
    """What a seat knows of the deal in play.

    ``hand`` is what it holds now, in canonical order, empty until it may see it; ``blind_sides`` are named by
    their lower seat; ``looked`` are the seats that declined blind nil, in order; ``taken`` counts tricks by
    seat; ``scores`` and ``bags`` are by side, after the deals scored. For the public ``seat`` is None and
    ``hand`` empty.
    """

    phase: Phase
    deal: int
    dealer: Seat
    seat: Seat | None
    hand: tuple[Card, ...]
    blind_sides: tuple[Seat, ...]
    looked: tuple[Seat, ...]
    bids: tuple[BidMade, ...]
    tricks: tuple[Trick, ...]
    trick: Trick | None
    taken: tuple[int, ...]
    scores: tuple[int, ...]
    bags: tuple[int, ...]
    spades_broken: bool


PUBLIC: Final = frozenset({BidMade, CardPlayed, TrickTaken, DealScored})
"""The events that everybody is told as they are."""


def project(event: Event, seat: Seat | None) -> Event | None:
    """Return what a seat (None: the public) is told of an event, or None when it is told nothing.

    Raises:
        TypeError: the event is none of this game; nobody is told what is not provided for here.
    """
    if type(event) in PUBLIC:
        return event
    match event:
        case Dealt(deal, dealer, hands, blind_sides):
            own: tuple[Card, ...] = ()
            if seat is not None and lower_seat(seat) not in blind_sides:
                own = hands[seat]
            return SpadesDealStarted(deal, dealer, own, blind_sides)
        case Looked(looker, hand):
            return CardsLooked(looker, hand if seat == looker else ())
    raise TypeError(f"spades has no projection of {type(event).__name__}")


def view(state: SpadesState, seat: Seat | None) -> SpadesView:
    """Return all that a seat (None: the public) knows of the deal in play."""
    hand: tuple[Card, ...] = ()
    if seat is not None and seat in state.seeing:
        hand = cards_of(state.hands[seat])
    return SpadesView(
        phase=state.phase,
        deal=state.deal_number,
        dealer=state.dealer,
        seat=seat,
        hand=hand,
        blind_sides=state.blind_sides,
        looked=tuple(state.looked),
        bids=tuple(state.bidding.made),
        tricks=tuple(state.tricks.complete),
        trick=state.tricks.current,
        taken=tuple(state.taken),
        scores=state.scores,
        bags=state.bags,
        spades_broken=state.broken,
    )


GROWING: Final[Mapping[int, Growing]] = {
    Phase.PLAY: Growing(
        ("hand", "trick", "spades_broken"),
        lambda state, seat: (
            state.hands[seat] if seat in state.seeing else EMPTY,
            state.tricks,
            state.broken,
        ),
        by_trick=("taken",),
        then=lambda state: (tuple(state.taken),),
    ),
}
"""What changes of `view` in a phase; tests hold views that grow by it to `view`."""
