"""American hearts."""

from collections.abc import Mapping
from typing import ClassVar, Final

from referee.cards import ALL_CARDS, Seat
from referee.games.actions import Action, Choose, ChooseCards, Legal, LegalActions, Moon, MoonChoice
from referee.games.base import Event, Game
from referee.games.hearts.check_plan import CHECK_PLAN
from referee.games.hearts.rules import OPTIONS, SEATS, HeartsState, Phase
from referee.games.hearts.view import GROWING, PUBLIC, HeartsView, project, view
from referee.games.options import Options

__all__ = ["GAME"]


class _Hearts(Game[HeartsState]):
    name = "hearts"
    title = "American hearts"
    summary = (
        "Four players, each for himself, pass three cards and avoid taking hearts and the queen of spades; "
        "who takes them all shoots the moon. The lowest total wins."
    )
    source = 'the rules of "kierki amerykańskie" at kurnik.pl (https://www.kurnik.pl/kierkiam/zasady.phtml)'
    deck = "Seat 0 takes the first thirteen cards, seat 1 the next thirteen, and so on."
    seats = len(SEATS)
    sides = tuple((seat,) for seat in SEATS)
    cards = ALL_CARDS
    options = OPTIONS
    always_listed = frozenset({"target", "jack_of_diamonds", "any_heart_breaks", "moon", "max_deals"})
    phases: ClassVar[Mapping[str, str]] = {
        "pass": "Passes the three lowest cards of the hand in canonical order.",
        "play": "Plays the first legal card in canonical order.",
        "moon": "Subtracts 26 from the shooter's own total.",
    }
    answers: ClassVar[Mapping[str, str]] = {
        "pass": "choose_cards",
        "play": "play_card",
        "moon": "moon",
    }
    low_wins = True
    simultaneous = True
    check_plan = CHECK_PLAN
    usual_draws = 0.02
    public = PUBLIC
    growing = GROWING
    rules_version = 1

    def new(self, options: Options, *, deals: int | None, first: Seat) -> HeartsState:
        """Return the state before the first deal; nobody begins by right, so ``first`` is ignored."""
        return HeartsState(options, deals=deals)

    def project(self, event: Event, seat: Seat | None) -> Event | None:
        """Return what a seat (None: the public) is told of an event, or None when it is told nothing."""
        return project(event, seat)

    def view(self, state: HeartsState, seat: Seat | None) -> HeartsView:
        """Return all that a seat (None: the public) knows of the deal in play."""
        return view(state, seat)

    def hides_turn(self, view: HeartsView) -> bool:
        """Return whether the two of clubs is still to be led: who holds it is not said before."""
        return view.phase == Phase.PLAY and not view.tricks and view.trick is None

    def default(self, view: HeartsView, legal: Legal) -> Action:
        """Return what ``phases`` says, from the seat's own view alone."""
        if isinstance(legal, Choose):
            return ChooseCards(legal.cards[: legal.minimum])
        if view.phase == Phase.MOON:
            return Moon(MoonChoice.SUBTRACT)
        assert isinstance(legal, LegalActions)
        return legal.actions[0]


GAME: Final = _Hearts()
