"""The tables with the luck of the deal taken out, for those who ask."""

import logging
from typing import Final

from referee.server.slices import Slices
from tournaments.par.served import par_table_beside
from tournaments.par.table import ParTable
from tournaments.plan.plan import Plan
from tournaments.service.manager import Manager
from tournaments.service.par_codec import encoding
from tournaments.service.told_tables import ToldTables

_log: Final = logging.getLogger(__name__)


def pars(manager: Manager, slices: Slices) -> ToldTables[ParTable]:
    """Return what makes the tables."""
    return ToldTables(
        manager,
        slices,
        _made,
        encoding,
        is_whole=lambda table: table is None or not table.missing,
        broken="the pars cannot be computed now; the server's log says why",
        failed="the pars of tournament %s are not computed: the process for that has failed",
    )


async def _made(plan: Plan) -> ParTable | None:
    table = await par_table_beside(plan)
    if table and table.problem:
        _log.warning("tournament %s: %d without a par: %s", plan.name, table.without_par, table.problem)
    return table
