"""`fairdeal ladder run`: entries come, go and change while it runs and between runs; it goes on and on."""

import json
import re
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.dialling import Event
from tests.workspace import Workspace

LADDER: Final = (
    'game = "two_handed_spades"\nformat = "ladder"\nmatch = { deals = 1 }\nclock = "debug"\nconcurrency = 2\n'
)
STOPPED: Final = "stopped; nothing is lost, go on with: fairdeal ladder run {file}\n"


def hosted(name: str, more: str = "") -> str:
    return f'[[entries]]\nname = "{name}"\nbot = "random"\n{more}'


def until_played(
    event: Event, eventually: Callable[..., Any], *names: str, after: int = 0, times: int = 1
) -> None:
    """Wait until each of these has so many matches behind it that were issued after so many others.

    A ladder pairs who is there: how often a bot plays depends on when its process is ready, and a number
    of matches may be over before it is.
    """

    def have_played() -> bool:
        played = Counter(name for seats in event.played(after) for name in seats)
        return all(played[name] >= times for name in names)

    eventually(have_played, f"{times} matches of each of {names}")


def drained(event: Event, running: Any) -> Any:
    """Stop a ladder, which ends what is played, and return what it printed."""
    done = running.stopped(signal.SIGINT)
    assert done.status == 0, done.err
    assert done.err.endswith(STOPPED.format(file=event.file)), done.err
    assert "Traceback" not in done.err
    return done


def test_entries_come_and_go_while_it_runs(workspace: Workspace, eventually: Callable[..., Any]) -> None:
    event = Event(workspace, LADDER + hosted("ann") + hosted("cid"), "ladder")
    running = event.start("--json")
    until_played(event, eventually, "ann", "cid")
    first = event.dial("bob", event.add("bob", "--version", "1"))
    until_played(event, eventually, "ann", "bob", "cid", after=event.issued())

    event.entry("pause", "bob")
    eventually(lambda: all("bob" not in seats for seats in event.played()[-6:]), "matches without bob")
    before = event.issued()
    event.entry("resume", "bob")
    until_played(event, eventually, "bob", after=before)

    event.entry("remove", "ann")  # its bot ends
    eventually(
        lambda: sum("fairdeal.bots" in command for command in workspace.left().values()) == 2, "its end"
    )
    before = event.issued()
    assert event.add("bob", "--version", "2") == ""  # it has its token
    until_played(event, eventually, "bob", "cid", after=event.issued())
    assert all("ann" not in seats for seats in event.played(before))
    assert event.lines().keys() == {"ann", "bob@1", "bob@2", "cid"}  # from another terminal

    lines = json.loads(drained(event, running).out)["standings"]
    found = {line["entry"]: line for line in lines}
    assert found.keys() == {"ann", "bob@1", "bob@2", "cid"}
    assert {name: (line["state"], line["is_current"]) for name, line in found.items()} == {
        "ann": ("left", True),
        "bob@1": ("active", False),
        "bob@2": ("active", True),
        "cid": ("active", True),
    }
    played = Counter(name for seats in event.played() for name in seats)
    assert {name: line["matches"] for name, line in found.items() if "@" not in name} == {
        "ann": played["ann"],
        "cid": played["cid"],
    }
    assert found["bob@1"]["matches"] + found["bob@2"]["matches"] == played["bob"]
    assert event.ways() <= {(1, "COMPLETED"), (1, "SKIPPED")}
    # what had not begun when its bot was called off, which was thrice; so many are issued at once
    skipped = event.skipped()
    assert len(skipped) <= 3 * 2
    assert all("ann" in seats or "bob" in seats for seats in skipped)
    # what was being played has ended; what was being issued when it was told to stop is for the next run
    assert len(event.open()) <= 2
    assert first.done().status == 0


def test_all_come_to_play(workspace: Workspace, eventually: Callable[..., Any]) -> None:
    names = ("ann", "bob", "cid", "dot", "eve")
    event = Event(workspace, LADDER + "".join(map(hosted, names)), "ladder")
    running = event.start("--json")
    until_played(event, eventually, *names, times=8)
    done = drained(event, running)
    played = Counter(name for seats in event.played() for name in seats)
    assert {line["entry"]: line["matches"] for line in json.loads(done.out)["standings"]} == played


def test_it_goes_on_after_a_kill(workspace: Workspace, eventually: Callable[..., Any]) -> None:
    event = Event(workspace, LADDER + hosted("ann") + hosted("bob") + hosted("cid"), "ladder")
    ids: set[str] = set()
    for _ in range(2):
        running = event.start()
        goal = len(event.played()) + 4
        eventually(lambda goal=goal: len(event.played()) >= goal, "some matches")
        running.stopped(signal.SIGKILL)
        workspace.nobody_is_left()
        kept = {match_id for match_id, *_ in workspace.results()}
        assert ids <= kept
        ids = kept
    done = event.start("--json", "--matches", 6).done()
    assert done.status == 0, done.err
    results = workspace.results()
    assert ids < {match_id for match_id, *_ in results}
    assert len({match_id for match_id, *_ in results}) == len(results) == len(event.played())
    assert event.ways() == {(1, "COMPLETED")}
    assert len(event.open()) <= 1  # one whose bots were being started at the end: the next run plays it
    rebuilt = workspace.ask("tournament", "report", event.file, "--rebuild", "--json")
    lines = [{key: line[key] for key in line if key != "history"} for line in rebuilt.json["standings"]]
    assert lines == done.json["standings"]


