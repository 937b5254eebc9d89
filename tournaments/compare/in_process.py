"""Plays sets between house bots in this process: they have no memory, and need no processes of their own."""

from collections.abc import Callable, Mapping

from fairdeal.bots import HouseBot
from fairdeal.testing import Arena
from referee.dealing.keys import SeededKeys
from referee.games.registry import game as rules_of
from referee.match.faults import Termination
from tournaments.compare.sets import TURNS, Play, SetResult, match_id, play_of, seating


class InProcess:
    """Plays sets of one game, one at a time; deals and the bots' own draws follow from ``seed``."""

    at_once = 1

    def __init__(self, game: str, deals: int, bots: Mapping[str, Callable[[], HouseBot]], seed: str) -> None:
        self._rules = rules_of(game)
        self._deals = deals
        self._bots = bots
        self._seed = seed
        self._arena = Arena(SeededKeys(seed))

    async def play(self, number: int) -> SetResult:
        """Play a set."""
        first, second = (self._turn(number, turn) for turn in TURNS)
        return SetResult(number, (first, second))

    def _turn(self, number: int, turn: int) -> Play:
        played = self._arena.play(
            self._rules.name,
            [self._bots[bot]() for bot in seating(self._rules, turn)],
            match_id=match_id(self._rules, number, turn),
            deals=self._deals,
            bot_seed=self._seed,
            epoch=f"set-{number}",
        )
        assert played.outcome.termination is Termination.COMPLETED, "house bots make no faults"
        return play_of(self._rules, turn, self._deals, played.outcome)
