"""Rubicon piquet."""

from collections.abc import Mapping
from typing import ClassVar, Final

from referee.cards import ALL_CARDS, Rank, Seat, rank_of
from referee.games.actions import Action, Choose, ChooseCards, ChooseCombinations, ChooseFurther, Legal
from referee.games.base import Event, Game
from referee.games.options import Options
from referee.games.piquet.check_plan import CHECK_PLAN
from referee.games.piquet.events import Phase
from referee.games.piquet.rules import OPTIONS, SEATS, PiquetState
from referee.games.piquet.view import GROWING, PUBLIC, PiquetView, project, view

__all__ = ["GAME"]


class _Piquet(Game[PiquetState]):
    name = "piquet"
    title = "Rubicon piquet"
    summary = (
        "Two players exchange cards, compare combinations and play twelve tricks, six deals to a partie. Its "
        "winner scores 100 and the difference of the totals, or their sum when the loser misses the rubicon; "
        "the loser scores 0."
    )
    source = (
        "the article on piquet of the Encyclopaedia Britannica "
        "(https://britannica.com/EBchecked/topic/461477/piquet)"
    )
    deck = (
        "Seat 0 takes the first twelve cards, seat 1 the next twelve; the last eight are the talon, "
        "top first."
    )
    seats = len(SEATS)
    sides = tuple((seat,) for seat in SEATS)
    cards = tuple(c for c in ALL_CARDS if rank_of(c) >= Rank.SEVEN)
    options = OPTIONS
    always_listed = frozenset({"rubicon"})
    # sinking all it may, a default tells the opponent nothing that it need not
    phases: ClassVar[Mapping[str, str]] = {
        "blank": "Claims no blank.",
        "exchange": "Exchanges as few cards as it may: elder the first in canonical order, younger none.",
        "leftovers": "Leaves the cards left over face down.",
        "declare": "Declares nothing.",
        "further": "Adds no combination.",
        "play": "Plays the first legal card in canonical order.",
    }
    answers: ClassVar[Mapping[str, str]] = {
        "blank": "blank",
        "exchange": "choose_cards",
        "leftovers": "leftovers",
        "declare": "declare",
        "further": "choose_combinations",
        "play": "play_card",
    }
    low_wins = False
    check_plan = CHECK_PLAN
    usual_draws = 0.003
    public = PUBLIC
    growing = GROWING
    rules_version = 1

    def new(self, options: Options, *, deals: int | None, first: Seat) -> PiquetState:
        """Return the state before the first deal, which ``first`` deals: it is younger."""
        return PiquetState(options, deals=deals, first=first)

    def project(self, event: Event, seat: Seat | None) -> Event | None:
        """Return what a seat (None: the public) is told of an event, or None when it is told nothing."""
        return project(event, seat)

    def view(self, state: PiquetState, seat: Seat | None) -> PiquetView:
        """Return all that a seat (None: the public) knows of the deal in play."""
        return view(state, seat)

    def default(self, view: PiquetView, legal: Legal) -> Action:
        """Return what ``phases`` says, from the seat's own view alone."""
        if isinstance(legal, Choose):
            return ChooseCards(legal.cards[: legal.minimum])
        if isinstance(legal, ChooseFurther):
            return ChooseCombinations(())
        if view.phase in (Phase.BLANK, Phase.LEFTOVERS):
            return legal.actions[-1]
        return legal.actions[0]


GAME: Final = _Piquet()
