"""Names of tournaments that were given up, and their seasons."""

from pathlib import Path

from tests.tournaments.config_files import PAIR, write
from tournaments.service.archive import FOLDER, in_its_season
from tournaments.tournament_file.reader import load


def test_a_name_that_was_given_up_goes_on_with_the_next_season(tmp_path: Path) -> None:
    plan = load(write(tmp_path, PAIR))
    assert in_its_season(tmp_path / "desk", plan).season == 1
    for name in ("1", "3", "9-1", "7.old", "x"):  # the last three are of others
        (tmp_path / FOLDER / f"{plan.name}-{name}").mkdir(parents=True)
    assert in_its_season(tmp_path / "desk", plan).season == 4
