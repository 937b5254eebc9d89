"""`fairdeal record ask`, with bots that are processes."""

import asyncio
import re
import sys
from pathlib import Path

import pytest

from referee.verify import past
from tests.referee.verify.edited import data_of
from tests.workspace import Workspace
from tournaments.check.ask import ask

RANDOM = (sys.executable, "-m", "fairdeal.bots", "random")
GREEDY = (sys.executable, "-m", "fairdeal.bots", "greedy")
CUP = """
game = "piquet"
rounds = 1
match = {deals = 1}
entries = [
    {name = "careful", command = ["{python}", "-m", "fairdeal.bots", "greedy"]},
    {name = "wild", command = ["{python}", "-m", "fairdeal.bots", "random"]},
]
"""

FAILING = """
import fairdeal


class Failing:
    def act(self, decision):
        raise ValueError("no idea")


fairdeal.main(Failing())
"""


@pytest.fixture
def path(workspace: Workspace) -> Path:
    """Play a match, and return its record."""
    workspace.file(CUP)
    assert workspace.run("tournament", "run", "cup.toml").status == 0
    (path, *_) = workspace.records().paths()
    return path


def test_a_bot_is_asked_what_another_was_asked(workspace: Workspace, path: Path) -> None:
    header = workspace.records().headers()[0]
    wild = header["entries"].index("wild")
    # also chance comes again: the bot is given the seed that the tournament gave it
    same = workspace.run("record", "ask", "--seat", wild, path, "--", *RANDOM)
    assert (same.status, same.err) == (0, "")
    words = " ".join(same.out.split())
    assert re.search(r"\d+ decisions; of the (\d+) with a choice, \1 answered as before and 0 diff", words)
    assert "without one" not in same.out
    other = workspace.run("record", "ask", "--seat", wild, path, "--", *GREEDY)
    assert other.status == 1
    assert "\n  then   " in other.out
    assert "\n  now    " in other.out
    assert f"fairdeal record show --seat {wild} --deal 1 {path}" in other.out
    assert all(len(line) <= 80 for line in other.out.splitlines() if "fairdeal" not in line)
    told = workspace.run("record", "ask", "--json", "--seat", wild, path, "--", *GREEDY)
    assert told.status == 1
    assert told.json["decisions"] == told.json["same"] + told.json["otherwise"] == len(told.json["replies"])
    same_now = [reply["same"] for reply in told.json["replies"] if reply["is_choice"]]
    same, number = sum(same_now), len(same_now)
    of_choices = f"of the {number} with a choice, {same} answered as before and {number - same} differently"
    assert f"{told.json['decisions']} decisions; {of_choices}" in " ".join(other.out.split())


def test_a_bot_that_cannot_be_asked(workspace: Workspace, path: Path) -> None:
    gone = workspace.run("record", "ask", "--seat", "0", path, "--", "false")
    assert gone.status == 2
    assert "after 0 answers: the bot did not connect (exited with status 1)" in gone.err
    without_main = workspace.run("record", "ask", "--seat", "0", path, "--", "true")
    told = "the bot did not connect (exited with status 0): does it call fairdeal.main(...)?"
    assert f"after 0 answers: {told}" in without_main.err
    missing = workspace.run("record", "ask", "--seat", "0", path, "--", "./missing")
    assert missing.status == 2
    assert "'./missing' is not there" in missing.err
    seat = workspace.ask("record", "ask", "--seat", "2", path, "--", *GREEDY)
    assert seat.status == 2
    assert "there is no seat 2" in seat.err


def test_what_a_bot_printed_is_shown_once_when_it_fails(workspace: Workspace, path: Path) -> None:
    workspace.file(FAILING, "failing.py")
    failed = workspace.run("record", "ask", "--seat", "0", path, "--", sys.executable, "failing.py")
    assert failed.status == 1
    assert failed.out.count("The end of the bot's log:") == 1
    assert "  ValueError: no idea" in failed.out.partition("The end of the bot's log:")[2]
    told = workspace.run("record", "ask", "--json", "--seat", "0", path, "--", sys.executable, "failing.py")
    assert "ValueError: no idea" in told.json["printed"]
    said = " ".join(failed.out.split())
    assert re.search(r"of the \d+ without one, 0 answered as before, 0 differently and \d+ not", said)


@pytest.mark.process
def test_a_bot_that_does_not_connect_is_ended_and_that_is_told() -> None:
    found = asyncio.run(ask(past(data_of("hearts")), 0, ("sleep", "3600"), connect=0))
    assert found.problem == "the bot did not connect: waited 0 s, then ended it"
