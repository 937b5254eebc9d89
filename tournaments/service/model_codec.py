"""What language models did, as messages, and back."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Final

from fairdeal.v1 import tournament_service_pb2 as pb
from referee.core.steps import Steps
from tournaments.service.par_codec import EncodedTable
from tournaments.usage.account import Account
from tournaments.usage.table import ModelTable

_OF_ACCOUNT: Final = tuple(field.name for field in fields(Account) if field.name != "cost")


def encoding(table: ModelTable | None) -> Steps[EncodedTable]:
    """Return a table, each line a step."""
    if table is None:
        return EncodedTable(b"", [])
    lines: list[bytes] = []
    for name, account in table.accounts.items():
        yield None
        counts = {of: getattr(account, of) for of in _OF_ACCOUNT}
        line = pb.ModelLine(entry=name, cost=table.costs.get(name), **counts)
        lines.append(pb.ListModelsResponse(lines=[line]).SerializeToString())
    models = pb.Models(budgets=table.budgets, missing_records=table.missing)
    return EncodedTable(pb.ListModelsResponse(models=models).SerializeToString(), lines)


def table_of(models: pb.Models, lines: Sequence[pb.ModelLine]) -> ModelTable:
    """Return the table in answers."""
    return ModelTable(
        accounts={line.entry: _account(line) for line in lines},
        costs={line.entry: line.cost for line in lines if line.HasField("cost")},
        budgets=tuple(models.budgets),
        missing=models.missing_records,
    )


def _account(line: pb.ModelLine) -> Account:
    return Account(cost=line.cost, **{of: getattr(line, of) for of in _OF_ACCOUNT})
