"""Issued matches, matches left to play, and their results."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from referee.cards import Seat
from referee.match.clock import Micros
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, SeatTime, Termination
from tests.tournaments.store.conftest import StoreLocation
from tournaments import schedule
from tournaments.schedule.pairing import Pairing
from tournaments.store import Store, StoreError

# Issued and to do


def test_matches_are_to_do_in_the_order_in_which_they_were_issued(location: StoreLocation) -> None:
    cup = location.plan()
    with location.issued(cup) as store:
        to_do = store.to_do()
        assert [(each.serial, each.match_id) for each in to_do] == list(enumerate(location.ids(cup), start=1))
        pairings = schedule.next(cup, set(), {})
        assert [(p.round, p.entries) for p in pairings] == [(each.round, each.entries) for each in to_do]
        assert {each.attempt for each in to_do} == {1}
        assert (store.issued_count(), store.played_count(), store.prefix()) == (len(to_do), 0, 0) == (6, 0, 0)


def test_issuing_returns_what_is_to_do(location: StoreLocation) -> None:
    cup = location.plan()
    with Store.open(cup) as store:
        first, *rest = schedule.next(cup, set(), {})
        assert store.issue([]) == ()
        assert store.issue([first]) + store.issue(rest) == store.to_do()


def test_only_so_many_are_asked_for(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        everything = store.to_do()
        assert [store.to_do(limit) for limit in (0, 1, 4, 7)] == [
            (),
            everything[:1],
            everything[:4],
            everything,
        ]
        assert [store.last_issued(number) for number in (0, 2, 7)] == [(), everything[-2:], everything]


def test_nothing_is_issued_twice(location: StoreLocation) -> None:
    cup = location.plan()
    for _ in range(2):
        with location.issued(cup) as store:
            assert store.issued_count() == 6
    with Store.open(cup) as store:
        again = next(schedule.next(cup, set(), {}))
        assert store.issue([again]) == ()
        with pytest.raises(StoreError, match="cannot be used as a store"):
            store.issue([replace(again, entries=again.entries[::-1])])  # which is another match
        assert store.issued_count() == 6


def test_matches_are_issued_all_or_none(location: StoreLocation) -> None:
    with Store.open(location.plan()) as store:
        with pytest.raises(StoreError, match="zoe cannot be paired, since it is not in the roster"):
            store.issue([Pairing("m-1", 1, ("ann", "ben")), Pairing("m-2", 1, ("ann", "zoe"))])
        assert store.issued_count() == 0


def test_the_ids_are_a_set_that_stays_in_the_database(location: StoreLocation) -> None:
    cup = location.plan()
    with location.issued(cup) as store:
        ids = store.issued()
        assert list(ids) == location.ids(cup)
        assert ids == set(location.ids(cup))
        assert [match_id in ids for match_id in (*location.ids(cup), "another", "")] == [True] * 6 + [
            False
        ] * 2
        store.issue([Pairing("m-7", 3, ("ann", "ben"))])
        assert ("m-7" in ids, len(ids)) == (True, 7)


# Results


def test_a_match_with_a_result_is_no_longer_to_do(location: StoreLocation) -> None:
    cup = location.plan()
    first, second, *rest = location.ids(cup)
    with location.issued(cup) as store:
        assert store.add(location.result(first))
        assert store.add(location.result(second, termination=Termination.FORFEIT))
        assert [each.match_id for each in store.to_do()] == rest
    with Store.open(cup) as store:
        assert [each.match_id for each in store.to_do()] == rest
        assert (store.played_count(), store.prefix()) == (2, 2)


@pytest.mark.parametrize("termination", [Termination.VOID, Termination.CANCELLED])
def test_an_attempt_without_a_result_is_followed_by_the_next(
    location: StoreLocation, termination: Termination
) -> None:
    cup = location.plan()
    first = location.ids(cup)[0]
    with location.issued(cup) as store:
        before = store.to_do()[0]
        for attempt in (1, 2):
            assert store.to_do()[0] == replace(before, attempt=attempt)
            assert store.add(location.result(first, attempt, termination))
        assert store.to_do()[0] == before.again().again()
        assert (list(store.results()), store.ranks(), store.played_count()) == ([], {}, 0)
        assert store.add(location.result(first, 3))
        assert list(store.voids()) == [before, before.again()]
        assert list(store.results()) == [(replace(before, attempt=3), location.result(first, 3))]
        assert first not in {each.match_id for each in store.to_do()}
        assert store.terminations() == Counter({termination: 2, Termination.COMPLETED: 1})


@pytest.mark.parametrize("attempt", [1, 2])
@pytest.mark.parametrize("termination", [Termination.COMPLETED, Termination.FORFEIT, Termination.VOID, None])
def test_what_decides_a_match_first_stays(
    location: StoreLocation, attempt: int, termination: Termination | None
) -> None:
    cup = location.plan()
    first = location.ids(cup)[0]
    with location.issued(cup) as store:
        issued = replace(store.to_do()[0], attempt=attempt)
        assert store.add(location.result(first))
        if termination is None:
            assert not store.skip(issued)
        else:
            assert not store.add(location.result(first, attempt, termination, 7))
        assert [decided for _, decided in store.results()] == [location.result(first)]
        assert (store.terminations().total(), list(store.voids())) == (1, [])


def test_a_void_attempt_cannot_become_a_result(location: StoreLocation) -> None:
    cup = location.plan()
    first = location.ids(cup)[0]
    with location.issued(cup) as store:
        assert store.add(location.result(first, 1, Termination.VOID))
        assert not store.add(location.result(first, 1))
        assert not store.skip(replace(store.to_do()[0], attempt=1))
        assert store.to_do()[0].attempt == 2


def test_the_database_itself_takes_one_deciding_attempt_of_a_match(location: StoreLocation) -> None:
    cup = location.plan()
    with location.issued(cup) as store:
        store.add(location.result(location.ids(cup)[0]))
    columns = "scores, ranks, capped, faults, forfeited, times, record, record_sha256, started, duration"
    copy = f"INSERT INTO attempts (tournament, serial, attempt, status, {columns}) SELECT tournament, serial"
    for attempt, status in ((1, "VOID"), (2, "COMPLETED"), (2, "FORFEIT"), (2, "SKIPPED")):
        with pytest.raises(Exception, match=r"(?i)unique"):
            location.sql(f"{copy}, {attempt}, '{status}', {columns} FROM attempts")
    location.sql(f"{copy}, 2, 'VOID', {columns} FROM attempts")


def test_results_come_in_schedule_order_as_they_were_stored(location: StoreLocation) -> None:
    cup = location.plan()
    full = Outcome(
        termination=Termination.FORFEIT,
        ranks=(2, 1),
        scores=(),
        capped=True,
        faults=(FaultCounts(malformed=1, illegal=2, disconnected=3, late=4, sessions_lost=5), FaultCounts()),
        forfeited=(Seat(0),),
        times=(SeatTime(12, Micros(3_000_001), Micros(2**53 + 1)), SeatTime(0, Micros(0), Micros(0))),
    )
    with location.issued(cup) as store:
        for match_id in reversed(location.ids(cup)):
            store.add(replace(location.result(match_id), outcome=full, duration=2**40))
        with Store.read(cup) as reader:
            found = list(reader.results())
            assert reader.ranks() == dict.fromkeys(location.ids(cup), (2, 1))
    assert [match.serial for match, _ in found] == [1, 2, 3, 4, 5, 6]
    assert [decided for _, decided in found] == [
        replace(location.result(match_id), outcome=full, duration=2**40) for match_id in location.ids(cup)
    ]


@pytest.mark.parametrize(
    "damage",
    [
        "ranks = 'nonsense'",
        "ranks = '[]'",
        "ranks = '[1, \"2\"]'",
        "scores = '[1]'",
        "status = 'FOO'",
        "times = '{\"a\": 1}'",
        "times = '[{\"a\": 1}]'",
        "faults = '[]'",
        "forfeited = '[7]'",
    ],
)
def test_what_fairdeal_never_writes_is_told_in_one_line(tmp_path: Path, damage: str) -> None:
    location = StoreLocation(tmp_path, None)
    cup = location.plan()
    with location.issued(cup) as store:
        store.add(location.result(location.ids(cup)[0]))
        location.sql(f"UPDATE attempts SET {damage}")
        for reading in (store.attempts, store.results, store.matches):
            if reading == store.attempts or "status" not in damage:  # else it is no result
                with pytest.raises(
                    StoreError, match=r"store\.sqlite: holds what fairdeal never writes \(\w+: "
                ):
                    list(reading())


@pytest.mark.parametrize(
    ("after", "through", "serials"),
    [
        (0, None, [1, 3, 4, 6]),
        (1, None, [3, 4, 6]),
        (0, 3, [1, 3]),
        (2, 5, [3, 4]),
        (6, None, []),
        (3, 3, []),
    ],
)
def test_results_of_a_part_of_the_schedule(
    location: StoreLocation, after: int, through: int | None, serials: list[int]
) -> None:
    with location.issued(location.plan()) as store:
        for issued in store.to_do():
            if issued.serial in (1, 3, 4, 6):
                store.add(location.result(issued.match_id))
            else:
                store.add(location.result(issued.match_id, 1, Termination.VOID))
        assert [issued.serial for issued, _ in store.results(after, through)] == serials
        assert [issued.serial for issued in store.voids(after)] == [n for n in (2, 5) if n > after]


def test_results_are_read_a_batch_at_a_time(location: StoreLocation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.store.results._BATCH", 2)
    with location.issued(location.plan()) as store:
        for issued in store.to_do():
            for attempt in (1, 2, 3):
                store.add(location.result(issued.match_id, attempt, Termination.VOID))
            if issued.serial != 4:
                store.add(location.result(issued.match_id, 4))
        assert [issued.serial for issued, _ in store.results()] == [1, 2, 3, 5, 6]
        assert [(issued.serial, issued.attempt) for issued in store.voids()] == [
            (serial, attempt) for serial in range(1, 7) for attempt in (1, 2, 3)
        ]
        assert [issued.serial for issued, _ in store.matches()] == [1, 2, 3, 4, 5, 6]


def test_all_matches_come_with_the_results_there_are(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        first, second, third, *_ = issued = store.to_do()
        store.add(location.result(first.match_id, 1, Termination.VOID))
        store.add(location.result(first.match_id, 2))
        store.add(location.result(second.match_id, 1, Termination.CANCELLED))
        store.skip(third)
        expected = dict.fromkeys(issued) | {first: location.result(first.match_id, 2)}
        assert [(replace(match, attempt=1), result) for match, result in store.matches()] == [
            *expected.items()
        ]


def test_scores_are_those_of_the_results_where_nobody_forfeited(
    location: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.store.results._BATCH", 2)
    cup = location.plan()
    with location.issued(cup) as store:
        first, second, third, fourth, *_ = location.ids(cup)
        store.add(location.result(first))
        store.add(location.result(second, termination=Termination.VOID))
        store.add(location.result(second, attempt=2, score=250))
        forfeited = location.result(third, termination=Termination.FORFEIT)
        store.add(forfeited)
        gone = location.result(fourth)
        store.add(replace(gone, outcome=replace(gone.outcome, forfeited=(Seat(1),))))
        found = list(store.scores())
        results = list(store.results())
        assert [(each.match_id, each.attempt, each.scores) for each in found] == [
            (first, 1, (300, 120)),
            (second, 2, (250, 120)),
            (third, 1, None),
            (fourth, 1, None),
        ]
        assert [(each.entries, each.versions, each.record) for each in found] == [
            (issued.entries, issued.versions, result.record) for issued, result in results
        ]
        store.take_back([results[0][0]], "me", "a reason")
        assert [each.match_id for each in store.scores()] == [second, third, fourth]


def test_results_can_be_read_while_more_are_stored(location: StoreLocation) -> None:
    cup = location.plan()
    first, *rest = location.ids(cup)
    with location.issued(cup) as store:
        store.add(location.result(first))
        reading = store.results()
        assert next(reading)[0].match_id == first
        for match_id in rest:
            assert store.add(location.result(match_id))
        assert list(reading) == []
        assert len(list(store.results())) == 6


def test_what_was_never_issued_is_refused(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        with pytest.raises(StoreError, match="match m-none was never issued"):
            store.add(location.result("m-none"))
        with pytest.raises(StoreError, match="match m-none was never issued"):
            store.skip(replace(store.to_do()[0], match_id="m-none"))


# Skipped


def test_a_match_that_is_skipped_is_over_and_counts_for_nobody(location: StoreLocation) -> None:
    cup = location.plan()
    with location.issued(cup) as store:
        first, second, *_ = store.to_do()
        store.add(location.result(second.match_id, 1, Termination.VOID))
        assert store.skip(first)
        assert store.skip(second.again())
        assert not store.skip(first)
        assert not store.add(location.result(first.match_id))
        assert not store.add(location.result(second.match_id, 3))
        assert (store.prefix(), store.played_count(), store.skipped_count()) == (2, 2, 2)
        assert [each.serial for each in store.to_do()] == [3, 4, 5, 6]
        assert (list(store.results()), store.ranks()) == ([], {})
        assert list(store.voids()) == [second]
        assert store.terminations() == Counter({Termination.VOID: 1})


def test_the_prefix_ends_before_the_first_match_that_is_open(location: StoreLocation) -> None:
    with Store.open(location.plan()) as store:
        assert store.prefix() == 0
    with location.issued(location.plan()) as store:
        ids, reached = list(store.issued()), []
        for serial in (2, 1, 6, 4, 3, 5):
            store.add(location.result(ids[serial - 1]))
            reached.append(store.prefix())
        assert reached == [0, 2, 2, 2, 4, 6]
        assert store.to_do() == ()
