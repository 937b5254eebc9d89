"""What is kept of a comparison, and what the next run makes of it."""

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from referee.match.clock import PROFILES
from tournaments.compare.kept import Forgotten, KeptError, What, kept
from tournaments.compare.sets import Play, SetResult
from tournaments.folder_lock import FolderError

WHAT = What(
    game="hearts",
    deals=1,
    bots=("mine.py", "greedy"),
    versions=("1", "2"),
    seed=None,
    rules_version=1,
    clock=PROFILES["standard"],
    sandbox="none",
)
SETS = [SetResult(number, (Play(number / 3, 1.0, (0, 2)), Play(-1.5, 2 / 3))) for number in (1, 2, 3)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder in which three sets are kept."""
    with kept(tmp_path, WHAT, fresh=False) as before:
        assert before.results == []
        for result in SETS:
            before.add(result)
    return tmp_path


def found(
    folder: Path, what: What = WHAT, *, fresh: bool = False
) -> tuple[list[SetResult], Forgotten | None]:
    with kept(folder, what, fresh=fresh) as now:
        return now.results, now.forgotten


def test_the_same_comparison_goes_on_with_its_sets(folder: Path) -> None:
    assert found(folder) == (SETS, None)
    with kept(folder, WHAT, fresh=False) as now:
        now.add(SetResult(4, SETS[0].plays))
    assert found(folder) == ([*SETS, SetResult(4, SETS[0].plays)], None)


def test_a_set_is_in_the_file_as_soon_as_it_is_added(tmp_path: Path) -> None:
    with kept(tmp_path, WHAT, fresh=False) as now:
        for number, result in enumerate(SETS, 1):
            now.add(result)
            lines = (tmp_path / "sets.jsonl").read_text().splitlines()
            assert len(lines) == 1 + number  # and the head


@pytest.mark.parametrize(
    ("newer", "why"),
    [
        (replace(WHAT, versions=("3", "2")), "a bot has changed since"),
        (replace(WHAT, rules_version=2), "the rules of the game have changed since"),
        (replace(WHAT, clock=PROFILES["fast"]), "they were played with another clock"),
        (replace(WHAT, sandbox="bubblewrap"), "they were played with another sandbox"),
        (replace(WHAT, deals=2), "they are of another comparison"),
    ],
)
def test_what_has_changed_begins_anew(folder: Path, newer: What, why: str) -> None:
    assert found(folder, newer) == ([], Forgotten(3, why))
    assert found(folder, newer) == ([], None)


def test_a_file_without_clock_and_sandbox_begins_anew(folder: Path) -> None:
    path = folder / "sets.jsonl"
    head, *lines = path.read_text().splitlines()
    older = {key: each for key, each in json.loads(head).items() if key not in {"clock", "sandbox"}}
    path.write_text("\n".join([json.dumps(older), *lines, ""]))
    assert found(folder) == ([], Forgotten(3, "another version of fairdeal has kept them"))


def test_fresh_forgets_what_there_is(folder: Path) -> None:
    assert found(folder, fresh=True) == ([], None)
    assert found(folder) == ([], None)


@pytest.mark.parametrize("cut", [1, 20])
def test_a_line_that_was_cut_short_does_not_count(folder: Path, cut: int) -> None:
    path = folder / "sets.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])
    assert found(folder) == (SETS[:2], None)
    assert found(folder) == (SETS[:2], None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"number": 2', '"number": 7'),
        ('"plays"', '"play"'),
        ('"won": 1.0', '"won": null'),
        ('"won": 1.0', '"won": NaN'),
        ("{", "["),
        ("plays", "\xff"),
    ],
)
def test_a_damaged_file_is_told_with_the_remedy(folder: Path, old: str, new: str) -> None:
    path = folder / "sets.jsonl"
    path.write_text(path.read_text().replace(old, new), encoding="latin-1")  # \xff is no UTF-8
    with pytest.raises(KeptError, match=f"^{path}: .* damaged; start again with --fresh$"):
        found(folder)
    assert found(folder, fresh=True) == ([], None)


def test_a_file_that_cannot_be_written_anew_keeps_its_sets(folder: Path) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    # not by a limit of this process: it would hold for what pytest writes, too
    with patch("os.fsync", side_effect=full), pytest.raises(OSError, match="No space left"):
        found(folder)
    assert found(folder) == (SETS, None)


def test_two_runs_at_once_are_refused(folder: Path) -> None:
    with (
        kept(folder, WHAT, fresh=False),
        pytest.raises(FolderError, match="another fairdeal process"),
        kept(folder, WHAT, fresh=True),
    ):
        pass
    assert found(folder) == (SETS, None)
