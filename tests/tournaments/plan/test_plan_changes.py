"""What a plan may become once its tournament has begun."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tournaments.config_files import PAIR, write
from tournaments.plan.changes import changes, with_places
from tournaments.plan.plan import Plan
from tournaments.tournament_file.reader import load

GAUNTLET = """game = "piquet"
format = "gauntlet"
challenger = "one"

[clock]
move = 1.5
"""


def plan_of(folder: Path, text: str) -> Plan:
    return load(write(folder, text))


def told(before: Plan, after: Plan) -> tuple[str, ...]:
    return tuple(map(str, changes(before.describe(), after.describe())))


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ('name = "other"', 'name is "other", was "cup"'),
        ("match = { deals = 2 }", 'match is { deals = 2 }, was "game"'),
        ('seed = "spring"', 'seed is "spring", was left out'),
        ("options = { target = 200 }", "options.target is 200, was 300"),
        ("clock = { move = 1 }", "clock.move is 1, was 2"),
        ("clock = { lag = 0.25 }", "clock.lag is 0.25, was 0.1"),
        ('clock = "fast"', 'clock is "fast", was "standard"'),
        ("faults = { max_faults = 4 }", "faults.max_faults is 4, was 3"),
        ("event_grid = 50", "event_grid is 50, was 0"),
    ],
)
def test_a_change_of_what_decides_results_is_named(tmp_path: Path, line: str, changed: str) -> None:
    before, after = plan_of(tmp_path, PAIR), plan_of(tmp_path, f"{line}\n{PAIR}")
    assert told(before, after) == (changed,)


def test_a_series_or_another_match_in_a_bracket_is_another_tournament(tmp_path: Path) -> None:
    text = PAIR.replace("game =", 'format = "knockout"\ngame =', 1)
    before = plan_of(tmp_path, text)
    after = plan_of(tmp_path, f"best_of = 3\nthird_place = true\n{text}")
    assert told(before, after) == ("best_of is 3, was 1", "third_place is true, was false")
    assert before.describe().keys().isdisjoint({"best_of", "third_place"})  # as in earlier versions


def test_a_change_of_a_stage_is_named(tmp_path: Path) -> None:
    stages = "[[stages]]\nname = 'g'\nformat = 'round_robin'\nadvance = 2\n"
    stages += "[[stages]]\nname = 'p'\nformat = 'knockout'\n"
    before = plan_of(tmp_path, PAIR + stages)
    after = plan_of(tmp_path, PAIR + stages + "best_of = 3\nclock = 'fast'\n")
    found = told(before, after)
    assert found[0] == "best_of of stage p is 3, was 1"
    assert found[1].startswith("clock of stage p is { move = ")
    assert found[1].endswith(", was left out")
    assert told(plan_of(tmp_path, PAIR), before)[1:] == ("stage g is new", "stage p is new")
    lacking = before.describe()
    for stage in lacking["stages"]:
        del stage["tie_breaks"]  # as if a later version had added it
    assert changes(lacking, before.describe()) == ()
    assert "stages" not in plan_of(tmp_path, PAIR).describe()


SWISS = f'format = "swiss"\nrounds = 5\n{PAIR}' + "".join(
    f'[[entries]]\nname = "e{n}"\nbot = "random"\n' for n in range(4)
)
DREI = '[[entries]]\nname = "three"\nbot = "random"\n'


@pytest.mark.parametrize(
    ("old", "new", "drawn", "changed"),
    [
        ("", DREI + "joins = 3", 2, ()),
        ("", DREI + "joins = 3\nbyes = [1, 2]", 2, ()),
        ("", DREI + "joins = 2", 2, ("entry three is new, and 2 of the rounds are drawn: write joins = 3",)),
        ("", DREI, 1, ("entry three is new, and 1 of the rounds are drawn: write joins = 2",)),
        (DREI + "joins = 4", "", 2, ("entry three is missing",)),
        (DREI + "byes = [2]", DREI + "byes = [2, 4]", 3, ()),
        (DREI + "byes = [2, 4]", DREI + "byes = [2]", 3, ()),
        (
            DREI + "byes = [2]",
            DREI + "byes = [2]\nversion = '2'",
            3,
            ('version of entry three is "2", was left out',),
        ),
        (DREI, DREI + "byes = [2]", 2, ("byes of entry three is [2], was []",)),
        (DREI + "byes = [2]", DREI, 2, ("byes of entry three is [], was [2]",)),
        (DREI + "joins = 5", DREI + "joins = 4", 3, ()),
        (DREI + "joins = 5", DREI + "joins = 3", 3, ("joins of entry three is 3, was 5",)),
        (DREI + "joins = 3", DREI + "joins = 5", 3, ("joins of entry three is 5, was 3",)),
    ],
)
def test_a_swiss_takes_what_concerns_later_rounds(
    tmp_path: Path, old: str, new: str, drawn: int, changed: tuple[str, ...]
) -> None:
    before, after = plan_of(tmp_path, SWISS + old), plan_of(tmp_path, SWISS + new)
    assert tuple(map(str, changes(before.describe(), after.describe(), drawn))) == changed


def test_entries_that_never_rest_are_described_as_in_earlier_versions(tmp_path: Path) -> None:
    first, *_others = plan_of(tmp_path, SWISS).describe()["entries"]
    assert first.keys().isdisjoint({"byes", "joins"})


def test_that_something_was_left_out_is_a_change_too(tmp_path: Path) -> None:
    before, after = plan_of(tmp_path, f"event_grid = 50\n{PAIR}"), plan_of(tmp_path, PAIR)
    assert told(before, after) == ("event_grid is 0, was 50",)


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ('"two"', '"three"', ("entry three is new", "entry two is missing")),
        ('bot = "random"', 'bot = "greedy"', ('bot of entry two is "greedy", was "random"',)),
        ('bot = "random"', 'bot = "random"\nversion = "2"', ('version of entry two is "2", was left out',)),
    ],
)
def test_a_change_of_the_entries_is_named(
    tmp_path: Path, old: str, new: str, changed: tuple[str, ...]
) -> None:
    before, after = plan_of(tmp_path, PAIR), plan_of(tmp_path, PAIR.replace(old, new))
    assert told(before, after) == changed


def test_another_order_of_the_entries_is_a_change(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, PAIR)
    turned = replace(plan, entries=plan.entries[::-1])
    assert told(plan, turned) == ("the entries are in another order",)


def test_rounds_may_be_added_and_not_taken_away(tmp_path: Path) -> None:
    two, three = (plan_of(tmp_path, f"rounds = {rounds}\n{PAIR}") for rounds in (2, 3))
    assert told(two, three) == ()
    assert told(three, two) == ("rounds is 2, was 3",)


def test_the_matches_of_each_stay(tmp_path: Path) -> None:
    none, two, three = (
        plan_of(tmp_path, f"{line}\n{PAIR}") for line in ("", "matches_each = 2", "matches_each = 3")
    )
    assert told(two, three) == ("matches_each is 3, was 2",)
    assert told(none, two) == ("matches_each is 2, was left out",)
    assert told(two, none) == ("matches_each is left out, was 2",)
    assert "matches_each" not in none.describe()  # as earlier versions described it


@pytest.mark.parametrize(
    "line",
    [
        "concurrency = 2",
        "rating = { mu = 1500 }",
        'folder = "elsewhere"',
        "limits = { sessions = 9 }",
        'durability = "disk"',
        'rating = { rank_by = "points" }\ntie_breaks = ["direct"]',
    ],
)
def test_what_decides_no_result_may_change(tmp_path: Path, line: str) -> None:
    before, after = plan_of(tmp_path, PAIR), plan_of(tmp_path, f"{line}\n{PAIR}")
    assert before != after
    assert told(before, after) == ()


def test_what_an_earlier_version_did_not_say_has_its_default(tmp_path: Path) -> None:
    now = plan_of(tmp_path, PAIR).describe()
    before = {
        key: value for key, value in now.items() if key not in ("format", "partners", "teams", "challenger")
    }
    before["options"] = {}
    before["clock"] = {name: now["clock"][name] for name in ("move", "bank")}
    before["faults"] = {}
    before["entries"] = [{name: entry[name] for name in ("name", "bot")} for entry in now["entries"]]
    assert changes(before, now) == ()
    changed = {**now, "faults": {**now["faults"], "max_faults": 4}}
    assert list(map(str, changes(before, changed))) == ["faults.max_faults is 4, was 3"]


def test_the_options_of_another_game_are_no_changes_of_their_own(tmp_path: Path) -> None:
    before, after = plan_of(tmp_path, PAIR), plan_of(tmp_path, PAIR.replace("two_handed_spades", "piquet"))
    assert before.options.keys() != after.options.keys()
    assert told(before, after) == ('game is "piquet", was "two_handed_spades"',)


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ('name = "north"', 'name = "south"', ("team south is new", "team north is missing")),
        ('["a", "b"]', '["a", "c"]', ('entries of team north is ["a", "c"], was ["a", "b"]',)),
    ],
)
def test_a_change_of_the_teams_is_named(tmp_path: Path, old: str, new: str, changed: tuple[str, ...]) -> None:
    entries = "".join(f'[[entries]]\nname = "{name}"\nbot = "random"\n' for name in "abc")
    teams = '[[teams]]\nname = "north"\nentries = ["a", "b"]\n'
    text = f'game = "spades"\npartners = "fixed"\n{entries}{teams}'
    before, after = plan_of(tmp_path, text), plan_of(tmp_path, text.replace(old, new))
    assert told(before, after) == changed


def test_every_change_is_named_with_its_place_in_the_file(tmp_path: Path) -> None:
    bots = PAIR.partition("\n")[2]
    before = plan_of(tmp_path, PAIR)
    after = plan_of(tmp_path, GAUNTLET + bots.replace("greedy", "random") + "version = '2'\n")
    assert with_places(changes(before.describe(), after.describe()), after.source) == ", ".join(
        [
            'challenger is "one", was left out [cup.toml:3]',
            "clock.move is 1.5, was 2 [cup.toml:6]",
            'bot of entry one is "random", was "greedy" [cup.toml:9]',
            'version of entry two is "2", was left out [cup.toml:13]',
            'format is "gauntlet", was "round_robin" [cup.toml:2]',
            'game is "piquet", was "two_handed_spades" [cup.toml:1]',
        ]
    )


@pytest.mark.parametrize("text", [None, "game = [", "\0", f"x = {'[' * 5000}"])
def test_changes_are_named_without_places_when_the_file_is_no_such_file_any_more(
    tmp_path: Path, text: str | None
) -> None:
    before, after = plan_of(tmp_path, PAIR), plan_of(tmp_path, f"seed = 1\n{PAIR}")
    assert after.source
    after.source.unlink() if text is None else after.source.write_text(text)
    found = changes(before.describe(), after.describe())
    assert with_places(found, after.source) == with_places(found, None) == 'seed is "1", was left out'
