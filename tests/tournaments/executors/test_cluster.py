"""A cluster as its owner sees it, with a stand-in for the process that speaks to Ray."""

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.workspace import PATIENCE
from tournaments.executors import cluster
from tournaments.executors.bot_files import BotFiles
from tournaments.executors.cluster import Cluster, ClusterFailed, joined
from tournaments.executors.messages import Joined, said
from tournaments.standings import frames

FILES = BotFiles(Path(), {})
# refuses as often as the word after it says, and counts in a file
STAND_IN = """
import pathlib, sys
from tournaments.executors.messages import ClusterRefused, Joined
from tournaments.standings import frames
count = pathlib.Path(sys.argv[1])
starts = int(count.read_text()) + 1
count.write_text(str(starts))
join = frames.read(sys.stdin.buffer)
joined = Joined(({"CPU": 2.0}, {"memory": 1.0}))
answer = joined if starts > int(sys.argv[2]) else ClusterRefused("The node timed out. ")
sys.stdout.buffer.write(frames.written(answer))
sys.stdout.buffer.flush()
sys.stdin.buffer.read()
"""


class Starts:
    """What is started in place of the process that speaks to Ray, and how often it was."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, *, refused: int) -> None:
        self.log = folder / "ray.log"
        self._count = folder / "count"
        self._count.write_text("0")
        command = (sys.executable, "-c", STAND_IN, str(self._count), str(refused))
        monkeypatch.setattr(cluster, "_COMMAND", command)
        monkeypatch.setattr("importlib.util.find_spec", lambda _name: True)

    async def refusal(self, address: str) -> str:
        with pytest.raises(ClusterFailed) as refused:
            async with joined(address, self.log, FILES, processors=2, failed=print):
                raise AssertionError
        return str(refused.value)

    @property
    def count(self) -> int:
        return int(self._count.read_text())


@pytest.mark.process
@pytest.mark.asyncio
async def test_a_cluster_of_ours_that_does_not_start_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = Starts(tmp_path, monkeypatch, refused=2)
    async with joined("local", starts.log, FILES, processors=2, failed=print) as found:
        assert found.processors == 2
        assert len(found.machines) == 1  # the other has no processor
    assert starts.count == 3


@pytest.mark.process
@pytest.mark.asyncio
async def test_a_cluster_that_never_starts_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = Starts(tmp_path, monkeypatch, refused=9)
    monkeypatch.setattr(cluster, "_STARTS", 2)
    refusal = await starts.refusal("local")
    assert starts.count == 2
    assert "Ray does not start on this machine, tried 2 times: The node timed out; " in refusal
    assert str(starts.log) in refusal


@pytest.mark.process
@pytest.mark.asyncio
async def test_a_cluster_of_others_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = Starts(tmp_path, monkeypatch, refused=9)
    refusal = await starts.refusal("10.0.0.1:6379")
    assert starts.count == 1
    assert "answers at '10.0.0.1:6379': The node timed out; see that it" in refusal


@pytest.mark.process
@pytest.mark.asyncio
async def test_a_cluster_of_others_that_says_nothing_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = Starts(tmp_path, monkeypatch, refused=9)
    monkeypatch.setattr(cluster, "_COMMAND", ("sleep", "600"))
    monkeypatch.setattr(cluster, "_JOIN_SECONDS", 0.01)
    async with asyncio.timeout(PATIENCE):
        refusal = await starts.refusal("auto")
    assert "answers at 'auto': it said nothing within 0.01 s; see that it" in refusal


@pytest.mark.asyncio
async def test_machines_that_join_or_leave_are_told(tmp_path: Path) -> None:
    told, failures = [], []
    stdout = asyncio.StreamReader()
    stdout.feed_data(frames.written(Joined(({"CPU": 2.0}, {"CPU": 3.0}))))
    stdout.feed_eof()
    driver: Any = SimpleNamespace(stdout=stdout)
    found = Cluster(driver, Joined(({"CPU": 2.0},)), tmp_path / "ray.log", failures.append)
    found.on_machines = lambda: told.append(found.processors)
    await found.listen()
    assert told == [5]
    assert len(failures) == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "ray::play() (pid=1)\n  File x\ntournaments.x.BatchFailed: it said\n\n",
            "tournaments.x.BatchFailed: it said",
        ),
        ("no\nTraceback (most recent call last):\n  File x\nOSError: that", "OSError: that"),
        (
            "GCS may have been killed, \nsee gcs_server.out. \nhttps://docs.ray.io/x#y. ",
            "GCS may have been killed, see gcs_server.out.",
        ),
        ("", "RuntimeError"),
        ("x" * 400, "x" * 300 + "..."),
    ],
)
def test_what_an_error_of_ray_says_is_one_line(text: str, line: str) -> None:
    assert said(RuntimeError(text)) == line
