"""The books over real files: the journal before the telling, and a kill at any point between."""

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.running_match import Key, RunningMatch
from referee.core.session import Session
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import Vault
from referee.match.clock import PROFILES
from referee.match.faults import Termination
from referee.storage import record, record_files
from referee.storage.journal import Journal, JournalError
from referee.storage.recorder import FinishedMatch, Recorder
from tests.referee.driven_core import DrivenCore

GRACE = 1_000
DATE = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


class RecordedCore:
    """A core with its books in a folder; ``results`` are stored as a tournament would, and settled then."""

    def __init__(
        self, folder: Path, driven_core: type, results: dict[Key, FinishedMatch] | None = None
    ) -> None:
        self.folder = folder
        (folder / "records").mkdir(parents=True, exist_ok=True)
        self.keys = Vault(folder / "secrets", durable=False)
        self.journal = Journal(folder / "journal")
        self.driven_core = driven_core(deals=lambda setup, rules: MatchDeals(setup, rules, self.keys))
        self.driven_core.turn = self.turn
        self.recorder = Recorder(
            self.driven_core.core,
            keys=self.keys,
            journal=self.journal,
            records=folder / "records",
            wall=lambda: self.date,
        )
        self.date = DATE
        self.results = {} if results is None else results
        self.reported: list[FinishedMatch] = []
        self.journalled: list[dict[str, Any]] = []
        """What stood in the journal when the last record was written."""

    def turn(self) -> None:
        output = self.recorder.turn(self.driven_core.now)
        self.driven_core.opened += output.opened
        for table in output.finished:
            self.journalled = self.written
            report = self.recorder.keep(table)
            self.reported.append(report)
            self.store(report)
            self.recorder.settle(report)
        for guest in self.driven_core.guests:
            guest.listen()

    def store(self, report: FinishedMatch) -> None:
        self.results[report.setup.match_id, report.setup.attempt] = report

    def recover(self) -> None:
        self.driven_core.now = self.recorder.last_time
        self.recorder.recover(self.driven_core.now, GRACE)
        self.turn()

    def create(self) -> None:
        self.driven_core.create("two_handed_spades", clock=PROFILES["debug"])

    def play(self) -> None:
        """Seat both bots and play on to the end; what each answers is a function of its decision."""
        for entry in "ab":
            self.driven_core.arrive(entry)
        for guest in self.driven_core.guests:
            guest.ready()
        self.driven_core.now += 1
        self.driven_core.play_out()

    @property
    def written(self) -> list[dict[str, Any]]:
        """Return all lines on disk but the heads of snapshots."""
        files = sorted((self.folder / "journal").glob("*.jsonl"))
        lines = [json.loads(line) for path in files for line in path.read_bytes().splitlines()]
        return [line for line in lines if line["type"] != "snapshot"]

    @property
    def secrets(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "secrets").iterdir())


@pytest.fixture
def books(tmp_path: Path, driven_core: type[DrivenCore]) -> Iterator[RecordedCore]:
    made = RecordedCore(tmp_path, driven_core)
    yield made
    made.journal.close()


# The order


def test_what_a_bot_is_told_is_written_before(books: RecordedCore, monkeypatch: pytest.MonkeyPatch) -> None:
    released: list[tuple[list[bytes], list[dict[str, Any]]]] = []
    release = Session.release

    def watched(session: Session, now: int) -> None:
        released.append((list(session._queued), books.written))
        release(session, now)

    monkeypatch.setattr(Session, "release", watched)
    books.create()
    books.play()
    closed = seated = 0
    for told, written in released:
        updates = pb.PlayResponse.FromString(b"".join(told)).updates
        answered = {line["decision_id"] for line in written if line.get("kind") == "answer"}
        closed += sum(update.HasField("closed") for update in updates)
        seated += sum(update.HasField("seated") for update in updates)
        assert {u.closed.decision_id for u in updates if u.HasField("closed")} <= answered | {0}
        if any(update.HasField("seated") for update in updates):
            assert [line["type"] for line in written][:2] == ["header", "input"]
        if any(update.HasField("decision") for update in updates):
            assert sum(line.get("kind") == "ready" for line in written) == 2
    assert closed > 50
    assert seated == 2


