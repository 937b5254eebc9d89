"""Last trick, the smallest toy: one kind of decision, three kinds of events, no options."""

from collections.abc import Mapping
from typing import ClassVar, Final

from referee.cards import ALL_CARDS, Rank, Seat, Suit, suit_of
from referee.games.actions import Action, Legal, LegalActions
from referee.games.base import Event, Game
from referee.games.last_trick.rules import SEATS, LastTrickState
from referee.games.last_trick.view import LastTrickView, project, view
from referee.games.options import Options

__all__ = ["GAME"]


class _LastTrick(Game[LastTrickState]):
    name = "last_trick"
    title = "Last trick"
    summary = "Two players with three spades each play for the last trick. Four of them win."
    source = "made up for the page on adding a game (https://example.org/last-trick)"
    deck = "Seat 0 takes the first three cards, seat 1 the next three."
    seats = len(SEATS)
    sides = tuple((seat,) for seat in SEATS)
    cards = tuple(c for c in ALL_CARDS if suit_of(c) == Suit.SPADES and c % 13 >= Rank.NINE)
    options = ()
    phases: ClassVar[Mapping[str, str]] = {"play": "Plays the lowest card of the hand."}
    answers: ClassVar[Mapping[str, str]] = {"play": "play_card"}
    low_wins = False
    rules_version = 1

    def new(self, options: Options, *, deals: int | None, first: Seat) -> LastTrickState:
        """Return the state before the first deal; ``first`` leads in it."""
        return LastTrickState(deals=deals, first=first)

    def project(self, event: Event, seat: Seat | None) -> Event | None:
        """Return what a seat (None: the public) is told of an event, or None when it is told nothing."""
        return project(event, seat)

    def view(self, state: LastTrickState, seat: Seat | None) -> LastTrickView:
        """Return all that a seat (None: the public) knows of the deal in play."""
        return view(state, seat)

    def default(self, view: LastTrickView, legal: Legal) -> Action:
        """Return what ``phases`` says, from the seat's own view alone."""
        assert isinstance(legal, LegalActions)
        return legal.actions[0]


GAME: Final = _LastTrick()
