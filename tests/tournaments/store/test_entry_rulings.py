"""Rulings on entries: what stands follows from the attempts and the rulings alone."""

import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Final

import pytest

from referee.match.faults import Termination
from tests.tournaments.store.conftest import StoreLocation
from tests.tournaments.store.test_adjudications import OLD_FILE
from tournaments.plan.plan import Plan
from tournaments.plan.states import EntryState, RulingKind, TournamentState
from tournaments.schedule import Pairing
from tournaments.store import FILE, Checkpoint, Issued, Store, StoreError
from tournaments.store.tables import LEFT_OUT

REVISION_4: Final = Path(__file__).parents[2] / "data" / "store_revision_4.sql"
WITHDRAW, DISQUALIFY, REINSTATE = RulingKind.WITHDRAW, RulingKind.DISQUALIFY, RulingKind.REINSTATE


def counting(store: Store) -> list[tuple[str, int]]:
    return [(issued.match_id, issued.attempt) for issued, _result in store.results()]


def of(store: Store, entry: str) -> list[Issued]:
    return [issued for issued, _result in store.matches() if entry in issued.entries]


def play(location: StoreLocation, store: Store, number: int) -> None:
    for issued in store.to_do(number):
        assert store.add(location.result(issued.match_id, issued.attempt))


def test_who_is_withdrawn_plays_no_more_and_its_results_stay(location: StoreLocation) -> None:
    cup = location.plan()
    with location.issued(cup) as store:
        play(location, store, 3)
        before = counting(store)
        store.keep(Checkpoint(3, "f", ""))
        rulings = store.withdrawn_count()
        store.rule_on_entry(WITHDRAW, "cid", "olga", "its author asked")
        assert store.withdrawn_count() == rulings + 1
        assert store.checkpoint() is None
    with Store.open(cup) as store:
        assert counting(store) == before
        assert not any("cid" in each.entries for each in store.to_do())
        left_out = [each for each in store.attempts() if each.is_skipped]
        assert {each.issued.attempt for each in left_out} == {LEFT_OUT}
        assert (
            len(left_out)
            == store.skipped_count()
            == len(of(store, "cid")) - sum("cid" in issued.entries for issued, _result in store.results())
        )
        assert store.out() == {"cid": EntryState.WITHDRAWN}
        states = {each.entry.name: each.state for each in store.roster()}
        assert states == {"ann": "active", "ben": "active", "cid": "withdrawn"}
        (told,) = store.adjudications()
        assert (told.kind, told.entry, told.match_id, told.struck) == ("withdraw", "cid", None, False)
        assert (told.who, told.why) == ("olga", "its author asked")
        assert store.extent().taken_back == 0


