"""Budgets of language models: once one is used up no more matches of its entry begin."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from tests.tournaments.cup import TEXT, Cup
from tournaments.plan.models import Budget, Models, ModelUse, Prices
from tournaments.running.budgets import BudgetUsed

pytestmark = pytest.mark.asyncio
NOTE: Final = b'{"attempts":1,"tokens_in":100,"tokens_out":10}'
DECISIONS: Final = 27  # in a deal of two-handed spades


class ModelCup(Cup):
    """A cup in which a and b are models."""

    def __init__(self, folder: Path, names: str, text: str = TEXT, **models: Any) -> None:
        super().__init__(folder, names, text=text)
        use = ModelUse(model="m", base_url="http://h", prices=Prices(1, 1))
        budgets = {name: models.pop(name, Budget()) for name in "ab"}
        uses = {name: replace(use, budget=budget) for name, budget in budgets.items()}
        self.plan = replace(self.plan, models=Models(uses=uses, **models))

    def come(self, names: str) -> None:
        for name in names:
            self.guest(name).note = NOTE if name in "ab" else b""

    def played(self) -> list[tuple[str, ...]]:
        return [issued.entries for issued, _result in self.store.results()]


async def test_whose_budget_is_used_up_begins_no_more_and_the_others_play_on(tmp_path: Path) -> None:
    async with ModelCup(tmp_path, "acd", a=Budget(tokens=110 * DECISIONS)) as cup:
        cup.plan = replace(cup.plan, concurrency=1)
        cup.come("acd")
        with pytest.raises(BudgetUsed, match=r"^a has used 2,970 tokens of max_tokens = 2,970: no more"):
            await cup.run()
        assert sorted("a" in entries for entries in cup.played()) == [False, False, True]


async def test_the_next_run_counts_what_the_last_one_used(tmp_path: Path) -> None:
    for _run in range(2):
        async with ModelCup(tmp_path, "ac", a=Budget(tokens=1)) as cup:
            cup.plan = replace(cup.plan, concurrency=1)
            cup.come("ac")
            with pytest.raises(BudgetUsed):
                await cup.run()
            assert len(cup.played()) == 1
    async with ModelCup(tmp_path, "ac", a=Budget(tokens=10**6)) as cup:  # and a higher one goes on
        cup.come("ac")
        await cup.run()
        assert len(cup.played()) == 2


async def test_a_budget_of_all_is_that_of_all_together(tmp_path: Path) -> None:
    async with ModelCup(tmp_path, "abc", budget=Budget(cost=3 * 110 * DECISIONS / 1e6)) as cup:
        cup.plan = replace(cup.plan, concurrency=1)
        cup.come("abc")
        with pytest.raises(BudgetUsed, match=r"^all models have used 0\.0119 of max_cost = 0\.0089:"):
            await cup.run()


async def test_what_is_played_is_finished(tmp_path: Path) -> None:
    async with ModelCup(tmp_path, "ac", a=Budget(tokens=1)) as cup:  # two at once
        cup.come("ac")
        await cup.run()
        assert len(cup.played()) == 2


async def test_without_a_budget_no_record_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_path: Path) -> None:
        raise AssertionError("it was read")

    monkeypatch.setattr("referee.storage.record.read", read)
    async with ModelCup(tmp_path, "ac") as cup:
        cup.come("ac")
        await cup.run()
        assert len(cup.played()) == 2


async def test_a_set_that_has_begun_is_played_to_its_end(tmp_path: Path) -> None:
    text = TEXT.replace("deals = 1", "deals = 1, duplicate = true").replace(
        "concurrency = 2", "concurrency = 1"
    )
    async with ModelCup(tmp_path, "ac", text=text, a=Budget(tokens=1)) as cup:
        for name in "ac":
            for turn in (1, 2):
                cup.guest(name, instance=f"turn{turn}").note = NOTE
        with pytest.raises(BudgetUsed):
            await cup.run()
        assert len(cup.played()) == 2
        assert len(cup.store.to_do()) == 2
