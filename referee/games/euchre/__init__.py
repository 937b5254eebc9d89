"""Euchre."""

from collections.abc import Mapping
from typing import ClassVar, Final

from referee.cards import Seat
from referee.games.actions import (
    Action,
    Alone,
    AloneChoice,
    CallTrump,
    CallUpcard,
    Choose,
    ChooseCards,
    Legal,
    LegalActions,
    TrumpCall,
    UpcardCall,
)
from referee.games.base import Event, Game
from referee.games.euchre.check_plan import CHECK_PLAN
from referee.games.euchre.events import Phase
from referee.games.euchre.rules import CARDS, OPTIONS, EuchreState
from referee.games.euchre.view import GROWING, PUBLIC, EuchreView, project, view
from referee.games.options import Options
from referee.games.partners import SEATS, SIDES

__all__ = ["GAME"]


class _Euchre(Game[EuchreState]):
    name = "euchre"
    title = "Euchre"
    summary = (
        "Four players in two partnerships, five cards each of 24; the side that makes trump must take three "
        "of the five tricks, and any player may play alone. The first side to reach the target wins."
    )
    source = 'the rules of "euker" at kurnik.pl (https://www.kurnik.pl/euker/zasady.phtml)'
    deck = (
        "Seat 0 takes the first five cards, seat 1 the next five, and so on; then comes the upcard, "
        "and three cards that nobody sees."
    )
    seats = len(SEATS)
    sides = SIDES
    cards = CARDS
    options = OPTIONS
    always_listed = frozenset(
        {
            "target",
            "stick_the_dealer",
            "defenders_may_go_alone",
            "maker_partner_may_go_alone",
            "dealer_may_discard_upcard",
            "max_deals",
        }
    )
    phases: ClassVar[Mapping[str, str]] = {
        "upcard": "Passes.",
        "trump": "Passes, or names the first suit it may when it must name one.",
        "discard": "Puts the first card it may aside, in canonical order.",
        "alone": "Plays together with its partner.",
        "play": "Plays the first legal card in canonical order.",
    }
    answers: ClassVar[Mapping[str, str]] = {
        "upcard": "upcard_call",
        "trump": "trump_call",
        "discard": "choose_cards",
        "alone": "alone",
        "play": "play_card",
    }
    low_wins = False
    check_plan = CHECK_PLAN
    usual_draws = 0.1
    public = PUBLIC
    growing = GROWING
    rules_version = 1

    def new(self, options: Options, *, deals: int | None, first: Seat) -> EuchreState:
        """Return the state before the first deal, which ``first`` deals."""
        return EuchreState(options, deals=deals, first=first)

    def project(self, event: Event, seat: Seat | None) -> Event | None:
        """Return what a seat (None: the public) is told of an event, or None when it is told nothing."""
        return project(event, seat)

    def view(self, state: EuchreState, seat: Seat | None) -> EuchreView:
        """Return all that a seat (None: the public) knows of the deal in play."""
        return view(state, seat)

    def default(self, view: EuchreView, legal: Legal) -> Action:
        """Return what ``phases`` says, from the seat's own view alone."""
        if isinstance(legal, Choose):
            return ChooseCards(legal.cards[: legal.minimum])
        assert isinstance(legal, LegalActions)
        match view.phase:
            case Phase.UPCARD:
                return CallUpcard(UpcardCall.PASS)
            case Phase.TRUMP if CallTrump(TrumpCall.PASS) in legal.actions:
                return CallTrump(TrumpCall.PASS)
            case Phase.ALONE:
                return Alone(AloneChoice.TOGETHER)
        return legal.actions[0]


GAME: Final = _Euchre()
