"""What is issued next: from a schedule as far as it is decided, or for a ladder from who is free."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

import tournaments.running.pairing_source
from referee.match.faults import FaultCounts
from tests.results import played, result
from tests.tournaments.on_paper import drawn_up
from tournaments import schedule
from tournaments.plan.plan import Entry, Format, Pace
from tournaments.ratings import Rating
from tournaments.running.pairing_source import LadderSource, ScheduleSource
from tournaments.running.presence import Attendance
from tournaments.schedule import Pairing
from tournaments.store import Issued, Store

CLEAN: Final = (FaultCounts(), FaultCounts())


@pytest.fixture
def stores() -> Iterator[list[Store]]:
    opened: list[Store] = []
    yield opened
    for store in opened:
        store.close()


class DecidedPlan:
    """A plan with its store, whose matches are decided without being played."""

    out: frozenset[str] = frozenset()

    def __init__(
        self,
        folder: Path,
        stores: list[Store],
        form: Format,
        entries: int | list[Entry],
        **more: object,
    ) -> None:
        drawn = drawn_up("two_handed_spades", entries, form, **more)
        self.plan = replace(drawn, base=folder, folder=folder / "cup.fairdeal")
        self.store = Store.open(self.plan)
        stores.append(self.store)

    def issue(self, pairings: tuple[Pairing, ...]) -> tuple[Issued, ...]:
        return self.store.issue(pairings)

    def decide(self, issued: Issued) -> None:
        _match, won = played(issued.entries, (1, 2), (1, 0), faults=CLEAN)
        self.store.add(result(issued.match_id, won.outcome))


# Schedules


@pytest.mark.parametrize("form", [Format.ROUND_ROBIN, Format.GAUNTLET])
def test_a_fixed_schedule_is_issued_some_way_ahead(
    tmp_path: Path, stores: list[Store], monkeypatch: pytest.MonkeyPatch, form: Format
) -> None:
    monkeypatch.setattr(tournaments.running.pairing_source, "_BATCH", 4)
    challenger = "e000" if form is Format.GAUNTLET else None
    decided = DecidedPlan(tmp_path, stores, form, 4, rounds=2, challenger=challenger)
    source = ScheduleSource(decided, decided.store)
    batches = []
    while batch := tuple(source.next(1, idle=False)):
        batches.append(len(batch))
        decided.issue(batch)
    whole = 12 if form is Format.ROUND_ROBIN else 6
    assert batches == [4] * (whole // 4) + [whole % 4] * (whole % 4 > 0)
    assert source.next(1, idle=True) == ()
    again = ScheduleSource(decided, decided.store)
    assert again.next(1, idle=True) == ()


def test_what_was_issued_before_is_passed_over(
    tmp_path: Path, stores: list[Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = DecidedPlan(tmp_path, stores, Format.ROUND_ROBIN, 4)
    whole = tuple(ScheduleSource(decided, decided.store).next(1, idle=True))
    monkeypatch.setattr(tournaments.running.pairing_source, "_BATCH", 2)
    decided.issue(tuple(ScheduleSource(decided, decided.store).next(1, idle=True)))
    monkeypatch.setattr(tournaments.running.pairing_source, "_BATCH", 9)
    assert tuple(ScheduleSource(decided, decided.store).next(1, idle=True)) == whole[2:]


@pytest.mark.parametrize("form", [Format.ROUND_ROBIN, Format.SWISS, Format.KNOCKOUT])
def test_entries_may_come_until_the_first_matches_are_asked_for(
    tmp_path: Path, stores: list[Store], form: Format
) -> None:
    decided = DecidedPlan(tmp_path, stores, form, 2)
    source = ScheduleSource(decided, decided.store)
    decided.plan = replace(decided.plan, entries=(*decided.plan.entries, Entry(name="late", remote=True)))
    decided.store.register(decided.plan.entries[-1])
    asyncio.run(source.prepare(1, idle=True))
    issued = decided.issue(tuple(source.next(1, idle=True)))
    if form is Format.ROUND_ROBIN:
        assert Counter(name for match in issued for name in match.entries) == {
            "e000": 2,
            "e001": 2,
            "late": 2,
        }
    else:
        assert len(issued) == 1  # and one has a bye
        decided.decide(issued[0])
        source.match_over()
        later = source.next(1, idle=True)
        assert [len(later), len(ScheduleSource(decided, decided.store).next(1, idle=True))] == (
            [1, 1] if form is Format.KNOCKOUT else [0, 0]
        )


def test_a_round_of_a_swiss_is_drawn_when_the_one_before_it_is_over(
    tmp_path: Path, stores: list[Store]
) -> None:
    decided = DecidedPlan(tmp_path, stores, Format.SWISS, 4, rounds=2)
    source = ScheduleSource(decided, decided.store)
    one, two = decided.issue(tuple(source.next(1, idle=True)))
    assert source.next(1, idle=True) == ()  # nothing is new
    for issued, is_last in ((one, False), (two, True)):
        decided.decide(issued)
        source.match_over()
        assert source.next(1, idle=False) == ()
        assert len(source.next(1, idle=True)) == (2 if is_last else 0)


def test_a_round_of_a_swiss_waits_for_who_is_away_and_is_then_drawn_without_it(
    tmp_path: Path, stores: list[Store]
) -> None:
    entries = [Entry(name=f"e{n:03}", remote=True) for n in range(5)]
    decided = DecidedPlan(tmp_path, stores, Format.SWISS, entries, rounds=3)
    there = Attendance(due=70)
    source = ScheduleSource(decided, decided.store, lambda: there)

    def look() -> tuple[Pairing, ...]:
        assert asyncio.run(source.prepare(1, idle=True))
        return tuple(source.next(1, idle=True))

    assert source.next(1, idle=True) == ()  # in a new run nobody is known to be there
    assert source.due is not None
    assert look() == ()
    assert source.due == 70
    there = Attendance(frozenset({"e001"}))
    first = look()
    assert (source.due, source.absent) == (None, {"e001"})
    assert {name for pairing in first for name in pairing.entries} == {"e000", "e002", "e003", "e004"}
    for issued in decided.store.issue(first, source.absent):
        decided.decide(issued)
    source.match_over()
    there = Attendance(frozenset({"e000", "e002", "e003", "e004"}))
    assert len(look()) == 2  # too few are there: all are drawn, and who is away forfeits
    assert source.absent == frozenset()


def test_after_the_last_round_of_a_swiss_nobody_is_waited_for(tmp_path: Path, stores: list[Store]) -> None:
    entries = [Entry(name=f"e{n:03}", remote=True) for n in range(4)]
    decided = DecidedPlan(tmp_path, stores, Format.SWISS, entries, rounds=1)
    for issued in decided.store.issue(tuple(schedule.next(decided.plan, set(), {}))):
        decided.decide(issued)
    source = ScheduleSource(decided, decided.store, lambda: Attendance(due=70))
    asyncio.run(source.prepare(1, idle=True))
    assert (source.next(1, idle=True), source.due) == ((), None)


def test_a_knockout_goes_on_when_all_before_is_over_so_that_its_order_is_the_same_in_any_run(
    tmp_path: Path, stores: list[Store]
) -> None:
    decided = DecidedPlan(tmp_path, stores, Format.KNOCKOUT, 4)
    source = ScheduleSource(decided, decided.store)
    one, two = decided.issue(tuple(source.next(1, idle=True)))
    decided.decide(one)
    source.match_over()
    assert source.next(1, idle=False) == ()
    decided.decide(two)
    source.match_over()
    assert source.next(1, idle=False) == ()  # another match is still being played
    (final,) = source.next(1, idle=True)
    assert set(final.entries) == {one.entries[0], two.entries[0]}


def whole(decided: DecidedPlan, *, anew: bool) -> list[tuple[str, int, tuple[str, ...]]]:
    """Play a schedule to its end and return what was issued; ``anew``: in a run of its own for each match."""
    source = ScheduleSource(decided, decided.store)
    found: list[Issued] = []
    playing: list[Issued] = []
    while True:
        if anew:
            decided.store.close()
            decided.store = Store.open(decided.plan)
            source = ScheduleSource(decided, decided.store)
        issued = decided.issue(tuple(source.next(1, idle=not playing)))
        found += issued
        playing += issued
        if not playing:
            return [(each.match_id, each.round, each.entries) for each in found]
        decided.decide(playing.pop(0))
        source.match_over()


@pytest.mark.parametrize("form", [form for form in Format if form is not Format.LADDER])
def test_a_schedule_is_the_same_when_each_match_is_another_run(
    tmp_path: Path, stores: list[Store], monkeypatch: pytest.MonkeyPatch, form: Format
) -> None:
    monkeypatch.setattr(tournaments.running.pairing_source, "_BATCH", 4)
    challenger = "e000" if form is Format.GAUNTLET else None
    one, other = (
        DecidedPlan(tmp_path / name, stores, form, 5, rounds=2, challenger=challenger)
        for name in ("one", "other")
    )
    undisturbed = whole(one, anew=False)
    assert whole(other, anew=True) == undisturbed
    other.store.close()
    assert len(undisturbed) >= 4


# Ladders


class Ladder(DecidedPlan):
    """A ladder; ``free`` are those who can be seated."""

    def __init__(self, folder: Path, stores: list[Store], entries: int) -> None:
        super().__init__(folder, stores, Format.LADDER, entries)
        self.free = [entry.name for entry in self.plan.entries]
        self.ratings: dict[str, tuple[Rating, int]] = {}
        self.asked = 0
        self.day = ""
        self.source = self.new_feed()

    def new_feed(self) -> LadderSource:
        return LadderSource(self, self.store, self.seatable, self.rated, lambda: self.day)

    def decide(self, issued: Issued) -> None:
        _match, won = played(issued.entries, (1, 2), (1, 0), faults=CLEAN)
        self.store.add(replace(result(issued.match_id, won.outcome), started=f"{self.day}T12:00:00+00:00"))

    async def seatable(self) -> list[str]:
        return list(self.free)

    async def rated(self) -> dict[str, tuple[Rating, int]]:
        self.asked += 1
        return self.ratings

    def next(self, room: int, source: LadderSource | None = None) -> tuple[Pairing, ...]:
        """Return what is to be issued, once it is prepared."""
        source = source or self.source
        asyncio.run(source.prepare(room, idle=True))
        return tuple(source.next(room, idle=True))


@pytest.fixture
def ladder(tmp_path: Path, stores: list[Store]) -> Ladder:
    return Ladder(tmp_path, stores, 6)


@pytest.mark.parametrize(("room", "matches"), [(-1, 0), (0, 0), (1, 1), (2, 2), (9, 3)])
def test_a_ladder_pairs_as_many_as_there_is_room_for_and_nobody_twice(
    ladder: Ladder, room: int, matches: int
) -> None:
    pairings = ladder.next(room)
    seated = [name for pairing in pairings for name in pairing.entries]
    assert len(pairings) == matches
    assert len(set(seated)) == len(seated) == 2 * matches


def test_only_who_is_free_is_paired(ladder: Ladder) -> None:
    ladder.free = ["e004", "e001"]
    (pairing,) = ladder.next(9)
    assert set(pairing.entries) == {"e001", "e004"}
    ladder.free = ["e002"]
    assert ladder.next(9) == ()


def test_ratings_are_asked_for_only_when_a_table_can_be_filled(ladder: Ladder) -> None:
    ladder.free = ["e002"]
    ladder.next(9)
    ladder.free = ["e002", "e003"]
    ladder.next(0)
    assert ladder.asked == 0
    ladder.next(9)
    assert ladder.asked == 1


def test_ids_go_on_where_an_earlier_run_was(ladder: Ladder) -> None:
    first = ladder.issue(ladder.next(3))
    undisturbed = ladder.next(3)
    again = ladder.new_feed()
    assert ladder.next(3, again) == undisturbed
    assert {each.match_id for each in first}.isdisjoint(each.match_id for each in undisturbed)


def test_matches_that_could_not_be_issued_count_for_nothing(ladder: Ladder) -> None:
    ladder.issue(ladder.next(3))
    ladder.next(3)  # the store fails
    ladder.source.restart()
    assert ladder.next(3) == ladder.next(3, ladder.new_feed())


def test_nobody_starves_also_when_the_ladder_is_stopped_in_between(ladder: Ladder) -> None:
    known = Rating(25.0, 0.5)
    ladder.ratings = {name: (replace(known, mu=40.0 * (name == "e005")), 500) for name in ladder.free}
    seats: Counter[str] = Counter()
    for turn in range(60):  # e005 is far from all others: no match with it is a good one
        if turn % 5 == 0:
            ladder.source = ladder.new_feed()
        (issued,) = ladder.issue(ladder.next(1))
        seats.update(issued.entries)
    assert min(seats[name] for name in ladder.free) >= 60 / (3 * 6)


def test_who_comes_later_is_seated_soon(ladder: Ladder) -> None:
    ladder.ratings = {name: (Rating(25.0, 1.0), 50) for name in ladder.free}
    for _ in range(10):
        ladder.issue(ladder.next(1))
    newcomer = Entry(name="new", remote=True)
    ladder.store.register(newcomer)
    ladder.plan = replace(ladder.plan, entries=(*ladder.plan.entries, newcomer))
    ladder.free.append("new")
    (issued,) = ladder.issue(ladder.next(1))
    assert "new" in issued.entries


def test_a_ladder_keeps_its_pace_over_restarts_and_days(ladder: Ladder) -> None:
    ladder.plan = replace(ladder.plan, pace=Pace(matches_per_day=2))
    days: list[tuple[str, int]] = []
    for day in ("2026-11-24", "2026-11-25"):
        ladder.day = day
        matches = 0
        while pairings := ladder.next(1, ladder.new_feed()):
            (issued,) = ladder.issue(pairings)
            ladder.decide(issued)
            matches += 1
        days.append((day, matches))
    assert days == [("2026-11-24", 6), ("2026-11-25", 6)]
    seats = Counter(name for each in ladder.store.seats_of_all() for name in each)
    assert set(seats.values()) == {4}


def test_a_match_that_is_not_over_counts_for_the_present_day(ladder: Ladder) -> None:
    ladder.plan = replace(ladder.plan, pace=Pace(matches_per_day=1))
    ladder.day = "2026-11-24"
    ladder.source = ladder.new_feed()
    assert ladder.source.resting == []
    ladder.issue(ladder.next(9))
    assert sorted(ladder.source.resting) == sorted(ladder.free)
    ladder.day = "2026-11-25"
    assert ladder.source.resting == []
    assert ladder.next(9, ladder.new_feed()) == ()
    assert len(ladder.next(9)) == 3  # who issued them knows the day


def test_a_quota_counts_all_that_was_played(ladder: Ladder) -> None:
    ladder.plan = replace(ladder.plan, pace=Pace(matches=1))
    for _ in range(2):
        ladder.issue(ladder.next(2, ladder.new_feed()))
    assert Counter(name for seats in ladder.store.seats_of_all() for name in seats) == Counter(ladder.free)
    ladder.source = ladder.new_feed()
    assert ladder.next(9) == ()
    assert ladder.asked == 2  # and no ratings are asked for in vain


def test_two_meet_no_more_often_than_the_pace_allows(ladder: Ladder) -> None:
    ladder.plan = replace(ladder.plan, pace=Pace(meetings_per_day=1))
    ladder.source = ladder.new_feed()
    met: Counter[frozenset[str]] = Counter()
    while pairings := ladder.next(1):
        met[frozenset(pairings[0].entries)] += 1
        ladder.issue(pairings)
    assert (len(met), set(met.values())) == (15, {1})
