"""The house bot `searcher-1`: greedy, corrected by playing out deals that may be the real one.

It never changes, so that figures measured with it can be compared for years: a better one is another version.
A module for each game says what is searched, which deals are likely and how a deal is played out.
"""

import time
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from fairdeal.actions import Answer, LegalActions, PlayCard, only_answer
from fairdeal.bots.greedy import Greedy
from fairdeal.bots.searcher_1.search import GameSearch, best, distinct
from fairdeal.cards import Card
from fairdeal.errors import BadSetting
from fairdeal.updates import Decision

_TIME_SHARE: Final = 0.5
"""How much of a decision's own time may be used; the bank is never touched."""


class Searcher1:
    """Answers as greedy does unless another answer is better in deals that fit what the seat has seen.

    It searches only a ``share`` of its decisions, drawn at random, and answers the others as greedy does. If
    it ``solves`` endings, a card that it plays when few are left is not judged by rules of thumb, but by what
    the deal brings when both sides play as well as they can with all cards known (not in hearts).

    With time for all ``playouts``, over all answers to a decision together, what it answers follows from the
    bot's seed; with less it compares what it has, and with none it answers as greedy does. ``now`` gives the
    time in seconds.
    """

    games = tuple([module.name for module in iter_modules(__path__) if module.name in Greedy.games])

    def __init__(
        self,
        playouts: int,
        share: float,
        solves: bool,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._playouts = playouts
        self._solves = solves
        self._share = share
        self._now = now
        self._greedy = Greedy()

    def act(self, decision: Decision) -> Answer:
        """Return the answer to a decision that has come just now."""
        return self.search(decision, self.until(decision))

    def until(self, decision: Decision) -> float:
        """Return the time until which a decision that has come just now may be searched."""
        return self._now() + _TIME_SHARE * decision.move_time

    def search(self, decision: Decision, until: float) -> Answer:
        """Return the answer to a decision, found before this time."""
        plain = self._greedy.act(decision)
        if only_answer(decision.legal) is not None:
            return plain
        if self._share < 1 and not decision.chance.happens(self._share):
            return plain
        if isinstance(plain, Card):
            plain = PlayCard(plain)
        game: GameSearch = import_module(f"{__name__}.{decision.match.game}").SEARCH
        options = game.candidates(decision, plain)
        if options is None:
            assert isinstance(decision.legal, LegalActions)
            options = decision.legal.actions
        options = distinct([plain, *(each for each in options if each != plain)], decision.view, game.special)
        if len(options) == 1:
            return plain
        try:
            return best(decision, options, game, self._playouts, self._solves, lambda: self._now() < until)
        except BadSetting:  # no deal fits what it was told, or so few do that none is found
            return plain
