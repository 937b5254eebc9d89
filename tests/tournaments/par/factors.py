"""Measures how much par helps between bots: single deals, each with a deck of its own, side by side in turn.

    python -m tests.tournaments.par.factors --decks 400

It prints the table of docs/tournaments.md. Everything is drawn from a seed, so it prints the same again.
"""

import argparse
import sys
import time
from collections.abc import Iterable
from typing import Final, NamedTuple

from fairdeal.bots import HouseBot, make
from fairdeal.testing import Arena
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy
from tournaments.par.estimate import Adjusted, Luck
from tournaments.par.play import par

PAIRS: Final = (("g", "g10"), ("g", "g30"), ("g", "r"), ("r", "r"))
SEED: Final = "factors"
_BOTS: Final[dict[str, HouseBot]] = {
    "g": make("greedy"),
    "g10": make("greedy", blunder=0.1),
    "g30": make("greedy", blunder=0.3),
    "r": make("random"),
}


class Measured(NamedTuple):
    """What came of one pair; ``par_time`` is in seconds of processor time a deck."""

    found: Adjusted
    par_time: float


def setup_of(game: str, match_id: str) -> MatchSetup:
    """Return a match of one deal."""
    rules = GAMES[game]
    return MatchSetup(
        match_id=match_id,
        game=game,
        options=rules.bind({}),
        deals=1,
        entries=tuple(f"seat{seat}" for seat in range(rules.seats)),
        clock=PROFILES["standard"],
        faults=FaultPolicy(),
    )


def four_different(game: str, decks: int) -> float | None:
    """Play some decks between four different bots, each at every seat in turn; return the table's factor."""
    keys = SeededKeys(SEED)
    arena = Arena(keys)
    luck = Luck(GAMES[game].low_wins)
    for number in range(decks):
        match_id = f"{game}-four-{number}"
        names = [list(_BOTS)[(seat + number) % 4] for seat in range(4)]
        bots = [_BOTS[name] for name in names]
        scores = arena.play(game, bots, match_id=match_id, deals=1, bot_seed=SEED).outcome.scores
        setup = setup_of(game, match_id)
        pars = par(setup, MatchDeals(setup, GAMES[game], keys), "greedy").scores
        luck.add(match_id, [(name, side) for side, name in enumerate(names)], scores, pars)
    return luck.estimates().factor


def measure(game: str, one: str, other: str, decks: int) -> Measured:
    """Play some decks between two bots, at tables of four two of each, and return the first's difference."""
    rules = GAMES[game]
    keys = SeededKeys(SEED)
    arena = Arena(keys)
    luck = Luck(rules.low_wins)
    spent = 0.0
    for number in range(decks):
        match_id = f"{game}-{one}-{other}-{number}"
        sides = [(side + number) % 2 for side in range(len(rules.sides))]
        names = [0] * rules.seats
        for side, seats in enumerate(rules.sides):
            for seat in seats:
                names[seat] = sides[side]
        bots = [_BOTS[(one, other)[name]] for name in names]
        scores = arena.play(game, bots, match_id=match_id, deals=1, bot_seed=SEED).outcome.scores
        setup = setup_of(game, match_id)
        begun = time.process_time()
        pars = par(setup, MatchDeals(setup, rules, keys), "greedy").scores
        spent += time.process_time() - begun
        luck.add(match_id, [("a", 0), ("b", 1)], *(_of_two(each, sides) for each in (scores, pars)))
    return Measured(luck.estimates().pairs["a", "b"], spent / decks)


def _of_two(scores: Iterable[int], sides: list[int]) -> list[int]:
    """Return the sums of the scores of both bots."""
    both = [0, 0]
    for score, bot in zip(scores, sides, strict=True):
        both[bot] += score
    return both


def main() -> None:
    """Measure and print."""
    line = argparse.ArgumentParser(description="Measure how much par helps.")
    line.add_argument("--decks", type=int, default=400)
    line.add_argument("--games", nargs="+", default=sorted(GAMES))
    given = line.parse_args()
    _say("| game | pair | as played | luck taken out | factor | a par takes |")
    _say("| --- | --- | --- | --- | --- | --- |")
    for game in given.games:
        for one, other in PAIRS:
            found, spent = measure(game, one, other, given.decks)
            means = [
                f"{mean or 0:.2f} ± {margin or 0:.2f}"
                for mean, margin in ((found.raw, found.raw_margin), (found.adjusted, found.margin))
            ]
            cells = (game, f"{one}, {other}", *means, f"{found.factor or 0:.2f}", f"{1000 * spent:.0f} ms")
            _say(f"| {' | '.join(cells)} |")
        if len(GAMES[game].sides) == 4:
            factor = four_different(game, given.decks) or 0
            _say(f"| {game} | {', '.join(_BOTS)} at a table | | | {factor:.2f} | |")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
