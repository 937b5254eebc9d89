"""The process that reads what the language models of a tournament that is served did, from its records."""

import pickle
import sys
from typing import Final

from tournaments.plan.plan import Plan
from tournaments.standings import beside
from tournaments.usage.table import ModelTable, model_table

_PROGRAM: Final = "tournaments.service.models_beside"


async def model_table_beside(plan: Plan) -> ModelTable | None:
    """Return the table of all that may be told, made in a process of its own; None where there are no models.

    Raises:
        beside.Failed, OSError: the process failed; what it knows of that is on standard error.
    """
    if not plan.models.are_reported:
        return None
    table: ModelTable = pickle.loads(await beside.answer(_PROGRAM, plan))
    return table


if __name__ == "__main__":
    sys.exit(beside.answer_of_store(model_table))
