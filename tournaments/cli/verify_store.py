"""What `fairdeal record verify` finds out about the store of a tournament, once its records verify."""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import typer

from referee.verify import Discrepancy, Status
from referee.verify.values import as_json, difference
from tournaments.plan.described import to_rate_by
from tournaments.plan.plan import Plan, RankBy
from tournaments.serving.next_season import end_told
from tournaments.standings.again import Again, Recomputed, folded
from tournaments.store.records import StoredRecords
from tournaments.tournament_file.season import ENDED, SeasonError, with_season

_SECONDS: Final = 5.0  # between two lines of progress
_UNVERIFIED: Final = "what counts and running ratings: not all of its records verify"


@dataclass(frozen=True, slots=True)
class StoreFound:
    """What was found out about a store: ``rated`` matches are in the running ratings that it keeps.

    ``is_ended``: it is of a season that is over, and what was told at its end was compared.
    """

    place: Path
    status: Status
    problem: Discrepancy | None = None
    rated: int = 0
    note: str = ""
    records_sha256: str | None = None
    is_ended: bool = False

    def lines(self) -> Iterator[str]:
        """Yield it for people."""
        if self.problem:
            yield f"{self.place}: {self.status}: {self.problem}"
            return
        if self.note:
            yield f"{self.place}: not compared: {self.note}"
        else:
            ratings = f"the running ratings of {self.rated} matches follow from them"
            end = f"; {ENDED} follows from them" if self.is_ended else ""
            kept = ratings if self.rated else "the store holds no running ratings"
            yield f"{self.place}: verified: the right results count, by attempts and rulings{end}; {kept}"
        if self.records_sha256:
            yield f"digest: {self.records_sha256}"

    def data(self) -> dict[str, Any]:
        """Return it for programs."""
        problem = None if self.problem is None else asdict(self.problem)
        return {
            "store": str(self.place),
            "status": self.status.value,
            "problem": problem,
            "rated": self.rated,
            "note": self.note or None,
            "records_sha256": self.records_sha256,
        }


class StoreToVerify:
    """The store of a tournament in ``folder``, as it is when this is made; it is closed with `close`."""

    def __init__(self, stored: StoredRecords, folder: Path, plan: Plan | None = None) -> None:
        """Take a store; without a ``plan`` the tournament is rated as its store says.

        Raises:
            StoreError: it cannot be read.
        """
        self.stored = stored
        self.plan = plan
        self._folder = folder
        self._rated_by = plan or _described(stored, folder)
        self._again = Again(stored, self._rated_by)
        self._said = time.monotonic()

    def close(self) -> None:
        """Close the store."""
        self.stored.close()

    def verified(self, *, records_are: bool) -> StoreFound:
        """Return what was found out; results are compared with records before, and all ``records_are``.

        Raises:
            StoreError: it cannot be read.
        """
        if not records_are:
            return StoreFound(self._folder, Status.UNKNOWN, note=_UNVERIFIED)
        with self.stored.told():
            return self._compared()

    def _compared(self) -> StoreFound:
        found = self._again.compare(self.tell_progress)
        digest, end = None, self._folder / ENDED
        is_ended = end.exists() and self._rated_by is not None and not found.problem
        if self._rated_by is not None:
            digest = self.stored.rulings(self._rated_by).records_digest()
            if is_ended and (wrong := self._wrong_end(end, self._rated_by, digest)):
                found = Recomputed(problem=wrong)
        how = Status.WRONG if found.problem else Status.UNKNOWN if found.note else Status.VERIFIED
        return StoreFound(
            self._folder, how, found.problem, found.rated, found.note, digest, is_ended=is_ended
        )

    def _wrong_end(self, end: Path, plan: Plan, digest: str) -> Discrepancy | None:
        """Return the first thing that is wrong with what was told at the end of a season."""
        try:
            told = json.loads(end.read_bytes())
            ended, matches = told["ended"], told["matches"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return Discrepancy(f"{ENDED}: cannot be read as the end of a season")
        stored = self.stored.rulings(plan)
        decided = stored.played_count()
        # earlier versions counted matches that were skipped, too
        number = decided if matches == decided else decided - stored.skipped_count()
        first: Discrepancy | None = None
        for rank_by in (RankBy.RUNNING, RankBy.TRUESKILL):  # the store does not say which decided the ranks
            by = replace(plan, rank_by=rank_by)
            now = folded(by, stored, stored.issued_count(), self.tell_progress)
            due = end_told(by, now.report(self.stored.roster()).standings, digest, number, ended)
            where = difference(due, told)
            if where is None:
                return None
            text = f"{ENDED}: does not follow from the store"
            first = first or Discrepancy(text, None, where[0], *map(as_json, where[1:]))
        return first

    def tell_progress(self, done: int, total: int) -> None:
        """Say how far the ratings are, now and then."""
        if time.monotonic() >= self._said + _SECONDS:
            self._said = time.monotonic()
            typer.echo(f"ratings: {done} of {total} matches", err=True)


def _described(stored: StoredRecords, folder: Path) -> Plan | None:
    try:
        return with_season(to_rate_by(stored.plan, folder))
    except (KeyError, TypeError, ValueError, SeasonError):
        return None
