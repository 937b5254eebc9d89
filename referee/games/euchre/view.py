"""Euchre: what a seat may know. This is the security boundary.

Views and projections are built by adding what is known, never by masking the truth.

=====================================================  ===================================================
deal number, dealer, upcard (also once turned down),   everybody
calls, maker, trump, that the dealer took the upcard,
choices to play alone, played cards, trick winners,
tricks taken, scores
the cards held, also by a seat that sits out           their owner
the card that the dealer put aside                     the dealer
the three cards left over                              nobody
=====================================================  ===================================================

Nothing of this is disclosed after the deal.
"""

from collections.abc import Mapping
from typing import Final

from referee.cards import Card, Seat, Suit, cards_of
from referee.games.actions import TrumpCall, UpcardCall
from referee.games.base import Event, Growing
from referee.games.euchre.events import AloneChosen, Dealt, Phase, PickedUp, TrumpCalled, UpcardCalled
from referee.games.euchre.rules import EuchreState
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.tricks import Trick
from referee.values import value_class


@value_class
class EuchreDealStarted:
    """A deal began; the seat's own cards in canonical order, none for the public."""

    deal: int
    dealer: Seat
    hand: tuple[Card, ...]
    upcard: Card


@value_class
class UpcardTaken:
    """The dealer took the upcard and put a card aside, which only it is told."""

    seat: Seat
    discarded: Card | None


@value_class
class EuchreView:
    """What a seat knows of the deal in play.

    ``hand`` is what it holds now, in canonical order, also while it sits out; the dealer has six cards while
    it discards. ``upcard`` is None only before the first deal. ``upcard_calls`` and ``trump_calls`` are in
    order from the dealer's left, ``alone`` in the order given; ``discarded`` is the dealer's own alone.
    ``taken`` and ``scores`` are by side, ``scores`` those of the deals scored. For the public ``seat`` is
    None and the seat's own cards are empty.

    A trick has a card of each active seat, clockwise from the leader; the partner of a seat that plays alone
    is not active. So with one loner a complete trick has three cards, with two it has two.
    """

    phase: Phase
    deal: int
    dealer: Seat
    seat: Seat | None
    hand: tuple[Card, ...]
    upcard: Card | None
    upcard_calls: tuple[UpcardCall, ...]
    trump_calls: tuple[TrumpCall, ...]
    maker: Seat | None
    trump: Suit | None
    discarded: Card | None
    alone: tuple[AloneChosen, ...]
    tricks: tuple[Trick, ...]
    trick: Trick | None
    taken: tuple[int, ...]
    scores: tuple[int, ...]


PUBLIC: Final = frozenset({UpcardCalled, TrumpCalled, AloneChosen, CardPlayed, TrickTaken, DealScored})
"""The events that everybody is told as they are."""


def project(event: Event, seat: Seat | None) -> Event | None:
    """Return what a seat (None: the public) is told of an event, or None when it is told nothing.

    Raises:
        TypeError: the event is none of this game; nobody is told what is not provided for here.
    """
    if type(event) in PUBLIC:
        return event
    match event:
        case Dealt(deal, dealer, hands, upcard):
            return EuchreDealStarted(deal, dealer, () if seat is None else hands[seat], upcard)
        case PickedUp(dealer, discarded):
            return UpcardTaken(dealer, discarded if seat == dealer else None)
    raise TypeError(f"euchre has no projection of {type(event).__name__}")


def view(state: EuchreState, seat: Seat | None) -> EuchreView:
    """Return all that a seat (None: the public) knows of the deal in play."""
    hand: tuple[Card, ...] = ()
    discarded: Card | None = None
    if seat is not None:
        hand = cards_of(state.hands[seat])
        if seat == state.dealer:
            discarded = state.discarded
    return EuchreView(
        phase=state.phase,
        deal=state.deal_number,
        dealer=state.dealer,
        seat=seat,
        hand=hand,
        upcard=state.upcard,
        upcard_calls=tuple(state.upcard_calls),
        trump_calls=tuple(state.trump_calls),
        maker=state.maker,
        trump=state.trump,
        discarded=discarded,
        alone=tuple(state.alone),
        tricks=tuple(state.tricks.complete),
        trick=state.tricks.current,
        taken=tuple(state.taken),
        scores=state.scores,
    )


GROWING: Final[Mapping[int, Growing]] = {
    Phase.PLAY: Growing(
        ("hand", "trick"),
        lambda state, seat: (state.hands[seat], state.tricks),
        by_trick=("taken",),
        then=lambda state: (tuple(state.taken),),
    ),
}
"""What changes of `view` in a phase; tests hold views that grow by it to `view`."""
