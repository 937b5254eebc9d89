"""A disk that is full in the middle of a run."""

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.workspace import Workspace, until

CUP: Final = 'game = "two_handed_spades"\nrounds = 2000\nmatch = { deals = 1 }\n' + "".join(
    f'[[entries]]\nname = "bot-{number}"\nbot = "random"\n' for number in range(2)
)


@pytest.mark.parametrize("room", [1, 20_000], ids=["at once", "a moment later"])
def test_a_full_disk_ends_the_run_with_its_remedy(
    new_workspace: Callable[[Path], Workspace], tmp_path: Path, room: int
) -> None:
    workspace: Workspace = new_workspace(tmp_path)
    workspace.file(CUP)
    run = workspace.start("tournament", "run", "cup.toml")
    until(lambda: workspace.records().paths(), "a record")
    journal = max((tmp_path / "cup.fairdeal" / "journal").glob("*.jsonl"))
    most = journal.stat().st_size + room  # no file of the run may be longer from now on
    resource.prlimit(run.process.pid, resource.RLIMIT_FSIZE, (most, most))
    done = run.done()
    assert done.status == 1
    assert "please report" not in done.err
    assert "Traceback" not in done.err
    assert done.err.splitlines()[-1].startswith("fairdeal: ")
