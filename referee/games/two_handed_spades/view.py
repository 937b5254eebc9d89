"""Two-handed spades: what a seat may know. This is the security boundary.

Views and projections are built by adding what is known, never by masking the truth.

==================================================  ======================================================
who goes first, bids, played cards, trick winners,  everybody
whether broken, scores, bags
that a seat kept or refused                         everybody
the top card of the stock                           the seat that is to keep or refuse it
the second card of a turn                           the seat whose turn it was, once it has decided
what a seat holds, kept and discarded               its owner, discards for the whole deal
==================================================  ======================================================

The opponent's discards are never shown, not even after the deal.
"""

from collections.abc import Mapping
from typing import Final

from referee.cards import Card, Seat, cards_of
from referee.games.actions import DraftChoice
from referee.games.base import Event, Growing
from referee.games.events import BidMade, CardPlayed, DealScored, TrickTaken
from referee.games.tricks import Trick
from referee.games.two_handed_spades.rules import Dealt, Drafted, Phase, TwoHandedSpadesState
from referee.values import value_class


@value_class
class DraftStarted:
    """A deal began; the pack lies face down."""

    deal: int
    first: Seat


@value_class
class CardDrafted:
    """A seat kept or refused a card; the faces are told to this seat only."""

    seat: Seat
    choice: DraftChoice
    kept: Card | None
    discarded: Card | None


@value_class
class TwoHandedSpadesView:
    """What a seat knows of the deal in play.

    ``offered`` is the card that the seat must keep or refuse now; ``choices`` are those of both seats in
    turn, ``first`` beginning; ``kept`` and ``discarded`` are its own, in order; ``hand`` is what it holds
    now, in canonical order; ``taken`` counts tricks; ``scores`` and ``bags`` are those after the deals
    scored. For the public ``seat`` is None and the seat's own cards are empty.
    """

    phase: Phase
    deal: int
    first: Seat
    seat: Seat | None
    offered: Card | None
    choices: tuple[DraftChoice, ...]
    kept: tuple[Card, ...]
    discarded: tuple[Card, ...]
    hand: tuple[Card, ...]
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
        case Dealt(deal, first):
            return DraftStarted(deal, first)
        case Drafted(drafter, choice, kept, discarded):
            if drafter == seat:
                return CardDrafted(drafter, choice, kept, discarded)
            return CardDrafted(drafter, choice, None, None)
    raise TypeError(f"two_handed_spades has no projection of {type(event).__name__}")


def view(state: TwoHandedSpadesState, seat: Seat | None) -> TwoHandedSpadesView:
    """Return all that a seat (None: the public) knows of the deal in play."""
    offered: Card | None = None
    kept: tuple[Card, ...] = ()
    discarded: tuple[Card, ...] = ()
    hand: tuple[Card, ...] = ()
    if seat is not None:
        kept = tuple(state.kept[seat])
        discarded = tuple(state.discarded[seat])
        hand = cards_of(state.hands[seat])
        if state.phase == Phase.DRAFT and seat in state.to_act():
            offered = state.top
    return TwoHandedSpadesView(
        phase=state.phase,
        deal=state.deal_number,
        first=state.first,
        seat=seat,
        offered=offered,
        choices=tuple(state.choices),
        kept=kept,
        discarded=discarded,
        hand=hand,
        bids=tuple(state.bidding.made),
        tricks=tuple(state.tricks.complete),
        trick=state.tricks.current,
        taken=tuple(state.taken),
        scores=state.scores,
        bags=state.bags,
        spades_broken=state.broken,
    )


GROWING: Final[Mapping[int, Growing]] = {
    Phase.DRAFT: Growing(
        ("offered", "choices", "kept", "discarded", "hand"),
        lambda state, seat: (
            state.top if seat in state.to_act() else None,
            state.choices,
            state.kept[seat],
            state.discarded[seat],
            state.hands[seat],
        ),
    ),
    Phase.PLAY: Growing(
        ("hand", "trick", "spades_broken"),
        lambda state, seat: (state.hands[seat], state.tricks, state.broken),
        by_trick=("taken",),
        then=lambda state: (tuple(state.taken),),
    ),
}
"""What changes of `view` in a phase; tests hold views that grow by it to `view`."""
