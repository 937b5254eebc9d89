"""NumPy and SciPy compute with one thread, so that the digits of a fit do not depend on the processors."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tournaments
from tournaments import arrays

SOURCES = sorted(Path(tournaments.__file__).parent.rglob("*.py"))
SLOW = {"numpy", "scipy"}


def loaded(tree: ast.AST) -> set[str]:
    """Return what is imported of those that begin threads when they are loaded."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    return found & SLOW


def in_one_thread(node: ast.AST) -> bool:
    return isinstance(node, ast.With) and ast.unparse(node.items[0]) == "one_thread()"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_all_that_loads_them_does_so_with_one_thread(path: Path) -> None:
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if in_one_thread(node):
            assert isinstance(node, ast.With)
            node.body = [ast.Pass()]
    assert not loaded(tree), "load it in arrays.one_thread()"


@pytest.mark.parametrize("before", [None, "7"])
def test_the_environment_is_as_before(before: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if before:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", before)
    with arrays.one_thread():
        assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert os.environ.get("OPENBLAS_NUM_THREADS") == before


@pytest.mark.process
def test_no_thread_is_begun() -> None:
    told = "import os, tournaments.standings.certainty; print(len(os.listdir('/proc/self/task')))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
