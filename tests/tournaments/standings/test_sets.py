"""Duplicate sets in the standings: a set is one result, and nothing of it counts before it is whole."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from referee.match.faults import Termination
from tests.results import result, turn
from tests.sample_report import plan
from tournaments import schedule
from tournaments.plan.plan import Plan
from tournaments.standings import Live
from tournaments.store import Issued, Store


@pytest.fixture
def of(tmp_path: Path) -> Plan:
    return plan("abc", "piquet", deals=1, duplicate=True, folder=tmp_path / "cup", rounds=20)


@pytest.fixture
def store(of: Plan) -> Iterator[Store]:
    with Store.open(of) as store:
        store.issue(schedule.next(of, store.issued(), {}))
        yield store


def end(store: Store, issued: Issued, *scores: int) -> None:
    assert store.add(result(issued.match_id, turn(*scores), issued.attempt))


def test_nothing_of_a_set_counts_before_it_is_whole(store: Store, of: Plan) -> None:
    live = Live(store, of)
    first, second, third, fourth = store.to_do()[:4]
    for each, scores in ((first, (9, 0)), (third, (1, 2)), (fourth, (1, 5))):
        end(store, each, *scores)
        live.changed(each.serial)
        known = {each.entry: each.matches for each in live.report().standings}
        assert sum(known.values()) == (2 if each is fourth else 0)
    assert known[(set(first.entries) - set(third.entries)).pop()] == 0
    end(store, second, 0, 4)
    live.changed(second.serial)
    report = live.report()
    by_name = {each.entry: each for each in report.standings}
    assert (by_name[first.entries[0]].tally.wins, by_name[first.entries[0]].mean_score) == (1, 13.0)
    assert report == Live(store, of, rebuild=True).report()


def test_in_whatever_order_turns_end_the_standings_are_those_of_the_whole(store: Store, of: Plan) -> None:
    live = Live(store, of)
    to_do = store.to_do()
    for number in range(len(to_do)):
        each = to_do[number * 37 % len(to_do)]
        end(store, each, number % 7, number % 5)
        live.changed(each.serial)
        if not number % 11:
            live.report()
    assert live.report() == Live(store, of, rebuild=True).report()
    assert sum(each.matches for each in live.report().standings) == len(to_do)


def test_sets_that_share_a_deck_count_together_in_whatever_order(of: Plan) -> None:
    shared = replace(of, shared_decks=True)
    with Store.open(shared) as store:
        store.issue(schedule.next(shared, set(), {}))
        live, to_do = Live(store, shared), store.to_do()
        over: Counter[int] = Counter()
        for number in range(len(to_do)):
            each = to_do[number * 37 % len(to_do)]
            end(store, each, number % 7, number % 5)
            live.changed(each.serial)
            over[(each.serial - 1) // 6] += 1
            if not number % 11:
                whole_rounds = sum(matches == 6 for matches in over.values())
                assert sum(each.matches for each in live.report().standings) == 6 * whole_rounds
        assert live.report() == Live(store, shared, rebuild=True).report()
        assert sum(each.matches for each in live.report().standings) == len(to_do)


def test_a_round_does_not_wait_for_a_set_that_was_annulled(of: Plan) -> None:
    shared = replace(of, shared_decks=True, rounds=2)
    with Store.open(shared) as store:
        store.issue(schedule.next(shared, set(), {}))
        live, to_do = Live(store, shared), store.to_do()
        for each in to_do[:7]:
            end(store, each, 9, 0)
            live.changed(each.serial)
        assert sum(each.matches for each in live.report().standings) == 6
        store.annul(to_do[2:4], "olga", "it was not well")
        for each in to_do[2:4]:
            live.changed(each.serial)
        assert sum(each.matches for each in live.report().standings) == 4
        assert live.report() == Live(store, shared, rebuild=True).report()


def test_a_set_that_was_played_again_counts_once_and_was_void_once(store: Store, of: Plan) -> None:
    first, second = store.to_do()[:2]
    end(store, first, 9, 0)
    void = replace(turn(0, 0), termination=Termination.VOID, ranks=(), scores=())
    assert store.add(result(second.match_id, void, 1))
    store.take_back([first], "the referee", "its set is played again")
    end(store, first.again(), 1, 0)
    end(store, second.again(), 0, 1)
    by_name = {each.entry: each for each in Live(store, of).report().standings}
    assert {(each.matches, each.voids) for each in map(by_name.__getitem__, first.entries)} == {(1, 1)}
    assert by_name[first.entries[0]].mean_score == 2.0


def test_turns_of_different_attempts_make_no_set(store: Store, of: Plan) -> None:
    first, second = store.to_do()[:2]
    end(store, first, 9, 0)
    void = replace(turn(0, 0), termination=Termination.VOID, ranks=(), scores=())
    assert store.add(result(second.match_id, void, 1))
    end(store, second.again(), 0, 1)
    assert [each.matches for each in Live(store, of).report().standings] == [0, 0, 0]


def test_a_set_whose_result_was_withdrawn_was_not_void(store: Store, of: Plan) -> None:
    turns = store.to_do()[:2]
    for each in turns:
        end(store, each, 9, 0)
    store.take_back(turns, "olga", "the disk was full")
    for each in turns:
        end(store, each.again(), 1, 0)
    by_name = {each.entry: each for each in Live(store, of).report().standings}
    assert {(each.matches, each.voids) for each in map(by_name.__getitem__, turns[0].entries)} == {(1, 0)}
