"""Ends a season of a ladder: its folder is kept as it is, and another one begins with what it told."""

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from math import hypot
from pathlib import Path
from typing import Any, Final

from referee.files import atomic, private
from tournaments.folder_lock import BLOCKED, TOKENS, FolderError, owned
from tournaments.plan.plan import Format, Plan
from tournaments.plan.states import EntryState, TournamentState
from tournaments.ratings import Rating
from tournaments.standings.live import current
from tournaments.standings.shapes import Standing
from tournaments.store import FILE, Store, StoreError
from tournaments.store.records import StoredRecords
from tournaments.tournament_file import season

WIDENING: Final = 0.25
"""How much less sure a rating is after a season, in parts of a beginner's sigma; the two add as variances."""

_FORMAT: Final = "fairdeal-season/1"


@dataclass(frozen=True, slots=True)
class EndedSeason:
    """A season that was ended: which one, where it is kept, its digest, and how many ratings go on."""

    season: int
    folder: Path
    records_sha256: str
    matches: int
    carried: int


def end_season(plan: Plan, wall: Callable[[], datetime], *, widening: float = WIDENING) -> EndedSeason:
    """End the present season of a ladder that is not running, and prepare the next one.

    Nothing of it is changed but its state; what was being played stays without a result. Entries that have
    not left take part in the next season with their tokens, and those with matches begin with their mu and a
    wider sigma. Whatever interrupts it, it can be called again.

    Raises:
        FolderError: it is running.
        StoreError: its store cannot be used, or is not in its folder.
        OSError: a folder cannot be made or moved.
    """
    if plan.format is not Format.LADDER:
        raise FolderError(f"{plan.folder}: is no ladder: only a ladder has seasons")
    if plan.store is not None:
        text = "seasons are for stores in the folder: give the next one another name in its file"
        raise StoreError(f"{plan.folder}: its store is a PostgreSQL database, and {text}")
    coming = season.next_of(plan.folder)
    kept = _kept(plan, plan.season)
    if kept.exists():
        raise FolderError(f"{kept}: is there already: move it away")
    with owned(plan.folder):
        with Store.open(plan) as store:
            if not store.has_results():
                raise FolderError(f"{plan.folder}: no match has been played in this season yet")
            standings = current(store, plan).standings
            digest, matches = store.records_digest(), store.played_count() - store.skipped_count()
            store.set_state(TournamentState.FINISHED)
            roster = store.roster()
        told = end_told(plan, standings, digest, matches, wall().isoformat(timespec="seconds"))
        atomic.write(plan.folder / season.ENDED, json.dumps(told, indent=1).encode())
        priors = {each.entry: _widened(plan, each, widening) for each in standings if _goes_on(each)}
        if coming.exists():  # of a call that was interrupted
            shutil.rmtree(coming)
        private.make_folder(coming)
        for name in (TOKENS, BLOCKED):
            if (plan.folder / name).exists():
                atomic.write(coming / name, (plan.folder / name).read_bytes())
        before = {"before": {"folder": kept.name, "records_sha256": digest}}
        season.write(coming, plan.season + 1, priors, before)
        next_plan = replace(plan, folder=coming, season=plan.season + 1, priors=priors)
        with Store.open(next_plan, wall) as store:
            listed = {entry.name for entry in plan.entries}
            for each in roster:
                if each.state is not EntryState.LEFT:
                    if each.entry.name not in listed:
                        store.register(each.entry)
                    store.set_standing(each.entry.name, each.state)
        plan.folder.replace(kept)
        complete(plan.folder)
    return EndedSeason(plan.season, kept, digest, matches, len(priors))


def complete(folder: Path) -> bool:
    """Complete what a call of `end_season` has begun that was interrupted; return whether there was any.

    Raises:
        OSError: the folder cannot be moved.
    """
    coming = season.next_of(folder)
    if folder.exists() or not coming.exists():
        return False
    coming.replace(folder)
    atomic.sync_folder(folder.parent)
    return True


def was_played(plan: Plan, match_id: str) -> bool:
    """Return whether a match is one of a season of a ladder that is over, and was not over then.

    Raises:
        StoreError: the store of that season cannot be read.
    """
    for number in range(1, plan.season):
        if (store := _kept(plan, number) / FILE).is_file():
            with closing(StoredRecords.in_file(store)) as stored:
                if stored.is_open(match_id):
                    return True
    return False


def _kept(plan: Plan, number: int) -> Path:
    """Return the folder in which a season is kept."""
    return plan.folder.with_name(f"{plan.folder.name}.season-{number}")


def _goes_on(standing: Standing) -> bool:
    return standing.is_current and standing.matches > 0 and standing.state is not EntryState.LEFT


def _widened(plan: Plan, standing: Standing, widening: float) -> Rating:
    """Return the rating that a competitor begins the next season with: never less sure than a beginner's."""
    sigma = hypot(standing.rating.sigma, widening * plan.rating.sigma)
    return Rating(standing.rating.mu, min(sigma, plan.rating.sigma))


def end_told(
    plan: Plan, standings: tuple[Standing, ...], digest: str, matches: int, at: str
) -> dict[str, Any]:
    """Return what is told at the end of a season, with the ``digest`` over its records, as JSON data."""
    lines: list[dict[str, Any]] = [
        {"rank": each.rank, "entry": each.entry, "matches": each.matches, **asdict(each.rating)}
        for each in standings
    ]
    return {
        "format": _FORMAT,
        "name": plan.name,
        "game": plan.game,
        "season": plan.season,
        "ended": at,
        "matches": matches,
        "records_sha256": digest,
        "standings": lines,
    }
