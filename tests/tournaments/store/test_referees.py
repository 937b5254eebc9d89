"""What referees share in a PostgreSQL database: tokens and results."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from referee.core.access import Denied, Role
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup, Outcome
from referee.match.faults import FaultCounts, FaultPolicy, Termination
from referee.server.runtime import FinishedMatch
from referee.server.tokens import TokenError
from tests.tournaments.store.conftest import Postgres
from tournaments.store import StoreError
from tournaments.store.referees import SharedTables, SharedTokens

Open = Callable[[], SharedTables]


@pytest.fixture
def opened(postgres: Postgres) -> Iterator[Open]:
    """Return what opens the tables of one database, as each machine does for itself."""
    url, all_opened = postgres.new_database(), []

    def open_tables() -> SharedTables:
        all_opened.append(SharedTables(url))
        return all_opened[-1]

    yield open_tables
    for tables in all_opened:
        tables.close()


def report(match_id: str = "hearts-1", scores: tuple[int, ...] = (26, 0, 0, 0)) -> FinishedMatch:
    return FinishedMatch(
        setup=MatchSetup(
            match_id=match_id,
            game="hearts",
            options={},
            deals=1,
            entries=("a", "b", "c", "d"),
            clock=PROFILES["standard"],
            faults=FaultPolicy(),
        ),
        outcome=Outcome(Termination.COMPLETED, (4, 1, 1, 1), scores, False, (FaultCounts(),) * 4, ()),
        path=Path("record"),
        sha256="ab12",
        started="2026-11-25T08:00:00+00:00",
        duration=1,
    )


def test_a_token_made_on_one_machine_lets_a_bot_in_on_the_other(opened: Open) -> None:
    one, other = SharedTokens(opened()), SharedTokens(opened())
    token = one.add("alice", Role.BOT)
    other.refresh()
    assert other.bearer(token).entry == "alice"
    other.check(token, "alice")
    boss = other.add("boss", Role.ORGANISER)
    one.refresh()
    assert one.organiser(boss) == "boss" and [each.name for each in one.list()] == ["alice", "boss"]
    one.revoke("alice")
    other.refresh()
    with pytest.raises(Denied):
        other.bearer(token)
    with pytest.raises(TokenError, match="boss has a token already"):
        one.add("boss", Role.BOT)


def test_tokens_that_are_made_at_once_are_all_kept(opened: Open) -> None:
    books = [SharedTokens(opened()) for _ in range(4)]
    adding = [threading.Thread(target=book.add, args=(f"b{n}", Role.BOT)) for n, book in enumerate(books)]
    for thread in adding:
        thread.start()
    for thread in adding:
        thread.join()
    assert [each.name for each in books[0].list()] == ["b0", "b1", "b2", "b3"]


def test_results_of_both_are_in_one_table_and_the_first_of_an_attempt_stays(opened: Open) -> None:
    one, other = opened(), opened()
    one.add_result(report(), "here")
    other.add_result(report("hearts-2"), "there")
    other.add_result(report(scores=(0, 26, 0, 0)), "there")
    other.add_result(replace(report(), setup=replace(report().setup, attempt=2)), "there")
    found = one.results()
    assert found == other.results()
    assert [(each.match_id, each.attempt, each.referee) for each in found] == [
        ("hearts-1", 1, "here"),
        ("hearts-1", 2, "there"),
        ("hearts-2", 1, "there"),
    ]
    assert (found[0].entries, found[0].ranks, found[0].scores) == (
        ("a", "b", "c", "d"),
        (4, 1, 1, 1),
        (26, 0, 0, 0),
    )
    assert (found[0].termination, found[0].record_sha256) == ("completed", "ab12")


def test_a_database_that_is_away_is_one_error_and_the_tokens_stay_valid(
    opened: Open, postgres: Postgres
) -> None:
    book = SharedTokens(opened())
    token = book.add("alice", Role.BOT)
    book.refresh()
    postgres.halt()
    try:
        with pytest.raises(StoreError, match="cannot be used as a store"):
            book.refresh()
    finally:
        postgres.start()
    assert book.bearer(token).entry == "alice"
    book.refresh()
