"""Watching a tournament on a server: lines for people, JSON for programs, until it is over."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from referee.match.faults import Termination
from tests.tournaments.conftest import Run
from tests.tournaments.fake_tournament import FakeTournament
from tests.tournaments.manager_server import CUP_STATUS, ServedManager
from tests.workspace import PATIENCE
from tournaments.plan.states import EntryState, TournamentState
from tournaments.running.watch import (
    EntryChanged,
    EntryKind,
    EntrySnapshot,
    MatchBegun,
    MatchFinished,
    StateChanged,
)

pytestmark = pytest.mark.asyncio


PROGRAM: Final = Path(sys.executable).with_name("fairdeal")

EVENTS: Final = [
    (
        MatchBegun("m-1", 1, 3, ("a", "b", "c", "d")),
        "m-1: begins, a, b, c, d",
        {"match_begun": {"match_id": "m-1", "attempt": 1, "round": 3, "entries": ["a", "b", "c", "d"]}},
    ),
    (
        MatchFinished("m-1", 2, ("a", "b"), Termination.FORFEIT, (1, 2), (3, -1)),
        "m-1: attempt 2 forfeit; a, b; ranks 1 2; scores 3 -1",
        {
            "match_finished": {
                "match_id": "m-1",
                "attempt": 2,
                "entries": ["a", "b"],
                "termination": "forfeit",
                "ranks": [1, 2],
                "scores": [3, -1],
            }
        },
    ),
    (
        MatchFinished("m-1", 1, ("a", "b"), Termination.VOID, (), ()),
        "m-1: void; a, b",
        {
            "match_finished": {
                "match_id": "m-1",
                "attempt": 1,
                "entries": ["a", "b"],
                "termination": "void",
                "ranks": [],
                "scores": [],
            }
        },
    ),
    (
        EntryChanged(EntrySnapshot("a", "2", EntryKind.REMOTE, EntryState.PAUSED, True)),
        "entry a 2: paused, here",
        {
            "entry_changed": {
                "name": "a",
                "version": "2",
                "kind": "remote",
                "state": "paused",
                "present": True,
            }
        },
    ),
    (StateChanged(TournamentState.RUNNING), "the tournament is running", {"state_changed": "running"}),
]


async def until_watched(made: FakeTournament) -> None:
    """Wait until somebody watches who has seen how it is."""
    made.seen.clear()
    await made.changes.until_watched_by(1)
    async with asyncio.timeout(PATIENCE):
        await made.seen.wait()


async def watched(served: ServedManager, run: Run, *words: str) -> Any:
    """Watch the cup while all kinds of things happen, and then it ends."""
    made = served.cup()
    watching = asyncio.create_task(run("tournament", "watch", "cup", *words))
    await until_watched(made)
    for change, _line, _data in EVENTS:
        made.changes.publish(change)
    made.state = TournamentState.FINISHED
    return await watching


async def test_a_watcher_reads_lines_until_it_is_over(run: Run, served: ServedManager) -> None:
    done = await watched(served, run)
    assert (done.status, done.err) == (0, "")
    expected = [line for _change, line, _data in EVENTS]
    assert done.out.splitlines() == [
        CUP_STATUS.format("created").rstrip(),
        *expected,
        "the tournament is finished",
    ]


async def test_programs_watch_json(run: Run, served: ServedManager) -> None:
    told = [json.loads(line) for line in (await watched(served, run, "--json")).out.splitlines()]
    assert told[0]["tournament"]["state"] == "created"
    assert told[1:] == [*(data for _change, _line, data in EVENTS), {"state_changed": "finished"}]


async def test_what_was_missed_is_told(
    run: Run, served: ServedManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.running.watch.MOST_WAITING", 2)
    told = (await watched(served, run)).out.splitlines()
    assert told[1:] == ["6 changes were missed", CUP_STATUS.format("finished").rstrip()]
    del served.manager._tournaments["cup"]
    (served.manager._tournaments.folder / "cup/cup.toml").unlink()
    served.disk.states.clear()
    lines = (await watched(served, run, "--json")).out.splitlines()
    assert [list(json.loads(line)) for line in lines[1:]] == [["missed"], ["tournament"]]


async def test_a_server_that_leaves_is_told(run: Run, served: ServedManager) -> None:
    made = served.cup()
    watching = asyncio.create_task(run("tournament", "watch", "cup"))
    await until_watched(made)
    await served.manager.close()
    done = await watching
    assert done.status == 1
    text = "the referee is leaving; the tournament goes on when it is back (SHUTTING_DOWN)"
    assert done.err == f"fairdeal: {served.address} refuses: {text}\n"


@pytest.mark.process
async def test_ctrl_c_ends_watching(served: ServedManager) -> None:
    made = served.cup()
    words = [str(PROGRAM), "tournament", "watch", "cup", "--server", served.address]
    process = await asyncio.create_subprocess_exec(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        assert (await process.stdout.readline()).decode() == CUP_STATUS.format("created")
        process.send_signal(2)
        out, err = await process.communicate()
    assert (process.returncode, out, err) == (0, b"", b"")
    await made.changes.until_watched_by(0)
