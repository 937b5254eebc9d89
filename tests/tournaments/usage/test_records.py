"""The accounts of models, from the records of a tournament."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tests.tournaments.cup import TEXT, Cup
from tournaments.plan.models import Models
from tournaments.service.models_beside import model_table_beside
from tournaments.usage.account import Account
from tournaments.usage.records import told, used
from tournaments.usage.table import model_table

pytestmark = pytest.mark.asyncio
NOTE: Final = b'{"attempts":1,"tokens_in":100,"tokens_out":10}'
DECISIONS: Final = 27  # in a deal of two-handed spades
MATCH: Final = Account(
    matches=1,
    asked=DECISIONS,
    first=DECISIONS,
    calls=DECISIONS,
    tokens_in=100 * DECISIONS,
    tokens_out=10 * DECISIONS,
)


async def test_who_notes_like_a_model_has_an_account(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        cup.guest("a").note = NOTE
        cup.guest("b")
        await cup.run()
        assert told(cup.plan, cup.store) is None  # the file speaks of no models
        cup.plan = replace(cup.plan, models=Models(are_reported=True))
        found = told(cup.plan, cup.store)
        assert found
        assert found.of_entry.keys() == {"a"}
        assert (found.of_entry["a"].matches, found.of_entry["a"].asked) == (2, 2 * DECISIONS)
        for record in (cup.plan.folder / "records").rglob("*.gz"):
            record.unlink()
        gone = told(cup.plan, cup.store)
        assert gone
        assert (gone.of_entry, gone.missing) == ({}, 2)


async def test_nothing_is_told_of_a_deck_that_is_still_to_be_played(tmp_path: Path) -> None:
    text = TEXT.replace("deals = 1", "deals = 1, duplicate = true").replace("rounds = 2", "rounds = 1")
    async with Cup(tmp_path, "ab", text=text) as cup:
        cup.plan = replace(cup.plan, models=Models(are_reported=True))
        guests = [cup.guest(name, instance=f"turn{turn}") for turn in (1, 2) for name in "ab"]
        for guest in guests:
            guest.note = NOTE
        guests[-1].open.clear()  # the second turn waits
        running = asyncio.create_task(cup.run())
        while not any(result for _issued, result in cup.store.matches()):  # noqa: ASYNC110 - it is told of later
            await asyncio.sleep(0)
        assert used(cup.plan, cup.store).of_entry == {"a": MATCH, "b": MATCH}
        before = told(cup.plan, cup.store)
        assert before
        assert before.of_entry == {}
        guests[-1].open.set()
        await running
        after = told(cup.plan, cup.store)
        assert after
        assert after.of_entry["a"].matches == 2


@pytest.mark.process
async def test_a_process_reads_the_same_for_a_server(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:
        cup.guest("a").note = NOTE
        cup.guest("b")
        await cup.run()
        assert await model_table_beside(cup.plan) is None
        plan = replace(cup.plan, models=Models(are_reported=True))
        made = await model_table_beside(plan)
        assert made
        assert made == model_table(plan, cup.store)
        assert made.accounts.keys() == {"a"}
