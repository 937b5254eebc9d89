"""The accounts of a tournament's language models, read from its records."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from referee.storage import record
from referee.storage.record import RecordError
from tournaments.plan.plan import Plan
from tournaments.store import Store
from tournaments.store.told import as_told
from tournaments.usage.account import Account, accounts_of


@dataclass(slots=True)
class Accounts:
    """The accounts by entry, of all attempts, also void ones, which were paid for; ``missing`` records."""

    of_entry: dict[str, Account] = field(default_factory=dict)
    missing: int = 0

    def add(self, path: Path) -> None:
        """Add what the record of a match says."""
        try:
            read = record.read(path)
        except RecordError:
            self.missing += 1
            return
        entries = map(str, read.header.get("entries", ()))
        for name, account in accounts_of(entries, read.lines).items():
            self.of_entry.setdefault(name, Account())
            self.of_entry[name] += account


def told(plan: Plan, store: Store) -> Accounts | None:
    """Return the accounts of the matches that may be told, None where the file names no language model.

    Raises:
        StoreError: the store cannot be read.
    """
    if not plan.models.are_reported:
        return None
    found = Accounts()
    for path in _paths(plan, as_told(plan, store.attempts())):
        found.add(path)
    return found


def used(plan: Plan, store: Store) -> Accounts:
    """Return the accounts of all attempts that are over, by which budgets are kept.

    Raises:
        StoreError: the store cannot be read.
    """
    found = Accounts()
    for path in _paths(plan, store.attempts()):
        found.add(path)
    return found


def _paths(plan: Plan, attempts: Iterable[object]) -> Iterable[Path]:
    for each in attempts:
        result = getattr(each, "result", None)
        if result is not None and result.record:
            yield plan.folder / result.record
