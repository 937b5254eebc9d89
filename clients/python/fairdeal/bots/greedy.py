"""The house bot `greedy`: simple play by rules of thumb, with a module for each game. It has no memory."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from fairdeal import Answer, Decision, bots
from fairdeal.bots.random_bot import random_answer

_MODULE: Final = "greedy_"
_NAMES: Final = [module.name for module in iter_modules(bots.__path__)]


class Greedy:
    """Decides from the view alone, and always the same in the same position.

    With a probability of ``blunder``, drawn for each decision, it answers at random instead.

    Raises:
        ValueError: asked to play a game that is not among its ``games``.
    """

    games = tuple([name.removeprefix(_MODULE) for name in _NAMES if name.startswith(_MODULE)])

    def __init__(self, *, blunder: float = 0.0) -> None:
        self._blunder = blunder

    def act(self, decision: Decision) -> Answer:
        """Return the answer of the rules of thumb, or a blunder."""
        if self._blunder and decision.chance.happens(self._blunder):
            return random_answer(decision)
        game = decision.match.game
        if game not in self.games or decision.view is None:
            raise ValueError(f"greedy does not play {game}; it plays {', '.join(self.games)}")
        rules = import_module(f"fairdeal.bots.{_MODULE}{game}")  # on demand: a bot plays few games
        answer: Answer = rules.answer(decision.view, decision)
        return answer
