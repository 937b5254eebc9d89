"""Measures how much par helps between bots: single deals, each with a deck of its own, side by side in turn.

    python -m tests.tournaments.par.factors --decks 400

It prints the table of docs/statistics.md; with ``--whole`` that of whole games. Everything is drawn from a
seed, so it prints the same again.
"""

import argparse
import sys
import time
from collections.abc import Iterable
from typing import Final, NamedTuple

from examples.my_first_bot import LowestCard
from fairdeal import AnyBot
from fairdeal.bots import make
from fairdeal.testing import Arena
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy
from tournaments.par.estimate import FEWEST, Adjusted, Luck
from tournaments.par.play import par

PAIRS: Final = (("g", "g10"), ("g", "g30"), ("g", "r"), ("r", "r"), ("g", "L"), ("L", "r"))
SEED: Final = "factors"
_BOTS: Final[dict[str, AnyBot]] = {
    "g": make("greedy"),
    "g10": make("greedy", blunder=0.1),
    "g30": make("greedy", blunder=0.3),
    "r": make("random"),
    "L": LowestCard().act,  # of another style: the bot of the README
}
_FOUR: Final = ("g", "g10", "g30", "r")


class Measured(NamedTuple):
    """What came of one pair; ``par_time`` is in seconds of processor time a match."""

    found: Adjusted
    par_time: float


def setup_of(game: str, match_id: str, deals: int | None) -> MatchSetup:
    """Return a match of so many deals, or with None a whole game."""
    rules = GAMES[game]
    return MatchSetup(
        match_id=match_id,
        game=game,
        options=rules.bind({}),
        deals=deals,
        entries=tuple(f"seat{seat}" for seat in range(rules.seats)),
        clock=PROFILES["standard"],
        faults=FaultPolicy(),
    )


def four_different(game: str, decks: int, deals: int | None) -> float | None:
    """Play some matches between four bots, each at every seat in turn; return the factor of the table."""
    keys = SeededKeys(SEED)
    arena = Arena(keys)
    luck = Luck(GAMES[game].low_wins)
    for number in range(decks):
        match_id = f"{game}-four-{number}"
        names = [_FOUR[(seat + number) % 4] for seat in range(4)]
        bots = [_BOTS[name] for name in names]
        scores = arena.play(game, bots, match_id=match_id, deals=deals, bot_seed=SEED).outcome.scores
        setup = setup_of(game, match_id, deals)
        pars = par(setup, MatchDeals(setup, GAMES[game], keys), "greedy").scores
        luck.add(match_id, [(name, side) for side, name in enumerate(names)], scores, pars)
    return luck.estimates().factor


def measure(game: str, one: str, other: str, decks: int, deals: int | None) -> Measured:
    """Play some matches between two bots, two of each where four play; return what the first has more."""
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
        scores = arena.play(game, bots, match_id=match_id, deals=deals, bot_seed=SEED).outcome.scores
        setup = setup_of(game, match_id, deals)
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
    line.add_argument("--decks", type=int, default=400, help=f"matches of each pair, {FEWEST} or more")
    line.add_argument("--games", nargs="+", default=sorted(GAMES), choices=sorted(GAMES))
    pairs = [f"{one}:{other}" for one, other in PAIRS]
    line.add_argument("--pairs", nargs="+", default=pairs, choices=pairs)
    line.add_argument("--whole", action="store_true", help="play whole games and not single deals")
    given = line.parse_args()
    if given.decks < FEWEST:
        line.error(f"--decks {given.decks}: a par needs {FEWEST} matches or more")
    deals = None if given.whole else 1
    _say("| game | pair | as played | luck taken out | factor | a par takes |")
    _say("| --- | --- | --- | --- | --- | --- |")
    for game in given.games:
        for one, other in (pair.split(":") for pair in given.pairs):
            found, spent = measure(game, one, other, given.decks, deals)
            means = [
                f"{mean or 0:.2f} ± {margin or 0:.2f}"
                for mean, margin in ((found.raw, found.raw_margin), (found.adjusted, found.margin))
            ]
            cells = (game, f"{one}, {other}", *means, f"{found.factor or 0:.2f}", f"{1000 * spent:.0f} ms")
            _say(f"| {' | '.join(cells)} |")
        if len(GAMES[game].sides) == 4 and given.pairs == pairs:
            factor = four_different(game, given.decks, deals) or 0
            _say(f"| {game} | {', '.join(_FOUR)} at a table | | | {factor:.2f} | |")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