def no_space(*_args: Any) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_nothing_is_told_that_cannot_be_written(books: RecordedCore, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = books.driven_core.arrive("a")
    heard = len(guest.heard)
    monkeypatch.setattr(Journal, "flush", no_space)
    with pytest.raises(OSError, match="No space left"):
        books.create()
    guest.listen()
    assert len(guest.heard) == heard


def test_a_match_is_settled_before_its_key_is_forgotten(
    books: RecordedCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[list[str]] = []
    settle = Journal.settle

    def watched(journal: Journal, key: Key) -> None:
        kept.append(books.secrets)
        settle(journal, key)
        kept.append(books.secrets)

    monkeypatch.setattr(Journal, "settle", watched)
    books.create()
    books.play()
    assert kept == [["m-1.1.secret"]] * 2
    assert books.secrets == []


def test_the_lines_of_a_record_are_made_while_the_match_is_played(
    books: RecordedCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    many: list[int] = []
    keep = Recorder.keep

    def watched(recorder: Recorder, table: RunningMatch) -> FinishedMatch:
        assert not table.log
        with monkeypatch.context() as patch:
            patch.setattr(record, "entry_text", no_more_lines)
            report = keep(recorder, table)
        many.append(len(table.lines))
        return report

    monkeypatch.setattr(Recorder, "keep", watched)
    books.create()
    books.play()
    assert many == [len(record.read(books.reported[0].path).lines) - 1]  # without the reveal
    assert many[0] > 100


def no_more_lines(_entry: Any) -> str:
    raise AssertionError("a line is made when the match is over")


def test_a_record_stands_before_a_match_is_reported(books: RecordedCore) -> None:
    books.driven_core.now = 7
    books.create()
    books.date = DATE.replace(hour=13)
    books.play()
    (report,) = books.reported
    assert (report.setup.match_id, report.outcome.termination) == ("m-1", Termination.COMPLETED)
    assert report.started == "2026-03-01T12:00:00+00:00"
    assert report.path == record_files.path_of(books.folder / "records", "m-1", 1)
    assert record.read(report.path).header["commitment"]["epoch_id"] == "m-1.1"
    assert report.duration == books.driven_core.now - 7


# What an earlier process left


def test_the_last_time_is_the_latest_that_was_written(tmp_path: Path, driven_core: type[DrivenCore]) -> None:
    first = RecordedCore(tmp_path, driven_core)
    assert first.recorder.last_time == 0
    first.driven_core.now = 70
    first.driven_core.create("hearts", "m-1")
    first.driven_core.now = 80
    first.driven_core.create("two_handed_spades", "m-2")
    first.driven_core.now = 90
    first.driven_core.arrive("c")  # who plays in the first
    first.journal.close()
    second = RecordedCore(tmp_path, driven_core)
    assert second.recorder.last_time == 90
    second.recover()
    assert second.recorder.last_time == 0, "it is told once, before `recover`"
    assert len(second.driven_core.core.matches) == 2
    second.journal.close()


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda lines: lines[0].pop("clock"), r"the header is damaged \(KeyError\)"),
        (lambda lines: lines[0].update(game="whist"), "whist"),
        (lambda lines: lines[0].update(entries=["a", "a"], instances=["", ""]), "cannot hold two seats"),
        (lambda lines: lines[1].pop("at"), r"an input is damaged \(KeyError\)"),
        (lambda lines: lines[1].update(kind="strat"), "there is no input 'strat'"),
    ],
    ids=["no clock", "no game", "two seats", "no time", "no input"],
)
def test_what_is_no_match_cannot_go_on(
    tmp_path: Path, driven_core: type[DrivenCore], damage: Callable[[list[Any]], object], text: str
) -> None:
    first = RecordedCore(tmp_path, driven_core)
    first.create()
    first.journal.close()
    (path,) = (tmp_path / "journal").glob("*.jsonl")
    head, *lines = [json.loads(line) for line in path.read_text().splitlines()]
    damage(lines)
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [head, *lines]))
    second = RecordedCore(tmp_path, driven_core)
    remedy = "; remove the folder to play again, from the beginning, all matches that were being played$"
    with pytest.raises(
        JournalError, match=f"^{tmp_path}/journal: match m-1 cannot go on: .*{text}.*{remedy}"
    ):
        second.recover()
    second.journal.close()


# Killed at any point

MARKED = ("after a mark", "after settle", "before forget", "after forget")


