"""Plays the demo with other cards, in process, and compares what its standings say with the truth.

    python -m tests.tournaments.demos --seeds 5

The truth is that of two bots the one that blunders less is better: `ENTRIES` lists them in this order.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from fairdeal.bots import HouseBot, make
from fairdeal.testing import Arena
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.match.effects import Outcome
from tournaments import schedule
from tournaments.cli.demo import ENTRIES, plan_of
from tournaments.plan.plan import Entry
from tournaments.standings.fold import Standings
from tournaments.standings.shapes import Standing
from tournaments.store import Issued, MatchResult


@dataclass(slots=True)
class Seen:
    """What demos of a game showed: ``ranks`` printed, those that do not hold the true one, and pairs."""

    ranks: int = 0
    wrong_ranks: int = 0
    told_apart: int = 0
    wrong_tiers: int = 0

    def add(self, standings: Sequence[Standing], best_first: Sequence[str]) -> None:
        """Compare standings with the true order."""
        found = {each.entry: each for each in standings}
        for rank, name in enumerate(best_first, start=1):
            best, worst = found[name].possible_ranks
            self.ranks += 1
            self.wrong_ranks += not best <= rank <= worst
        for better, worse in combinations(best_first, 2):
            above, below = found[better].skill, found[worse].skill
            if above and below and above.tier != below.tier:
                self.told_apart += 1
                self.wrong_tiers += above.tier > below.tier


def _bot_of(entry: Entry) -> HouseBot:
    return make(entry.bot or "", blunder=float(entry.arguments[1]) if entry.arguments else 0.0)


def _result(issued: Issued, outcome: Outcome) -> MatchResult:
    return MatchResult(
        match_id=issued.match_id,
        attempt=issued.attempt,
        outcome=outcome,
        record="",
        record_sha256="",
        started="",
        duration=0,
    )


def standings_of(game: str, seed: str, *, quick: bool = False) -> tuple[Standing, ...]:
    """Return the standings of a demo with the cards of a seed."""
    plan = replace(plan_of(game, Path(), quick=quick), seed=seed)
    arena, standings = Arena(SeededKeys(seed)), Standings(plan)
    bots = {entry.name: _bot_of(entry) for entry in plan.entries}
    for serial, pairing in enumerate(schedule.next(plan, set(), {}), start=1):
        seats = [bots[name] for name in pairing.entries]
        played = arena.play(game, seats, match_id=pairing.match_id, deals=plan.deals, bot_seed=seed)
        issued = Issued(
            match_id=pairing.match_id,
            round=pairing.round,
            entries=pairing.entries,
            serial=serial,
            versions=(None,) * len(seats),
        )
        standings.add(issued, _result(issued, played.outcome))
    return standings.report().standings


def main() -> None:
    """Play, and print what was seen by game."""
    line = argparse.ArgumentParser(description="Compare the standings of demos with the truth.")
    line.add_argument("--seeds", type=int, default=5, help="demos of each game, 1 or more")
    line.add_argument("--cards", default="demo", help="what the seeds begin with: other words, other cards")
    line.add_argument("--games", nargs="+", default=list(GAMES), choices=list(GAMES))
    given = line.parse_args()
    if given.seeds < 1:
        line.error(f"--seeds {given.seeds}: take 1 or more")
    sys.stdout.write("| game | demos | ranks | wrong ranks | pairs apart | wrong tiers |\n")
    sys.stdout.write(f"|{' --- |' * 6}\n")
    for game in given.games:
        seen = Seen()
        for seed in range(given.seeds):
            seen.add(standings_of(game, f"{given.cards} {seed}"), [entry.name for entry in ENTRIES])
        cells = (game, given.seeds, seen.ranks, seen.wrong_ranks, seen.told_apart, seen.wrong_tiers)
        sys.stdout.write(f"| {' | '.join(map(str, cells))} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
