"""What budgets of language models there are, and how much of each is used."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tournaments.plan.models import Budget, Models, money
from tournaments.plan.plan import Plan
from tournaments.usage.account import Account


@dataclass(frozen=True, slots=True)
class Spending:
    """One budget: whose matches it is for, how much of it is used, and that in words."""

    entries: tuple[str, ...]
    used: float
    limit: float
    text: str

    @property
    def is_used_up(self) -> bool:
        """Return whether no more matches begin."""
        return self.used >= self.limit


def spending(plan: Plan, accounts: Mapping[str, Account]) -> Iterator[Spending]:
    """Yield each budget of a tournament, those of entries first."""
    uses = plan.models.uses
    for name, use in uses.items():
        yield from _of(use.budget, f"{name} has", (name,), plan.models, accounts)
    yield from _of(plan.models.budget, "all models have", tuple(uses), plan.models, accounts)


def _of(
    budget: Budget, who: str, names: tuple[str, ...], models: Models, accounts: Mapping[str, Account]
) -> Iterator[Spending]:
    found = [(models.uses[name], accounts.get(name, Account())) for name in names]
    if budget.tokens is not None:
        tokens = sum(account.tokens for _use, account in found)
        text = f"{who} used {tokens:,} tokens of max_tokens = {budget.tokens:,}"
        yield Spending(names, tokens, budget.tokens, text)
    if budget.cost is not None:
        cost = sum(account.cost_by(use.prices) or 0.0 for use, account in found)
        yield Spending(
            names, cost, budget.cost, f"{who} used {money(cost)} of max_cost = {money(budget.cost)}"
        )
