"""What language models did, with costs and budgets."""

from dataclasses import replace
from typing import Any

import pytest

from tests.sample_report import plan
from tournaments.plan.models import Budget, Models, ModelUse, Prices
from tournaments.usage import table
from tournaments.usage.account import Account
from tournaments.usage.records import Accounts

ANN = Account(matches=1, tokens_in=80_000, tokens_out=20_000)
BEN = Account(matches=1, cost=0.25)
USE = ModelUse(model="m", base_url="http://h", prices=Prices(1.0, 2.0), budget=Budget(tokens=90_000))
PLAN = replace(plan(["ann", "ben"]), models=Models(uses={"ann": USE}, budget=Budget(cost=1.0)))


@pytest.mark.parametrize(
    ("found", "made"),
    [
        (None, None),
        (
            Accounts({"gone": Account(), "ben": BEN, "ann": ANN}, missing=2),
            table.ModelTable(
                {"ann": ANN, "ben": BEN, "gone": Account()},
                {"ann": 0.12, "ben": 0.25},
                (
                    "ann has used 100,000 tokens of max_tokens = 90,000: no more matches begin",
                    "all models have used 0.12 of max_cost = 1",
                ),
                2,
            ),
        ),
    ],
)
def test_accounts_in_the_order_of_the_file(monkeypatch: pytest.MonkeyPatch, found: Any, made: Any) -> None:
    monkeypatch.setattr(table, "told", lambda _plan, _store: found)
    told: Any = table.model_table(PLAN, None)  # type: ignore[arg-type]
    assert told == made
    assert told is None or list(told.accounts) == list(made.accounts)
