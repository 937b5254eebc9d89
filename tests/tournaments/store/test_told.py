"""What of duplicate sets is listed while some of their decks are still to be played."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from referee.match.faults import Termination
from tests.results import played, result
from tests.sample_report import plan
from tests.tournaments.store.conftest import StoreLocation
from tournaments import schedule
from tournaments.plan.plan import Plan
from tournaments.store import Issued, Store
from tournaments.store.told import as_told, matches_as_told, withheld


@pytest.fixture
def sets(location: StoreLocation) -> Plan:
    folder = location.folder / "cup"
    return plan("abc", "piquet", deals=1, duplicate=True, folder=folder, store=location.url, rounds=2)


@pytest.fixture(params=[False, True], ids=["sets", "rounds"])
def of(sets: Plan, request: pytest.FixtureRequest) -> Plan:
    return replace(sets, shared_decks=request.param)


@pytest.fixture
def store(of: Plan) -> Iterator[Store]:
    with Store.open(of) as store:
        store.issue(schedule.next(of, set(), {}))
        yield store


def end(store: Store, *matches: Issued) -> None:
    for each in matches:
        outcome = played(each.entries, (1, 2), (9, 0))[1].outcome
        assert store.add(result(each.match_id, outcome, each.attempt))


def listed(of: Plan, store: Store) -> list[int]:
    """Return the serials of the matches that are listed with a result, in both lists."""
    attempts = as_told(of, store.attempts())
    told = [each.issued.serial for each in attempts if each.result and each.stands]
    assert told == [issued.serial for issued, ended in matches_as_told(of, store) if ended]
    number = sum(1 for _issued, _result in store.results())
    assert withheld(of, store) == Counter(
        {Termination.COMPLETED: number - len(told)} if number > len(told) else {}
    )
    return told


def test_nothing_is_listed_of_a_deck_that_is_still_to_be_played(of: Plan, store: Store) -> None:
    matches = store.to_do()
    end(store, *matches[:3])
    assert listed(of, store) == ([] if of.shared_decks else [1, 2])
    end(store, *matches[3:6])
    assert listed(of, store) == [1, 2, 3, 4, 5, 6]
    assert len(list(matches_as_told(of, store))) == len(matches)


def test_what_was_listed_stays_when_a_set_is_played_again(of: Plan, store: Store) -> None:
    matches = store.to_do()
    end(store, *matches[:6])
    store.take_back(matches[:2], "olga", "the disk was full")
    assert listed(of, store) == [3, 4, 5, 6]
    withdrawn = [each for each in as_told(of, store.attempts()) if not each.stands]
    assert all(each.result for each in withdrawn)
    end(store, matches[0].again())
    assert listed(of, store) == [3, 4, 5, 6]
    end(store, matches[1].again())
    assert listed(of, store) == [1, 2, 3, 4, 5, 6]


def test_a_round_that_is_not_drawn_up_to_its_end_is_not_listed(sets: Plan) -> None:
    of = replace(sets, shared_decks=True)
    with Store.open(of) as store:
        store.issue(list(islice(schedule.next(of, set(), {}), 4)))
        end(store, *store.to_do())
        assert listed(of, store) == []
