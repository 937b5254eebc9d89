"""Measures how much sets that share a deck depend on each other, between house bots.

    python -m tests.tournaments.design_effect --decks 300

All pairs of four bots play sets of the same decks. The design effect of a bot is the variance of what it wins
on a deck, over that which independent sets of the same pairs would have; 1: as if each set had its own deck.
"""

import argparse
import sys
from itertools import combinations
from statistics import fmean, pvariance
from typing import Final

from fairdeal.bots import HouseBot, make
from fairdeal.testing import Arena
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from tournaments.compare.sets import TURNS, play_of, seating

_BOTS: Final[dict[str, HouseBot]] = {
    "g": make("greedy"),
    "g10": make("greedy", blunder=0.1),
    "g30": make("greedy", blunder=0.3),
    "r": make("random"),
}


def won(arena: Arena, game: str, one: str, other: str, deck: int) -> float:
    """Return what the first bot wins of a set, which has the decks of all sets of the same number."""
    bots = {"a": _BOTS[one], "b": _BOTS[other]}
    points = 0.0
    for turn in TURNS:
        played = arena.play(
            game,
            [bots[name] for name in seating(GAMES[game], turn)],
            match_id=f"{one}-{other}-{deck}-{turn}",
            deals=1,
            bot_seed=f"{one} {other}",
            epoch=f"deck-{deck}",
        )
        points += play_of(GAMES[game], turn, 1, played.outcome).points
    return 0.5 if points == 0 else float(points > 0)


def design_effects(game: str, decks: int) -> dict[str, float]:
    """Return the design effect of each bot."""
    arena = Arena(SeededKeys("design effect"))
    by_pair = {
        pair: [won(arena, game, *pair, deck) for deck in range(decks)] for pair in combinations(_BOTS, 2)
    }
    found: dict[str, float] = {}
    for bot in _BOTS:
        own = [
            [share if pair[0] == bot else 1 - share for share in shares]
            for pair, shares in by_pair.items()
            if bot in pair
        ]
        found[bot] = pvariance([sum(deck) for deck in zip(*own, strict=True)]) / sum(map(pvariance, own))
    return found


def main() -> None:
    """Measure and print."""
    line = argparse.ArgumentParser(description="Measure how much sets of one deck depend on each other.")
    line.add_argument("--decks", type=int, default=300, help="2 or more")
    of_two = sorted(name for name, rules in GAMES.items() if len(rules.sides) == 2)
    line.add_argument("--games", nargs="+", default=of_two, choices=of_two)
    given = line.parse_args()
    if given.decks < 2:
        line.error(f"--decks {given.decks}: take 2 or more")
    sys.stdout.write(f"| game | {' | '.join(_BOTS)} | mean |\n| {'--- | ' * (len(_BOTS) + 2)}\n")
    for game in given.games:
        found = design_effects(game, given.decks)
        cells = [f"{value:.2f}" for value in (*found.values(), fmean(found.values()))]
        sys.stdout.write(f"| {game} | {' | '.join(cells)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
