"""How fast deals are played out at random from their middle, beside pyspiel, for docs/bots.md.

    python -m tests.openspiel.rollouts

Both are driven from Python, in turn, from the same decisions of matches between random bots: a copy of the
state, then random actions until the deal is over. The figures are those of the fastest of some rounds.
"""

import time
from collections.abc import Callable
from random import Random
from typing import Any, Final

import pyspiel

import fairdeal
from fairdeal import bots, model
from fairdeal.adapters.openspiel import _RULES
from fairdeal.model._worlds import draw
from fairdeal.testing import play
from referee.games.registry import GAMES
from tests.openspiel.strength import SUPPORTED

ROUNDS: Final = 7
SECONDS: Final = 0.3
"""Of processor time, for each round."""


def middles(game: str) -> list[fairdeal.Decision]:
    """Return the decisions in the middle of the play of ten deals."""
    met: list[fairdeal.Decision] = []

    class Noting:
        def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
            met.append(decision)
            return bots.Random().act(decision)

    play(
        game, [Noting() for _ in range(GAMES[game].seats)], seed="half", deals=10, options=SUPPORTED.get(game)
    )
    half = (5 if game == "euchre" else 13 if game != "piquet" else 12) // 2
    return [each for each in met if _is_lead(each.view, half)]


def _is_lead(view: Any, tricks: int) -> bool:
    return len(view.tricks) == tricks and view.trick is None and view.phase.name == "PLAY"


def ours(decision: fairdeal.Decision, chance: Random) -> Callable[[], None]:
    """Return what plays a deal out once by the referee's rules."""
    (state,) = model.worlds(decision, 1)

    def roll() -> None:
        state.copy().play_out(chance.randrange)

    return roll


def theirs(decision: fairdeal.Decision, chance: Random) -> Callable[[], None]:
    """Return what plays a deal out once by pyspiel's rules."""
    rules = _RULES[decision.match.game]
    state = pyspiel.load_game(decision.match.game, rules.parameters(decision.match)).new_initial_state()
    rules.prepare(state, decision.view)
    for action in rules.history(decision.view, draw(decision, decision.chance), decision.chance):
        state.apply_action(action)

    def roll() -> None:
        twin = state.clone()
        while not twin.is_terminal():
            legal = twin.legal_actions()
            twin.apply_action(legal[chance.randrange(len(legal))])

    return roll


def rate(rolls: list[Callable[[], None]]) -> float:
    """Return how many deals are played out in a second of processor time."""
    count, began = 0, time.process_time()
    while (used := time.process_time() - began) < SECONDS:
        for roll in rolls:
            roll()
        count += len(rolls)
    return count / used


def main() -> None:
    """Print a row for each game."""
    chance = Random(7)
    for game in GAMES:
        decisions = middles(game)
        sides = [[ours(each, chance) for each in decisions]]
        if game in _RULES:
            sides.append([theirs(each, chance) for each in decisions])
        rounds = [[rate(rolls) for rolls in sides] for _ in range(ROUNDS)]
        shown = [f"{max(side):,.0f}" for side in zip(*rounds, strict=True)]
        print(f"| {game} | {' | '.join(shown if len(shown) > 1 else [*shown, '-'])} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
