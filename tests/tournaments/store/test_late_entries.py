"""A Swiss that has begun takes entries for later rounds from its file, and asks for byes of these."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from tests.tournaments.examples import play_on_paper
from tests.tournaments.on_paper import by_name
from tournaments.running.roster import playing
from tournaments.schedule.swiss import scores
from tournaments.standings import current
from tournaments.store import FILE, Store, StoreError
from tournaments.tournament_file.reader import load

FIRST: Final = 3  # matches of a round
SIX: Final = "".join(f'[[entries]]\nname = "e{n}"\nbot = "random"\n' for n in range(6))
TEXT: Final = f'game = "piquet"\nformat = "swiss"\nrounds = 4\n{SIX}'
LATE: Final = '[[entries]]\nname = "late"\nbot = "random"\n'


def begun(folder: Path, rounds: int) -> Path:
    """Return the file of a tournament of which so many rounds are over and the next one is not drawn."""
    file = folder / "cup.toml"
    file.write_text(TEXT)
    play_on_paper(file, by_name, most=FIRST * rounds)
    return file


def points(file: Path) -> dict[str, float]:
    plan = load(file)
    with Store.read(plan) as store:
        return {name: score.points / 2 for name, score in scores(plan, store.ranks()).items()}


def test_who_is_named_for_a_later_round_plays_from_then_on(tmp_path: Path) -> None:
    file = begun(tmp_path, 2)
    before = points(file)
    file.write_text(f"{TEXT}{LATE}joins = 3\nbyes = [2]\n")
    assert points(file) == {**before, "late": 0.5}
    play_on_paper(file, by_name)
    plan = load(file)
    with Store.read(plan) as store:
        rounds = store.ranks().rounds
        report = current(store, plan)
        assert [entry.name for entry in playing(plan, store.roster())][-1] == "late"
    names = [{name for pairing in each.pairings for name in pairing.entries} for each in rounds]
    assert ["late" in each for each in names] == [False, False, True, True]
    assert [len(each) for each in names] == [6, 6, 6, 6]
    assert {line.entry: line.points for line in report.standings} == points(file)
    assert (
        sum(points(file).values()) == 12 + 0.5 + 2 * 1
    )  # matches, the bye it asked for, byes of rounds 3, 4


@pytest.mark.parametrize("joins", ["", "joins = 2\n"])
def test_who_is_named_for_a_round_that_was_drawn_is_refused(tmp_path: Path, joins: str) -> None:
    file = begun(tmp_path, 2)
    file.write_text(f"{TEXT}{LATE}{joins}")
    with pytest.raises(
        StoreError, match=r"entry late is new, and 2 of the rounds are drawn: write joins = 3"
    ):
        Store.open(load(file))


def test_a_bye_is_asked_for_between_two_rounds(tmp_path: Path) -> None:
    file = begun(tmp_path, 1)
    file.write_text(TEXT.replace('"e0"\n', '"e0"\nbyes = [3]\n'))
    play_on_paper(file, by_name)
    with Store.read(load(file)) as store:
        rounds = store.ranks().rounds
    playing = [{name for pairing in each.pairings for name in pairing.entries} for each in rounds]
    assert ["e0" in each for each in playing] == [True, True, False, True]
    assert points(file)["e0"] == 3.5
    file.write_text(TEXT)
    with pytest.raises(StoreError, match=r"byes of entry e0 is \[\], was \[3\]"):
        Store.open(load(file))


def test_it_is_the_same_version_whenever_it_plays(tmp_path: Path) -> None:
    file = begun(tmp_path, 1)
    file.write_text(TEXT.replace('"e0"\n', '"e0"\nbyes = [3]\n'))
    with Store.open(load(file)) as store:
        (kept,) = (each.entry for each in store.roster() if each.entry.name == "e0")
        assert (kept.byes, kept.joins) == ((3,), 1)
    with closing(sqlite3.connect(load(file).folder / FILE)) as database:
        assert database.execute("SELECT max(number), count(*) FROM registrations").fetchone() == (1, 6)
