"""`fairdeal record verify`."""

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import typer

from referee.storage import record_files
from referee.verify import Discrepancy, Status, Verdict
from tournaments.backup.record_archive import archives_of
from tournaments.cli.failure import Failure
from tournaments.cli.interrupt import interruptible
from tournaments.cli.kept_lines import KeptLines
from tournaments.cli.verify_report import PublishedReport, ReportFound
from tournaments.cli.verify_store import StoreFound, StoreToVerify
from tournaments.cli.verifying import FEW, FileToVerify, all_verified
from tournaments.cli.wording import tell
from tournaments.plan.plan import Plan
from tournaments.store import FILE
from tournaments.store.records import StoredRecords
from tournaments.text import one_line
from tournaments.tournament_file import reader

_WORDS: Final = {
    Status.VERIFIED: "verified",
    Status.WRONG: "wrong",
    Status.UNKNOWN: "cannot be verified",
}
_WITHOUT_STORE: Final = (
    "without a store, seats, times and settings are only checked against the record itself"
    " (docs/records.md, What no hash binds)"
)
_SECONDS: Final = 5.0  # between two lines of progress


@dataclass(slots=True)
class _Source:
    """Where records come from: how many files there seem to be, and what is to be verified."""

    number: int
    jobs: Iterable[FileToVerify]
    place: Path
    store: StoreToVerify | None = None  # of a whole tournament
    has_store: bool = True


def run_verify(
    places: Sequence[Path], as_json: bool, told: Sequence[Path] = (), reports: Sequence[Path] = ()
) -> int:
    """Verify records and print what was found out; return the exit status: 0, or 1 if one does not verify.

    ``told`` are files in which bots kept what they were told; they are compared with the records. The
    standings in ``reports`` are computed again.

    Raises:
        Failure: there is nothing to verify at a place, a file of a bot or a report cannot be used, or it was
            stopped.
        ConfigError: a tournament's file cannot be used.
        StoreError: a store cannot be read.
    """
    kept = KeptLines(told)
    published = [PublishedReport(file) for file in reports]
    for place in kept.cut_off:
        typer.echo(one_line(f"{place} is not whole and passed over: a full disk, or a killed bot"), err=True)
    # a record that several places name is compared with the store if one of them has it
    with ExitStack() as stack:
        named = [each for place in places for each in _each_in(place)]
        sources = sorted((_source(place, stack) for place in named), key=lambda each: not each.has_store)
        return _verify(sources, as_json, kept, published, has_told=bool(told))


def _verify(
    sources: Sequence[_Source],
    as_json: bool,
    kept: KeptLines,
    published: Sequence[PublishedReport],
    *,
    has_told: bool,
) -> int:
    report = _Report(as_json, sum(source.number for source in sources))
    stores = {source.place: source.store for source in sources if source.store}
    of_files = {each.plan.name: each for each in stores.values() if each.plan}
    store_of = {each: each.store_of(of_files) for each in published}
    once = _each_once(job for source in sources for job in source.jobs)
    jobs = (replace(job, told=kept.of(job.path)) for job in once)
    try:
        with interruptible(), closing(all_verified(jobs)) as found:
            for job, verdict in found:
                report.add(job, verdict)
            records_are = report.counts.keys() <= {Status.VERIFIED}
            report.stores += [each.verified(records_are=records_are) for each in stores.values()]
            report.reports += [each.verified(store_of[each], records_are=records_are) for each in published]
    except KeyboardInterrupt:
        raise Failure(f"fairdeal record verify: stopped; so far {report.summary()}") from None
    except BrokenProcessPool:
        why = "a process that it had started was ended, maybe for want of memory: start it again"
        raise Failure(f"fairdeal record verify: {why}; so far {report.summary()}") from None
    compared = kept.compared((match_id, attempt) for _folder, match_id, attempt in report.keys)
    report.end(kept.breaches, compared if has_told else None)
    is_wrong = any(each.problem for each in report.stores) or any(each.problem for each in report.reports)
    return 0 if records_are and not kept.breaches and not is_wrong else 1


# What is to be verified


