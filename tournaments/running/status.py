"""How far a tournament is: the same for those who ask here and those who ask a server."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from referee.core.steps import Steps
from referee.match.faults import Termination
from tournaments.plan.plan import Entry, Plan
from tournaments.plan.states import EntryState
from tournaments.running.activity import MOST_TOLD, Activity
from tournaments.running.watch import MOST_RULINGS, EntrySnapshot, Snapshot
from tournaments.schedule.length import known_length
from tournaments.store import Store
from tournaments.store.told import withheld


def looking(
    plan: Plan,
    store: Store,
    *,
    playing: int | None,
    is_running: bool,
    seen: Callable[[Entry, EntryState], EntrySnapshot] | None = None,
    activity: Activity | None = None,
    resting: Sequence[str] = (),
) -> Steps[Snapshot]:
    """Return how far a tournament is; ``seen`` says what an entry is, without it there are none.

    ``resting`` are the competitors that have played all that the pace of a ladder allows for now.

    A turn of a duplicate set counts as played when its result may be told.

    Raises:
        StoreError: the store cannot be read.
    """
    extent = yield store.extent
    attempts = yield store.terminations
    # after them: what is over since then may be told or not, and is not among them
    hidden = (yield partial(withheld, plan, store)) if plan.duplicate else Counter[Termination]()
    skipped = yield store.skipped_count
    rulings = yield partial(store.adjudications, last=MOST_RULINGS)
    entries: list[EntrySnapshot] = []
    if seen:
        for kept in (yield store.roster):
            yield None
            entries.append(seen(kept.entry, kept.state))
    return Snapshot(
        name=plan.name,
        game=plan.game,
        format=plan.format,
        state=store.state,
        planned=known_length(plan, extent.issued, store.state),
        issued=extent.issued,
        played=extent.decided - skipped - hidden.total(),
        skipped=skipped,
        playing=playing,
        attempts=attempts - hidden,
        taken_back=extent.taken_back,
        is_running=is_running,
        entries=tuple(entries),
        activity=activity,
        rulings=rulings,
        turns=plan.turns,
        pace=plan.pace,
        resting=tuple(resting[:MOST_TOLD]),
    )
