"""Simulated round robins of entries whose skills are known, to compare with what a fit says of them.

As a program, ``python -m tests.tournaments.fields 1000``, it plays so many tournaments of each kind and
prints the table of docs/statistics.md. With ``--keep FILE`` it can be broken off: the same command goes on.
"""

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import combinations
from math import comb
from pathlib import Path
from random import Random
from typing import Final

import numpy as np

from tournaments.ratings import RatingParameters
from tournaments.standings.certainty import differences, skills
from tournaments.standings.fit import Fit, fit
from tournaments.standings.orderings import Ordering

USUAL: Final = RatingParameters()
DRAWS: Final = 0.003
NAMES: Final = "abcdefgh"

Sides = list[tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of tournament: a round robin of eight whose skills have the standard deviation ``spread``.

    ``has_partners``: two play two, mixed or with ``is_fixed`` always the same two. ``twist`` is the standard
    deviation of what the skills of any two say nothing of: some beat those who are better than them.
    ``forfeits`` is the share of its matches that each of the first two entries forfeits; those are left out
    of the fit, as in that over clean matches. ``of_deck`` is the share of the variance of a performance that
    is the same against everybody, since each round is played with one deck.
    """

    name: str
    spread: float
    seats: int = 2
    rounds: int = 1
    has_partners: bool = False
    is_fixed: bool = False
    twist: float = 0.0
    forfeits: float = 0.0
    of_deck: float = 0.0

    def tables(self) -> Iterator[list[str]]:
        """Yield who plays whom."""
        if self.is_fixed:
            couples = [NAMES[at : at + 2] for at in range(0, len(NAMES), 2)]
            tables = [list(one + other) for one, other in combinations(couples, 2)]
        else:
            tables = [list(table) for table in combinations(NAMES, self.seats)]
        yield from tables * self.rounds

    @property
    def matches(self) -> int:
        """Return how many matches each entry has."""
        return sum(NAMES[0] in table for table in self.tables())


SPREADS: Final = {"wide": 8.33, "medium": 2.0, "narrow": 0.5, "equal": 0.0}


def kinds() -> Iterator[Kind]:
    """Yield the kinds of tournaments that are simulated."""
    for width, spread in SPREADS.items():
        for rounds in (1, 4, 20):
            times = "once" if rounds == 1 else f"{rounds} times"
            yield Kind(name=f"one against one, {times}, {width}", spread=spread, rounds=rounds)
        yield Kind(name=f"four singles, {width}", spread=spread, seats=4)
        yield Kind(name=f"mixed partners, {width}", spread=spread, seats=4, has_partners=True)
        yield Kind(
            name=f"fixed partners, 10 times, {width}",
            spread=spread,
            rounds=10,
            has_partners=True,
            is_fixed=True,
        )
        yield Kind(name=f"two forfeit 20 %, 4 times, {width}", spread=spread, rounds=4, forfeits=0.2)
    for rounds in (4, 20):
        yield Kind(name=f"not transitive, {rounds} times, medium", spread=2.0, rounds=rounds, twist=2.0)
    yield from of_shared_decks()


def of_shared_decks() -> Iterator[Kind]:
    """Yield those in which all pairs of a round share a deck."""
    for rounds in (1, 5, 20):
        times = "once" if rounds == 1 else f"{rounds} times"
        yield Kind(name=f"shared decks, {times}, medium", spread=2.0, rounds=rounds, of_deck=0.5)
    for width in ("wide", "equal"):
        yield Kind(name=f"shared decks, 20 times, {width}", spread=SPREADS[width], rounds=20, of_deck=0.5)


@dataclass(slots=True)
class Counted:
    """What was true of what simulated tournaments showed."""

    pairs: int = 0
    covered: int = 0
    ranks: int = 0
    possible: int = 0
    told_apart: int = 0
    tournaments: int = 0
    sum_wrong: float = 0.0
    """Of the pairs in different tiers, the share that stands the wrong way round, added up."""

    def add(self, truth: dict[str, float], found: Fit) -> None:
        """Compare a fit with the true skills; competitors of fixed partners are those of the fit."""
        number = {name: at for at, name in enumerate(found.names)}
        told = skills(found)
        best_first = sorted(found.names, key=lambda name: -truth[name])
        for rank, name in enumerate(best_first, start=1):
            self.ranks += 1
            self.possible += told[name].best_rank <= rank <= told[name].worst_rank
        reach = differences(found)
        claimed = wrong = 0
        for one, other in combinations(best_first, 2):
            at, beside = number[one], number[other]
            difference = found.means[at] - found.means[beside]
            self.pairs += 1
            self.covered += bool(abs(difference - (truth[one] - truth[other])) <= reach[at, beside])
            claimed += told[one].tier != told[other].tier
            wrong += told[one].tier > told[other].tier
        self.told_apart += claimed
        self.tournaments += 1
        self.sum_wrong += wrong / claimed if claimed else 0.0

    def add_up(self, other: "Counted") -> None:
        """Add what other tournaments of the same kind showed."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    @property
    def coverage(self) -> float:
        """Return the share of differences whose 95 % interval holds the truth."""
        return self.covered / self.pairs

    @property
    def rank_coverage(self) -> float:
        """Return the share of ranges of ranks that hold the true rank."""
        return self.possible / self.ranks

    @property
    def false_share(self) -> float:
        """Return the expected share of pairs in different tiers that stand the wrong way round."""
        return self.sum_wrong / self.tournaments


def simulated(kind: Kind, tournaments: int, start: int = 0, *, as_independent: bool = False) -> Counted:
    """Play tournaments of a kind; those from ``start`` on of the same kind are always the same.

    ``as_independent``: as if no matches shared a deck.
    """
    counted = Counted()
    for number in range(start, start + tournaments):
        chance = Random(f"{kind.name}/{number}")
        truth = {name: chance.gauss(25.0, kind.spread) for name in NAMES}
        twists = {pair: chance.gauss(0.0, kind.twist) for pair in combinations(NAMES, 2)}
        orderings: Counter[Ordering] = Counter()
        decks: defaultdict[str, Counter[Ordering]] = defaultdict(Counter)
        suits: dict[str, float] = {}
        of_deck, of_match = (USUAL.beta * share**0.5 for share in (kind.of_deck, 1 - kind.of_deck))
        for at, table in enumerate(kind.tables()):
            if kind.of_deck and at % comb(len(NAMES), 2) == 0:
                suits = {name: chance.gauss(0.0, of_deck) for name in NAMES}
            if any(name in NAMES[:2] and chance.random() < kind.forfeits for name in table):
                continue
            placed = table if kind.is_fixed else chance.sample(table, len(table))
            sides = [tuple(placed[:2]), tuple(placed[2:])] if kind.has_partners else [(n,) for n in placed]
            played = {
                side: sum(chance.gauss(truth[name] + suits.get(name, 0.0), of_match) for name in side)
                for side in sides
            }
            if kind.twist:
                one, other = sorted(table)
                played[one,] += twists[one, other]
            best_first = sorted(played, key=lambda side: -played[side])
            if kind.is_fixed:
                best_first = [("".join(side),) for side in best_first]
            ordering = Ordering.of(best_first, range(1, len(best_first) + 1))
            orderings[ordering] += 1
            if kind.of_deck and not as_independent:
                decks[f"{at // comb(len(NAMES), 2)}"][ordering] += 1
        if kind.is_fixed:  # a pair is rated as one: it has the noise of one, to which its skill is in scale
            scale = 2**-0.5
            truth |= {
                name: scale * (truth[name[0]] + truth[name[1]] - 50.0) + 25.0
                for ordering in orderings
                for (name,) in ordering.sides
            }
        if kind.twist:  # the skills that say most of the matches between all
            for (one, other), twist in twists.items():
                truth[one] += twist / len(NAMES)
                truth[other] -= twist / len(NAMES)
        counted.add(truth, fit(orderings, USUAL, DRAWS, decks=decks))
    return counted


CHUNK: Final = 100
"""How many tournaments of a kind are played before the next kind has its turn."""


def play(kinds: Sequence[Kind], tournaments: int, minutes: float, keep: Path | None) -> dict[str, Counted]:
    """Play so many tournaments of each kind, or until so much processor time is spent; tell the progress.

    The kinds take turns, so that all have about as many tournaments whenever it ends. ``keep`` is a file of
    JSON lines, one for each turn, with which a later run goes on.
    """
    found = {kind.name: Counted() for kind in kinds}
    for line in keep.read_text().splitlines() if keep and keep.exists() else ():
        kept = json.loads(line)
        if kept["kind"] in found:
            found[kept["kind"]].add_up(Counted(**kept["counted"]))
    while unfinished := [kind for kind in kinds if found[kind.name].tournaments < tournaments]:
        kind = min(unfinished, key=lambda kind: found[kind.name].tournaments)
        so_far = found[kind.name]
        if so_far.tournaments and time.process_time() > 60 * minutes:
            break
        new = simulated(kind, min(CHUNK, tournaments - so_far.tournaments), so_far.tournaments)
        so_far.add_up(new)
        if keep:
            with keep.open("a") as file:
                file.write(json.dumps({"kind": kind.name, "counted": asdict(new)}) + "\n")
        done = sum(each.tournaments for each in found.values())
        of_all = f"{done} of {tournaments * len(kinds)} tournaments"
        sys.stderr.write(f"{of_all}, {time.process_time() / 60:.1f} minutes of processor time\n")
    return found


def _line(kind: Kind, found: Counted) -> str:
    shares = (found.coverage, found.rank_coverage, found.told_apart / found.pairs)
    cells = (
        kind.name,
        f"{found.tournaments:,}",
        str(kind.matches),
        *(f"{100 * share:.1f} %" for share in shares),
        f"{100 * found.false_share:.2f} %",
    )
    return f"| {' | '.join(cells)} |\n"


def main() -> None:
    """Play, and print the table."""
    line = argparse.ArgumentParser(description="Simulate tournaments and compare the fit with the truth.")
    line.add_argument("tournaments", type=int, nargs="?", default=100, help="of each kind, 100 by default")
    line.add_argument("words", nargs="*", help="only kinds with all of these words in their name")
    line.add_argument("--minutes", type=float, default=float("inf"), help="stop after so much processor time")
    line.add_argument("--keep", type=Path, help="keep what was counted in this file, and go on with it")
    given = line.parse_args()
    wanted = [kind for kind in kinds() if all(word in kind.name for word in given.words)]
    if given.tournaments < 1 or not wanted:
        line.error("give a number from 1 on, and words that the name of a kind has")
    found = play(wanted, given.tournaments, given.minutes, given.keep)
    sys.stdout.write(
        "| field | tournaments | matches each | differences covered | ranks covered | pairs apart"
        " | of those wrong |\n| --- | --- | --- | --- | --- | --- | --- |\n"
    )
    sys.stdout.writelines(_line(kind, found[kind.name]) for kind in wanted)


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    main()
