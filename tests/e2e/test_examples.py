"""The commands of the README and of the examples, run as they are written."""

import csv
import re
import shutil
import signal
import sys
from pathlib import Path

import pytest

from tests.e2e.places import listening
from tests.workspace import Workspace

CHECKOUT = Path(__file__).parents[2]
EXAMPLES = CHECKOUT / "examples"
FIRST_BOT = EXAMPLES / "my_first_bot.py"


def test_quickstart(workspace: Workspace) -> None:
    text = (EXAMPLES / "quickstart.toml").read_text()
    assert "rounds = 2\n" in text
    cup = workspace.file(text.replace("rounds = 2\n", "rounds = 1\n"), "quickstart.toml")
    done = workspace.run("tournament", "run", cup, "--json")
    assert done.status == 0
    assert done.json["game"] == "hearts"
    assert done.json["played"] == done.json["matches"] > 0
    assert len(done.json["standings"]) >= 4


def test_the_first_bot_can_be_hosted(workspace: Workspace, good: str) -> None:
    shutil.copy(EXAMPLES / "my_first_bot.py", workspace.folder)
    mine = '[[entries]]\nname = "{0}"\ncommand = ["{{python}}", "my_first_bot.py"]\n'
    cup = 'game = "hearts"\nmatch = { deals = 1 }\nclock = "debug"\n'
    text = f"{cup}{good}{mine.format('mine')}{mine.format('mine2')}"
    done = workspace.run("tournament", "run", workspace.file(text), "--json")
    assert done.status == 0
    assert [standing["faults"] for standing in done.json["standings"]] == [0] * 4
    assert done.json["played"] == 1
    ((match_id, *_),) = workspace.results()
    # the bot prints how its matches end
    assert f"hearts {match_id}" in (workspace.folder / "cup.fairdeal" / "logs" / "mine.log").read_text()


def test_the_first_bot_is_short_and_stands_in_the_readme() -> None:
    source = FIRST_BOT.read_text()
    assert source.count("\n") < 30
    assert f"<!-- my_first_bot -->\n```python\n{source}```\n" in (CHECKOUT / "README.md").read_text()


def test_the_readme_is_short_and_begins_with_a_command() -> None:
    lines = (CHECKOUT / "README.md").read_text().splitlines()
    assert len(lines) < 150
    assert any(line.startswith("    ") for line in lines[:20]), "a command on the first screen"


def test_the_first_bot_sits_down_at_an_open_table(workspace: Workspace) -> None:
    serving, address = listening(workspace, "--option", "hearts.target=10")
    mine = workspace.start(Path(sys.executable), FIRST_BOT, address)
    serving.says("LowestCard is here")
    bots = [workspace.start("bot", "greedy", "--game", "hearts", "--connect", address) for _ in range(3)]
    assert [bot.done().status for bot in bots] == [0, 0, 0]
    serving.says("completed")
    done = mine.stopped(signal.SIGTERM)
    assert (done.status, done.complaints) == (0, "")
    assert re.fullmatch(r"hearts hearts-\w+ \(.+\)\n", done.out)
    assert serving.stopped(signal.SIGTERM).status == 0


def test_the_page_on_bots_plays_in_process_as_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    program = (CHECKOUT / "docs" / "bots.md").read_text().split("### Play in process")[1]
    program = program.split("```python\n")[1].split("```")[0]
    exec(compile(program, "bots.md", "exec"), {})
    rows = [[int(cell) for cell in row] for row in csv.reader(capsys.readouterr().out.splitlines())]
    _numbers, greedy, *others = [sum(column) for column in zip(*rows, strict=True)]
    assert len(rows) == 100
    assert greedy < min(others) / 2, "greedy beats three random bots"
