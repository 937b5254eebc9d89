"""What `fairdeal record verify --report` finds out about standings that were published."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from referee.verify import Discrepancy, Status
from referee.verify.values import as_json, difference
from tournaments.cli.failure import Failure
from tournaments.cli.verify_store import StoreToVerify
from tournaments.plan.plan import Plan
from tournaments.report import export
from tournaments.running.roster import playing
from tournaments.standings.again import OnProgress, folded
from tournaments.standings.ranking import needs_ranks
from tournaments.store.records import StoredRecords

_TABLES: Final = ("standings", "crosstable")
_DIGEST: Final = "records_sha256"
_OF_MOMENT: Final = frozenset({"state", "is_current"})  # entries may pause and leave after the report
_UNVERIFIED: Final = "its standings: not all records of the tournament verify"


@dataclass(frozen=True, slots=True)
class ReportFound:
    """What was found out about a report."""

    file: Path
    status: Status
    problem: Discrepancy | None = None

    @property
    def line(self) -> str:
        """Return it for people."""
        if self.problem:
            return f"{self.file}: {self.status}: {self.problem}"
        if self.status is Status.UNKNOWN:
            return f"{self.file}: not compared: {_UNVERIFIED}"
        return f"{self.file}: verified: its standings follow from the results and the rulings"

    def data(self) -> dict[str, Any]:
        """Return it for programs."""
        problem = None if self.problem is None else asdict(self.problem)
        return {"file": str(self.file), "status": self.status.value, "problem": problem}


class PublishedReport:
    """A report or standings as JSON, whose standings are computed again from a store.

    Raises:
        Failure: it cannot be read, or is no report.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            told = json.loads(file.read_bytes())
            self._name = told["name"]
            self._told = {key: told[key] for key in (*_TABLES, _DIGEST) if key in told}
            if not all(isinstance(line, dict) for line in told["standings"]):
                raise TypeError
        except OSError as error:
            raise _refused(file, f"cannot be read ({error.strerror})") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            text = "is no report as JSON: fairdeal tournament report --json makes one"
            raise _refused(file, text) from None

    def store_of(self, stores: Mapping[str, StoreToVerify]) -> StoreToVerify:
        """Return the store of its tournament among those of tournaments that were named by their files.

        Raises:
            Failure: it is not among them.
        """
        if self._name not in stores:
            what = "name the file of the tournament, too, which says how it is ranked"
            raise _refused(self.file, f"is a report of {self._name}: {what}")
        return stores[self._name]

    def verified(self, store: StoreToVerify, *, records_are: bool) -> ReportFound:
        """Return what was found out; results are compared with records before, and all ``records_are``.

        Raises:
            StoreError: the store cannot be read.
        """
        assert store.plan is not None
        if not records_are:
            return ReportFound(self.file, Status.UNKNOWN)
        with store.stored.told():
            due = _computed(store.plan, store.stored, store.tell_progress)
        wrong = _wrong_in(due, self._told)
        return ReportFound(self.file, Status.WRONG if wrong else Status.VERIFIED, wrong)


def _computed(plan: Plan, records: StoredRecords, on_progress: OnProgress) -> dict[str, Any]:
    """Return a report as it is made now, from nothing but the results and the rulings."""
    stored, roster = records.rulings(plan), records.roster()
    plan = replace(plan, entries=playing(plan, roster))
    standings = folded(plan, stored, stored.issued_count(), on_progress)
    ranks = stored.ranks() if needs_ranks(plan) else {}
    data = {**export.as_json(standings.report(roster, ranks)), _DIGEST: stored.records_digest()}
    plain: dict[str, Any] = json.loads(json.dumps(data))
    return plain


def _wrong_in(due: Mapping[str, Any], told: Mapping[str, Any]) -> Discrepancy | None:
    """Return the first difference; what the report does not tell is not compared."""
    digest = told.get(_DIGEST)  # None while sets were open
    if digest is not None and digest != due[_DIGEST]:
        text = "the report is of other records: it is of another moment, or records were changed"
        return Discrepancy(text, None, _DIGEST, as_json(due[_DIGEST]), as_json(digest))
    for table in _TABLES:
        lines = due[table]
        for number, line in enumerate(told.get(table, ())):
            known = lines[number] if number < len(lines) else {}
            compared = {key: value for key, value in known.items() if key in line.keys() - _OF_MOMENT}
            found = {key: line[key] for key in compared} if known else line
            if where := difference(compared, found, f"{table}[{number}]"):
                text = "the report does not follow from the results, rulings and entries of now"
                return Discrepancy(text, None, where[0], *map(as_json, where[1:]))
        if len(told.get(table, lines)) < len(lines):
            return Discrepancy("the report leaves out lines", None, table)
    return None


def _refused(file: Path, why: str) -> Failure:
    return Failure(f"fairdeal record verify: --report: {file}: {why}", 2)
