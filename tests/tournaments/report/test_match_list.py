"""The list of matches: what is told of a duplicate set, and when."""

from pathlib import Path

import pytest

from tests.results import played, result
from tests.sample_report import plan
from tournaments import schedule
from tournaments.report import match_list
from tournaments.store import Issued, Store


def over(store: Store, issued: Issued) -> None:
    _match, found = played(issued.entries, (1, 2), (3, 1))
    assert store.add(result(issued.match_id, found.outcome, issued.attempt))


@pytest.mark.parametrize(("shared", "told"), [(False, [0, 2, 2, 4, 4, 6]), (True, [0, 0, 0, 0, 0, 6])])
def test_nothing_of_a_set_is_listed_before_all_with_its_decks_are_over(
    tmp_path: Path, shared: bool, told: list[int]
) -> None:
    of = plan(
        "abc", "piquet", deals=1, duplicate=True, shared_decks=shared, folder=tmp_path / "cup", rounds=1
    )
    with Store.open(of) as store:
        store.issue(schedule.next(of, set(), {}))
        listed = []
        for issued in store.to_do():
            over(store, issued)
            found = [match_list.as_data(of, each) for each in match_list.told(of, store.attempts())]
            assert len(found) == 6
            assert all((each["state"] == "open") is (each["record"] is None) for each in found)
            listed.append(sum(each["state"] != "open" for each in found))
        assert listed == told
