"""Rubicon piquet: what a seat may know. This is the security boundary.

Views and projections are built by adding what is known, never by masking the truth.

==================================================  ======================================================
elder, numbers exchanged, the dialogue's words,     everybody
played cards, trick winners, booked points, totals
the cards dealt, held, discarded, drawn             their owner, discards for the whole deal
the cards that elder looked at and left             elder
a blank that is claimed                             everybody; its cards once proved, younger's only after
                                                    elder's exchange
that elder declared nothing                         everybody, but not whether it could have
that a blank or a further combination was declined  nobody but the player who was asked
or could not be had
the cards left over                                 everybody if younger reveals them, else nobody
the cards of combinations                           everybody once they score, else only their owner
value of a point, top of a sequence                 everybody if younger had to ask, else only its owner
repique and pique                                   everybody, with younger's combinations at the earliest
==================================================  ======================================================

A player's discards are never shown to the other, not even after the deal.
"""

from collections.abc import Mapping
from typing import Final

from referee.cards import Card, Rank, Seat, cards_of
from referee.games.base import Event, Growing
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.piquet.events import (
    BlankClaimed,
    BonusScored,
    CombinationsShown,
    Dealt,
    Declared,
    Exchanged,
    LeftoversSettled,
    Phase,
    PiquetAnswer,
    PiquetRound,
)
from referee.games.piquet.rules import PiquetState
from referee.games.tricks import Trick
from referee.values import value_class


@value_class
class PiquetDealStarted:
    """A deal began; the seat's own twelve cards in canonical order, none for the public."""

    deal: int
    elder: Seat
    hand: tuple[Card, ...]


@value_class
class CardsExchanged:
    """A seat exchanged some cards; which ones is told to this seat only."""

    seat: Seat
    count: int
    discarded: tuple[Card, ...]
    drawn: tuple[Card, ...]
    looked: tuple[Card, ...]


@value_class
class CombinationDeclared:
    """Elder's words in a round and younger's answer, no more than was said; length 0 is a pass."""

    round: PiquetRound
    length: int
    value: int | None
    rank: Rank | None
    answer: PiquetAnswer | None


@value_class
class PiquetView:
    """What a seat knows of the deal in play.

    ``hand`` is what it holds now, ``dealt`` what it was dealt, both in canonical order; ``drawn`` and
    ``looked`` are in talon order. ``exchanges`` tell how many were exchanged, not which. ``blanks`` hold the
    cards once proved; ``leftovers`` are those revealed.
    ``points`` are booked in this deal so far, bonuses included, by seat; ``totals`` are those of the deals
    scored. For the public ``seat`` is None and the seat's own cards are empty.
    """

    phase: Phase
    deal: int
    elder: Seat
    seat: Seat | None
    hand: tuple[Card, ...]
    dealt: tuple[Card, ...]
    discarded: tuple[Card, ...]
    drawn: tuple[Card, ...]
    looked: tuple[Card, ...]
    exchanges: tuple[CardsExchanged, ...]
    blanks: tuple[BlankClaimed, ...]
    leftovers: tuple[Card, ...]
    declarations: tuple[CombinationDeclared, ...]
    shown: tuple[CombinationsShown, ...]
    tricks: tuple[Trick, ...]
    trick: Trick | None
    points: tuple[int, ...]
    totals: tuple[int, ...]
    bonuses: tuple[BonusScored, ...]


PUBLIC: Final = frozenset(
    {BlankClaimed, LeftoversSettled, CombinationsShown, BonusScored, CardPlayed, TrickTaken, DealScored}
)
"""The events that everybody is told as they are."""


def project(event: Event, seat: Seat | None) -> Event | None:
    """Return what a seat (None: the public) is told of an event; in piquet it is always told something.

    Raises:
        TypeError: the event is none of this game; nobody is told what is not provided for here.
    """
    if type(event) in PUBLIC:
        return event
    match event:
        case Dealt(deal, elder, hands):
            return PiquetDealStarted(deal, elder, () if seat is None else hands[seat])
        case Exchanged():
            return _exchanged(event, seat)
        case Declared():
            return _declared(event)
    raise TypeError(f"piquet has no projection of {type(event).__name__}")


def _exchanged(event: Exchanged, seat: Seat | None) -> CardsExchanged:
    if event.seat == seat:
        count = len(event.discarded)
        return CardsExchanged(event.seat, count, event.discarded, event.drawn, event.looked)
    return CardsExchanged(event.seat, len(event.discarded), (), (), ())


def _declared(event: Declared) -> CombinationDeclared:
    """Return the words alone, to elder too: it knows its own cards."""
    return CombinationDeclared(event.round, event.length, event.value, event.rank, event.answer)


def view(state: PiquetState, seat: Seat | None) -> PiquetView:
    """Return all that a seat (None: the public) knows of the deal in play."""
    hand: tuple[Card, ...] = ()
    dealt: tuple[Card, ...] = ()
    discarded: tuple[Card, ...] = ()
    drawn: tuple[Card, ...] = ()
    looked: tuple[Card, ...] = ()
    if seat is not None:
        hand = cards_of(state.hands[seat])
        dealt = cards_of(state.dealt[seat])
        for own in state.exchanges:
            if own.seat == seat:
                discarded, drawn, looked = own.discarded, own.drawn, own.looked
    return PiquetView(
        phase=state.phase,
        deal=state.deal_number,
        elder=state.elder,
        seat=seat,
        hand=hand,
        dealt=dealt,
        discarded=discarded,
        drawn=drawn,
        looked=looked,
        exchanges=tuple(_exchanged(done, None) for done in state.exchanges),
        blanks=tuple(state.blanks),
        leftovers=state.leftovers,
        declarations=tuple(map(_declared, state.declarations)),
        shown=tuple(state.shown),
        tricks=tuple(state.tricks.complete),
        trick=state.tricks.current,
        points=state.points,
        totals=state.totals,
        bonuses=tuple(state.ledger.bonuses),
    )


GROWING: Final[Mapping[int, Growing]] = {
    Phase.PLAY: Growing(
        ("hand", "trick", "points"),
        lambda state, seat: (state.hands[seat], state.tricks, state.points),
        also=lambda state: len(state.shown) + len(state.ledger.bonuses),
    ),
}
"""What changes of `view` in a phase; tests hold views that grow by it to `view`."""
