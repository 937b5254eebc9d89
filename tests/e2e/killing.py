"""Kills a referee's process at chosen moments, and tells what was going on there and what came of it."""

import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Final

from referee.core.running_match import Key
from referee.core.told import Told
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import KeySource
from referee.games.registry import game
from referee.match.effects import Append
from referee.match.match import Match
from referee.match.replay import apply
from referee.storage import record, record_files
from referee.storage.journal import Journal
from referee.storage.record import read_header, read_input
from tests.workspace import PATIENCE

_LOOK_SECONDS: Final = 0.0005  # between two looks, so that a moment of a millisecond is met

Lines = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment after the start of a process: so many milliseconds, journal bytes or records, or a snapshot.

    Bytes count from the snapshot on, by which the journal of a new process begins.
    """

    kind: str
    amount: int = 0


class Folder:
    """The folder of a referee, seen from without; ``keys`` gives the secrets of its matches."""

    def __init__(self, path: Path, keys: KeySource | None = None) -> None:
        self._path = path
        self._keys = keys
        self._journal = path / "journal"

    def journal_files(self) -> dict[str, int]:
        """Return the whole files of the journal with their sizes in bytes."""
        sizes = {}
        for path in self._journal.glob("*.jsonl"):
            try:
                sizes[path.name] = path.stat().st_size
            except FileNotFoundError:
                continue  # a later one has taken its place
        return sizes

    def written(self) -> int:
        """Return how many bytes the journal has now."""
        return sum(self.journal_files().values())

    def records(self) -> list[Path]:
        """Return the records, by name."""
        return record_files.in_folder(self._path / "records")

    def left(self) -> dict[Key, Lines]:
        """Return the lines of the matches that are not settled; only while nobody is at work here."""
        if not self._journal.is_dir():
            return {}
        with tempfile.TemporaryDirectory() as copy:  # who reads a journal begins a new one
            journal = Journal(Path(shutil.copytree(self._journal, Path(copy) / "journal")))
            journal.close()
            return journal.left

    def is_over(self, lines: Lines) -> bool:
        """Return whether the match of such lines has an outcome."""
        assert self._keys
        return _replayed(lines[0], lines[1:], self._keys)[0].outcome is not None


class Toll:
    """The kills of one referee's processes, one after the other, and what they met."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._left: dict[Key, Lines] = {}
        self.phases: Counter[str] = Counter()
        self.interrupted: Counter[str] = Counter()
        """How often each match was broken off after its first answer and before its end."""
        self.in_play = 0
        """How many kills broke off matches in which that very process had taken answers."""

    def take(
        self, start: Callable[[], subprocess.Popen[bytes]], moment: Moment, most_records: float = inf
    ) -> None:
        """Start a process and kill it at a moment, or once there are more records than ``most_records``."""
        files, left = set(self._folder.journal_files()), self._left
        _kill_at(start, moment, self._folder, most_records)
        self._left = self._folder.left()
        fresh = {
            key: [line["kind"] for line in lines[len(left.get(key, ())) :] if line["type"] == "input"]
            for key, lines in self._left.items()
        }
        over = [key for key, lines in self._left.items() if self._folder.is_over(lines)]
        midst = [
            key
            for key, lines in self._left.items()
            if key not in over and any(line.get("kind") == "answer" for line in lines)
        ]
        self.interrupted.update(match_id for match_id, _attempt in midst)
        self.in_play += any("answer" in fresh[key] for key in midst)
        if set(self._folder.journal_files()) <= files:
            phase = "before its journal"
        elif not any(set(kinds) - {"restarted"} for kinds in fresh.values()) and not left.keys() - fresh:
            phase = "before its bots"
        elif over:
            written = {path.name for path in self._folder.records()}
            is_written = any(record_files.path_of(Path(), *key).name in written for key in over)
            phase = "between record and store" if is_written else "between end and record"
        else:
            phase = "in mid-match" if midst else "between matches"
        self.phases[phase] += 1

    def __str__(self) -> str:
        phases = ", ".join(f"{count} {phase}" for phase, count in sorted(self.phases.items()))
        return (
            f"{self.phases.total()} kills ({phases}), {self.in_play} in play;"
            f" {len(self.interrupted)} matches broken off, {self.interrupted.total()} times in all"
        )