@dataclass
class Undisturbed:
    """A match that is played without a break, and what kill -9 would have left at each point of it."""

    recorded: RecordedCore
    left: list[tuple[str, Path, dict[Key, FinishedMatch]]] = field(default_factory=list)

    def at(self, point: str) -> Path:
        """Keep what is on disk now, and what has been stored."""
        copy = self.recorded.folder.with_name(f"{len(self.left)}")
        shutil.copytree(self.recorded.folder, copy)
        self.left.append((point, copy, dict(self.recorded.results)))
        return copy

    def around(self, patch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def step(*args: Any, **more: Any) -> Any:
            self.at(f"before {name}")
            result = real(*args, **more)
            self.at(f"after {name}")
            return result

        patch.setattr(owner, name, step)

    def written(self, patch: pytest.MonkeyPatch) -> None:
        """Come past every write to the journal: before it, in the midst of it, and before anybody is told."""
        real = Journal.flush

        def flush(journal: Journal) -> int:
            what = "a mark" if any('"settled"' in line for line in journal._lines) else "a write"
            if journal._lines:
                self.at(f"before {what}")
            if size := real(journal):
                torn = max((self.at(f"in {what}") / "journal").glob("*.jsonl"))
                torn.write_bytes(torn.read_bytes()[: -1 - size // 3])
                self.at(f"after {what}")
            return size

        patch.setattr(Journal, "flush", flush)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, driven_core: type[DrivenCore]) -> Undisturbed:
    recorded = RecordedCore(tmp_path_factory.mktemp("kills") / "whole", driven_core)
    played = Undisturbed(recorded)
    with pytest.MonkeyPatch.context() as patch:
        played.written(patch)
        for owner, name in ((record, "write"), (recorded, "store"), (Journal, "settle"), (Vault, "forget")):
            played.around(patch, owner, name)
        recorded.create()
        recorded.play()
    recorded.journal.close()
    return played


def inputs(report: FinishedMatch) -> list[dict[str, Any]]:
    """Return the inputs of a record as they stand in a journal."""
    lines = [line for line in record.read(report.path).lines if line["type"] == "input"]
    return [{"key": ["m-1", 1], **line} for line in lines]


def told(report: FinishedMatch) -> list[dict[str, Any]]:
    """Return the lines of a record that say what was played, not when."""
    lines = record.read(report.path).lines
    timeless = [line for line in lines if line["type"] not in ("input", "outcome")]
    outcome = [{n: v for n, v in line.items() if n not in ("times", "faults")} for line in lines]
    return [*timeless, *(line for line in outcome if line["type"] == "outcome")]


def test_points_to_be_killed_at_lie_between_all_steps(undisturbed: Undisturbed) -> None:
    points = list(dict.fromkeys(point for point, _folder, _results in undisturbed.left))
    assert points == [
        *("before a write", "in a write", "after a write"),
        *("before write", "after write"),
        *("before store", "after store"),
        *("before settle", "before a mark", "in a mark", "after a mark", "after settle"),
        *("before forget", "after forget"),
    ]
    assert sum(point == "in a write" for point, _folder, _results in undisturbed.left) > 50


def test_nothing_is_lost_or_doubled_wherever_it_is_killed(
    undisturbed: Undisturbed, driven_core: type[DrivenCore]
) -> None:
    (whole,) = undisturbed.recorded.reported
    key = "m-1", 1
    opened_again: list[str] = []
    for point, folder, results in undisturbed.left:
        recorded = RecordedCore(folder, driven_core, results)
        had_result = key in results
        recorded.recover()
        assert recorded.secrets == ["m-1.1.secret"] * len(recorded.driven_core.core.matches), point
        is_new = not recorded.driven_core.core.matches and key not in results
        if is_new:
            assert point in ("before a write", "in a write")  # nobody was told of it: it is opened again
            opened_again.append(point)
            recorded.create()
        recorded.play()
        recorded.journal.close()
        # reported again only while it is not marked, and then word for word
        assert len(recorded.reported) == (point not in MARKED), point
        if had_result and recorded.reported:
            assert (recorded.reported[0].sha256, recorded.reported[0].path.name) == (
                whole.sha256,
                whole.path.name,
            )
        assert list(recorded.results) == [key], point
        assert (
            inputs(recorded.results[key]) == (recorded.journalled or undisturbed.recorded.journalled)[1:]
        ), point
        assert is_new or told(recorded.results[key]) == told(whole), point
        assert [path.name for path in record_files.in_folder(folder / "records")] == ["m-1.1.jsonl.gz"], point
        left = Journal(folder / "journal")
        left.close()
        assert left.left == {}, point
        assert recorded.secrets == [], point
    assert opened_again == ["before a write", "in a write"]


def test_downtime_is_charged_to_nobody(tmp_path: Path, driven_core: type[DrivenCore]) -> None:
    first = RecordedCore(tmp_path, driven_core)
    first.driven_core.create("two_handed_spades", clock=replace(PROFILES["debug"], move=100, bank=0, lag=0))
    for entry in "ab":
        first.driven_core.arrive(entry)
    for guest in first.driven_core.guests:
        guest.ready()
    first.journal.close()
    second = RecordedCore(tmp_path, driven_core)
    second.recover()
    second.driven_core.now += GRACE
    second.play()
    (report,) = second.reported
    assert report.outcome.forfeited == ()
    assert [counts.total for counts in report.outcome.faults] == [0, 0]
    assert all(time.longest <= 1 for time in report.outcome.times)
    second.journal.close()


# for tests/referee/storage/test_recorder.py


def test_keys_without_a_match_are_forgotten(tmp_path: Path, driven_core: type[DrivenCore]) -> None:
    recorded = RecordedCore(tmp_path, driven_core)
    recorded.driven_core.create("two_handed_spades")
    kept = recorded.keys.secret("m-1.1")
    recorded.keys.secret("m-2.1")  # it was killed before the header of this one was written
    recorded.journal.close()
    again = RecordedCore(tmp_path, driven_core)
    again.recover()
    assert sorted(path.name for path in (tmp_path / "secrets").iterdir()) == ["m-1.1.secret"]
    assert again.keys.secret("m-1.1") == kept
    again.journal.close()
