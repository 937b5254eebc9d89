"""Rounds that share their decks: who meets them, when results are told, and what is played again."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from referee.match.effects import MatchSetup, Owner
from tests.tournaments.cup import TEXT, Cup, HeldBot
from tournaments import schedule
from tournaments.plan.instances import instances, owners
from tournaments.plan.plan import Plan
from tournaments.running.open_sets import epochs_to_play
from tournaments.schedule import Pairing
from tournaments.schedule.duplicates import set_of, turn_of
from tournaments.standings import Live
from tournaments.store import Store, StoreLost

pytestmark = pytest.mark.asyncio

SHARED = TEXT.replace("deals = 1", "deals = 1, duplicate = true, shared_decks = true")


def cup_of(folder: Path, *, concurrency: int = 2) -> Cup:
    text = SHARED.replace("concurrency = 2", f"concurrency = {concurrency}")
    return Cup(folder, "abc", text=text, has_secrets=True)


def guests_of(cup: Cup) -> dict[Owner, HeldBot]:
    return {
        (name, instance): cup.guest(name, instance=instance)
        for name in "abc"
        for instance in instances(cup.plan, name)
    }


def met(cup: Cup) -> Counter[tuple[Owner, str]]:
    """Count how often each bot was seated with each deck."""
    return Counter(
        (owner, setup.epoch)
        for setup in cup.opened
        for owner in owners(cup.plan, setup.entries, turn_of(setup.match_id))
    )


def told(cup: Cup) -> list[MatchSetup]:
    return [report.setup for report in cup.reports if report.outcome.ranks]


async def test_a_round_has_one_deck_that_no_bot_meets_twice(tmp_path: Path) -> None:
    async with cup_of(tmp_path) as cup:
        guests = guests_of(cup)
        await cup.run()
        epochs = Counter(setup.epoch for setup in cup.opened)
        assert epochs == {"two_handed_spades-1.1": 6, "two_handed_spades-2.1": 6}
        assert set(met(cup).values()) == {1}
        assert {guest.seats for guest in guests.values()} == {2}, "one match a round"
        assert {secret for guest in guests.values() for secret in guest.secrets} == {b""}
        assert len(told(cup)) == 12
        assert list((tmp_path / "secrets").iterdir()) == []


async def test_nothing_is_told_before_all_with_the_deck_are_over(tmp_path: Path) -> None:
    async with cup_of(tmp_path, concurrency=1) as cup:
        last = cup.store.to_do()[5]
        held = owners(cup.plan, last.entries, turn_of(last.match_id))[0]
        guests = guests_of(cup)
        guests[held].open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(6)
        assert len(list(cup.store.results())) == 5
        assert cup.reports == []
        assert sum(each.matches for each in Live(cup.store, cup.plan).report().standings) == 0
        assert [path.stem for path in (tmp_path / "secrets").iterdir()] == ["two_handed_spades-1.1"]
        guests[held].open.set()
        await running
        assert len(told(cup)) == 12
        assert sum(each.matches for each in Live(cup.store, cup.plan).report().standings) == 12


async def test_nothing_is_told_of_a_round_that_is_half_issued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = schedule.next

    def first_four(plan: Plan, issued: Set[str], *known: Any) -> Iterator[Pairing]:
        return islice(whole(plan, issued, *known), 4 - len(issued))

    monkeypatch.setattr(schedule, "next", first_four)
    async with cup_of(tmp_path) as cup:
        guests_of(cup)
        await cup.run()
        assert len(list(cup.store.results())) == 4
        assert cup.reports == []
        assert [path.stem for path in (tmp_path / "secrets").iterdir()] == ["two_handed_spades-1.1"]


async def test_what_may_be_told_is_known_without_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with cup_of(tmp_path, concurrency=1) as cup:
        owner = owners(cup.plan, cup.store.to_do()[0].entries, 0)[0]
        guests = guests_of(cup)
        guests[owner].open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(1)

        def lost() -> int:
            raise StoreLost("nobody answers")

        monkeypatch.setattr(cup.store, "issued_count", lost)
        guests[owner].open.set()
        await running
        assert len(told(cup)) == 12


async def test_a_set_that_is_played_again_has_a_deck_of_its_own(tmp_path: Path) -> None:
    async with cup_of(tmp_path, concurrency=1) as cup:
        guests = guests_of(cup)
        first = cup.store.to_do()[0]
        owner = owners(cup.plan, first.entries, 0)[0]
        guests[owner].open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(1)
        cup.lose_host(*owner)
        guests[owner].open.set()
        await running
        again = f"{set_of(first.match_id)}.2"
        assert Counter(setup.epoch for setup in cup.opened) == {
            "two_handed_spades-1.1": 5,
            "two_handed_spades-2.1": 6,
            again: 2,
        }
        assert set(met(cup).values()) == {1}
        assert len(told(cup)) == 12
        assert sum(each.matches for each in Live(cup.store, cup.plan).report().standings) == 12
        assert list((tmp_path / "secrets").iterdir()) == []


async def test_a_round_that_was_broken_off_goes_on_with_its_deck(tmp_path: Path) -> None:
    async with cup_of(tmp_path, concurrency=1) as cup:
        guests = guests_of(cup)
        third = cup.store.to_do()[2]
        guests[owners(cup.plan, third.entries, 0)[0]].open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(3)
        running.cancel()
        (secret,) = (path.read_bytes() for path in (tmp_path / "secrets").iterdir())
    async with cup_of(tmp_path, concurrency=1) as cup:
        assert (tmp_path / "secrets" / "two_handed_spades-1.1.secret").read_bytes() == secret
        guests_of(cup)
        await cup.run()
        assert {issued.attempt for issued, _ in cup.store.results()} == {1}
        assert len(list(cup.store.results())) == 12


async def test_the_key_of_a_round_that_is_half_issued_is_kept(tmp_path: Path) -> None:
    async with cup_of(tmp_path) as cup:
        plan = cup.plan
    with Store.open(replace(plan, folder=tmp_path / "other")) as store:
        store.issue(islice(schedule.next(plan, set(), {}), 8))
        for issued in store.to_do():
            store.skip(issued)
        assert epochs_to_play(plan, store) == {"two_handed_spades-2.1"}