def _kill_at(
    start: Callable[[], subprocess.Popen[bytes]], moment: Moment, folder: Folder, most_records: float
) -> None:
    before, written = folder.journal_files(), len(folder.records())
    first_sizes: dict[str, int] = {}
    begun = time.monotonic()
    process = start()

    def has_come() -> bool:
        passed = time.monotonic() - begun
        assert passed < PATIENCE, f"in vain waited for {moment}"
        sizes = {name: size for name, size in folder.journal_files().items() if name not in before}
        for name, size in sizes.items():
            first_sizes.setdefault(name, size)
        records = len(folder.records())
        reached = {
            "milliseconds": passed * 1000,
            "bytes": sum(size - first_sizes[name] for name, size in sizes.items()),
            "records": records - written,
            "snapshot": len(first_sizes),
        }
        return records > most_records or reached[moment.kind] >= moment.amount

    while not has_come():
        try:
            status = process.wait(_LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        raise AssertionError(f"it ended by itself, with status {status}, before {moment}")
    process.kill()
    process.wait()


@dataclass(frozen=True, slots=True)
class _Revealed:
    """The one key of a match that is over."""

    key: bytes
    repeatable: bool

    def secret(self, epoch_id: str) -> bytes:
        return self.key

    def forget(self, epoch_id: str) -> None: ...

    def forget_all_but(self, epoch_ids: object) -> None: ...


@dataclass(frozen=True, slots=True)
class Story:
    """What a record tells, without its times."""

    told: Lines
    """All but the inputs: the header, what happened at the table, the outcome, the secret."""
    answers: dict[int, Lines]
    """What each seat has answered."""
    kinds: list[str]
    """The kinds of all inputs."""

    @property
    def interruptions(self) -> int:
        """Return how often the match went on, after its first answer, with a new process of the referee."""
        begun = self.kinds.index("answer") if "answer" in self.kinds else len(self.kinds)
        return self.kinds[begun:].count("restarted")


def story(path: Path) -> Story:
    """Return what a record tells, which must be just what its inputs give when they are played again."""
    found = record.read(path)
    keys = _Revealed(bytes.fromhex(found.lines[-1]["secret"]), found.header["commitment"]["repeatable"])
    inputs = [line for line in found.lines if line["type"] == "input"]
    match, log, digests = _replayed(found.header, inputs, keys)
    assert match.outcome
    assert record.encode(found.header, log, keys.key, digests) == path.read_bytes()
    found.lines[-1].pop("told", None)  # of what was told of time, too
    told = [found.header, *(line for line in found.lines if line["type"] != "input")]
    del told[0]["started"]
    (outcome,) = (line for line in told if line["type"] == "outcome")
    del outcome["times"]
    for counts in outcome["faults"]:
        del counts["sessions_lost"]
    answers: dict[int, Lines] = {}
    for line in inputs:
        if line["kind"] == "answer":
            answers.setdefault(line["seat"], []).append({**line, "at": None})
    return Story(told, answers, [line["kind"] for line in inputs])


def longest_thought(path: Path) -> int:
    """Return the longest time in microseconds that a seat was charged for one decision, from a record."""
    (outcome,) = (line for line in record.read(path).lines if line["type"] == "outcome")
    return max(int(seat["longest"]) for seat in outcome["times"])


def _replayed(header: dict[str, Any], inputs: Lines, keys: KeySource) -> tuple[Match, list[Any], list[str]]:
    """Return the match that inputs give, its log, and the digests of what its seats were told."""
    known = read_header(header)
    rules = game(known.setup.game)
    deals = MatchDeals(known.setup, rules, keys)
    assert deals.commitment == known.commitment
    match = Match(known.setup, rules, deals)
    effects = [effect for line in inputs for effect in apply(match, read_input(line))]
    told = Told(known.setup, deals)
    told.take(effects)
    return match, [effect.entry for effect in effects if isinstance(effect, Append)], told.digests()
