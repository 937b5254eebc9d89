"""The command line as a user has it: real processes, real sockets, real files."""

import gzip
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from referee.storage import record_files

PATIENCE: Final = 300.0  # seconds until a wait gives up; on an idle machine none takes a thirtieth of that
ALONE: Final = 60.0  # the same for what this process does by itself: no other has to start for it
MARK: Final = "FAIRDEAL_TEST"  # in the environment of all that a test starts, and of what that starts
PROGRAM: Final = Path(sys.executable).with_name("fairdeal")


def until(condition: Callable[[], Any], what: str) -> Any:
    """Wait until a condition gives something, and return that.

    To look costs what others could work with: the longer nothing has come, the longer is the pause.
    """
    begun = time.monotonic()
    while not (found := condition()):
        waited = time.monotonic() - begun
        assert waited < PATIENCE, f"in vain waited for: {what}"
        time.sleep(min(0.005 + waited / 20, 0.1))
    return found


def complaints(errors: str) -> str:
    """Return what a bot has written to standard error, without how its session goes."""
    told = (
        r"connected to the referee at \S+ as ",
        r"still waiting for a match of ",
        r"the referee at \S+ is about to leave; ",
    )
    return re.sub(rf"(?m)^({'|'.join(told)}).+\n", "", errors)


@dataclass(frozen=True, slots=True)
class CompletedCommand:
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def complaints(self) -> str:
        """Return what went wrong with a bot."""
        return complaints(self.err)

    @property
    def json(self) -> Any:
        """Return what was printed for programs."""
        return json.loads(self.out)

    @property
    def line(self) -> str:
        """Return what was said when a command was refused: one line, and nothing else."""
        assert self.out == ""
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1
        return self.err.rstrip("\n")


class Running:
    """A command that runs; its output goes to files."""

    def __init__(self, words: list[str], folder: Path, environment: dict[str, str], number: int) -> None:
        self._out, self._err = folder / f"out{number}", folder / f"err{number}"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(words, stdout=out, stderr=err, cwd=folder, env=environment)

    @property
    def out(self) -> str:
        return self._out.read_text()

    @property
    def err(self) -> str:
        return self._err.read_text()

    def says(self, pattern: str) -> re.Match[str]:
        """Wait until the output has something."""

        def said() -> re.Match[str] | None:
            has_ended = self.process.poll() is not None
            found = re.search(pattern, self.out)
            assert found or not has_ended, f"it ended and did not say {pattern!r}: {self.out}{self.err}"
            return found

        found: re.Match[str] = until(said, f"{pattern!r}, said was: {self.out}")
        return found

    def done(self) -> CompletedCommand:
        """Wait for the end."""
        return CompletedCommand(self.process.wait(PATIENCE), self.out, self.err)

    def stopped(self, number: signal.Signals) -> CompletedCommand:
        """Send a signal and wait for the end."""
        self.process.send_signal(number)
        return self.done()


class Records:
    """The records in a folder, without what tells of time: beginnings, inputs, thinking times."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def paths(self) -> list[Path]:
        return record_files.in_folder(self.folder)

    def timeless(self) -> dict[str, list[Any]]:
        return {path.name: self._timeless(path) for path in self.paths()}

    def decks(self) -> list[Any]:
        """Return all decks, match by match."""
        return [
            [line.get("stock") or line["hands"] for line in lines if line["type"] == "dealt"]
            for lines in self.timeless().values()
        ]

    def headers(self) -> list[Any]:
        return [lines[0] for lines in self.timeless().values()]

    @staticmethod
    def _timeless(path: Path) -> list[Any]:
        lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
        del lines[0]["started"]
        for line in lines:
            line.pop("times", None)
            line.pop("told", None)  # digests of what was said of time, too
        return [line for line in lines if line["type"] != "input"]


class Workspace:
    """A folder of a test's own, and the commands that it runs there."""

    program = PROGRAM

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: list[Running] = []
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("FAIRDEAL_")}
        # neither the terminal of who runs the tests nor its width may change what is printed
        for key in ("COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS"):
            inherited.pop(key, None)
        self.environment = {**inherited, MARK: str(folder), "FAIRDEAL_KEEP": ""}

    def file(self, text: str, name: str = "cup.toml") -> Path:
        """Write a tournament file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def start(self, *words: object, **environment: str) -> Running:
        """Start `fairdeal` with arguments, or another command whose first word is a path."""
        program = [] if isinstance(words[0], Path) else [str(PROGRAM)]
        running = Running(
            [*program, *map(str, words)],
            self.folder,
            {**self.environment, **environment},
            len(self._running),
        )
        self._running.append(running)
        return running

    def run(self, *words: object, **environment: str) -> CompletedCommand:
        """Run `fairdeal` to its end; no traceback may be seen, but in what a bot has printed."""
        done = self.start(*words, **environment).done()
        own = [line for line in done.err.splitlines() if not re.match(r"    \S+> ", line)]
        assert not any("Traceback" in line for line in own), done.err
        return done

    def ask(self, *words: object, **environment: str) -> CompletedCommand:
        """Run `fairdeal` in this process: to start one takes many times what a command does that only looks.

        Nothing else may run in this process meanwhile.
        """
        from tournaments.cli.app import main  # which few tests need, and loads all

        out, err = io.StringIO(), io.StringIO()
        with (
            patch.dict(os.environ, {**self.environment, **environment}, clear=True),
            patch.object(sys, "argv", ["fairdeal", *map(str, words)]),
            chdir(self.folder),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            try:
                main()
            except SystemExit as ended:
                assert isinstance(ended.code, int)
                return CompletedCommand(ended.code, out.getvalue(), err.getvalue())
        raise AssertionError("a command ends with a status")

    def left(self) -> dict[int, str]:
        """Return the processes that go back to this test, by id."""
        mark = f"{MARK}={self.folder}".encode()
        found = {}
        for process in Path("/proc").iterdir():
            if process.name.isdecimal():
                try:
                    if mark in (process / "environ").read_bytes().split(b"\0"):
                        found[int(process.name)] = (process / "cmdline").read_text().replace("\0", " ")
                except OSError:
                    continue  # it has ended meanwhile
        return found

    def nobody_is_left(self) -> None:
        """Wait until all that was started is gone."""
        until(lambda: not self.left(), f"the end of {self.left()}")

    def records(self, folder: str = "cup.fairdeal") -> Records:
        return Records(self.folder / folder / "records")

    def results(self, folder: str = "cup.fairdeal") -> list[tuple[Any, ...]]:
        """Return match id, attempt, status, record and SHA-256 of every result, as the store has them."""
        with sqlite3.connect(self.folder / folder / "store.sqlite") as store:
            query = (
                "SELECT match_id, attempt, status, record, record_sha256 FROM attempts"
                " JOIN issued USING (tournament, serial) ORDER BY match_id"
            )
            rows = store.execute(query).fetchall()
        store.close()
        return rows

    def close(self) -> None:
        for running in self._running:
            if running.process.poll() is None:
                running.process.kill()
                running.process.wait()
