"""A site that is kept up to date while its tournament is played, by this process or by another one."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from tournaments.plan.plan import Plan
from tournaments.plan.states import OVER
from tournaments.site.gather import site_now
from tournaments.site.writer import SiteWriter, Written
from tournaments.store import NothingStored, Store, StoreLost
from tournaments.worker_pool import worker_pool

LEAST_PAUSE: Final = 5.0  # seconds between two updates
REST: Final = 3.0  # times as long as the last update took: the bots need the processors
_NICENESS: Final = 10


def follow(
    plan: Plan,
    folder: Path,
    *,
    on_update: Callable[[Written], None] = lambda written: None,
    pause: Callable[[float], None] = time.sleep,
    now: Callable[[], float] = time.monotonic,
) -> None:
    """Bring a site up to date again and again, until its tournament is over.

    Raises:
        SiteError: the folder holds something else, or cannot be written to.
        StoreError: the store cannot be read.
    """
    writer = SiteWriter(plan, folder)
    while True:
        began = now()
        try:
            with Store.read(plan) as store:
                is_over = store.state in OVER  # before what is read
                on_update(writer.update(store, partial(site_now, plan, store)))
        except (NothingStored, StoreLost):  # it is about to begin; the next update tells more
            is_over = False
        if is_over:
            return
        pause(max(LEAST_PAUSE, REST * (now() - began)))


@contextmanager
def following(plan: Plan, folder: Path) -> Iterator[Future[None]]:
    """Have a process follow a tournament; it ends with the context, also in the middle of an update."""
    with worker_pool(1, niceness=_NICENESS) as pool:
        # a read-only mapping cannot be sent to another process
        yield pool.submit(follow, replace(plan, options=dict(plan.options)), folder)
