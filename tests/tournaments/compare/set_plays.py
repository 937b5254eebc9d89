"""Writes tests/data/set_plays.json: real sets between house bots, which the error rates are measured on.

    python -m tests.tournaments.compare.set_plays

It takes about fifteen minutes.
"""

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Final

from fairdeal.bots import make
from referee.games.registry import GAMES
from tournaments.compare.in_process import InProcess
from tournaments.compare.sets import BOTS

PAIRS: Final = {("greedy:0.1", "greedy:0.1"): 500, ("random", "random"): 300, ("greedy", "greedy:0.1"): 300}


async def plays(game: str, pair: tuple[str, str], sets: int) -> list[list[float]]:
    """Return the points a deal in the turns of each set."""
    makers = {}
    for name, text in zip(BOTS, pair, strict=True):
        bot, _, blunder = text.partition(":")
        makers[name] = partial(make, bot, blunder=float(blunder or 0))
    player = InProcess(game, 1, makers, "gen")
    results = [await player.play(number) for number in range(1, sets + 1)]
    return [[_short(play.points) for play in result.plays] for result in results]


def _short(number: float) -> float:
    return int(number) if number.is_integer() else number


async def main() -> None:
    """Play all sets and write the file."""
    data = {
        " ".join(pair): {game: await plays(game, pair, sets) for game in GAMES}
        for pair, sets in PAIRS.items()
    }
    path = Path(__file__).parents[2] / "data" / "set_plays.json"
    path.write_text(json.dumps(data, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
