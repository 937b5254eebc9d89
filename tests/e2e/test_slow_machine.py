"""Hosted bots on a crowded machine, and those that somebody kills: real processes, whole commands.

The attacks in their whole length, some minutes of them, are part of `make test-long`.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.workspace import Workspace

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
HEAD: Final = 'game = "two_handed_spades"\nmatch = { deals = 1 }\nconcurrency = 4\n'
KILLS: Final = 3

SLOW = """
import sys, time
while time.process_time() < float(sys.argv[1]):
    pass
import fairdeal
from fairdeal.bots import make
fairdeal.run(make("greedy"))
"""

# says who it is, dials in only once it may, and answers only once it may
WAITS = """
import os, pathlib, time
pathlib.Path("starting", str(os.getpid())).touch()
while not pathlib.Path("go").exists():
    time.sleep(0.01)
import fairdeal
from fairdeal.bots import make
greedy = make("greedy")

def bot(decision):
    while pathlib.Path("hold").exists():
        pathlib.Path("held").touch()
        time.sleep(0.01)
    return greedy.act(decision)

fairdeal.run(bot)
"""

# ends its supervisor whenever it is asked for its third card
ROBBER = """
import os, signal
import fairdeal
from fairdeal.bots import make

class Robber:
    def __init__(self):
        self.bot = make("greedy")

    def act(self, decision):
        if decision.id >= 3:
            os.kill(os.getppid(), signal.SIGKILL)
            signal.pause()  # it ends with it
        return self.bot.act(decision)

fairdeal.run(Robber())
"""


def entries(script: str, *arguments: str, names: str = "abcdef") -> str:
    words = ", ".join(f'"{word}"' for word in ("{python}", script, *arguments))
    return "".join(f'[[entries]]\nname = "{name}"\ncommand = [{words}]\n' for name in names)


def test_bots_that_are_slow_to_start_where_there_is_no_room_play_all_their_matches(
    workspace: Workspace,
) -> None:
    """Twelve that compute for 2 s before they dial in, with 6 s for it; in short, six and 0.6 s with 3 s."""
    names, work, start = ("abcdefghijkl", "2", 6) if LONG else ("abcdef", "0.6", 3)
    (workspace.folder / "slow.py").write_text(SLOW)
    clock = f"clock = {{ move = 600, start = {start} }}\n"
    done = workspace.run(
        "tournament",
        "run",
        workspace.file(HEAD + clock + entries("slow.py", work, names=names)),
        "--json",
        "--strict",
    )
    assert done.status == 0, done.err
    matches = len(names) * (len(names) - 1) // 2
    assert {status for _id, _attempt, status, *_ in workspace.results()} == {"COMPLETED"}
    assert done.json["played"] == done.json["matches"] == matches
    workspace.nobody_is_left()


def test_bots_that_are_killed_while_a_run_goes_on_with_its_matches_forfeit_nothing(
    workspace: Workspace, eventually: Callable[..., Any]
) -> None:
    (workspace.folder / "waits.py").write_text(WAITS)
    starting = workspace.folder / "starting"
    starting.mkdir()
    hosting = "clock = { move = 600, start = 600 }\nhosting = { restarts = 1000 }\n"
    cup = workspace.file(HEAD + hosting + entries("waits.py", names="abc"))
    for name in ("go", "hold"):
        (workspace.folder / name).touch()
    first = workspace.start("tournament", "run", cup)
    eventually((workspace.folder / "held").exists, "the midst of a match")
    first.stopped(signal.SIGKILL)
    workspace.nobody_is_left()
    for name in ("go", "hold"):
        (workspace.folder / name).unlink()
    for path in starting.iterdir():
        path.unlink()
    second = workspace.start("tournament", "run", cup)
    for _ in range(KILLS):
        path = eventually(lambda: next(starting.iterdir(), None), "a bot that starts")
        path.unlink()
        os.kill(int(path.name), signal.SIGKILL)
    (workspace.folder / "go").touch()
    done = second.done()
    assert done.status == 0, done.err
    assert done.err.count("is lost: killed by signal 9") == KILLS
    assert [status for _id, _attempt, status, *_ in workspace.results()] == ["COMPLETED"] * 3


def test_bots_that_all_lack_something_forfeit_nothing_and_the_run_says_so(workspace: Workspace) -> None:
    (workspace.folder / "lacks.py").write_text('print("no engine here"); raise SystemExit(3)')
    cup = workspace.file(f"{HEAD}hosting = {{ restarts = 1 }}\n" + entries("lacks.py", names="ab"))
    done = workspace.run("tournament", "run", cup)
    assert done.status == 1
    told = done.err.splitlines()[-5:]
    assert told[0] == (
        "fairdeal: 2 bots are lost and nothing is played yet, so nothing is forfeited: see what they lack,"
        " and run it again"
    )
    logs = workspace.folder / "cup.fairdeal" / "logs"
    assert sorted(told[1::2]) == [f"{name}: exited with status 3 ({logs / name}.log)" for name in "ab"]
    assert sorted(told[2::2]) == [f"    {name}> no engine here" for name in "ab"]
    assert workspace.results() == []
    (workspace.folder / "lacks.py").write_text(SLOW.replace("float(sys.argv[1])", "0"))
    assert workspace.run("tournament", "run", cup, "--strict").status == 0


def test_a_bot_that_kills_its_supervisor_forfeits_from_the_second_time_on(
    workspace: Workspace, good: str
) -> None:
    (workspace.folder / "robber.py").write_text(ROBBER)
    text = HEAD.replace("concurrency = 4", 'concurrency = 1\nclock = "debug"\nrounds = 2')
    cup = workspace.file(f"{text}hosting = {{ restarts = 1000 }}\n{good}" + entries("robber.py", names="r"))
    done = workspace.run("tournament", "run", cup, "--json")
    assert done.status == 0, done.err
    ended = [status for _id, _attempt, status, *_ in workspace.results()]
    assert sorted(ended) == ["COMPLETED"] * 2 + ["FORFEIT"] * 4 + ["VOID"]
    standings = {each["entry"]: each for each in done.json["standings"]}
    assert (standings["r"]["losses"], standings["r"]["forfeits"]) == (4, 4)
    assert done.err.count("its matches are void") == 1
    assert done.err.count("it forfeits its running matches, and is started again in") == 4
    workspace.nobody_is_left()


@pytest.mark.skipif(not LONG, reason="a part of make test-long")
def test_however_many_entries_there_are_few_processes_live(
    workspace: Workspace, eventually: Callable[..., Any]
) -> None:
    names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"
    text = "".join(f'[[entries]]\nname = "{name}{name}"\nbot = "random"\n' for name in names)
    cup = workspace.file(f'{HEAD}format = "swiss"\nrounds = 3\nhosting = {{ max_live = 8 }}\n{text}')
    running = workspace.start("tournament", "run", cup)
    run, most = str(running.process.pid), 0

    def is_over() -> bool:
        nonlocal most
        # what a supervisor forks looks like one until it is the bot, but is no child of the run
        children = Path("/proc", run, "task", run, "children").read_text().split()
        left = workspace.left().items()
        most = max(most, sum("supervisor.py" in words for process, words in left if str(process) in children))
        return running.process.poll() is not None

    eventually(is_over, "the end")
    assert running.done().status == 0, running.err
    assert 0 < most <= 8
    assert [status for _id, _attempt, status, *_ in workspace.results()] == ["COMPLETED"] * 60