def test_the_file_may_change_between_runs(workspace: Workspace, eventually: Callable[..., Any]) -> None:
    def run(*names: str) -> dict[str, Any]:
        before = event.issued()
        running = event.start("--json")
        until_played(event, eventually, *names, after=before)
        return {line["entry"]: line for line in json.loads(drained(event, running).out)["standings"]}

    event = Event(
        workspace, LADDER + hosted("ann", 'version = "1"\n') + hosted("bob") + hosted("cid"), "ladder"
    )
    before = run("ann", "bob", "cid")
    assert before.keys() == {"ann@1", "bob", "cid"}

    another = hosted("ann", 'version = "2"\n')
    event.write(LADDER + another + hosted("bob") + hosted("dot"))
    after = run("ann", "bob", "dot")
    assert after.keys() == {"ann@1", "ann@2", "bob", "cid", "dot"}
    assert {name for name, line in after.items() if not line["is_current"]} == {"ann@1"}
    assert {name for name, line in after.items() if line["state"] == "left"} == {"cid"}
    for name in ("ann@1", "cid"):
        assert (after[name]["matches"], after[name]["mu"]) == (before[name]["matches"], before[name]["mu"])
    assert after["ann@2"]["matches"] > 0
    assert after["dot"]["matches"] > 0

    event.write(LADDER + another + hosted("bob") + hosted("cid"))
    back = run("cid")
    assert back["cid"]["state"] == "active"
    assert back["cid"]["matches"] > after["cid"]["matches"]
    assert (back["dot"]["state"], back["dot"]["matches"]) == ("left", after["dot"]["matches"])


def test_a_bot_that_crashes_is_started_again_and_its_seats_go_on(
    workspace: Workspace, bot: Callable[..., str]
) -> None:
    event = Event(workspace, LADDER + bot("phoenix", "phoenix.py") + hosted("ann"), "ladder")
    done = event.start("--json", "--matches", 4).done()
    assert done.status == 0, done.err
    told = (
        "the bot of phoenix is lost: exited with status 7; it is started again in 0.5 s, and its clock runs"
    )
    assert done.err.count(told) == 1
    assert event.ways() == {(1, "COMPLETED")}
    (phoenix,) = (line for line in done.json["standings"] if line["entry"] == "phoenix")
    assert phoenix["forfeits"] == 0
    assert phoenix["sessions_lost"] >= 1
    log = (workspace.folder / "cup.fairdeal" / "logs" / "phoenix.log").read_text()
    assert log.count("--- phoenix: ") == 2


def test_a_bot_that_always_crashes_is_given_up_and_the_others_play_on(
    workspace: Workspace, bot: Callable[..., str], eventually: Callable[..., Any]
) -> None:
    text = LADDER + "hosting = { restarts = 1 }\n"
    event = Event(workspace, text + bot("quits", "quitter.py") + hosted("ann") + hosted("bob"), "ladder")
    running = event.start("--json")
    given_up = (
        "the bot of quits is lost: exited with status 7; it is given up, and forfeits its other matches"
    )
    eventually(lambda: given_up in running.err, "that it is given up")
    before = event.issued()
    until_played(event, eventually, "ann", "bob", after=before, times=2)
    assert all("quits" not in seats for seats in event.played(before))
    done = drained(event, running)
    lines = {line["entry"]: line for line in json.loads(done.out)["standings"]}
    assert lines["quits"]["forfeits"] > 0
    assert (lines["ann"]["forfeits"], lines["bob"]["forfeits"]) == (0, 0)


def test_a_ladder_of_nobody_waits(workspace: Workspace, eventually: Callable[..., Any]) -> None:
    event = Event(workspace, f"{LADDER}entries = []\n", "ladder")
    running = event.start()
    eventually(lambda: "for remote entries" in running.err, "where it listens")
    bots = [event.dial(name, event.add(name)) for name in ("ann", "bob")]
    until_played(event, eventually, "ann", "bob")
    drained(event, running)
    assert [bot.done().status for bot in bots] == [0, 0]


@pytest.mark.parametrize(
    ("kind", "form", "told"),
    [
        ("tournament", "ladder", "a ladder never ends; run it with: fairdeal ladder run"),
        ("ladder", "round_robin", 'its format is round_robin: write format = "ladder", or run it with'),
    ],
)
def test_each_is_run_by_its_own_command(
    workspace: Workspace, good: str, kind: str, form: str, told: str
) -> None:
    file: Path = workspace.file(f'game = "two_handed_spades"\nformat = "{form}"\n{good}')
    done = workspace.run(kind, "run", file)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert re.search(re.escape(told), done.err)
