"""What a plan may become once its tournament has begun."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tournaments.config_files import PAIR, write
from tournaments.config import load
from tournaments.plan import Plan, changes


def plan_of(folder: Path, text: str) -> Plan:
    return load(write(folder, text))


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ('name = "other"', 'name is "other", was "cup"'),
        ("match = { deals = 2 }", 'match is {"deals": 2}, was "game"'),
        ('seed = "spring"', 'seed is "spring", was null'),
        ("options = { target = 200 }", "options.target is 200, was 300"),
        ("clock = { move = 1 }", "clock.move is 1000000, was 2000000"),
        ("faults = { max_faults = 4 }", "faults.max_faults is 4, was 3"),
    ],
)
def test_a_change_of_what_decides_results_is_named(tmp_path: Path, line: str, changed: str) -> None:
    before, after = plan_of(tmp_path, PAIR), plan_of(tmp_path, f"{line}\n{PAIR}")
    assert changes(before.describe(), after.describe()) == (changed,)
    assert before.fingerprint() != after.fingerprint()


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ('"two"', '"three"', ("entry three is new", "entry two is missing")),
        ('bot = "random"', 'bot = "greedy"', ('bot of entry two is "greedy", was "random"',)),
        ('bot = "random"', 'bot = "random"\nversion = "2"', ('version of entry two is "2", was null',)),
    ],
)
def test_a_change_of_the_entries_is_named(
    tmp_path: Path, old: str, new: str, changed: tuple[str, ...]
) -> None:
    before, after = plan_of(tmp_path, PAIR), plan_of(tmp_path, PAIR.replace(old, new))
    assert changes(before.describe(), after.describe()) == changed


def test_another_order_of_the_entries_is_a_change(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, PAIR)
    turned = replace(plan, entries=plan.entries[::-1])
    assert changes(plan.describe(), turned.describe()) == ("the entries are in another order",)


def test_rounds_may_be_added_and_not_taken_away(tmp_path: Path) -> None:
    two, three = (plan_of(tmp_path, f"rounds = {rounds}\n{PAIR}") for rounds in (2, 3))
    assert changes(two.describe(), three.describe()) == ()
    assert changes(three.describe(), two.describe()) == ("rounds is 2, was 3",)
    assert two.fingerprint() != three.fingerprint()


@pytest.mark.parametrize(
    "line",
    [
        "concurrency = 2",
        "rating = { mu = 1500 }",
        'folder = "elsewhere"',
        "limits = { sessions = 9 }",
        'durability = "disk"',
    ],
)
def test_what_decides_no_result_may_change(tmp_path: Path, line: str) -> None:
    before, after = plan_of(tmp_path, PAIR), plan_of(tmp_path, f"{line}\n{PAIR}")
    assert before != after
    assert changes(before.describe(), after.describe()) == ()
    assert before.fingerprint() == after.fingerprint()
