"""Duplicate sets in a run: which bots play which decks, what is told when, and what is played again."""

import asyncio
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from referee.match.effects import MatchSetup, Owner
from referee.match.faults import Termination
from referee.server.runtime import FinishedMatch
from referee.storage.record import read
from tests.tournaments.cup import TEXT, Cup, HeldBot
from tests.tournaments.store.conftest import Postgres, postgres  # noqa: F401 - a fixture
from tests.workspace import ALONE
from tournaments import schedule
from tournaments.plan.instances import owners
from tournaments.schedule.duplicates import set_of, turn_of

pytestmark = pytest.mark.asyncio

IN_SETS = TEXT.replace("deals = 1", "deals = 1, duplicate = true")


@pytest.fixture(
    params=["sqlite", pytest.param("postgres", marks=(pytest.mark.process, pytest.mark.postgres))]
)
def in_sets(request: pytest.FixtureRequest) -> str:
    """Return the text of a tournament of sets, with a store in each database."""
    if request.param == "sqlite":
        return IN_SETS
    server: Postgres = request.getfixturevalue("postgres")
    return f'store = "{server.new_database()}"\n{IN_SETS}'


def cup_of_sets(folder: Path, *, concurrency: int = 2, names: str = "ab", text: str = IN_SETS) -> Cup:
    text = text.replace("concurrency = 2", f"concurrency = {concurrency}")
    return Cup(folder, names, text=text, has_secrets=True)


def guests_of(cup: Cup) -> dict[Owner, HeldBot]:
    return {
        (name, instance): cup.guest(name, instance=instance)
        for name in (entry.name for entry in cup.plan.entries)
        for instance in ("turn1", "turn2")
    }


