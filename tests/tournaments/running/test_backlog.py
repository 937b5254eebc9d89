"""The matches that are issued and not begun: how many, in which order, and when there are no more."""

import asyncio
from collections.abc import AsyncIterator, Sequence, Set
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from referee.server.slices import Slices
from tests.tournaments.on_paper import drawn_up
from tournaments.plan.plan import Entry, Format
from tournaments.running import backlog as backlogs
from tournaments.running.backlog import Backlog
from tournaments.running.progress import Progress
from tournaments.running.roster import Roster
from tournaments.running.store_outage import Patience
from tournaments.schedule import Pairing
from tournaments.store import Store

pytestmark = pytest.mark.asyncio


class Batches:
    """Gives the batches of pairings that it was made of, one each time that it is asked."""

    def __init__(self) -> None:
        self.absent: Set[str] = frozenset()
        self.due: int | None = None
        self.resting: Sequence[str] = ()
        self.left: list[tuple[Pairing, ...]] = []
        self.asked: list[tuple[int, bool]] = []
        self.may_have_more = True

    def add(self, *ids: str) -> None:
        """Have these matches given together."""
        self.left.append(tuple(Pairing(match_id, 1, ("e000", "e001")) for match_id in ids))

    async def prepare(self, room: int, idle: bool) -> bool:
        return self.may_have_more

    def next(self, room: int, idle: bool) -> Sequence[Pairing]:
        self.asked.append((room, idle))
        return self.left.pop(0) if self.left else ()

    def restart(self) -> None:
        """Nothing is kept."""

    def match_over(self) -> None:
        """Nothing is decided."""


class Issuing:
    """A backlog with a store of its own."""

    def __init__(self, folder: Path, form: Format) -> None:
        drawn = drawn_up("two_handed_spades", 3, form)
        plan = replace(drawn, base=folder, folder=folder / "cup.fairdeal", concurrency=2)
        self.store = Store.open(plan)
        self.roster = Roster(plan, self.store)
        self.source = Batches()
        self.has_stopped = False
        self.backlog = Backlog(
            self.roster,
            self.store,
            self.source,
            stored=Patience(plan, Progress()),
            slices=Slices(),
            has_stopped=lambda: self.has_stopped,
        )

    @property
    def ids(self) -> list[str]:
        """Return the ids of the matches that are to begin."""
        return [issued.match_id for issued in self.backlog.first()]


@pytest_asyncio.fixture(params=[Format.ROUND_ROBIN, Format.LADDER], ids=str)
async def issuing(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Issuing]:
    made = Issuing(tmp_path, request.param)
    yield made
    made.store.close()


@pytest_asyncio.fixture
async def schedule(tmp_path: Path) -> AsyncIterator[Issuing]:
    made = Issuing(tmp_path, Format.ROUND_ROBIN)
    yield made
    made.store.close()


@pytest_asyncio.fixture
async def ladder(tmp_path: Path) -> AsyncIterator[Issuing]:
    made = Issuing(tmp_path, Format.LADDER)
    yield made
    made.store.close()


async def test_matches_are_in_the_store_and_wait_in_order(issuing: Issuing) -> None:
    issuing.source.add("m-2", "m-1")
    await issuing.backlog.refill(())
    assert issuing.ids == ["m-2", "m-1"]
    assert [issued.match_id for issued in issuing.store.to_do()] == ["m-2", "m-1"]
    assert (len(issuing.backlog), issuing.backlog.entries()) == (2, {"e000", "e001"})


async def test_a_match_in_play_is_not_to_begin_again(issuing: Issuing) -> None:
    issuing.source.add("m-1", "m-2")
    await issuing.backlog.refill(())
    issuing.backlog.remove("m-1")
    issuing.source.add("m-3")
    await issuing.backlog.refill({"m-1"})
    assert issuing.ids == ["m-2", "m-3"]
    assert issuing.backlog.get("m-1") is None


