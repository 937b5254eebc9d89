"""Who runs a tournament: one that was taken over writes nothing more, whatever it is told to."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from queue import Queue
from typing import Final
from unittest import mock

import pytest

from tests.tournaments.store.conftest import StoreLocation
from tests.tournaments.store.test_adjudications import OLD_FILE
from tests.workspace import ALONE
from tournaments.folder_lock import this_process
from tournaments.plan.states import TournamentState
from tournaments.store import FILE, Store, StoreHeld, StoreLost, TakenOver, leases
from tournaments.store.leases import EXPIRES, Heartbeat

REVISION_5: Final = Path(__file__).parents[2] / "data" / "store_revision_5.sql"

END_ALL: Final = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""


def expire(location: StoreLocation) -> None:
    """Have the lease expire, as if its holder had given no sign for long."""
    location.sql(f"UPDATE leases SET seen = seen - {EXPIRES}")


def test_what_was_taken_over_writes_no_late_result(sqlite: StoreLocation) -> None:
    cup = sqlite.plan()
    first, second, *_ = sqlite.ids(cup)
    with sqlite.issued(cup) as zombie:
        zombie.add(sqlite.result(first))
        with Store.open(cup) as successor:
            for write in (
                lambda: zombie.add(sqlite.result(second, score=7)),
                lambda: zombie.set_state(TournamentState.CANCELLED),
                lambda: zombie.count_lost_supervisor("ann"),
            ):
                with pytest.raises(TakenOver, match=f"the tournament was taken over by {this_process()} at "):
                    write()
            successor.add(sqlite.result(second))
        with pytest.raises(TakenOver, match="does not count any more"):
            zombie.add(sqlite.result(second, attempt=2))
        assert [result.outcome.scores[0] for _, result in zombie.results()] == [300, 300]


def test_each_run_has_an_epoch_of_its_own(location: StoreLocation) -> None:
    cup = location.plan()
    for epoch in (1, 2):
        with location.issued(cup) as store:
            assert location.sql("SELECT epoch, holder FROM leases") == [(epoch, this_process())]
            assert store.taken_from is None


def test_a_store_of_revision_5_goes_on_with_a_lease(sqlite: StoreLocation) -> None:
    cup = sqlite.plan(OLD_FILE)
    cup.folder.mkdir()
    with closing(sqlite3.connect(cup.folder / FILE)) as old:
        old.executescript(REVISION_5.read_text())
    with Store.open(cup) as store:
        assert sqlite.sql("SELECT tournament, epoch FROM leases") == [("cup", 1)]
        (ruling,) = store.adjudications()
        assert (ruling.entry, ruling.kind, ruling.why) == ("cid", "disqualify", "it was two programs")
        assert [issued.serial for issued, _result in store.results()] == [3]
        (left,) = store.to_do()
        assert left.serial == 6
        assert store.add(sqlite.result(left.match_id))


@pytest.mark.usefixtures("without_beats")
def test_a_holder_that_gives_no_sign_is_taken_over_and_fenced(
    in_postgres: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its machine is gone, and the server takes its connection, which has the lock, for alive."""
    monkeypatch.setattr("tournaments.store.postgres._LOCK_WAIT", 100)
    cup = in_postgres.plan()
    first, second, *_ = in_postgres.ids(cup)
    with in_postgres.issued(cup) as zombie:
        zombie.add(in_postgres.result(first))
        with pytest.raises(
            StoreHeld, match=rf"at work.*\({this_process()} since \S+, last seen \d+ s ago\): wait"
        ):
            Store.open(cup)
        expire(in_postgres)
        with Store.open(cup) as successor:
            assert successor.taken_from and successor.taken_from.name == this_process()
            assert successor.add(in_postgres.result(second))
            with pytest.raises(StoreLost):  # its connection was ended
                zombie.add(in_postgres.result(second, score=7))
            with pytest.raises(TakenOver):
                zombie.add(in_postgres.result(second, score=7))
        with pytest.raises(TakenOver):  # though it is alone again
            zombie.add(in_postgres.result(second, attempt=2))
        assert [result.outcome.scores[0] for _, result in zombie.results()] == [300, 300]


def test_who_has_just_begun_is_not_taken_for_the_run_before(
    in_postgres: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.store.postgres._LOCK_WAIT", 100)
    cup = in_postgres.plan()
    with in_postgres.issued(cup):
        pass
    expire(in_postgres)  # that run ended long ago
    beginning = Store(cup, lambda: datetime.now(UTC))
    try:
        assert beginning._database.hold(cup.name) is None
        with pytest.raises(StoreHeld, match="at work"):
            Store.open(cup)
        with beginning._database.writing() as connection:  # its connection was not ended
            assert not leases.claim(connection, cup.name)
    finally:
        beginning.close()


@pytest.mark.usefixtures("without_beats")
def test_a_start_that_takes_long_is_not_taken_over(
    in_postgres: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.store.postgres._LOCK_WAIT", 100)
    cup = in_postgres.plan()
    with in_postgres.issued(cup):
        pass
    beats: list[Callable[[], bool]] = []

    def heartbeat(beat: Callable[[], bool], _seconds: float) -> mock.Mock:
        beats.append(beat)
        return mock.Mock()

    monkeypatch.setattr("tournaments.store.postgres.Heartbeat", heartbeat)
    beginning = Store(cup, lambda: datetime.now(UTC))
    try:
        beginning._database.hold(cup.name)
        (beat,) = beats
        with beginning._database.changing_tables():  # which is done in one transaction
            expire(in_postgres)
            assert beat()
            with pytest.raises(StoreHeld, match="at work"):
                Store.open(cup)
        beginning._take(cup, is_new=False)
        assert not beat()  # the lease of this run is renewed from now on
        assert in_postgres.sql("SELECT epoch FROM leases") == [(2,)]
    finally:
        beginning.close()


def test_one_of_two_who_stand_by_takes_over(in_postgres: StoreLocation) -> None:
    cup = in_postgres.plan()
    with in_postgres.issued(cup) as store:
        expire(in_postgres)
        with store._database.writing() as connection:
            assert [leases.claim(connection, cup.name) for _ in "12"] == [True, False]


@pytest.mark.usefixtures("without_beats")
def test_a_lease_is_renewed_also_when_the_connection_was_lost(in_postgres: StoreLocation) -> None:
    errors: list[TakenOver] = []
    with in_postgres.issued(in_postgres.plan()) as store:
        expire(in_postgres)
        in_postgres.sql(END_ALL)
        assert store._database._renew(store._database._lease, errors.append)
        holder = store.holder()
        assert holder and not holder.is_expired
        in_postgres.sql("UPDATE leases SET epoch = epoch + 1")
        in_postgres.sql(END_ALL)
        assert not store._database._renew(store._database._lease, errors.append)
    assert [type(error) for error in errors] == [TakenOver]


def test_a_holder_hears_that_it_was_taken_over(
    in_postgres: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.store.leases.BEAT", 0.001)
    told: Queue[TakenOver] = Queue()
    with in_postgres.issued(in_postgres.plan()) as store:
        store.on_taken_over(told.put)
        in_postgres.sql("UPDATE leases SET epoch = epoch + 1")
        assert "taken over by" in str(told.get(timeout=ALONE))


def test_beats_go_on_until_they_are_refused() -> None:
    beats = iter([True, True, False])
    over = threading.Event()

    def beat() -> bool:
        goes_on = next(beats)
        if not goes_on:
            over.set()
        return goes_on

    Heartbeat(beat, seconds=0.001)
    assert over.wait(ALONE)
    assert next(beats, None) is None
