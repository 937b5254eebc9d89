"""What the language models of a tournament did, as it is told beside the standings."""

from collections.abc import Mapping
from dataclasses import dataclass

from tournaments.plan.plan import Plan
from tournaments.store import Store
from tournaments.usage.account import Account
from tournaments.usage.records import told
from tournaments.usage.spending import spending


@dataclass(frozen=True, slots=True)
class ModelTable:
    """The accounts of all models by entry, what each cost where that is known, and the budgets in words.

    ``missing`` records are not there, and not counted.
    """

    accounts: Mapping[str, Account]
    costs: Mapping[str, float]
    budgets: tuple[str, ...] = ()
    missing: int = 0


def model_table(plan: Plan, store: Store) -> ModelTable | None:
    """Return the table of the matches that may be told, None where the file names no language model.

    Raises:
        StoreError: the store cannot be read.
    """
    found = told(plan, store)
    if found is None:
        return None
    order = {entry.name: number for number, entry in enumerate(plan.entries)}
    accounts = dict(sorted(found.of_entry.items(), key=lambda item: order.get(item[0], len(order))))
    uses = plan.models.uses
    costs = {
        name: cost
        for name, account in accounts.items()
        if (cost := account.cost_by(uses[name].prices if name in uses else None)) is not None
    }
    budgets = tuple(
        f"{each.text}{': no more matches begin' if each.is_used_up else ''}"
        for each in spending(plan, accounts)
    )
    return ModelTable(accounts, costs, budgets, found.missing)
