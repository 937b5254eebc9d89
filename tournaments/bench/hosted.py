"""Hosted bots: what a tournament of short matches costs, with the start of all that it needs."""

import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.games.registry import game
from referee.storage import record, record_files

TABLES: Final = 8
"""How many matches are played at once, as tournaments do where nothing else is said."""

_COMMAND: Final = (sys.executable, "-P", "-c", "from tournaments.cli import main; main()")
_FILE: Final = """\
game = "{game}"
match = {{ deals = 1 }}
matches_each = {matches}
concurrency = {tables}
folder = "played"
"""
_ENTRY: Final = """
[[entries]]
name = "bot{number}"
bot = "random"
"""


class HostedFailed(Exception):
    """A tournament that was measured has failed; the text is what it said last."""


@dataclass(frozen=True, slots=True)
class HostedRun:
    """One tournament: its matches, the answers in all of them, and the CPU of its processes in seconds."""

    matches: int
    answers: int
    cpu: float


def measure_hosted(name: str, matches: int, folder: Path) -> HostedRun:
    """Run a tournament of a game as its organisers do: one table of random bots, one deal a match.

    Raises:
        HostedFailed: it failed.
        OSError: the folder cannot be made or read.
    """
    folder.mkdir()
    file = folder / "bench.toml"
    entries = [_ENTRY.format(number=number) for number in range(game(name).seats)]
    file.write_text(_FILE.format(game=name, matches=matches, tables=TABLES) + "".join(entries))
    before = _cpu_of_children()
    done = subprocess.run([*_COMMAND, "tournament", "run", file], capture_output=True, text=True, check=False)
    cpu = _cpu_of_children() - before
    if done.returncode:
        raise HostedFailed("\n".join(done.stderr.splitlines()[-1:]) or f"status {done.returncode}")
    records = [record.read(path) for path in record_files.all_in(folder / "played")]
    answers = sum(line.get("kind") == "answer" for each in records for line in each.lines)
    return HostedRun(len(records), answers, cpu)


def _cpu_of_children() -> float:
    """Return the CPU of all processes that have ended below this one, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
