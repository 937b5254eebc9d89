"""What the tests of whole programs share: see tests/workspace.py."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.browser import IS_NEEDED, NAMES, Browser, Outside, found
from tests.e2e.devtools import Tab
from tests.workspace import Workspace, until

BOTS: Final = Path(__file__).parent / "bots"
GOOD: Final = '[[entries]]\nname = "greedy"\nbot = "greedy"\n[[entries]]\nname = "random"\nbot = "random"\n'


@pytest.fixture(scope="session")
def new_workspace() -> Iterator[Callable[[Path], Workspace]]:
    """Return a function that gives a workspace that lasts as long as the tests."""
    houses: list[Workspace] = []

    def make(folder: Path) -> Workspace:
        houses.append(Workspace(folder))
        return houses[-1]

    try:
        yield make
    finally:
        for workspace in houses:
            workspace.close()


@pytest.fixture
def tab(tmp_path: Path) -> Iterator[Tab]:
    """Return a tab of a real browser."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        assert not IS_NEEDED, "no browser is installed"
        pytest.skip("no browser is installed")
    with Tab(program, tmp_path / "profile") as opened:
        yield opened


@pytest.fixture(scope="session")
def good() -> str:
    """Return two house bots as entries."""
    return GOOD


@pytest.fixture(scope="session")
def bot() -> Callable[..., str]:
    """Return a function that gives an entry whose command is one of the bots of these tests."""

    def entry(name: str, script: str, *arguments: str) -> str:
        words = json.dumps(["{python}", str(BOTS / script), *arguments])
        return f'[[entries]]\nname = "{name}"\ncommand = {words}\n'

    return entry


@pytest.fixture(scope="session")
def eventually() -> Callable[[Callable[[], Any], str], Any]:
    """Return a function that waits until a condition gives something, and returns that."""
    return until


@pytest.fixture
def outside() -> Iterator[Outside]:
    """Return the only way out that a browser has."""
    outside = Outside()
    try:
        yield outside
    finally:
        outside.close()


@pytest.fixture
def browser(tmp_path: Path, outside: Outside) -> Browser:
    """Return a browser, whose pages lie in the test's folder."""
    return found(tmp_path, outside)
