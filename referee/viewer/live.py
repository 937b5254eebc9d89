"""A match that is being played, as the public or one seat may see it, step by step.

The match is played a second time, from its inputs, so that the first costs nothing more for being watched.
"""

from typing import Any

from referee.cards import Seat
from referee.codec.json import tagged
from referee.games.actions import Legal
from referee.games.base import Game, State, View
from referee.match.effects import Append, Deals, Faulted, Input, MatchSetup, Outcome, Substituted
from referee.match.match import Match
from referee.match.replay import apply
from referee.transcript import Telling
from referee.values import value_class
from referee.viewer.frames import WatchedDeals

_NO_EVENTS = (Input, Faulted, Substituted, Outcome)
_EVER = 1 << 62


@value_class
class Step:
    """What the public or a seat knows at one moment, who is to act, and what is told of what happened before.

    Who is ``to_act`` is told as far as the public or the seat may know it.
    ``asked`` counts the decisions that the seats were told of by then. A ``view`` holds what is known of the
    deal in play; a step in which a deal ends is followed by one in which the next has begun. Where the
    seat is asked, ``decision`` is the number of the decision, else 0, and ``legal`` is what it may answer.
    """

    asked: int
    to_act: tuple[Seat, ...]
    view: View
    text: tuple[str, ...]
    begins_deal: bool
    decision: int
    legal: Legal | None


class SeenMatch:
    """One match as the public (None) or a seat knows it; it is given the match's inputs, in order.

    A step is made where a decision is put, and never where one is only answered: that one of several seats
    that choose at a time has chosen is known to nobody.
    """

    def __init__(
        self,
        header: dict[str, Any],
        setup: MatchSetup,
        game: Game[Any],
        deals: Deals,
        seat: Seat | None = None,
    ) -> None:
        self._game = game
        self._seat = seat
        self._match = Match(setup, game, WatchedDeals(deals, self._deal_over), self._look)
        self._page = Telling(header, seat)
        self._state: State | None = None
        self._asked = 0
        self._text: list[str] = []
        self._over: list[View] = []  # what was known of deals that ended in the input that is under way
        self._begins_deal = True

    def take(self, given: Input) -> list[Step]:
        """Take the next input, and return the steps that it makes."""
        self._match.pass_on(given.at)
        steps: list[Step] = []
        try:
            effects = apply(self._match, given)
        except Exception:  # noqa: BLE001 - so the match itself has failed: its next input makes it void
            return []
        for effect in effects:
            if isinstance(effect, Append) and not isinstance(effect.entry, _NO_EVENTS):
                if self._over and tagged(effect.entry)["type"] == "dealt":
                    steps.append(self._step(self._over.pop(0), ()))
                    self._begins_deal = True
                if (known := self._game.project(effect.entry, self._seat)) is not None:
                    self._text += self._page.text(tagged(known))
        asked, state = self._match.told_decisions(_EVER), self._state
        if state is not None and (asked != self._asked or self._match.outcome):
            to_act = () if self._match.outcome else state.to_act()
            self._asked = asked
            steps.append(self._step(self._game.view(state, self._seat), to_act))
        return steps

    def _step(self, view: View, to_act: tuple[Seat, ...]) -> Step:
        if self._game.hides_turn(view):
            to_act = tuple(seat for seat in to_act if seat == self._seat)
        text, self._text = tuple(self._text), []
        begins, self._begins_deal = self._begins_deal, False
        asked, seat = self._match.told_decisions(_EVER), self._seat
        if self._state is None or seat is None or seat not in to_act:
            return Step(asked, to_act, view, text, begins, 0, None)
        decision, legal = self._match.open_decision(seat), self._state.legal(seat)
        return Step(asked, to_act, view, text, begins, decision, legal)

    def _look(self, state: State, _seat: Seat) -> None:
        self._state = state  # the match hands out its state only here; it stays the same object

    def _deal_over(self) -> None:
        if self._state is not None:
            self._over.append(self._game.view(self._state, self._seat))
