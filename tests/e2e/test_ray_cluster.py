"""A tournament on a cluster that others started, its store in PostgreSQL: what is killed costs no match."""

import os
import re
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest

from tests.draws import draw
from tests.ray_cluster import RayCluster, ray_cluster
from tests.tournaments.store.conftest import Postgres, postgres  # noqa: F401 - a fixture
from tests.workspace import Running, Workspace, until
from tournaments.plan.cluster import ray_is_installed

pytestmark = pytest.mark.skipif(
    not ray_is_installed(), reason="Ray is not installed: pip install 'fairdeal[ray]'"
)

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
LONG_SECONDS: Final = 600.0
LONG_MATCHES: Final = 10_000
TEXT: Final = """
game = "two_handed_spades"
match = {{ deals = {deals} }}
rounds = {rounds}
clock = "debug"
concurrency = 4
executor = "ray"
store = "{store}"

[ray]
address = "{address}"
folders = "sent"
batch = {batch}

[[entries]]
name = "a"
bot = "random"

[[entries]]
name = "b"
command = ["{{python}}", "bots/b/main.py"]
"""
BOT: Final = """
import pathlib, runpy, sys
if pathlib.Path("cup.toml").exists():
    sys.exit("I am where the tournament is")
sys.argv = ["bot", "random"]
runpy.run_module("fairdeal.bots", None, "__main__")
"""
QUERY: Final = (
    "SELECT match_id, attempt, status FROM attempts JOIN issued USING (tournament, serial)"
    " ORDER BY match_id, attempt"
)


class Cup:
    """A tournament on a cluster, and the processes that play it."""

    def __init__(self, workspace: Workspace, database: Postgres, cluster: RayCluster) -> None:
        self._workspace = workspace
        self._database = database
        self.cluster = cluster
        self._url = database.new_database()
        workspace.file(BOT, "bots/b/main.py")
        self.runner: Running

    def start(self, address: str, **how: int) -> None:
        """Start the runner, or start it again."""
        cup = self._workspace.file(TEXT.format(address=address, store=self._url, **how))
        self.runner = self._workspace.start("tournament", "run", cup, "--json", **self.cluster.environment)

    def results(self) -> list[tuple[Any, ...]]:
        """Return match, attempt and status of every result in the store."""
        return self._database.sql(self._url, QUERY)

    def count(self) -> Counter[str]:
        """Return how many results there are of each status."""
        return Counter(status for _match_id, _attempt, status in self.results())

    def plays_on(self, more: int) -> bool:
        """Wait for so many results more, and return whether the runner still runs."""
        wanted = self.count()["COMPLETED"] + more
        until(
            lambda: self._has_ended() or self.count()["COMPLETED"] >= wanted,
            f"{more} results more",
        )
        return not self._has_ended()

    def workers(self, raylet: int | None = None) -> list[int]:
        """Return the workers that have a batch played: all, or those of a machine."""
        batches = [
            number for number, line in self._workspace.left().items() if "tournaments.executors.batch" in line
        ]
        found = [parent(batch) for batch in batches]
        return [worker for worker in found if worker and raylet in (None, parent(worker))]

    def _busy(self) -> list[int]:
        """Return the raylets of the machines that have a batch played."""
        return [raylet for raylet in self.cluster.raylets if self.workers(raylet)]

    def _has_ended(self) -> bool:
        return self.runner.process.poll() is not None

    def kill_worker(self) -> None:
        """Kill a worker in the midst of a batch, unless nothing is left to play."""
        until(lambda: self.workers() or self._has_ended(), "a worker that has a batch")
        for worker in self.workers()[:1]:
            kill(worker)

    def kill_machine(self) -> None:
        """Kill a machine in the midst of a batch, unless nothing is left to play; two stay or come."""
        until(lambda: self._busy() or self._has_ended(), "a busy machine")
        for raylet in self._busy()[:1]:
            self.cluster.raylets.remove(raylet)
            kill(raylet)
            if len(self.cluster.raylets) < 2:
                self.cluster.add()

    def kill_runner(self) -> None:
        """Kill the process that runs the tournament, and wait until what it had played has ended."""
        self.runner.process.kill()
        self.runner.process.wait()
        until(lambda: not self.workers(), "the end of its batches")


