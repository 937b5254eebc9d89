"""Measures what standings of many results cost, and prints the table of docs/statistics.md.

    python -m tests.tournaments.cost --results 100000 --entries 400

The results are drawn, many of them with faults, so that the clean matches are fitted as well. Times are
seconds of one processor; only `elapsed` is that of both fits by the clock.
"""

import argparse
import asyncio
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from referee.core.steps import at_once
from tests.results import drawn, fill
from tests.sample_report import plan
from tournaments.plan.plan import Format, Plan
from tournaments.standings import Live, Standings
from tournaments.standings.fits import Fits
from tournaments.store import Store

GAMES: Final = {"piquet": "one against one", "spades": "partners", "hearts": "four singles"}
TIMES: Final = 10
"""How many times one more result is added."""

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[float, float, T]:
    """Return how many seconds of a processor and of the clock some work took, and what it gave."""
    cpu, began = time.process_time(), time.perf_counter()
    given = work()
    return time.process_time() - cpu, time.perf_counter() - began, given


def megabytes() -> float:
    """Return how much memory this process has taken at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def one_more(of: Plan, standings: Standings, results: int) -> list[float]:
    """Return the seconds of a processor, each time that a result is added as a server does it.

    Those of the process that fits count, too.
    """
    fits = Fits()
    try:
        at_once(fits.beginning(standings, 0, whole=True))
        await fits.wait()
        assert fits._process is not None
        found = []
        for number in range(1, TIMES + 1):
            standings.add(*drawn(of, results + number))
            began = time.process_time() + used_by(fits._process.pid)
            at_once(fits.beginning(standings, number, whole=False))
            await fits.wait()
            at_once(standings.reporting(skills=fits.latest.skills))
            found.append(time.process_time() + used_by(fits._process.pid) - began)
            assert fits.latest.moment == number
        return found
    finally:
        await fits.close()


def used_by(process: int) -> float:
    """Return how many seconds of a processor a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(game: str, results: int, entries: int, folder: Path) -> str:
    """Return the row of a game, whose results are stored."""
    of = plan_of(game, entries, folder)
    with Store.read(of) as store:
        reading, _, standings = timed(Live(store, of).folded)
    fitting, elapsed, _ = timed(standings.report)
    size = megabytes()
    both = asyncio.run(one_more(of, standings, results))
    cells = (
        GAMES[game],
        f"{reading:.0f} s",
        f"{fitting:.1f} s",
        f"{elapsed:.1f} s",
        f"{sum(both) / len(both):.2f} s",
        f"{max(both):.2f} s",
        f"{size:.0f} MB",
    )
    return f"| {' | '.join(cells)} |\n"


def plan_of(game: str, entries: int, folder: Path) -> Plan:
    """Return a round robin of so many entries."""
    names = [f"entry-{number:03}" for number in range(entries)]
    return plan(names, game, format=Format.ROUND_ROBIN, folder=folder)


def stored(game: str, results: int, entries: int, folder: Path) -> None:
    """Store the results of a game."""
    of = plan_of(game, entries, folder)
    with Store.open(of) as store:
        fill(store, of, results)


def in_a_process_of_its_own(work: Callable[[], None]) -> None:
    """Do some work in a process of its own, so that its memory counts alone."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        work()
        sys.stdout.flush()
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit("a process that measures has failed")


def main() -> None:
    """Measure each game and print the table."""
    line = argparse.ArgumentParser(description="Measure what standings of many results cost.")
    line.add_argument("--results", type=int, default=100_000)
    line.add_argument("--entries", type=int, default=400)
    line.add_argument("--games", nargs="+", default=list(GAMES), choices=list(GAMES))
    given = line.parse_args()
    head = ("game", "results read", "both fits", "elapsed", "one more", "at most", "memory")
    sys.stdout.write(f"| {' | '.join(head)} |\n|{' --- |' * len(head)}\n")
    for game in given.games:
        with tempfile.TemporaryDirectory() as folder:
            asked = game, given.results, given.entries, Path(folder)
            in_a_process_of_its_own(partial(stored, *asked))
            in_a_process_of_its_own(partial(show, *asked))


def show(game: str, results: int, entries: int, folder: Path) -> None:
    """Print the row of a game."""
    sys.stdout.write(measured(game, results, entries, folder))


if __name__ == "__main__":
    main()
