"""What the language models of tournaments did, for those who ask."""

from referee.server.slices import Slices
from tournaments.plan.plan import Plan
from tournaments.service.manager import Manager
from tournaments.service.model_codec import encoding
from tournaments.service.models_beside import model_table_beside
from tournaments.service.told_tables import ToldTables
from tournaments.usage.table import ModelTable


def model_tables(manager: Manager, slices: Slices) -> ToldTables[ModelTable]:
    """Return what makes the tables."""
    return ToldTables(
        manager,
        slices,
        _made,
        encoding,
        broken="what the models did cannot be read now; the server's log says why",
        failed="the records of tournament %s are not read: the process for that has failed",
    )


async def _made(plan: Plan) -> ModelTable | None:
    return await model_table_beside(plan)
