"""What a store keeps besides results, computed again from them: which attempts count, and running ratings."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from referee.core.steps import at_once
from referee.verify import Discrepancy
from referee.verify.values import as_json, difference
from tournaments.plan.plan import Plan
from tournaments.standings.fold import Standings, fingerprint
from tournaments.standings.sets import Sets
from tournaments.store.records import StoredRecords
from tournaments.store.results import batches
from tournaments.store.rulings import StoredRulings

OTHERWISE: Final = (
    "running ratings: they were stored by another version, or with other parameters, and nobody goes on from"
    " them"
)
MEANWHILE: Final = "running ratings: a ruling was made meanwhile"
UNKNOWN: Final = "running ratings: this version does not know how the tournament is rated"

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """What was found out; the stored ratings are those after ``rated`` matches, 0 where none are stored."""

    rated: int = 0
    problem: Discrepancy | None = None
    note: str = ""


class Again:
    """Computes again what the store of a tournament keeps, up to where it is when this is made.

    ``plan`` is None where it is not known how the tournament is rated.
    """

    def __init__(self, records: StoredRecords, plan: Plan | None) -> None:
        self._records = records
        self._checkpoint = records.checkpoint()
        self._plan = plan

    def compare(self, on_progress: OnProgress = lambda done, total: None) -> Recomputed:
        """Return the first thing that does not follow from the results and the rulings, if there is any.

        Raises:
            StoreError: the store cannot be read.
        """
        for match_id, attempt in self._records.unsettled():
            whose = "" if attempt is None else f", attempt {attempt}"
            text = f"{match_id}{whose}: whether it counts does not follow from its attempts and the rulings"
            return Recomputed(problem=Discrepancy(text))
        if self._checkpoint is None:
            return Recomputed()
        if self._plan is None:
            return Recomputed(note=UNKNOWN)
        stored = self._records.rulings(self._plan)
        rulings = stored.withdrawn_count()
        if self._checkpoint.fingerprint != fingerprint(self._plan, rulings):
            return Recomputed(note=OTHERWISE)
        through = self._checkpoint.through
        computed = folded(self._plan, stored, through, on_progress)
        if rulings != stored.withdrawn_count():
            return Recomputed(note=MEANWHILE)
        return Recomputed(rated=through, problem=_compared(computed, self._checkpoint.data))


def folded(plan: Plan, stored: StoredRulings, through: int, on_progress: OnProgress) -> Standings:
    """Return the standings after the matches up to a serial, from nothing.

    Raises:
        StoreError: the store cannot be read.
    """
    now = Standings(plan)
    sets = Sets(plan, stored.skipped() if plan.shared_decks else ())
    for first, last in batches(0, through):
        on_progress(first - 1, through)
        for issued, result in sets.whole(stored.over(first, last)):
            if result is None:
                now.add_void(issued)
            else:
                now.add(issued, result)
    return now


def _compared(computed: Standings, stored: str) -> Discrepancy | None:
    """Return the first difference between standings and dumped ones."""
    text = "the running ratings that are stored do not follow from the results"
    expected = at_once(computed.dumping()).split("\n")
    found = stored.split("\n")
    if len(expected) != len(found):
        return Discrepancy(text, None, "lines", as_json(len(expected)), as_json(len(found)))
    for one, other in zip(expected, found, strict=True):
        try:
            where = difference(json.loads(one), json.loads(other))
        except (ValueError, RecursionError):
            return Discrepancy(f"{text}: they are not JSON")
        if where:
            path, due, is_now = where
            whose = json.loads(one).get("name")
            field = f"{whose}.{path}" if whose else path
            return Discrepancy(text, None, field, as_json(due), as_json(is_now))
    return None
