"""How strong a house bot is beside OpenSpiel's MCTSBot, for docs/house-bots.md.

    python -m tests.openspiel.strength searcher-1 --simulations 200

In each game that OpenSpiel has, by the rules that it supports, in sets of two matches of one deal, until one
of them is better or the sets are used up.
"""

import argparse
import time
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from open_spiel.python.algorithms import mcts  # type: ignore[import-untyped]

from fairdeal import Answer, Decision
from fairdeal.adapters import openspiel
from fairdeal.bots import make
from fairdeal.testing import Arena
from referee.dealing.keys import SeededKeys
from referee.games.registry import game as rules_of
from tournaments.compare.sets import BOTS, TURNS, SetResult, match_id, play_of, seating
from tournaments.compare.tally import SetTally

SUPPORTED: Final[Mapping[str, Mapping[str, object]]] = {
    "euchre": {"dealer_may_discard_upcard": False, "maker_partner_may_go_alone": False},
    "hearts": {"any_heart_breaks": True},
    "spades": {},
}
SEED: Final = "house-bots"


class Timed:
    """A bot with the processor time that it has used."""

    def __init__(self, bot: Any) -> None:
        self.seconds = 0.0
        self._bot = bot

    def act(self, decision: Decision) -> Answer:
        began = time.process_time()
        answer: Answer = self._bot.act(decision)
        self.seconds += time.process_time() - began
        return answer


def measure(game: str, name: str, simulations: int, most: int) -> str:
    """Return a row of the table."""

    def searching(spiel: Any, player: int) -> Any:
        chance = np.random.RandomState(7)
        rollouts = mcts.RandomRolloutEvaluator(1, chance)
        return mcts.MCTSBot(spiel, 2, simulations, rollouts, random_state=chance)

    rules, arena, tally = rules_of(game), Arena(SeededKeys(SEED)), SetTally()
    seconds = dict.fromkeys(BOTS, 0.0)
    while not tally.is_decided and tally.sets < most:
        plays = []
        for turn in TURNS:
            seats = seating(rules, turn)
            bots = [Timed(make(name) if bot == BOTS[0] else openspiel.bot(searching)()) for bot in seats]
            played = arena.play(
                game,
                bots,
                match_id=match_id(rules, tally.sets + 1, turn),
                options=SUPPORTED[game],
                deals=1,
                bot_seed=SEED,
                epoch=f"set-{tally.sets + 1}",
            )
            plays.append(play_of(rules, turn, 1, played.outcome))
            for bot, timed in zip(seats, bots, strict=True):
                seconds[bot] += timed.seconds
        tally.add(SetResult(tally.sets + 1, (plays[0], plays[1])))
    points, matches = tally.points, 2 * tally.sets
    shown = f"{points.mean:+.3g} ({points.low:+.3g} to {points.high:+.3g}) | {100 * tally.won.mean:.0f} %"
    costs = ", ".join(f"{seconds[bot] / matches:.2f} s" for bot in BOTS)
    return f"| {game} | {shown} | {tally.sets} | {costs} |"


def main() -> None:
    """Print the table."""
    line = argparse.ArgumentParser(description=__doc__)
    line.add_argument("name", help="the house bot")
    line.add_argument("--simulations", type=int, default=200, help="of MCTSBot, for a decision")
    line.add_argument("--sets", type=int, default=200, help="how many at most")
    given = line.parse_args()
    for game in SUPPORTED:
        print(measure(game, given.name, given.simulations, given.sets), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
