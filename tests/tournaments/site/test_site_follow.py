"""A site that is kept up to date while its tournament is played."""

from pathlib import Path

import pytest

from tests.results import fill
from tests.sample_report import plan
from tests.tournaments import kept
from tests.tournaments.site.made import files, written
from tests.workspace import PATIENCE
from tournaments.plan.plan import Plan
from tournaments.plan.states import TournamentState
from tournaments.site.follow import LEAST_PAUSE, follow, following
from tournaments.site.writer import Written
from tournaments.store import Store, StoreLost
from tournaments.tournament_file.reader import load


@pytest.fixture
def of(tmp_path: Path) -> Plan:
    return plan("abc", folder=tmp_path / "cup", rounds=9)


def test_it_is_followed_from_before_its_beginning_to_its_end(of: Plan, tmp_path: Path) -> None:
    pauses: list[float] = []
    updates: list[Written] = []

    def meanwhile(seconds: float) -> None:
        pauses.append(seconds)
        with Store.open(of) as store:
            if len(pauses) == 1:
                fill(store, of, 5)
            elif len(pauses) == 3:
                store.set_state(TournamentState.FINISHED)

    follow(of, tmp_path / "site", on_update=updates.append, pause=meanwhile, now=lambda: 0.0)
    assert pauses == [LEAST_PAUSE] * 3  # there was no store before the first one
    assert [bool(each.files) for each in updates] == [True, False, True]
    written(of, tmp_path / "new")
    assert files(tmp_path / "site") == files(tmp_path / "new")


@pytest.mark.process
def test_another_process_follows_a_tournament_of_a_file(tmp_path: Path) -> None:
    of = load(kept.restored("hearts-finished", tmp_path), to_run=False)
    with following(of, tmp_path / "site") as site:
        site.result(timeout=PATIENCE)
    assert (tmp_path / "site/index.html").exists()


def test_an_update_that_takes_long_is_followed_by_a_long_rest(of: Plan, tmp_path: Path) -> None:
    times = iter((0.0, 100.0))

    def pause(seconds: float) -> None:
        assert seconds == 300
        raise KeyboardInterrupt

    with Store.open(of), pytest.raises(KeyboardInterrupt):
        follow(of, tmp_path / "site", pause=pause, now=lambda: next(times))


def test_a_store_that_is_lost_for_a_while_ends_nothing(
    of: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(of) as store:
        fill(store, of, 2)
        store.set_state(TournamentState.FINISHED)

    def lost(of: Plan) -> Store:
        monkeypatch.undo()
        raise StoreLost("it does not answer")

    monkeypatch.setattr(Store, "read", lost)
    pauses: list[float] = []
    follow(of, tmp_path / "site", pause=pauses.append)
    assert len(pauses) == 1
    assert (tmp_path / "site/index.html").exists()