def decks_of(cup: Cup) -> dict[str, set[str]]:
    """Return by set the decks that were dealt in the turns that count."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for issued, result in cup.store.results():
        lines = read(cup.plan.folder / result.record).lines
        dealt = next(line for line in lines if line["type"] == "dealt")
        found[set_of(issued.match_id)].add(str(dealt["stock"]))
    return found


def seen_by(cup: Cup, opened: list[MatchSetup]) -> dict[Owner, list[str]]:
    """Return the decks by each bot that was seated with them, as often as it was."""
    seen: defaultdict[Owner, list[str]] = defaultdict(list)
    for setup in opened:
        for owner in owners(cup.plan, setup.entries, turn_of(setup.match_id)):
            seen[owner].append(setup.epoch)
    return seen


async def test_each_turn_has_the_same_deals_and_bots_of_its_own(tmp_path: Path) -> None:
    async with cup_of_sets(tmp_path) as cup:
        guests = guests_of(cup)
        await cup.run()
        results = {issued.match_id: issued for issued, _result in cup.store.results()}
        assert len(results) == 4
        for first in (issued for issued in results.values() if turn_of(issued.match_id) == 0):
            second = results[f"{set_of(first.match_id)}~2"]
            assert second.entries == first.entries[::-1]
        decks = decks_of(cup)
        assert [len(of_set) for of_set in decks.values()] == [1, 1]
        assert len(set.union(*decks.values())) == 2
        assert all(len(set(epochs)) == len(epochs) == 2 for epochs in seen_by(cup, cup.opened).values())
        assert {owner: guest.seats for owner, guest in guests.items()} == dict.fromkeys(guests, 2)


async def test_no_bot_is_told_what_opens_the_deals(tmp_path: Path) -> None:
    async with cup_of_sets(tmp_path) as cup:
        guests = guests_of(cup)
        await cup.run()
        assert [secret for guest in guests.values() for secret in guest.secrets] == [b""] * 8


async def test_nothing_is_told_before_the_set_is_over(tmp_path: Path) -> None:
    async with cup_of_sets(tmp_path, concurrency=1) as cup:
        guests = guests_of(cup)
        guests["a", "turn2"].open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        assert next(cup.store.results())[0].match_id == cup.opened[0].match_id
        assert cup.reports == []
        guests["a", "turn2"].open.set()
        await running
        assert [report.setup.match_id for report in cup.reports] == [setup.match_id for setup in cup.opened]


async def test_keys_go_when_their_set_is_over(tmp_path: Path) -> None:
    async with cup_of_sets(tmp_path, concurrency=1) as cup:
        guests = guests_of(cup)
        guests["a", "turn2"].open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        assert [path.stem for path in (tmp_path / "secrets").iterdir()] == [cup.opened[0].epoch]
        guests["a", "turn2"].open.set()
        await running
        assert list((tmp_path / "secrets").iterdir()) == []


@pytest.mark.parametrize("voided", [0, 1])
async def test_a_void_turn_has_its_whole_set_played_again_with_other_deals(
    tmp_path: Path, voided: int, in_sets: str
) -> None:
    async with cup_of_sets(tmp_path, text=in_sets) as cup:
        guests = guests_of(cup)
        lost = ("a", f"turn{voided + 1}")
        guests[lost].open.clear()
        running = asyncio.create_task(cup.run())
        await cup.until(lambda: len(list(cup.store.results())) == 1)  # the other turn of the first set
        cup.lose_host(*lost)
        guests[lost].open.set()
        await running
        first = set_of(cup.opened[0].match_id)
        of_set = [setup for setup in cup.opened if set_of(setup.match_id) == first]
        assert {setup.epoch for setup in of_set} == {f"{first}.1", f"{first}.2"}
        assert len(of_set) == 4
        assert {
            (issued.match_id, issued.attempt)
            for issued, _ in cup.store.results()
            if set_of(issued.match_id) == first
        } == {(f"{first}~1", 2), (f"{first}~2", 2)}
        assert all(len(set(epochs)) == len(epochs) for epochs in seen_by(cup, cup.opened).values())
        assert [len(of_set) for of_set in decks_of(cup).values()] == [1, 1]
        (taken_back,) = cup.store.adjudications()
        assert (taken_back.who, taken_back.match_id) == ("the referee", f"{first}~{2 - voided}")


@pytest.mark.parametrize("form", ['"knockout"', '"double_knockout"', '"swiss"\nrounds = 2'])
async def test_what_follows_from_sets_waits_for_one_that_is_played_again(
    tmp_path: Path, form: str, in_sets: str
) -> None:
    text = in_sets.replace("rounds = 2", f"format = {form}")
    async with cup_of_sets(tmp_path, names="abc", text=text) as cup:
        guests = guests_of(cup)
        first, *_ = (issued.entries[0] for issued in cup.store.to_do())
        guests[first, "turn2"].open.clear()
        running = asyncio.create_task(cup.run())
        async with asyncio.timeout(ALONE):
            while not cup.store.has_results():  # the first turn of the first round, of which nothing is told
                await cup.passes()
        cup.lose_host(first, "turn2")
        guests[first, "turn2"].open.set()
        await running
        of_set = set_of(cup.opened[0].match_id)
        first_round = [setup for setup in cup.opened if set_of(setup.match_id) == of_set]
        assert cup.opened[: len(first_round)] == first_round  # nothing else began before it was over
        assert [setup.attempt for setup in first_round] == [1, 1, 2, 2]
        assert all(len(set(epochs)) == len(epochs) for epochs in seen_by(cup, cup.opened).values())
        assert {len(of_set) for of_set in decks_of(cup).values()} == {1}
        assert not list(schedule.next(cup.plan, cup.store.issued(), cup.store.ranks()))
        assert len(cup.store.ranks()) >= 2


async def test_a_turn_that_was_not_begun_gets_other_deals_as_well(tmp_path: Path) -> None:
    async with cup_of_sets(tmp_path, concurrency=1) as cup:
        guests = guests_of(cup)
        guests["a", "turn1"].open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(1)
        cup.lose_host("a", "turn1")
        guests["a", "turn1"].open.set()
        await running
        first = set_of(cup.opened[0].match_id)
        assert {setup.epoch for setup in cup.opened[1:] if setup.epoch.startswith(first)} == {f"{first}.2"}
        assert len(cup.opened) == 5
        assert [len(of_set) for of_set in decks_of(cup).values()] == [1, 1]


@pytest.mark.parametrize("begun", [1, 2])
async def test_a_set_that_was_broken_off_between_its_turns_goes_on_with_its_deals(
    tmp_path: Path, begun: int, in_sets: str
) -> None:
    async with cup_of_sets(tmp_path, concurrency=1, text=in_sets) as cup:
        for name in "ab":
            cup.guest(name, instance="turn1")
        if begun == 2:
            for name in "ab":
                cup.guest(name, instance="turn2").open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        if begun == 1:  # the second one is the first turn of another set: its bots are here
            assert cup.opened[1].epoch != cup.opened[0].epoch
        running.cancel()
    async with cup_of_sets(tmp_path, concurrency=1, text=in_sets) as cup:
        guests_of(cup)
        await cup.run()
        assert [len(of_set) for of_set in decks_of(cup).values()] == [1, 1]
        assert {issued.attempt for issued, _ in cup.store.results()} == {1}
        assert len(list(cup.store.results())) == 4


async def test_a_withdrawn_turn_has_its_set_played_again(tmp_path: Path, in_sets: str) -> None:
    async with cup_of_sets(tmp_path, text=in_sets) as cup:
        guests_of(cup)
        await cup.run()
        first = next(issued for issued, _ in cup.store.results())
        cup.store.take_back([first], "olga", "it was not well")
    async with cup_of_sets(tmp_path, text=in_sets) as cup:
        guests_of(cup)
        await cup.run()
        assert {setup.epoch for setup in cup.opened} == {f"{set_of(first.match_id)}.2"}
        assert len(cup.opened) == 2
        assert sorted(issued.attempt for issued, _ in cup.store.results()) == [1, 1, 2, 2]
        assert all(
            result.outcome.termination is Termination.COMPLETED for _issued, result in cup.store.results()
        )


async def test_a_turn_that_ends_while_another_is_void_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with cup_of_sets(tmp_path) as cup:
        guests = guests_of(cup)
        take = cup.runner._take

        async def late(match: Any, report: FinishedMatch) -> None:
            if not report.outcome.ranks and guests["a", "turn2"].seats == 1:
                guests["a", "turn2"].open.set()
                others = [each.over for each in cup.runner.playing if each is not match]
                await asyncio.wait(others, timeout=ALONE)  # they are over before this one is taken
            await take(match, report)

        monkeypatch.setattr(cup.runner, "_take", late)
        for turn in ("turn1", "turn2"):
            guests["a", turn].open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        cup.lose_host("a", "turn1")
        guests["a", "turn1"].open.set()
        await running
        first = set_of(cup.opened[0].match_id)
        attempts = {issued.match_id: issued.attempt for issued, _ in cup.store.results()}
        assert (attempts[f"{first}~1"], attempts[f"{first}~2"]) == (2, 2)
        assert [len(of_set) for of_set in decks_of(cup).values()] == [1, 1]
        told = [report.setup.attempt for report in cup.reports if report.outcome.ranks]
        assert len(told) == 4  # the withdrawn result is told to nobody


async def test_what_an_earlier_run_left_is_told_when_its_set_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with cup_of_sets(tmp_path, concurrency=1) as cup:
        guests_of(cup)
        ended = asyncio.Event()

        async def never(_match: Any, _report: FinishedMatch) -> None:
            ended.set()
            await asyncio.Event().wait()

        monkeypatch.setattr(cup.runner, "_take", never)
        running = asyncio.create_task(cup.run())
        async with asyncio.timeout(ALONE):
            await ended.wait()
        running.cancel()
    async with cup_of_sets(tmp_path, concurrency=1) as cup:
        assert len(cup.host.recovered) == 1
        cup.begin_again()
        assert cup.reports == []


async def test_no_turn_begins_anew_while_another_one_is_in_play_with_deals_that_will_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with cup_of_sets(tmp_path, concurrency=3) as cup:
        guests = guests_of(cup)
        for turn in ("turn1", "turn2"):
            guests["a", turn].open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(3)
        first = set_of(cup.opened[0].match_id)
        cancel = cup.host.referee.cancel

        def slowly(match_id: str) -> bool:  # the record of the first set takes long
            return set_of(match_id) == first or cancel(match_id)

        monkeypatch.setattr(cup.host.referee, "cancel", slowly)
        cup.lose_host("a", "turn1")
        guests["a", "turn1"].open.set()
        await cup.until(lambda: len(cup.opened) >= 5)  # the other set is dealt anew, and there is room
        for _ in range(10):
            await cup.passes()
        assert f"{first}.2" not in {setup.epoch for setup in cup.opened}
        guests["a", "turn2"].open.set()
        await running
        assert sorted(setup.epoch for setup in cup.opened if set_of(setup.match_id) == first) == [
            *[f"{first}.1"] * 2,
            *[f"{first}.2"] * 2,
        ]
