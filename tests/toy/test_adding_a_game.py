"""docs/adding-a-game.md, followed with the toys in a copy of the project: each step does what it says."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from referee.games.registry import GAMES
from tests.toy import tree
from tests.toy.tree import TOYS
from tests.workspace import CompletedCommand, Workspace

ROOT: Final = tree.ROOT
PAGE: Final = (ROOT / "docs" / "adding-a-game.md").read_text()
BLOCKS: Final = re.findall(r"<!-- (tests/toy/\S+) -->\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
NUMBERS: Final = {name: number for number, name in enumerate(TOYS, 24)}
"""The numbers of their own checks: all others keep theirs."""
MOST_FILES: Final = 12
"""So many files of product and documentation, at most, somebody writes or changes for a game."""


@pytest.fixture(scope="module")
def with_toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project with the toys among its games."""
    to = tmp_path_factory.mktemp("with_toys")
    tree.copy(to)
    for toy in TOYS:
        tree.add(to, toy)
    tree.generate(to)
    return to


@pytest.fixture(params=TOYS)
def toy(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_page_has_ten_steps() -> None:
    steps = re.findall(r"^## (\d+)\. ", PAGE, re.MULTILINE)
    assert steps == [str(number) for number in range(1, 11)]


@pytest.mark.parametrize(("file", "block"), BLOCKS, ids=[file for file, _block in BLOCKS])
def test_what_the_page_shows_of_the_toy_is_what_the_toy_is(file: str, block: str) -> None:
    assert bare(block) in bare((ROOT / file).read_text())


def bare(code: str) -> str:
    """Return code without blank lines and indentation, which a method on the page has not."""
    return "".join(f"{line.strip()}\n" for line in code.splitlines() if line.strip())


def test_every_file_of_the_toy_is_shown() -> None:
    files = {f"tests/toy/bury/{path.name}" for path in (ROOT / "tests/toy/bury").glob("*.py")}
    files |= {"tests/toy/bury.proto", "tests/toy/greedy_bury.py"}
    assert {file for file, _block in BLOCKS} == files


def test_every_path_that_the_page_names_is_there() -> None:
    paths = {path for path in re.findall(r"`([\w./-]+/[\w./-]*)`", PAGE) if "NAME" not in path}
    assert paths
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def test_a_game_touches_the_files_that_the_page_lists_and_no_others(tmp_path: Path) -> None:
    tree.copy(tmp_path)
    assert tree.changed(tmp_path) == set()
    tree.add(tmp_path, "bury")
    touched = tree.changed(tmp_path)
    listed = re.findall(r"^\| \d+ \| `(.+?)` \|", PAGE, re.MULTILINE)
    assert touched == {path.replace("NAME", "bury") for path in listed}
    assert len(touched) <= MOST_FILES
    tree.generate(tmp_path)
    assert {path.partition("/v1/")[0] for path in tree.changed(tmp_path) - touched} == {
        "clients/python/fairdeal"
    }


@pytest.mark.process
def test_what_holds_for_every_game_holds_for_the_toys(with_toys: Path) -> None:
    """Run the tests of all games, and those of the toys, in the copy."""
    files = ("tests/games/test_every_game.py", "tests/referee/codec/test_proto.py", "tests/toy")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "bury or trick or toy"]
    ended = subprocess.run(
        [*command, *files, "--ignore", "tests/toy/test_adding_a_game.py"],
        cwd=with_toys,
        env=os.environ | {"PYTHONPATH": path_of(with_toys), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert not set(TOYS) & set(GAMES)


def test_a_tournament_is_played_to_its_report(workspace: Workspace, with_toys: Path, toy: str) -> None:
    entries = "".join(f'[[entries]]\nname = "{name}"\nbot = "random"\n' for name in "ab")
    file = workspace.file(f'game = "{toy}"\nrounds = 2\nseed = "spring"\n{entries}')
    done = fairdeal(workspace, with_toys, "tournament", "run", "--json", file)
    assert (done.status, done.json["played"]) == (0, 2)
    assert [each["faults"] for each in done.json["standings"]] == [0, 0]
    report = fairdeal(workspace, with_toys, "tournament", "report", file, "--output", "cup.html")
    assert report.status == 0
    assert TOYS[toy] in (workspace.folder / "cup.html").read_text()
    told = fairdeal(workspace, with_toys, "record", "show", *workspace.records().paths()).out
    assert told.count(f": {TOYS[toy]}, a whole game") == 2
    # of the smaller one nobody has written how its deals are shown, and it does not tell who takes a trick
    assert re.search(r"^ +1 +\*?[2-9TJQKA][HS] +\*?[2-9TJQKA][HS]( +seat \d [ab])?$", told, re.MULTILINE)


def test_a_bot_is_checked_in_it(workspace: Workspace, with_toys: Path, toy: str) -> None:
    bot = (workspace.program, "bot", "random")
    done = fairdeal(
        workspace, with_toys, "check-bot", "--json", "--game", toy, "--only", NUMBERS[toy], "--", *bot
    )
    assert done.status == 0, done.out
    passed = {each["name"]: each["number"] for each in done.json["checks"] if each["outcome"] == "passed"}
    assert passed[f"plays {toy}"] == NUMBERS[toy]


def test_it_has_a_demo(workspace: Workspace, with_toys: Path) -> None:
    done = fairdeal(workspace, with_toys, "demo", "--quick", "--game", "bury")
    assert done.status == 0, done.err
    assert "demo (bury): standings" in done.out


def fairdeal(workspace: Workspace, project: Path, *words: object) -> CompletedCommand:
    """Run `fairdeal` of a copy of the project."""
    program = "from tournaments.cli import main; main()"
    return workspace.run(Path(sys.executable), "-c", program, *words, PYTHONPATH=path_of(project))


def path_of(project: Path) -> str:
    return os.pathsep.join(map(str, (project, project / "clients/python")))
