"""The files of examples/formats do what they say: each is planned, played on paper, and shown."""

from pathlib import Path

import pytest

from tests.tournaments.conftest import Fairdeal
from tests.tournaments.examples import FILES, copied, play_on_paper

each = pytest.mark.parametrize("name", FILES)
WIDTH = 80


@each
def test_an_example_is_planned(fairdeal: Fairdeal, tmp_path: Path, name: str) -> None:
    done = fairdeal("tournament", "plan", copied(name, tmp_path / "cup"))
    assert (done.status, done.err) == (0, "")
    assert max(map(len, done.out.splitlines())) <= 2 * WIDTH


@each
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
