"""A tournament on a cluster of Ray, which is started for it, in silence: who is killed costs no match."""

import os
import signal
from collections import Counter

import pytest

from tests.workspace import Workspace, until
from tournaments.plan.cluster import ray_is_installed

pytestmark = pytest.mark.skipif(
    not ray_is_installed(), reason="Ray is not installed: pip install 'fairdeal[ray]'"
)

TEXT = """
game = "two_handed_spades"
match = { deals = 2 }
rounds = 8
clock = "debug"
concurrency = 2
executor = "ray"

[ray]
batch = 3
processors = 1

[[entries]]
name = "a"
bot = "random"

[[entries]]
name = "b"
bot = "random"
"""


def processes(workspace: Workspace, *words: str) -> list[int]:
    """Return the processes of a workspace whose command has some words."""
    return [number for number, line in workspace.left().items() if all(word in line for word in words)]


def test_workers_and_the_runner_are_killed_and_every_match_has_one_result(workspace: Workspace) -> None:
    cup = workspace.file(TEXT)
    first = workspace.start("tournament", "run", cup, "--json")
    until(lambda: processes(workspace, "executors.batch"), "a batch")
    (worker, *_more) = processes(workspace, "ray::play")
    # bots whose clocks run take their turns with all else on the machine
    assert os.getpriority(os.PRIO_PROCESS, worker) == os.getpriority(os.PRIO_PROCESS, 0)
    os.kill(worker, signal.SIGKILL)
    # a bot or two of it may have been about to end
    until(lambda: Counter(row[2] for row in workspace.results())["CANCELLED"], "the end of its attempts")
    until(lambda: Counter(row[2] for row in workspace.results())["COMPLETED"], "a result")
    first.process.kill()
    workspace.nobody_is_left()
    lost = {row[:2] for row in workspace.results() if row[2] == "CANCELLED"}
    assert 1 <= len(lost) <= 3
    done = workspace.run("tournament", "run", cup, "--json")
    assert done.status == 0, done.err
    assert "matches are played by 1 machine with 1 processor in all" in done.err
    rows = workspace.results()
    assert Counter(row[2] for row in rows if row[:2] not in lost) == {"COMPLETED": 8}
    assert len({row[0] for row in rows}) == done.json["played"] == 8
    assert all((match_id, attempt + 1) in {row[:2] for row in rows} for match_id, attempt in lost)
    assert workspace.ask("record", "verify", workspace.folder / "cup.fairdeal").status == 0
