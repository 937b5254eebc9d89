"""A disk that is full in the middle of a run."""

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.house import House, until

CUP: Final = 'game = "hearts"\nrounds = 10000\n' + "".join(
    f'[[entries]]\nname = "bot-{number}"\nbot = "random"\n' for number in range(4)
)


@pytest.mark.parametrize("room", [1, 20_000], ids=["at once", "a moment later"])
def test_a_full_disk_ends_the_run_with_its_remedy(
    new_house: Callable[[Path], House], tmp_path: Path, room: int
) -> None:
    house: House = new_house(tmp_path)
    house.file(CUP)
    run = house.start("tournament", "run", "cup.toml")
    until(lambda: house.records().paths(), "a record")
    journal = max((tmp_path / "cup.fairdeal" / "journal").glob("*.jsonl"))
    most = journal.stat().st_size + room  # no file of the run may be longer from now on
    resource.prlimit(run.process.pid, resource.RLIMIT_FSIZE, (most, most))
    done = run.done()
    assert done.status == 1
    assert "please report" not in done.err
    assert "Traceback" not in done.err
    assert done.err.splitlines()[-1].startswith("fairdeal: ")
