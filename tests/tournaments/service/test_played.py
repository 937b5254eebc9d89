"""Which matches that are over a server of tournaments tells of, and which decks are still to be played."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from referee.core.access import Denied
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, Termination
from tests.tournaments.cup import Cup
from tests.tournaments.fake_tournament import Disk
from tests.tournaments.running.test_open_sets import cup_of_sets, guests_of
from tournaments import schedule
from tournaments.plan.states import TournamentState
from tournaments.schedule.duplicates import epoch_of, set_of
from tournaments.service import played
from tournaments.service.manager import Manager
from tournaments.service.played import PlayedMatches
from tournaments.store import Issued, MatchResult, Store

TWO: Final = """\
game = "two_handed_spades"
rounds = 3
entries = [
    { name = "a", remote = true },
    { name = "b", bot = "random" },
]
"""


def over_of(match: PlayedMatches, entry: str, size: int = 50) -> list[list[str]]:
    """Return the ids of all pages."""
    pages: list[list[str]] = []
    after = ""
    while not pages or after:
        assert len(pages) < 20, "the pages do not end"
        found, after = match.over(entry, size, after)
        pages.append([setup.match_id for setup in found])
    return pages


def attached(folder: Path, *cups: Any) -> PlayedMatches:
    manager = Manager(Disk().open, folder / "desk", None)
    for cup in cups:
        manager.attach(cup)
    return PlayedMatches(manager)


def result_of(issued: Issued, termination: Termination = Termination.COMPLETED) -> MatchResult:
    has = termination is Termination.COMPLETED
    outcome = Outcome(
        termination,
        (1, 2) if has else (),
        (1, 2) if has else (),
        capped=False,
        faults=(FaultCounts(), FaultCounts()),
        forfeited=(),
    )
    return MatchResult(
        match_id=issued.match_id,
        attempt=issued.attempt,
        outcome=outcome,
        record="r",
        record_sha256="0" * 64,
        started="2026-11-23T12:00:00+00:00",
        duration=1,
    )


@pytest.fixture
def two(tmp_path: Path) -> Iterator[list[Any]]:
    """Return two tournaments of three matches each, hosted by a server."""
    found = []
    manager = Manager(Disk().open, tmp_path / "desk", None)
    for name in ("cup", "den"):
        plan = manager.plan(TWO, name)
        plan.folder.mkdir(parents=True)
        plan = replace(plan, instance=name)
        store = Store.open(plan)
        store.issue(islice(schedule.next(plan, set(), {}), 3))
        found.append(SimpleNamespace(plan=plan, store=store, state=TournamentState.RUNNING))
    yield found
    for each in found:
        each.store.close()


# Decks


@pytest.mark.asyncio
async def test_decks_are_open_while_a_turn_is_to_be_played(tmp_path: Path) -> None:
    async with cup_of_sets(tmp_path, concurrency=1) as cup:
        known = attached(tmp_path, as_tournament(cup))
        guests = guests_of(cup)
        guests["a", "turn2"].open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)  # the first turn is over, and its record is there
        turn, other = cup.opened[:2]
        assert turn.epoch == other.epoch
        assert known.is_open(turn.match_id, turn.epoch)
        guests["a", "turn2"].open.set()
        await running
        assert not known.is_open(turn.match_id, turn.epoch)
        (first, *_) = [issued for issued, _ in cup.store.results()]
        assert set_of(first.match_id) == set_of(turn.match_id)
        cup.store.take_back([first], "olga", "it was not well")
        assert not known.is_open(turn.match_id, turn.epoch)  # the next attempt has other decks
        assert known.is_open(turn.match_id, epoch_of(cup.plan, turn.match_id, 2))


def as_tournament(cup: Cup) -> Any:
    return SimpleNamespace(plan=cup.plan, store=cup.store, state=TournamentState.RUNNING)


@pytest.mark.asyncio
async def test_decks_of_a_cancelled_tournament_are_played_by_nobody(tmp_path: Path) -> None:
    async with cup_of_sets(tmp_path) as cup:
        tournament = as_tournament(cup)
        known = attached(tmp_path, tournament)
        (issued, *_) = cup.store.to_do()
        epoch = epoch_of(cup.plan, issued.match_id, 1)
        assert known.is_open(issued.match_id, epoch)
        tournament.state = TournamentState.CANCELLED
        assert not known.is_open(issued.match_id, epoch)
        assert known.is_open("unknown~1", "unknown.1")


# Entries


def test_a_hosted_bot_of_the_same_name_is_somebody_else(tmp_path: Path, two: list[Any]) -> None:
    known = attached(tmp_path, *two)
    match_id = two[0].store.to_do()[0].match_id
    assert known.sat_in(match_id, "a")
    assert not known.sat_in(match_id, "b")
    assert not known.sat_in("unknown", "a")
    two[0].plan = replace(two[0].plan, instance="")  # a tournament by itself: each name is one bot
    assert known.sat_in(match_id, "b")


# Lists


@pytest.mark.parametrize("read", [2, 1000])
def test_an_entry_finds_what_it_played(
    tmp_path: Path, two: list[Any], monkeypatch: pytest.MonkeyPatch, read: int
) -> None:
    monkeypatch.setattr(played, "MOST_READ", read)
    known = attached(tmp_path, *two)
    ids: list[str] = []
    for each in two:
        first, second, third = each.store.to_do()
        each.store.add(result_of(first))
        each.store.add(result_of(second, Termination.VOID))
        each.store.add(result_of(third))
        ids += [first.match_id, third.match_id]
    for entry in ("a", ""):
        for size in (1, 50):
            pages = over_of(known, entry, size)
            assert [match_id for page in pages for match_id in page] == ids
            assert max(map(len, pages)) <= size
    for stranger in ("b", "c", "%", "_"):  # b is hosted here
        assert not any(over_of(known, stranger))


def test_an_entry_finds_no_match_of_others(tmp_path: Path) -> None:
    manager = Manager(Disk().open, tmp_path / "desk", None)
    file = TWO.replace("]", '    { name = "c", remote = true },\n]')
    plan = replace(manager.plan(file, "cup"), instance="cup")
    plan.folder.mkdir(parents=True)
    with Store.open(plan) as store:
        store.issue(schedule.next(plan, set(), {}))
        for issued in list(store.to_do()):
            store.add(result_of(issued))
        known = attached(tmp_path, SimpleNamespace(plan=plan, store=store, state=TournamentState.RUNNING))
        (everything,), (of_a,) = over_of(known, ""), over_of(known, "a")
        entries = {issued.match_id: issued.entries for issued, _ in store.results()}
        assert set(everything) == set(entries)
        assert set(of_a) == {match_id for match_id, names in entries.items() if "a" in names}
        assert 0 < len(of_a) < len(everything)


@pytest.mark.parametrize("token", ["cup", "/1", "cup/x", "cup/1/2", "cup/-1", "cup/1234567890"])
def test_a_token_comes_from_an_earlier_answer(tmp_path: Path, two: list[Any], token: str) -> None:
    with pytest.raises(Denied, match="page_token"):
        attached(tmp_path, *two).over("a", 50, token)


def test_a_token_of_what_is_gone_leads_on(tmp_path: Path, two: list[Any]) -> None:
    known = attached(tmp_path, *two)
    assert known.over("a", 50, "cup/999999999") == ([], "den/0")
    assert known.over("a", 50, "zoo/1") == ([], "")