def parent(process: int) -> int | None:
    """Return the parent of a process, None if it is gone."""
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def kill(process: int) -> None:
    """Kill a process, unless it has just ended."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def check(cup: Cup, matches: int) -> None:
    """Check that every match has one result, after all that was lost was played as another attempt."""
    rows = cup.results()
    assert {status for _match_id, _attempt, status in rows} <= {"COMPLETED", "CANCELLED"}
    completed = [row[:2] for row in rows if row[2] == "COMPLETED"]
    assert len(completed) == len({match_id for match_id, _attempt in completed}) == matches
    last = {match_id: attempt for match_id, attempt, _status in rows}
    assert dict(completed) == last


def test_workers_machines_and_the_runner_are_lost(
    workspace: Workspace,
    postgres: Postgres,  # noqa: F811
) -> None:
    how = {"deals": 2, "rounds": 10, "batch": 2}
    with ray_cluster(workspace, 2, client=True) as cluster:
        cup = Cup(workspace, postgres, cluster)
        cup.start("auto", **how)
        cup.kill_worker()
        until(lambda: cup.count()["CANCELLED"], "the end of what it played")
        cup.kill_machine()
        until(lambda: cup.count()["CANCELLED"] >= 2, "the end of what it played")
        until(lambda: cup.count()["COMPLETED"], "a result")
        cup.kill_runner()
        cup.start(cluster.client_address, **how)
        done = cup.runner.done()
    assert done.status == 0, done.err
    assert re.search(r"matches are played by \d machines with \d processors in all", done.err)
    check(cup, 10)


@pytest.mark.skipif(not LONG, reason="starts eight machines: make test-long")
def test_one_of_eight_machines_is_lost(
    workspace: Workspace,
    postgres: Postgres,  # noqa: F811
    figure: Any,
) -> None:
    begun = time.monotonic()
    with ray_cluster(workspace, 8) as cluster:
        started = time.monotonic() - begun
        cup = Cup(workspace, postgres, cluster)
        cup.start("auto", deals=2, rounds=80, batch=4)
        cup.kill_machine()
        done = cup.runner.done()
    assert done.status == 0, done.err
    told = re.findall(r"matches are played by (\d) machines with \d processors in all", done.err)
    assert told[:2] == ["8", "7"]
    check(cup, 80)
    seconds = time.monotonic() - begun
    figure(f"8 machines in {started:.0f} s; with 80 matches in {seconds:.0f} s; {dict(cup.count())}")


@pytest.mark.skipif(not LONG, reason="Ray takes a minute to give its head up: make test-long")
def test_the_head_is_lost_and_the_tournament_goes_on_with_another_cluster(
    workspace: Workspace,
    postgres: Postgres,  # noqa: F811
) -> None:
    how = {"deals": 2, "rounds": 500}  # more than are played until Ray gives it up
    with ray_cluster(workspace, 1) as first:
        cup = Cup(workspace, postgres, first)
        cup.start("auto", **how, batch=2)
        until(cup.workers, "a worker that has a batch")
        until(lambda: cup.count()["COMPLETED"], "a result")
        kill(first.head)
        lost = cup.runner.done()
    assert lost.status == 1, lost.err
    assert "the connection to the cluster is gone: run it again when it is back" in lost.err.splitlines()[-1]
    with ray_cluster(workspace, 1) as second:
        cup.cluster = second
        cup.start("auto", **how, batch=100)
        done = cup.runner.done()
    assert done.status == 0, done.err
    check(cup, how["rounds"])


@pytest.mark.skipif(not LONG, reason="takes more than ten minutes: make test-long")
def test_what_is_killed_for_ten_minutes(
    workspace: Workspace,
    postgres: Postgres,  # noqa: F811
    figure: Any,
) -> None:
    how = {"deals": 2, "rounds": LONG_MATCHES, "batch": 32}
    kinds: Counter[str] = Counter()
    with ray_cluster(workspace, 2) as cluster:
        cup = Cup(workspace, postgres, cluster)
        cup.start("auto", **how)
        until(cup.workers, "a worker that has a batch")
        begun = time.monotonic()
        while time.monotonic() - begun < LONG_SECONDS and cup.plays_on(draw(100, "results", kinds.total())):
            number = kinds.total()
            time.sleep(draw(3_000, "pause", number) / 1000)  # a random moment is what is asked for
            kind = ("worker", "worker", "machine", "runner")[draw(4, "kind", number)]
            kinds[kind] += 1
            if kind == "worker":
                cup.kill_worker()
            elif kind == "machine":
                cup.kill_machine()
            else:
                cup.kill_runner()
                cup.start("auto", **how)
        killing = time.monotonic() - begun
        if cup.plays_on(1):  # what is left is quicker in long batches
            cup.kill_runner()
            cup.start("auto", **how | {"batch": LONG_MATCHES})
        while cup.plays_on(100):  # each within patience, if not all of them
            pass
        done = cup.runner.done()
    assert done.status == 0, done.err
    check(cup, LONG_MATCHES)
    seconds = time.monotonic() - begun
    figure(
        f"{LONG_MATCHES} matches in {seconds:.0f} s, killed for {killing:.0f} s of them: {dict(kinds)};"
        f" {dict(cup.count())}"
    )