def _each_once(jobs: Iterable[FileToVerify]) -> Iterator[FileToVerify]:
    seen: set[Path] = set()
    for job in jobs:
        file = job.path.resolve()
        if file not in seen:
            seen.add(file)
            yield job


def _each_in(place: Path) -> list[Path]:
    """Return a place, after the folders of all tournaments and seasons where it is the folder of a server."""
    stores = f"tournaments/*/*/{FILE}"
    files = (file for each in (stores, f"archive/*/{stores}") for file in place.glob(each))
    found = sorted(file.parent for file in files)
    return [*found, place] if not found or record_files.all_in(place) else found


def _source(place: Path, stack: ExitStack) -> _Source:
    if place.suffix == ".toml" and place.is_file():
        plan = reader.load(place, to_run=False)
        return _of_tournament(plan.folder, StoredRecords.of_plan(plan), stack, plan)
    if place.name == FILE and place.is_file():
        place = place.parent
    if not place.is_dir():
        return _of_file(place)
    folder = place if place.name != record_files.FOLDER else place.resolve().parent
    if (store := folder / FILE).is_file():
        return _of_tournament(folder, StoredRecords.in_file(store), stack)
    if files := record_files.all_in(place):
        return _Source(len(files), [FileToVerify(path=file) for file in files], place, has_store=False)
    raise Failure(f"fairdeal record verify: {place}: holds no records (*.jsonl.gz) and no store", 2)


def _of_file(path: Path) -> _Source:
    path = record_files.found(path)
    if not path.is_file():
        what = "a record, a folder or a tournament's file"
        raise Failure(f"fairdeal record verify: {path}: there is no such file; name {what}", 2)
    records = record_files.folder_of(path.resolve())
    store = records.parent / FILE
    if records.name != record_files.FOLDER or not store.is_file():
        return _Source(1, [FileToVerify(path=path)], path, has_store=False)
    with closing(StoredRecords.in_file(store)) as stored:
        return _Source(1, [_known_job(path, stored)], path)


def _known_job(path: Path, stored: StoredRecords) -> FileToVerify:
    if named := record_files.named(path):
        if found := stored.find(*named):
            return FileToVerify(path=path, known=found.known)
        return FileToVerify(path=path, is_open=stored.is_open(named[0]))
    return FileToVerify(path=path, is_open=False)


def _of_tournament(
    folder: Path, stored: StoredRecords, stack: ExitStack, plan: Plan | None = None
) -> _Source:
    stack.callback(stored.close)
    store = StoreToVerify(stored, folder, plan)
    # first: what is stored afterwards has its record already
    records = folder / record_files.FOLDER
    files = set(record_files.in_folder(records))
    archived = {name: archive for archive, names in archives_of(records).items() for name in names}
    return _Source(len(files), _stored_jobs(folder, files, stored, archived), folder.resolve(), store)


def _stored_jobs(
    folder: Path, files: set[Path], stored: StoredRecords, archived: Mapping[str, str]
) -> Iterator[FileToVerify]:
    left_out: Counter[str] = Counter()
    for each in stored.all():
        path = folder / each.path
        if (
            each.path.startswith("..") and not folder.is_symlink()
        ):  # a server keeps them beside its tournaments
            path = Path(os.path.normpath(path))
        files.discard(path)
        if path.name in archived and not path.exists():
            left_out[archived[path.name]] += 1
            continue
        yield FileToVerify(path=path, known=each.known)
    for path in sorted(files):
        yield _known_job(path, stored)
    for archive, number in left_out.items():
        text = f"{number} records are in {archive}: fairdeal record unarchive {archive} {folder}"
        typer.echo(one_line(text), err=True)


# What was found out


