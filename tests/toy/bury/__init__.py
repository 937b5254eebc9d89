"""Bury, a toy."""

from collections.abc import Mapping
from typing import ClassVar, Final

from referee.cards import ALL_CARDS, Seat, Suit, suit_of
from referee.games.actions import Action, Choose, ChooseCards, Legal, LegalActions
from referee.games.base import Event, Game
from referee.games.bury.rules import OPTIONS, SEATS, BuryState
from referee.games.bury.view import BuryView, project, view
from referee.games.options import Options

__all__ = ["GAME"]


class _Bury(Game[BuryState]):
    name = "bury"
    title = "Bury"
    summary = (
        "Two players with six hearts each bury one and play the others for tricks. The highest total wins."
    )
    source = "made up for the page on adding a game (https://example.org/bury)"
    deck = "Seat 0 takes the first six cards, seat 1 the next six; the last one is left over."
    seats = len(SEATS)
    sides = tuple((seat,) for seat in SEATS)
    cards = tuple(c for c in ALL_CARDS if suit_of(c) == Suit.HEARTS)
    options = OPTIONS
    phases: ClassVar[Mapping[str, str]] = {
        "bury": "Buries the lowest card of the hand.",
        "play": "Plays the lowest card of the hand.",
    }
    answers: ClassVar[Mapping[str, str]] = {
        "bury": "choose_cards",
        "play": "play_card",
    }
    low_wins = False
    rules_version = 1

    def new(self, options: Options, *, deals: int | None, first: Seat) -> BuryState:
        """Return the state before the first deal; ``first`` leads in it."""
        return BuryState(options, deals=deals, first=first)

    def project(self, event: Event, seat: Seat | None) -> Event | None:
        """Return what a seat (None: the public) is told of an event, or None when it is told nothing."""
        return project(event, seat)

    def view(self, state: BuryState, seat: Seat | None) -> BuryView:
        """Return all that a seat (None: the public) knows of the deal in play."""
        return view(state, seat)

    def default(self, view: BuryView, legal: Legal) -> Action:
        """Return what ``phases`` says, from the seat's own view alone."""
        if isinstance(legal, Choose):
            return ChooseCards(legal.cards[:1])
        assert isinstance(legal, LegalActions)
        return legal.actions[0]


GAME: Final = _Bury()