def test_struck_results_count_for_nobody_until_it_is_back(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        play(location, store, 5)
        before = counting(store), store.to_do(), store.terminations()
        store.set_state(TournamentState.FINISHED)
        store.rule_on_entry(DISQUALIFY, "ann", "olga", "it reads files", is_struck=True)
        assert all("ann" not in issued.entries for issued, _result in store.results())
        assert store.ranks().keys().isdisjoint(each.match_id for each in of(store, "ann"))
        assert store.skipped_count() == len(of(store, "ann")) == 4
        assert store.state is TournamentState.FINISHED if not store.to_do() else TournamentState.RUNNING
        store.rule_on_entry(REINSTATE, "ann", "olga", "it was a mistake")
        assert (counting(store), store.to_do(), store.terminations()) == before
        assert store.state is TournamentState.RUNNING
        assert (store.skipped_count(), store.out()) == (0, {})
        assert not any(each.is_skipped for each in store.attempts())


def test_what_two_have_played_counts_when_both_are_back(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        play(location, store, 6)
        whole = counting(store)
        for name in ("ann", "ben"):
            store.rule_on_entry(DISQUALIFY, name, "olga", "why not", is_struck=True)
        assert counting(store) == []
        store.rule_on_entry(REINSTATE, "ann", "olga", "why not")
        played = {frozenset(issued.entries) for issued, _result in store.results()}
        assert played == {frozenset(("ann", "cid"))}
        store.rule_on_entry(REINSTATE, "ben", "olga", "why not")
        assert counting(store) == whole


def test_matches_that_are_issued_later_are_left_out(location: StoreLocation) -> None:
    cup = location.plan()
    with location.issued(cup) as store:
        pairings = [Pairing(each.match_id, each.round, each.entries) for each in of(store, "cid")]
    other = replace(cup, folder=cup.folder.with_name("other"))
    with Store.open(replace(other, name="other")) as store:
        store.rule_on_entry(WITHDRAW, "cid", "olga", "why not")
        store.issue(pairings)
        assert (store.to_do(), store.skipped_count(), store.played_count()) == ((), 4, 4)


def test_a_match_in_play_ends_without_a_result_or_counts_if_it_was_quicker(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        void, quick = of(store, "cid")[:2]
        store.rule_on_entry(WITHDRAW, "cid", "olga", "why not")
        assert store.add(location.result(void.match_id, 1, Termination.CANCELLED))
        assert not store.add(location.result(void.match_id, 1, Termination.CANCELLED))
        assert store.add(location.result(quick.match_id))
        assert counting(store) == [(quick.match_id, 1)]
        assert (store.left(void.match_id), store.left(quick.match_id)) == (None, None)
        store.rule_on_entry(DISQUALIFY, "cid", "olga", "why not", is_struck=True)
        assert (counting(store), list(store.voids())) == ([], [])
        store.rule_on_entry(REINSTATE, "cid", "olga", "why not")
        assert counting(store) == [(quick.match_id, 1)]
        assert store.left(void.match_id) == void.again()


def test_an_attempt_that_is_ruled_void_has_no_result_however_it_ends(location: StoreLocation) -> None:
    cup = location.plan()
    with location.issued(cup) as store:
        first, second, *_ = store.to_do()
        for _ in range(2):  # as when the first answer was lost
            assert store.void([first, second], "olga", "it hangs") == []
    with Store.open(cup) as store:  # nothing of them was stored before the end of that run
        assert [(each.match_id, each.attempt, each.why) for each in store.adjudications()] == [
            (first.match_id, 1, "it hangs"),
            (second.match_id, 1, "it hangs"),
        ]
        assert store.to_end(first.match_id, 1) == first
        assert store.to_end(first.match_id, 2) is None
        assert store.add(location.result(first.match_id))
        assert store.add(location.result(second.match_id, 1, Termination.CANCELLED))
        assert counting(store) == []
        assert store.to_do(2) == (first.again(), second.again())
        assert list(store.voids()) == [second]


def test_what_was_annulled_or_withdrawn_before_stays_so(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        play(location, store, 6)
        first, second, *_ = of(store, "ann")
        assert store.skipped_count() == 0
        store.annul([first], "olga", "why not")
        assert store.skipped_count() == 1
        store.take_back([second], "olga", "why not")
        before = counting(store), store.to_do()
        store.rule_on_entry(DISQUALIFY, "ann", "olga", "why not", is_struck=True)
        assert store.to_do() == ()
        store.rule_on_entry(REINSTATE, "ann", "olga", "why not")
        assert (counting(store), store.to_do()) == before
        annulled = [each.issued for each in store.attempts() if each.is_annulled]
        assert annulled == [first.again()]


def test_the_schedule_is_told_what_was_struck_and_not_what_was_withdrawn_before(
    location: StoreLocation,
) -> None:
    with location.issued(location.plan()) as store:
        play(location, store, 6)
        first, *others = of(store, "ann")
        store.take_back([first], "olga", "why not")
        store.rule_on_entry(DISQUALIFY, "ann", "olga", "why not", is_struck=True)
        without = store.ranks().without
        assert without.keys() == {each.match_id for each in (first, *others)}
        assert without[first.match_id].ranks is None
        assert None not in {without[each.match_id].ranks for each in others}


def test_the_last_rulings_are_on_matches_and_entries(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        play(location, store, 6)
        first, second, *_ = of(store, "ann")
        store.annul([first], "olga", "why not")
        store.rule_on_entry(WITHDRAW, "cid", "olga", "why not")
        store.annul([second], "olga", "why not")
        assert [each.kind for each in store.adjudications(last=2)] == ["withdraw", "annul"]
        assert [each.match_id for each in store.adjudications(last=1)] == [second.match_id]


@pytest.mark.parametrize("seed", range(8))
def test_it_comes_out_the_same_whatever_came_first(sqlite: StoreLocation, seed: int) -> None:
    drawn = random.Random(seed)
    steps = [("rule", name, drawn.random() < 0.5) for name in drawn.sample(["ann", "ben", "cid"], 2)]
    steps += [("play", "", False)]
    found = []
    for number, order in enumerate(permutations(steps)):
        cup = sqlite.plan(name=f"cup{number}")
        with sqlite.issued(replace(cup, folder=cup.folder.with_name(f"cup{number}"))) as store:
            todo = store.to_do()
            for what, name, is_struck in order:
                if what == "rule":
                    store.rule_on_entry(DISQUALIFY, name, "olga", "why not", is_struck=is_struck)
                else:  # all were being played, and some ended before that was stopped
                    for at, issued in enumerate(todo):
                        how = Termination.COMPLETED if at % 2 else Termination.CANCELLED
                        store.add(sqlite.result(issued.match_id, 1, how))
            by_serial = [(issued.serial, issued.attempt) for issued, _result in store.results()]
            to_do = [(issued.serial, issued.attempt) for issued in store.to_do()]
            found.append((by_serial, to_do, store.terminations(), sorted(store.skipped())))
    assert all(each == found[0] for each in found)


def test_who_is_not_there_cannot_be_ruled_on(location: StoreLocation) -> None:
    with (
        location.issued(location.plan()) as store,
        pytest.raises(StoreError, match="has no entry zoe: name one it has"),
    ):
        store.rule_on_entry(WITHDRAW, "zoe", "olga", "why not")


def test_a_store_of_the_revision_before_has_its_rulings(sqlite: StoreLocation) -> None:
    cup: Plan = sqlite.plan(OLD_FILE)
    cup.folder.mkdir()
    with closing(sqlite3.connect(cup.folder / FILE)) as old:
        old.executescript(REVISION_4.read_text())
    with Store.open(cup) as store:
        assert [(each.kind, each.attempt, each.why, each.entry) for each in store.adjudications()] == [
            ("replay", 1, "a slow machine", None),
            ("annul", 1, "both are one program", None),
            ("void", 1, "it hangs", None),
        ]
        before = counting(store), store.to_do()
        assert [issued.serial for issued, _result in store.results()] == [1, 2]
        store.rule_on_entry(DISQUALIFY, "cid", "olga", "why not", is_struck=True)
        assert (counting(store), [each.serial for each in store.to_do()]) == ([], [6])
        store.rule_on_entry(REINSTATE, "cid", "olga", "why not")
        assert (counting(store), store.to_do()) == before


def test_several_are_void_or_none(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        first, second, *_ = store.to_do()
        store.add(location.result(first.match_id))
        assert store.void([first, second], "olga", "it hangs") == [first]
        assert store.adjudications() == ()


def test_a_call_whose_answer_was_lost_is_repeated(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        for _ in range(2):
            store.rule_on_entry(WITHDRAW, "cid", "olga", "why not")
        assert len(store.adjudications()) == 1
        assert store.to_end(of(store, "cid")[0].match_id, 1) == of(store, "cid")[0]
