"""How much more two workers of `fairdeal serve` play than one process, each with a core of its own."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import pytest

from tests.e2e.places import listening
from tests.stress.processes import LONG
from tests.workspace import Workspace, until
from tournaments.bench.client import ClientFigures, Job

GAME: Final = "hearts"
STREAMS, TABLES = 32, 16
ROUNDS: Final = 9
SPAN: Final = 3.0  # seconds of play in each round
PATIENT: Final = ("--limit", "keepalive_timeout_seconds=600")  # with bots that are stopped in between
WANTED: Final = 1.6


class Served:
    """A referee of one process or more, and the bots that play there while they may."""

    def __init__(self, workspace: Workspace, workers: int) -> None:
        words = ("--workers", workers, "--game", GAME, "--folder", workspace.folder / f"of{workers}")
        serving, address = listening(workspace, *words, *PATIENT)
        self._front = serving.process.pid
        job = Job("cards", address, STREAMS, TABLES)
        self._client = subprocess.Popen(
            [sys.executable, "-m", "tournaments.bench.client", json.dumps(asdict(job))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=workspace.environment,
        )
        until(lambda: self._report().decisions, "a decision")
        self.play()  # until all are seated, and have warmed up

    def play(self) -> tuple[int, dict[str, float]]:
        """Have them play for a while; return their decisions, and the CPU of each process in seconds."""
        self._client.send_signal(signal.SIGCONT)
        self._report()
        before = self._cpu()
        time.sleep(SPAN)
        decisions, after = self._report().decisions, self._cpu()
        self._client.send_signal(signal.SIGSTOP)
        return decisions, {name: after[name] - before[name] for name in after}

    def close(self) -> None:
        self._client.kill()
        self._client.communicate()

    def _report(self) -> ClientFigures:
        assert self._client.stdin and self._client.stdout
        self._client.stdin.write(b"\n")
        self._client.stdin.flush()
        return ClientFigures(**json.loads(self._client.stdout.readline()))

    def _cpu(self) -> dict[str, float]:
        children = Path(f"/proc/{self._front}/task/{self._front}/children").read_text().split()
        names = {"front": str(self._front)} | {f"worker {child}": child for child in children}
        return {name: _cpu(int(number)) for name, number in names.items()}


def _cpu(process: int) -> float:
    """Return the seconds of CPU that a process and its threads took."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


@pytest.mark.process
@pytest.mark.skipif(not LONG, reason="takes a minute, in which figures are all that counts: make test-long")
def test_two_workers_play_much_more_than_one_process(
    workspace: Workspace, figure: Callable[[str], None]
) -> None:
    """Cores are few and bots take them, too: what counts is CPU.

    A referee plays as fast as its busiest process, when each has a core of its own and bots take none of
    these: decisions a second of that process's CPU.
    """
    served = [Served(workspace, workers) for workers in (1, 2)]
    ratios, costs, fronts = [], [], []
    try:
        for _ in range(ROUNDS):
            (one, alone), (two, shared) = (each.play() for each in served)
            busiest = max(shared.values())
            ratios.append((two / busiest) / (one / alone["front"]))
            costs.append(alone["front"] / one)
            fronts.append(shared["front"] / busiest)
    finally:
        for each in served:
            each.close()
    low, middle, high = quantiles(ratios)
    figure(
        f"{STREAMS} x {TABLES} {GAME}: two workers play {middle:.2f} ({low:.2f} to {high:.2f}) times as fast"
        f" as one process ({1e6 * median(costs):.0f} us a decision); the front takes {median(fronts):.1%} of"
        " what the busiest of them takes"
    )
    assert middle >= WANTED
