"""Conducts a tournament from start to end: folder, store, referee, bots, matches."""

import asyncio
from collections.abc import Callable

from referee.vault import KeySource, SeededKeys, Vault
from tournaments import schedule
from tournaments.folder import owned
from tournaments.plan import Plan
from tournaments.runner import Progress, Runner
from tournaments.store import Store
from tournaments.venue import Lost, Venue, host, open_venue


async def conduct(
    plan: Plan, progress: Progress, on_lost: Callable[[Lost], None], stopping: asyncio.Event, drain: float
) -> None:
    """Play what is to do of a tournament; a run that was broken off goes on, in mid-match too.

    Once ``stopping`` is set no more matches begin, and what is being played may end within ``drain`` seconds.
    What is not over then, or when this is cancelled, goes on in the next run.

    Raises:
        FolderError: the folder cannot be used.
        StoreError: the store cannot be used, or belongs to another tournament.
        RunFailed, RefereeFailed, CannotListen, JournalError, VaultError, OSError: it cannot go on.
    """
    with owned(plan.folder), Store.open(plan) as store:
        store.issue(schedule.next(plan, store.issued_ids(), {}, set()))
        keys: KeySource = SeededKeys(plan.seed) if plan.seed is not None else Vault(plan.folder / "secrets")
        async with open_venue(
            entries=plan.entries,
            folder=plan.folder,
            keys=keys,
            limits=plan.limits,
            durable=plan.durable,
            on_lost=on_lost,
        ) as venue:
            runner = Runner(plan, store, venue, progress)
            if not runner.begin():
                return
            async with host(
                venue,
                entries=plan.entries,
                folder=plan.folder,
                base=plan.base,
                # its own draws follow from the tournament's seed and its name: a run can be repeated
                bot_seeds={entry.name: f"{store.bot_seed}:{entry.name}" for entry in plan.entries},
                patience=plan.clock.start / 1_000_000,
            ):
                await _play(runner, venue, stopping, drain)


async def _play(runner: Runner, venue: Venue, stopping: asyncio.Event, drain: float) -> None:
    """Let a runner play to its end, or until it is asked to stop and the time to do so has passed."""
    running, asked = asyncio.create_task(runner.run()), asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({running, asked}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            runner.stop(drain)
            venue.leave()
            await asyncio.wait({running}, timeout=drain)
        if running.done():
            running.result()
    finally:
        for task in (running, asked):
            task.cancel()
        await asyncio.gather(running, asked, return_exceptions=True)