async def test_nothing_is_issued_while_there_is_enough(
    schedule: Issuing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlogs, "LOOK_AHEAD", 4)
    schedule.source.add("m-1", "m-2", "m-3", "m-4", "m-5")
    schedule.source.add("m-6")
    for _ in range(2):
        await schedule.backlog.refill(())
        schedule.backlog.fill(())
    assert (len(schedule.backlog), len(schedule.source.asked)) == (5, 1)
    assert schedule.ids == ["m-1", "m-2", "m-3", "m-4"]  # as many as are looked at


async def test_a_ladder_counts_what_waits_as_taken(ladder: Issuing) -> None:
    ladder.source.add("m-1")
    await ladder.backlog.refill({"m-0"})
    await ladder.backlog.refill({"m-0"})
    assert ladder.source.asked == [(1, False), (0, False)]


@pytest.mark.parametrize("is_asked", [True, False], ids=["asked", "not asked"])
async def test_a_schedule_is_exhausted_when_all_is_over_and_a_ladder_never(
    issuing: Issuing, is_asked: bool
) -> None:
    issuing.source.add("m-1")
    await issuing.backlog.refill(())
    issuing.backlog.remove("m-1")
    issuing.source.may_have_more = is_asked
    await issuing.backlog.refill({"m-1"})
    assert not issuing.backlog.is_exhausted
    await issuing.backlog.refill(())
    assert issuing.backlog.is_exhausted is (issuing.roster.plan.format is not Format.LADDER)


async def test_a_schedule_that_waits_for_entries_that_are_away_is_not_exhausted(schedule: Issuing) -> None:
    for asked in (True, False):
        schedule.source.may_have_more = asked
        schedule.source.due = 7
        await schedule.backlog.refill(())
        assert (schedule.backlog.due, schedule.backlog.is_exhausted) == (7, False)
    schedule.source.due = None
    await schedule.backlog.refill(())
    assert schedule.backlog.is_exhausted


async def test_the_store_keeps_who_was_absent(schedule: Issuing) -> None:
    schedule.source.add("m-1")
    schedule.source.absent = frozenset({"e002"})
    await schedule.backlog.refill(())
    (drawn,) = schedule.store.ranks().rounds
    assert drawn.absent == {"e002"}


async def test_a_run_that_stops_while_it_prepares_is_not_over(
    schedule: Issuing, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stops(room: int, idle: bool) -> bool:
        schedule.has_stopped = True
        return True

    monkeypatch.setattr(schedule.source, "prepare", stops)
    await schedule.backlog.refill(())
    assert not schedule.backlog.is_exhausted


async def test_who_stops_while_matches_are_drawn_has_none_issued(
    schedule: Issuing, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(room: int, idle: bool) -> Sequence[Pairing]:
        schedule.has_stopped = True
        return (Pairing("m-1", 1, ("e000", "e001")),)

    monkeypatch.setattr(schedule.source, "next", stops)
    await schedule.backlog.refill(())
    assert (schedule.ids, list(schedule.store.to_do()), schedule.backlog.is_exhausted) == ([], [], False)


async def test_what_an_earlier_run_issued_is_to_begin(schedule: Issuing) -> None:
    schedule.source.add("m-1", "m-2")
    await asyncio.to_thread(schedule.backlog.fill, ())
    again = Backlog(
        schedule.roster,
        schedule.store,
        schedule.source,
        stored=Patience(schedule.roster.plan, Progress()),
        slices=Slices(),
        has_stopped=lambda: False,
    )
    again.restore()
    assert [issued.match_id for issued in again.first()] == ["m-1", "m-2"]


async def test_who_left_a_ladder_is_gone_and_who_is_in_a_schedule_stays(issuing: Issuing) -> None:
    issuing.source.add("m-1")
    await issuing.backlog.refill(())
    (issued,) = issuing.backlog.first()
    assert issuing.backlog.gone(issued) == ()
    first, second, third = issuing.roster.plan.entries
    newer: Entry = replace(second, version="2")
    issuing.roster.plan = replace(issuing.roster.plan, entries=(newer, third))
    is_ladder = issuing.roster.plan.format is Format.LADDER
    assert issuing.backlog.gone(issued) == ((first.name, second.name) if is_ladder else ())
