"""The table with the luck of the deal taken out, with its progress."""

from contextlib import nullcontext

from rich.console import Console

from tournaments.cli.failure import Failure
from tournaments.cli.interrupt import interruptible
from tournaments.folder_lock import is_owned
from tournaments.hosting import cpu_use
from tournaments.par.table import ParTable, par_table
from tournaments.plan.plan import Plan
from tournaments.store import Store


def luck_taken_out(plan: Plan, store: Store) -> ParTable | None:
    """Return the par table of a tournament, None where its file has no [par].

    Pars that are not known yet are computed, which a terminal is told; after Ctrl-C the next command goes on.

    Raises:
        StoreError: the store cannot be read.
        Failure: a process that computes pars was ended.
    """
    if plan.par is None:
        return None
    from tournaments.par.play import ParError  # only now: the house bots take a while to load

    # while it is played the bots need the processors
    workers = max(1, cpu_use.COUNT // 2) if is_owned(plan.folder) else cpu_use.COUNT
    console = Console(stderr=True)
    try:
        with interruptible(), console.status("par") if console.is_terminal else nullcontext() as status:

            def tell(done: int, total: int) -> None:
                if status:
                    status.update(f"par: {done} of {total} decks")

            return par_table(plan, store, tell, workers=workers)
    except ParError as error:
        raise Failure(f"fairdeal: {error}") from None
