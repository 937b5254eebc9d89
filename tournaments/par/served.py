"""The process that makes the table of pars of a tournament that is served, some pars at a time."""

import pickle
import sys
from typing import Final

from tournaments.par.table import ParTable, par_table
from tournaments.plan.plan import Plan
from tournaments.standings import beside
from tournaments.store import Store

_PROGRAM: Final = "tournaments.par.served"
_DEALS: Final = 400  # whose pars are computed at once, in some seconds
_OF_A_GAME: Final = 10  # deals, roughly


async def par_table_beside(plan: Plan) -> ParTable | None:
    """Return the table of all that is stored, made in a process of its own; None where there is no par.

    It computes the pars of some 400 deals: the others are `ParTable.missing`, and the next call goes on.

    Raises:
        beside.Failed, OSError: the process failed; what it knows of that is on standard error.
    """
    if plan.par is None:
        return None
    table: ParTable = pickle.loads(await beside.answer(_PROGRAM, plan))
    return table


def _part(plan: Plan, store: Store) -> ParTable | None:
    return par_table(plan, store, most=max(1, _DEALS // (plan.deals or _OF_A_GAME)))


if __name__ == "__main__":
    sys.exit(beside.answer_of_store(_part))
