"""`fairdeal standings`: one table over several files."""

from pathlib import Path
from typing import Final

import pytest

from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, Termination
from tests.results import result
from tests.tournaments.conftest import Fairdeal
from tests.tournaments.tournament_under_test import remote
from tournaments import schedule
from tournaments.store import Store
from tournaments.tournament_file.reader import load

TWO: Final = remote("a", "b")


@pytest.fixture
def two_games(tmp_path: Path) -> list[Path]:
    """Return the files of two tournaments, in which the entry that is seated first wins every match."""
    files = []
    for game in ("piquet", "two_handed_spades"):
        file = tmp_path / f"{game}.toml"
        file.write_text(f'game = "{game}"\nrounds = 3\n{TWO}')
        plan = load(file, to_run=False)
        with Store.open(plan) as store:
            for issued in store.issue(schedule.next(plan, store.issued(), {})):
                ranks = (1, 2) if issued.entries[0] == "a" else (2, 1)
                outcome = Outcome(Termination.COMPLETED, ranks, (3, 2), False, (FaultCounts(),) * 2, ())
                store.add(result(issued.match_id, outcome))
        files.append(file)
    return files


def test_one_table_over_two_games(fairdeal: Fairdeal, two_games: list[Path]) -> None:
    shown = fairdeal("standings", *two_games)
    assert (shown.status, shown.err) == (0, "")
    lines = shown.out.splitlines()
    assert lines[0] == "one table over piquet (piquet), two_handed_spades (two_handed_spades)"
    assert lines[1].split()[:5] == ["rank", "entry", "matches", "tier", "vs"]
    assert [line.split()[1:3] for line in lines[2:4]] == [["a", "6"], ["b", "6"]]
    assert max(map(len, lines[1:])) <= 80
    data = fairdeal("standings", *two_games, "--json").json
    assert data["games"] == {"piquet": ["piquet"], "two_handed_spades": ["two_handed_spades"]}
    assert [(each["rank"], each["entry"]) for each in data["standings"]] == [(1, "a"), (2, "b")]
    assert data["standings"][0]["by_game"].keys() == {"piquet", "two_handed_spades"}


def test_files_that_do_not_go_together_are_refused(fairdeal: Fairdeal, two_games: list[Path]) -> None:
    one, other = two_games
    twice = fairdeal("standings", one, one)
    assert twice.status == 2
    assert twice.err == f"fairdeal: {one}: is the same tournament as {one}: name each one once\n"
    other.write_text(other.read_text() + "[rating]\nbeta = 3.0\n")
    differing = fairdeal("standings", one, other)
    assert differing.status == 2
    assert differing.err.startswith(f"fairdeal: {other}: its [rating] differs from that of {one}: ")


def test_margins_by_resampling_are_told_in_json_and_csv(fairdeal: Fairdeal, two_games: list[Path]) -> None:
    report = ("tournament", "report", two_games[0])
    first, _ = fairdeal(*report, "--json", "--resample", 50).json["standings"]
    assert first["skill_resampled_margin"] > 0
    heading, line, *_ = fairdeal(*report, "--csv", "--resample", 50).out.splitlines()
    assert heading.endswith(",skill_resampled_margin")
    assert float(line.rsplit(",", 1)[1]) == first["skill_resampled_margin"]
    assert "resampled" not in fairdeal(*report, "--json").out + fairdeal(*report, "--csv").out
    refused = fairdeal(*report, "--resample", 50)
    assert (refused.status, refused.err) == (
        2,
        "fairdeal: --resample: is told in CSV and JSON: add --csv or --json\n",
    )


@pytest.mark.parametrize("times", [0, 1, 49])
def test_too_few_samples_are_refused(fairdeal: Fairdeal, times: int) -> None:
    """One sample would give margins of 0."""
    refused = fairdeal("tournament", "report", "none.toml", "--json", "--resample", times)
    assert refused.status == 2
    assert "--resample" in refused.err
    assert "50" in refused.err  # Click has put it in several ways
