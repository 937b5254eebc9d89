"""Conducts a tournament from start to end: folder, store, referee, bots, matches."""

from collections.abc import Callable

from referee.vault import KeySource, SeededKeys, Vault
from tournaments import schedule
from tournaments.folder import owned
from tournaments.plan import Plan
from tournaments.runner import Progress, Runner
from tournaments.store import Store
from tournaments.venue import Lost, open_venue


async def conduct(plan: Plan, progress: Progress, on_lost: Callable[[Lost], None]) -> None:
    """Play what is to do of a tournament; a run that was broken off goes on.

    Raises:
        FolderError: the folder cannot be used.
        StoreError: the store cannot be used, or belongs to another tournament.
        RunFailed, RefereeFailed, CannotListen, VaultError, OSError: it cannot go on.
    """
    with owned(plan.folder), Store.open(plan) as store:
        store.issue(schedule.next(plan, store.issued_ids(), {}, set()))
        if not store.to_do():
            progress.begin(store.issued_count(), store.issued_count())
            return
        keys: KeySource = SeededKeys(plan.seed) if plan.seed is not None else Vault(plan.folder / "secrets")
        async with open_venue(
            entries=plan.entries,
            folder=plan.folder,
            base=plan.base,
            keys=keys,
            # a bot's own draws follow from the tournament's seed and its name, so that a run can be repeated
            bot_seeds={entry.name: f"{store.bot_seed}:{entry.name}" for entry in plan.entries},
            patience=plan.clock.start / 1_000_000,
            on_lost=on_lost,
        ) as venue:
            await Runner(plan, store, venue, progress).run()
