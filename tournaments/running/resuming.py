"""Checks before a run goes on with what an earlier one left."""

from referee.match.effects import MatchSetup
from tournaments.plan.plan import Plan
from tournaments.running.errors import RunFailed
from tournaments.running.referee_host import RefereeHost
from tournaments.store import Store


def check_known(plan: Plan, store: Store, host: RefereeHost) -> None:
    """Refuse a host that goes on with matches of another tournament, or of this one with another store.

    Raises:
        RunFailed: the store knows nothing of a match.
    """
    known = store.issued()
    for setup in (*(report.setup for report in host.recovered), *host.referee.core.matches.setups):
        if setup.match_id not in known:
            raise unknown(plan, setup)


def check_folder(plan: Plan, store: Store) -> None:
    """Refuse to go on in another folder than the one that the matches of a shared database were begun in.

    Raises:
        RunFailed: what belongs to the store's matches is not in the plan's folder.
    """
    records = plan.folder / "records"
    if plan.store is not None and store.issued_count() and not records.exists():
        raise RunFailed(
            f"{plan.folder}: {store.place} holds matches of {plan.name!r} that were begun in another folder,"
            " where their records, journal, secrets and tokens are: bring that folder here, or choose another"
            f" name; if it is lost, make the folder {records}, and matches that were running are dealt again"
        )


def unknown(plan: Plan, setup: MatchSetup) -> RunFailed:
    """Return the error for a match that the referee goes on with but the store does not know."""
    return RunFailed(
        f"{plan.folder / 'journal'}: match {setup.match_id} (attempt {setup.attempt}) goes on there"
        " and the store knows nothing of it: bring back the store that belongs to it, or remove the"
        " tournament's folder to begin again"
    )
