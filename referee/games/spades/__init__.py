"""Spades."""

from collections.abc import Mapping
from typing import ClassVar, Final

from referee.cards import ALL_CARDS, Seat
from referee.games.actions import Action, Bid, Blind, BlindChoice, Legal, LegalActions
from referee.games.base import Event, Game
from referee.games.check_plan import CheckPlan
from referee.games.options import Options
from referee.games.partners import SEATS, SIDES
from referee.games.spades.rules import OPTIONS, Phase, SpadesState
from referee.games.spades.view import GROWING, PUBLIC, SpadesView, project, view

__all__ = ["GAME"]


class _Spades(Game[SpadesState]):
    name = "spades"
    title = "Spades"
    summary = (
        "Four players in two partnerships bid and play thirteen tricks with spades as trump; a side far "
        "behind may bid nil blind. A score at the target or at the floor ends the game; the higher one wins."
    )
    source = 'the rules of "piki" at kurnik.pl (https://www.kurnik.pl/piki/zasady.phtml)'
    deck = "Seat 0 takes the first thirteen cards, seat 1 the next thirteen, and so on, no matter who deals."
    seats = len(SEATS)
    sides = SIDES
    cards = ALL_CARDS
    options = OPTIONS
    always_listed = frozenset(
        {
            "target",
            "floor",
            "blind_nil_gap",
            "nil_points",
            "blind_nil_points",
            "bag_limit",
            "bag_penalty",
            "failed_nil_tricks",
            "max_deals",
        }
    )
    phases: ClassVar[Mapping[str, str]] = {
        "blind": "Looks at its cards.",
        "bid": "Bids 1.",
        "play": "Plays the first legal card in canonical order.",
    }
    answers: ClassVar[Mapping[str, str]] = {
        "blind": "blind",
        "bid": "bid",
        "play": "play_card",
    }
    low_wins = False
    check_plan = CheckPlan(
        deals=2,
        options={"blind_nil_gap": 0, "nil_points": 50},
        long_options={"target": 5000, "floor": -5000, "nil_points": 0, "blind_nil_points": 0},
    )
    usual_draws = 0.001
    public = PUBLIC
    growing = GROWING
    rules_version = 1

    def new(self, options: Options, *, deals: int | None, first: Seat) -> SpadesState:
        """Return the state before the first deal, which ``first`` deals, bidding and leading first."""
        return SpadesState(options, deals=deals, dealer=first)

    def project(self, event: Event, seat: Seat | None) -> Event | None:
        """Return what a seat (None: the public) is told of an event, or None when it is told nothing."""
        return project(event, seat)

    def view(self, state: SpadesState, seat: Seat | None) -> SpadesView:
        """Return all that a seat (None: the public) knows of the deal in play."""
        return view(state, seat)

    def default(self, view: SpadesView, legal: Legal) -> Action:
        """Return what ``phases`` says, from the seat's own view alone."""
        match view.phase:
            case Phase.BLIND:
                return Blind(BlindChoice.LOOK)
            case Phase.BID:
                return Bid(1)
        assert isinstance(legal, LegalActions)
        return legal.actions[0]


GAME: Final = _Spades()
