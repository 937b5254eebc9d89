"""Compare two bots in process, without sockets: how often the first wins, with a 95% interval.

    python examples/compare_in_process.py spades 200

The first bot takes one side in turn, a copy of itself in each seat, and the second bot all others.
"""

import argparse
import math
import time

from fairdeal.bots import make
from fairdeal.testing import play
from referee.games.registry import GAMES


def main(name: str, matches: int) -> None:
    """Play matches with sides in turn and print the share of them that the first bot wins."""
    sides = GAMES[name].sides
    won = 0.0
    began = time.perf_counter()
    for number in range(matches):
        own = number % len(sides)
        bots = [make("greedy" if seat in sides[own] else "random") for seat in range(GAMES[name].seats)]
        outcome = play(name, bots, seed=f"compare-{number}", match_id=f"compare-{number}").outcome
        best = [side for side, rank in enumerate(outcome.ranks) if rank == 1]
        won += (own in best) / len(best)
    each = (time.perf_counter() - began) / matches
    low, high = wilson(won, matches)
    print(f"{name}: greedy wins {won / matches:.1%} of {matches} matches (95%: {low:.1%} to {high:.1%})")
    print(f"by chance it would be {1 / len(sides):.0%}; a match takes {1000 * each:.0f} ms")


def wilson(won: float, matches: int, z: float = 1.96) -> tuple[float, float]:
    """Return the Wilson score interval of a share."""
    share = won / matches
    middle = share + z * z / (2 * matches)
    spread = z * math.sqrt(share * (1 - share) / matches + z * z / (4 * matches * matches))
    scale = 1 + z * z / matches
    return (middle - spread) / scale, (middle + spread) / scale


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Compare greedy with random in process.")
    parser.add_argument("game", choices=sorted(GAMES))
    parser.add_argument("matches", type=int, nargs="?", default=200)
    given = parser.parse_args()
    main(given.game, given.matches)
