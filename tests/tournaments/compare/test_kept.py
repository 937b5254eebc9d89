"""What is kept of a comparison, and what the next run makes of it."""

import resource
from dataclasses import replace
from pathlib import Path

import pytest

from tournaments.compare.kept import KeptError, What, kept
from tournaments.compare.sets import Play, SetResult
from tournaments.folder_lock import FolderError

WHAT = What(game="hearts", deals=1, bots=("mine.py", "greedy"), versions=("1", "2"), seed=None)
SETS = [SetResult(number, (Play(number / 3, 1.0, (0, 2)), Play(-1.5, 2 / 3))) for number in (1, 2, 3)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder in which three sets are kept."""
    with kept(tmp_path, WHAT, fresh=False) as before:
        assert before.results == []
        for result in SETS:
            before.add(result)
    return tmp_path


def found(folder: Path, what: What = WHAT, *, fresh: bool = False) -> tuple[list[SetResult], int]:
    with kept(folder, what, fresh=fresh) as now:
        return now.results, now.forgotten


def test_the_same_comparison_goes_on_with_its_sets(folder: Path) -> None:
    assert found(folder) == (SETS, 0)
    with kept(folder, WHAT, fresh=False) as now:
        now.add(SetResult(4, SETS[0].plays))
    assert found(folder) == ([*SETS, SetResult(4, SETS[0].plays)], 0)


def test_another_version_of_a_bot_begins_anew(folder: Path) -> None:
    newer = replace(WHAT, versions=("3", "2"))
    assert found(folder, newer) == ([], 3)
    assert found(folder, newer) == ([], 0)


def test_fresh_forgets_what_there_is(folder: Path) -> None:
    assert found(folder, fresh=True) == ([], 0)
    assert found(folder) == ([], 0)


@pytest.mark.parametrize("cut", [1, 20])
def test_a_line_that_was_cut_short_does_not_count(folder: Path, cut: int) -> None:
    path = folder / "sets.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])
    assert found(folder) == (SETS[:2], 0)
    assert found(folder) == (SETS[:2], 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [('"number": 2', '"number": 7'), ('"plays"', '"play"'), ('"won": 1.0', '"won": null'), ("{", "[")],
)
def test_a_damaged_file_is_told_with_the_remedy(folder: Path, old: str, new: str) -> None:
    path = folder / "sets.jsonl"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(KeptError, match=f"^{path}: .* damaged; begin anew with --fresh$"):
        found(folder)
    assert found(folder, fresh=True) == ([], 0)


def test_a_file_that_cannot_be_written_anew_keeps_its_sets(folder: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))  # as on a full disk
    try:
        with pytest.raises(OSError, match="too large"):
            found(folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert found(folder) == (SETS, 0)


def test_two_runs_at_once_are_refused(folder: Path) -> None:
    with (
        kept(folder, WHAT, fresh=False),
        pytest.raises(FolderError, match="another fairdeal process"),
        kept(folder, WHAT, fresh=True),
    ):
        pass
    assert found(folder) == (SETS, 0)
