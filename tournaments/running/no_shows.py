"""Withdraws forfeits of entries that were never there, so that their matches are played again."""

from collections.abc import Collection

from tournaments.plan.plan import Plan
from tournaments.plan.states import TournamentState
from tournaments.running.rulings import check_entries, check_nothing_rests_on, check_reason
from tournaments.running.tournament import WrongState
from tournaments.store import NoShow, Store


def take_back_no_shows(
    plan: Plan, store: Store, entries: Collection[str], who: str, why: str
) -> tuple[NoShow, ...]:
    """Withdraw the forfeits of entries that were not there, of all or of some, and return them.

    The results stay in the store but do not count; ``who`` withdrew them, and ``why``, is kept with them.

    Raises:
        WrongState: ``why`` is refused, or the tournament is cancelled, has no such entry, or has gone on from
            such a forfeit.
        StoreError: the store cannot be written.
    """
    check_reason(why)
    if store.state is TournamentState.CANCELLED:
        raise WrongState("it was cancelled for good: none of its matches are played again")
    check_entries(store, entries)
    missed = tuple(
        each for each in store.no_shows() if not entries or not set(entries).isdisjoint(each.entries)
    )
    check_nothing_rests_on(plan, store, [each.issued for each in missed])
    if missed:
        store.take_back((each.issued for each in missed), who, why)
    return missed
