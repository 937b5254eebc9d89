"""What the language models of a tournament may still use, counted by the records of all their attempts."""

from collections.abc import Collection, Iterator
from pathlib import Path

from tournaments.plan.models import Budget
from tournaments.plan.plan import Plan
from tournaments.running.errors import RunFailed
from tournaments.store import Store
from tournaments.usage.account import Account
from tournaments.usage.records import Accounts, used
from tournaments.usage.spending import spending


class BudgetUsed(RunFailed):
    """What is left to play needs a language model whose budget is used up."""


class ModelBudgets:
    """Counts what hosted language models use, and says whose matches must not begin any more."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._accounts = Accounts()
        self._used_up: dict[str, str] = {}

    @property
    def are_kept(self) -> bool:
        """Return whether there is a budget at all, for which records have to be read."""
        models = self._plan.models
        return any(
            each != Budget() for each in (models.budget, *(use.budget for use in models.uses.values()))
        )

    def restore(self, store: Store) -> None:
        """Count what earlier runs used.

        Raises:
            StoreError: the store cannot be read.
        """
        if self.are_kept:
            self._accounts = used(self._plan, store)
            self._look()

    def add(self, record: Path) -> None:
        """Count what was used in a match that is over; it reads the record."""
        if self.are_kept:
            self._accounts.add(record)
            self._look()

    def forbid(self, entries: Collection[str]) -> bool:
        """Return whether a match of these entries must not begin."""
        return not self._used_up.keys().isdisjoint(entries)

    def error(self) -> BudgetUsed:
        """Return the error that ends a run in which nothing else is left to play."""
        told = "; ".join(dict.fromkeys(self._used_up.values()))
        return BudgetUsed(f"{told}: no more matches begin; what is played counts, and a higher limit goes on")

    def _look(self) -> None:
        self._used_up = dict(used_up(self._plan, self._accounts.of_entry))


def used_up(plan: Plan, accounts: dict[str, Account]) -> Iterator[tuple[str, str]]:
    """Yield each entry whose matches do not begin any more, and why."""
    for each in spending(plan, accounts):
        for entry in each.entries if each.is_used_up else ():
            yield entry, each.text
