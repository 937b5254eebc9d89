"""Forfeits of absent entries, withdrawn results, and bots lost with their supervisor."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
import sqlalchemy as sa

from referee.cards import Seat
from referee.match.clock import Micros
from referee.match.faults import FaultCounts, SeatTime, Termination
from tests.tournaments.store.conftest import StoreLocation
from tournaments.plan.plan import Plan
from tournaments.plan.states import TournamentState
from tournaments.store import FILE, Adjudication, Checkpoint, MatchResult, Store, StoreError, StoreLost

AWAY: Final = FaultCounts(disconnected=1)
REVISION_2: Final = Path(__file__).parents[2] / "data" / "store_revision_2.sql"
OLD_FILE: Final = """game = "two_handed_spades"
rounds = 2
seed = "spring"
[[entries]]
name = "ann"
version = "1.0"
bot = "greedy"
[[entries]]
name = "ben"
bot = "random"
[[entries]]
name = "cid"
remote = true
"""


def forfeit(
    location: StoreLocation,
    match_id: str,
    seat: int,
    faults: FaultCounts = AWAY,
    *,
    answered: int = 0,
    attempt: int = 1,
) -> MatchResult:
    """Return a match that one seat forfeited, which answered so often."""
    result: MatchResult = location.result(match_id, attempt, Termination.FORFEIT)
    outcome = replace(
        result.outcome,
        ranks=tuple(2 if each == seat else 1 for each in range(2)),
        faults=tuple(faults if each == seat else FaultCounts() for each in range(2)),
        forfeited=(Seat(seat),),
        times=tuple(SeatTime(answered if each == seat else 9, Micros(0), Micros(0)) for each in range(2)),
    )
    return replace(result, outcome=outcome)


def play(location: StoreLocation, store: Store, away: str) -> None:
    """Have all matches played, those of one entry without it."""
    for issued in store.to_do():
        if away in issued.entries:
            store.add(forfeit(location, issued.match_id, issued.entries.index(away), attempt=issued.attempt))
        else:
            store.add(location.result(issued.match_id, issued.attempt))


def test_who_was_not_there_is_found(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        play(location, store, "cid")
        missed = [issued for issued, result in store.results() if "cid" in issued.entries]
        assert [(each.issued, each.entries) for each in store.no_shows()] == [
            (issued, ("cid",)) for issued in missed
        ]
        assert store.never_there() == {"cid": 4}


@pytest.mark.parametrize(
    ("faults", "answered"),
    [
        (FaultCounts(late=1), 0),  # it was there, and did not begin
        (FaultCounts(disconnected=1, sessions_lost=1), 0),
        (FaultCounts(disconnected=3), 0),
        (AWAY, 5),
    ],
)
def test_who_was_there_and_forfeited_all_the_same_is_no_no_show(
    location: StoreLocation, faults: FaultCounts, answered: int
) -> None:
    with location.issued(location.plan()) as store:
        first = store.to_do()[0]
        store.add(forfeit(location, first.match_id, 0, faults, answered=answered))
        assert (store.no_shows(), store.never_there()) == ((), {})


def test_who_has_played_was_there(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        first = next(issued for issued in store.to_do() if "cid" in issued.entries)
        store.add(location.result(first.match_id))
        play(location, store, "cid")
        assert len(store.no_shows()) == 3
        assert store.never_there() == {}


def test_what_is_taken_back_stays_counts_for_nobody_and_is_to_do_again(location: StoreLocation) -> None:
    cup = location.plan()
    with location.issued(cup) as store:
        play(location, store, "cid")
        store.keep(Checkpoint(6, "f", ""))
        missed = [each.issued for each in store.no_shows()]
        digest = store.records_digest()
        store.take_back(missed, "olga", "a slow machine")
        assert store.records_digest() == digest  # their records are there all the same
        store.take_back(missed, "olga", "a slow machine")  # as when the answer to the first call was lost
        assert len(store.adjudications()) == len(missed)
    with Store.open(cup) as store:
        assert store.to_do() == tuple(issued.again() for issued in missed)
        assert (store.played_count(), store.prefix(), store.checkpoint()) == (2, missed[0].serial - 1, None)
        assert store.terminations() == Counter({Termination.COMPLETED: 2})
        played = {issued.match_id for issued, _result in store.results()}
        assert played.isdisjoint(issued.match_id for issued in missed)
        assert store.ranks().keys() == played
        assert [result is None for _issued, result in store.matches()].count(True) == 4
        assert (store.no_shows(), list(store.voids())) == ((), [])
        (told, *_others) = found = store.adjudications()
        assert [(each.match_id, each.attempt) for each in found] == [(m.match_id, 1) for m in missed]
        assert told == Adjudication("replay", missed[0].match_id, 1, "olga", told.at, "a slow machine")
        assert not store.add(forfeit(location, missed[0].match_id, 0))  # that attempt is over for good
        for issued in store.to_do():
            assert store.add(location.result(issued.match_id, issued.attempt))
        assert store.terminations() == Counter({Termination.COMPLETED: 6})
        assert (store.to_do(), store.never_there()) == ((), {})
    kept = "SELECT status, count(*) FROM attempts GROUP BY status ORDER BY status"
    assert [tuple(row) for row in location.sql(kept)] == [("COMPLETED", 6), ("FORFEIT", 4)]


def test_what_was_taken_back_may_be_taken_back_again(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        for attempt in (1, 2):
            play(location, store, "cid")
            store.take_back([each.issued for each in store.no_shows()], "olga", "again")
            assert {issued.attempt for issued in store.to_do()} == {attempt + 1}
        assert len(store.adjudications()) == 8


def test_reading_withdraws_nothing(location: StoreLocation) -> None:
    cup = location.plan()
    with location.issued(cup) as store:
        play(location, store, "cid")
    with Store.read(cup) as store, pytest.raises(StoreError):
        store.take_back([each.issued for each in store.no_shows()], "olga", "why not")


def test_losses_with_a_supervisor_are_counted_over_runs(location: StoreLocation) -> None:
    cup = location.plan()
    for times in (1, 2):
        with Store.open(cup) as store:
            before = store.roster_version()
            assert store.count_lost_supervisor("ann") == times
            assert store.roster_version() == before
    with Store.open(cup) as store:
        assert store.count_lost_supervisor("ben") == 1


def test_it_is_told_whether_there_are_results(location: StoreLocation) -> None:
    with location.issued(location.plan()) as store:
        first, second, *_ = store.to_do()
        assert not store.has_results()
        store.add(location.result(first.match_id, termination=Termination.VOID))
        store.skip(second)
        assert not store.has_results()
        store.add(forfeit(location, first.match_id, 0, attempt=2))
        assert store.has_results()
        store.take_back([first.again()], "olga", "why not")
        assert not store.has_results()


def test_a_store_of_the_revision_before_has_its_results_and_no_losses(sqlite: StoreLocation) -> None:
    cup: Plan = sqlite.plan(OLD_FILE)
    cup.folder.mkdir()
    with closing(sqlite3.connect(cup.folder / FILE)) as old:
        old.executescript(REVISION_2.read_text())
    with Store.open(cup) as store:
        assert store.state is TournamentState.RUNNING
        assert store.terminations() == Counter(
            {Termination.COMPLETED: 1, Termination.FORFEIT: 1, Termination.VOID: 1}
        )
        assert [(issued.serial, issued.attempt) for issued in store.to_do()] == [(3, 2), (4, 1), (6, 1)]
        assert (store.skipped_count(), store.adjudications()) == (1, ())
        (missed,) = store.no_shows()
        assert (missed.issued.serial, missed.entries) == (2, ("cid",))
        assert store.never_there() == {}  # it played another one
        store.take_back([missed.issued], "olga", "a slow machine")
        assert [issued.serial for issued in store.to_do()] == [2, 3, 4, 6]
        assert store.count_lost_supervisor("ann") == 1


def test_what_was_finished_is_running_by_the_transaction_that_withdraws_a_result(
    location: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    with location.issued(location.plan()) as store:
        play(location, store, "")
        store.set_state(TournamentState.FINISHED)
        before = store.terminations()
        (first,) = (issued for issued, _ in store.results(through=1))
        writing = store._database.writing

        @contextmanager
        def lost() -> Iterator[sa.Connection]:
            with writing() as connection:
                yield connection
            raise StoreLost("the answer was lost")

        monkeypatch.setattr(store._database, "writing", lost)
        with pytest.raises(StoreLost):
            store.take_back([first], "olga", "why not")
        monkeypatch.undo()
        assert (store.state, store.to_do()) == (TournamentState.RUNNING, (first.again(),))
        assert sum(store.terminations().values()) == sum(before.values()) - 1
        store.set_state(TournamentState.FINISHED)
        store.take_back([first.again()], "olga", "why not")
        assert store.state is TournamentState.RUNNING
