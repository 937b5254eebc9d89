"""The process that folds many results into a checkpoint: here it would hold up the loop of a referee."""

import logging
import sys
from typing import Final

from tournaments.plan.plan import Plan
from tournaments.standings import beside
from tournaments.standings.live import Live
from tournaments.store import Store, StoreError

_PROGRAM: Final = "tournaments.standings.catching_up"
_FAILED: Final = "results are folded by the referee itself: the process for that has failed"
_log: Final = logging.getLogger(__name__)


async def catch_up(plan: Plan) -> None:
    """Let a process of its own fold all results of a store, and keep a checkpoint there.

    A failure is logged: then the next report folds what the last checkpoint lacks.
    """
    try:
        await beside.answer(_PROGRAM, plan)
    except OSError as error:
        _log.warning("%s (%s)", _FAILED, error.strerror)
    except beside.Failed:
        _log.warning(_FAILED)


def main() -> str | None:
    """Fold the results of the plan on standard input, and return what is wrong."""
    plan = beside.asked()
    try:
        with Store.read(plan) as store:
            Live(store, plan).folded()
    except StoreError as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main())
