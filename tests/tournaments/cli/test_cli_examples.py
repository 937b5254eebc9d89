"""The files of examples/formats do what they say: each is planned, played on paper, and shown."""

from pathlib import Path

import pytest

from tests.tournaments.conftest import Fairdeal
from tests.tournaments.examples import FILES, FOLDER, copied, play_on_paper
from tournaments.plan.plan import Format
from tournaments.tournament_file.reader import load

EXAMPLES = FOLDER.parent
each = pytest.mark.parametrize("name", FILES)


def test_every_format_has_an_example() -> None:
    plans = [load(FOLDER / name) for name in FILES]
    assert {plan.format for plan in plans} == {*Format}
    page = (EXAMPLES.parent / "docs" / "formats.md").read_text()
    assert all(f"examples/formats/{name}" in page for name in FILES)


@each
def test_an_example_is_planned(fairdeal: Fairdeal, tmp_path: Path, name: str) -> None:
    done = fairdeal("tournament", "plan", copied(name, tmp_path / "cup"))
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(name.removesuffix(".toml"))


@pytest.mark.parametrize("name", sorted({*FILES} - {"ladder.toml"}))  # which has no schedule
@pytest.mark.parametrize("most", [3, 10_000])
def test_an_example_is_shown_while_it_is_played_and_afterwards(
    fairdeal: Fairdeal, tmp_path: Path, name: str, most: int
) -> None:
    file = copied(name, tmp_path / "cup")
    play_on_paper(file, most=most)
    for command in ("status", "standings", "matches", "report"):
        done = fairdeal("tournament", command, file)
        assert done.status == 0, (command, done.err)
    if most > 3:
        assert fairdeal("tournament", "status", file, "--json").json["state"] == "finished"


def test_a_bracket_is_printed_with_the_standings(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = copied("knockout.toml", tmp_path / "cup")
    play_on_paper(file)
    lines = fairdeal("tournament", "standings", file).out.splitlines()
    first = lines.index("knockout (piquet): bracket")
    tree = lines[first + 1 : first + 10]
    assert [sum(mark in line for line in tree) for mark in "┐├┘"] == [4, 4, 4]
    assert lines[first + 11].startswith("third place  ")
    data = fairdeal("tournament", "standings", file, "--json").json
    assert [table["part"] for table in data["bracket"]][-2:] == ["third place", "final"]
    assert data["bracket"][-1]["go_on"] == [data["standings"][0]["entry"]]
    assert [line["place"] for line in data["standings"]] == [1, 2, 3, 4, 5]


def test_groups_are_printed_with_the_standings_and_then_the_bracket(
    fairdeal: Fairdeal, tmp_path: Path
) -> None:
    file = copied("groups_and_playoff.toml", tmp_path / "cup")
    play_on_paper(file, most=5)
    lines = fairdeal("tournament", "standings", file).out.splitlines()
    titles = [line.rpartition(": ")[2] for line in lines if line.startswith("groups_and_playoff")]
    assert titles == ["standings", "W/D/L of the row against the column", "groups A", "groups B"]
    play_on_paper(file)
    out = fairdeal("tournament", "standings", file).out
    assert out.count("goes on") == 4
    assert "groups_and_playoff (two_handed_spades): bracket" in out
    data = fairdeal("tournament", "standings", file, "--json").json
    assert [stage["name"] for stage in data["stages"]] == ["groups", "playoff"]
    playing = {name for table in data["bracket"] for name in table["competitors"]}
    on = {line["entry"] for group in data["stages"][0]["groups"] for line in group if line["goes_on"]}
    assert playing == on
    assert [line["place"] for line in data["standings"]] == [1, 2, 3, 4, 5, 5]


def test_stages_are_planned_with_their_groups(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = copied("groups_and_playoff.toml", tmp_path / "cup")
    lines = fairdeal("tournament", "plan", file).out.splitlines()
    assert lines[0] == "groups_and_playoff (two_handed_spades): 2 stages, 6 entries"
    clocks = [line.partition(" for a decision, ")[0] for line in lines if line.startswith("  clock: ")]
    assert clocks == ["  clock: fast: 0.25 s", "  clock: 1 s"]
    assert [line for line in lines[-9:] if not line.startswith("  clock: ")] == [
        "stage 1, groups: round robin, 2 rounds, the best 2 of each of 2 groups go on",
        "  groups A: greedy, clumsy, random",
        "  groups B: careful, careless, random-2",
        "stage 2, playoff: knockout, best of 3, with a match for the third place",
        "",
        "12 matches are known; the results decide who plays in the next stage",
        "at least 20 matches in all, and up to two replays of what does not decide who goes on",
    ]
    found = fairdeal("tournament", "plan", file, "--json").json
    assert [stage["name"] for stage in found["stages"]] == ["groups", "playoff"]
    assert (found["known"], found["matches"]) == (12, 20)