@dataclass
class _Report:
    """Prints what is found out: all of it for a few files, else what does not verify."""

    as_json: bool
    total: int
    now: Callable[[], float] = time.monotonic
    counts: Counter[Status] = field(default_factory=Counter)
    without: int = 0  # a store
    records: list[dict[str, Any]] = field(default_factory=list)
    keys: dict[tuple[Path, str, int], Path] = field(default_factory=dict)
    epochs: dict[tuple[Path, str], tuple[str, Path]] = field(default_factory=dict)
    stores: list[StoreFound] = field(default_factory=list)
    reports: list[ReportFound] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._said = self.now()

    def add(self, job: FileToVerify, verdict: Verdict) -> None:
        """Take what was found out about a file, compare it with the others, and tell it."""
        verdict = self._beside_others(job.path, verdict)
        self.counts[verdict.status] += 1
        # what a bot kept says who sat where, too
        self.without += job.known is None and job.is_open is None and not job.told
        if self.as_json:
            self.records.append(_data(job, verdict))
        elif verdict.problem or verdict.notes or self.total <= FEW:
            for line in _lines(job.path, verdict):
                tell(one_line(line))
        self._tell_progress()

    def summary(self) -> str:
        """Return how many records there were and how many verified."""
        told = [f"{self.counts[status]} {_WORDS[status]}" for status in Status if self.counts[status]]
        number = self.counts.total()
        return f"{number} record{'s' * (number != 1)}: {', '.join(told) or 'none verified'}"

    def end(self, breaches: Sequence[str], compared: Mapping[str, int] | None) -> None:
        """Print the summary, after where lines that bots kept contradict each other.

        ``compared`` says how many matches were compared with such lines, if there were any.
        """
        if self.as_json:
            counts = {status.value: self.counts[status] for status in Status}
            told = {
                **counts,
                "breaches": breaches,
                "told": compared,
                "stores": [each.data() for each in self.stores],
                "reports": [each.data() for each in self.reports],
                "records": self.records,
            }
            typer.echo(json.dumps(told, indent=2))
            return
        for breach in breaches:
            tell(one_line(f"{breach}: a breach by the referee"))
        typer.echo(self.summary())
        lines = [line for each in self.stores for line in each.lines()]
        for line in (*lines, *(each.line for each in self.reports)):
            tell(one_line(line))
        if self.without:
            tell(_WITHOUT_STORE)
        if compared is not None:
            text = (
                f"compared with what bots kept: {compared['compared']} of their {compared['matches']} matches"
            )
            to_end = compared["to_the_end"]
            tell(text if to_end == compared["compared"] else f"{text}, {to_end} of them to the end")

    def _beside_others(self, path: Path, verdict: Verdict) -> Verdict:
        """Return a verdict as it is beside those before: one file for an attempt, one commitment an epoch."""
        if verdict.problem:
            return verdict
        folder = record_files.folder_of(path)
        first = self.keys.setdefault((folder, verdict.match_id, verdict.attempt), path)
        epoch, commitment = verdict.epoch
        told, where = self.epochs.setdefault((folder, epoch), (commitment, path))
        problem = None
        if first != path:
            problem = Discrepancy(f"{first.name} is a record of the same attempt at the same match")
        elif told != commitment:
            text = f"another commitment for this epoch is in {where.name}"
            found = (json.dumps(told), json.dumps(commitment))
            problem = Discrepancy(text, 1, "commitment.commit", *found)
        return replace(verdict, status=Status.WRONG, problem=problem) if problem else verdict

    def _tell_progress(self) -> None:
        done = self.counts.total()
        if self.total > FEW and self.now() >= self._said + _SECONDS:
            self._said = self.now()
            typer.echo(f"{done} of {max(done, self.total)} records", err=True)


def _lines(path: Path, verdict: Verdict) -> Iterator[str]:
    if verdict.problem:
        yield f"{path}: {_WORDS[verdict.status]}: {verdict.problem}"
    else:
        yield f"{path}: {_WORDS[verdict.status]}: {verdict.game}, {verdict.termination}"
    for note in verdict.notes:
        yield f"  not compared: {note}"


def _data(job: FileToVerify, verdict: Verdict) -> dict[str, Any]:
    return {
        "file": str(job.path),
        "status": verdict.status.value,
        "problem": None if verdict.problem is None else asdict(verdict.problem),
        "match_id": verdict.match_id,
        "attempt": verdict.attempt,
        "game": verdict.game,
        "termination": verdict.termination,
        "stored": job.known is not None,
        "notes": list(verdict.notes),
    }
