"""The process that makes the table of pars of a tournament that is served, some pars at a time."""

import pickle
import sys
from typing import Final

from tournaments.par.table import ParTable, par_table
from tournaments.plan.plan import Plan
from tournaments.standings import beside
from tournaments.store import Store, StoreError

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


def main() -> str | None:
    """Write the table of the plan on standard input, and return what is wrong."""
    plan = beside.asked_once()
    try:
        with Store.read(plan) as store:
            table = par_table(plan, store, most=max(1, _DEALS // (plan.deals or _OF_A_GAME)))
    except StoreError as error:
        return str(error)
    sys.stdout.buffer.write(pickle.dumps(table))
    return None


if __name__ == "__main__":
    sys.exit(main())
