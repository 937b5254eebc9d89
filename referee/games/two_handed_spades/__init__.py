"""Two-handed spades."""

from collections.abc import Mapping
from typing import ClassVar, Final

from referee.cards import ALL_CARDS, Seat
from referee.games.actions import Action, Bid, Draft, DraftChoice, Legal, LegalActions
from referee.games.base import Event, Game
from referee.games.check_plan import CheckPlan
from referee.games.options import Options
from referee.games.two_handed_spades.rules import OPTIONS, SEATS, Phase, TwoHandedSpadesState
from referee.games.two_handed_spades.view import GROWING, PUBLIC, TwoHandedSpadesView, project, view

__all__ = ["GAME"]


class _TwoHandedSpades(Game[TwoHandedSpadesState]):
    name = "two_handed_spades"
    title = "Two-handed spades"
    summary = (
        "Two players draft their hands from the stock, bid and play thirteen tricks with spades as trump. "
        "The first to reach the target wins."
    )
    source = '"Spades Two Handed Rules" of dkmgames (http://dkmgames.com/CardSharp/Spades/Spades2Help.php)'
    deck = "It is the stock, its first card on top."
    seats = len(SEATS)
    sides = tuple((seat,) for seat in SEATS)
    cards = ALL_CARDS
    options = OPTIONS
    always_listed = frozenset(
        {"target", "nil_points", "bag_limit", "bag_penalty", "failed_nil_tricks", "max_deals"}
    )
    phases: ClassVar[Mapping[str, str]] = {
        "draft": "Keeps the card looked at.",
        "bid": "Bids 1.",
        "play": "Plays the first legal card in canonical order.",
    }
    answers: ClassVar[Mapping[str, str]] = {
        "draft": "draft",
        "bid": "bid",
        "play": "play_card",
    }
    low_wins = False
    check_plan = CheckPlan(deals=2, options={"bag_limit": 3, "nil_points": 50}, long_options={"target": 5000})
    usual_draws = 0.007
    public = PUBLIC
    growing = GROWING
    rules_version = 1

    def new(self, options: Options, *, deals: int | None, first: Seat) -> TwoHandedSpadesState:
        """Return the state before the first deal, in which ``first`` drafts, bids and leads first."""
        return TwoHandedSpadesState(options, deals=deals, first=first)

    def project(self, event: Event, seat: Seat | None) -> Event | None:
        """Return what a seat (None: the public) is told of an event, or None when it is told nothing."""
        return project(event, seat)

    def view(self, state: TwoHandedSpadesState, seat: Seat | None) -> TwoHandedSpadesView:
        """Return all that a seat (None: the public) knows of the deal in play."""
        return view(state, seat)

    def default(self, view: TwoHandedSpadesView, legal: Legal) -> Action:
        """Return what ``phases`` says, from the seat's own view alone."""
        match view.phase:
            case Phase.DRAFT:
                return Draft(DraftChoice.KEEP)
            case Phase.BID:
                return Bid(1)
        assert isinstance(legal, LegalActions)
        return legal.actions[0]


GAME: Final = _TwoHandedSpades()
