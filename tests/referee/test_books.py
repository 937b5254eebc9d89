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
from referee import record
from referee.books import Books, Report
from referee.clock import PROFILES
from referee.deals import MatchDeals
from referee.faults import Termination
from referee.journal import Journal, JournalError
from referee.session import Session
from referee.table import Key
from referee.vault import Vault

GRACE = 1_000
DATE = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


class House:
    """A hall with its books in a folder; ``results`` are stored as a tournament would, and settled then."""

    def __init__(self, folder: Path, lobby: type, results: dict[Key, Report] | None = None) -> None:
        self.folder = folder
        (folder / "records").mkdir(parents=True, exist_ok=True)
        self.keys = Vault(folder / "secrets", durable=False)
        self.journal = Journal(folder / "journal")
        self.lobby = lobby(deals=lambda setup, rules: MatchDeals(setup, rules, self.keys))
        self.lobby.turn = self.turn
        self.books = Books(
            self.lobby.hall,
            keys=self.keys,
            journal=self.journal,
            records=folder / "records",
            wall=lambda: self.date,
        )
        self.date = DATE
        self.results = {} if results is None else results
        self.reported: list[Report] = []
        self.journalled: list[dict[str, Any]] = []
        """What stood in the journal when the last record was written."""

    def turn(self) -> None:
        output = self.books.turn(self.lobby.now)
        self.lobby.opened += output.opened
        for table in output.finished:
            self.journalled = self.written
            report = self.books.keep(table)
            self.reported.append(report)
            self.store(report)
            self.books.settle(report)
        for guest in self.lobby.guests:
            guest.listen()

    def store(self, report: Report) -> None:
        self.results[report.setup.match_id, report.setup.attempt] = report

    def recover(self) -> None:
        self.lobby.now = self.books.last_time
        self.books.recover(self.lobby.now, GRACE)
        self.turn()

    def create(self) -> None:
        self.lobby.create("two_handed_spades", clock=PROFILES["debug"])

    def play(self) -> None:
        """Seat both bots and play on to the end; what each answers is a function of its decision."""
        for entry in "ab":
            self.lobby.arrive(entry)
        for guest in self.lobby.guests:
            guest.ready()
        self.lobby.now += 1
        self.lobby.play_out()

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
def house(tmp_path: Path, lobby: Any) -> Iterator[House]:
    made = House(tmp_path, lobby)
    yield made
    made.journal.close()


# The order


def test_what_a_bot_is_told_is_written_before(house: House, monkeypatch: Any) -> None:
    released: list[tuple[list[bytes], list[dict[str, Any]]]] = []
    release = Session.release

    def watched(session: Session, now: int) -> None:
        released.append((list(session._queued), house.written))
        release(session, now)

    monkeypatch.setattr(Session, "release", watched)
    house.create()
    house.play()
    closed = seated = 0
    for told, written in released:
        updates = [pb.Update.FromString(data) for data in told]
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


def test_nothing_is_told_that_cannot_be_written(house: House, monkeypatch: Any) -> None:
    guest = house.lobby.arrive("a")
    heard = len(guest.heard)
    monkeypatch.setattr(Journal, "flush", no_space)
    with pytest.raises(OSError, match="No space left"):
        house.create()
    guest.listen()
    assert len(guest.heard) == heard


def test_a_match_is_settled_before_its_key_is_forgotten(house: House, monkeypatch: Any) -> None:
    kept: list[list[str]] = []
    settle = Journal.settle

    def watched(journal: Journal, key: Key) -> None:
        kept.append(house.secrets)
        settle(journal, key)
        kept.append(house.secrets)

    monkeypatch.setattr(Journal, "settle", watched)
    house.create()
    house.play()
    assert kept == [["m-1.1.secret"]] * 2
    assert house.secrets == []


def test_a_record_stands_before_a_match_is_reported(house: House) -> None:
    house.lobby.now = 7
    house.create()
    house.date = DATE.replace(hour=13)
    house.play()
    (report,) = house.reported
    assert (report.setup.match_id, report.outcome.termination) == ("m-1", Termination.COMPLETED)
    assert report.started == "2026-03-01T12:00:00+00:00"
    assert report.path == house.folder / "records" / "m-1.1.jsonl.gz"
    assert record.read(report.path).header["commitment"]["epoch_id"] == "m-1.1"
    assert report.duration == house.lobby.now - 7


# What an earlier process left


def test_the_last_time_is_the_latest_that_was_written(tmp_path: Path, lobby: Any) -> None:
    first = House(tmp_path, lobby)
    assert first.books.last_time == 0
    first.lobby.now = 70
    first.lobby.create("hearts", "m-1")
    first.lobby.now = 80
    first.lobby.create("two_handed_spades", "m-2")
    first.lobby.now = 90
    first.lobby.arrive("c")  # who plays in the first
    first.journal.close()
    second = House(tmp_path, lobby)
    assert second.books.last_time == 90
    second.recover()
    assert second.books.last_time == 0, "it is told once, before `recover`"
    assert second.lobby.hall.running == 2
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
    tmp_path: Path, lobby: Any, damage: Callable[[list[Any]], object], text: str
) -> None:
    first = House(tmp_path, lobby)
    first.create()
    first.journal.close()
    (path,) = (tmp_path / "journal").glob("*.jsonl")
    head, *lines = [json.loads(line) for line in path.read_text().splitlines()]
    damage(lines)
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [head, *lines]))
    second = House(tmp_path, lobby)
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

    house: House
    left: list[tuple[str, Path, dict[Key, Report]]] = field(default_factory=list)

    def at(self, point: str) -> Path:
        """Keep what is on disk now, and what has been stored."""
        copy = self.house.folder.with_name(f"{len(self.left)}")
        shutil.copytree(self.house.folder, copy)
        self.left.append((point, copy, dict(self.house.results)))
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
            what = "a mark" if any(b'"settled"' in line for line in journal._lines) else "a write"
            if journal._lines:
                self.at(f"before {what}")
            if size := real(journal):
                torn = max((self.at(f"in {what}") / "journal").glob("*.jsonl"))
                torn.write_bytes(torn.read_bytes()[: -1 - size // 3])
                self.at(f"after {what}")
            return size

        patch.setattr(Journal, "flush", flush)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, lobby: Any) -> Undisturbed:
    house = House(tmp_path_factory.mktemp("kills") / "whole", lobby)
    played = Undisturbed(house)
    with pytest.MonkeyPatch.context() as patch:
        played.written(patch)
        for owner, name in ((record, "write"), (house, "store"), (Journal, "settle"), (Vault, "forget")):
            played.around(patch, owner, name)
        house.create()
        house.play()
    house.journal.close()
    return played


def inputs(report: Report) -> list[dict[str, Any]]:
    """Return the inputs of a record as they stand in a journal."""
    lines = [line for line in record.read(report.path).lines if line["type"] == "input"]
    return [{"key": ["m-1", 1], **line} for line in lines]


def told(report: Report) -> list[dict[str, Any]]:
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


def test_nothing_is_lost_or_doubled_wherever_it_is_killed(undisturbed: Undisturbed, lobby: Any) -> None:
    (whole,) = undisturbed.house.reported
    key = "m-1", 1
    opened_again: list[str] = []
    for point, folder, results in undisturbed.left:
        house = House(folder, lobby, results)
        had_result = key in results
        house.recover()
        assert house.secrets == ["m-1.1.secret"] * house.lobby.hall.running, point
        is_new = not house.lobby.hall.running and key not in results
        if is_new:
            assert point in ("before a write", "in a write")  # nobody was told of it: it is opened again
            opened_again.append(point)
            house.create()
        house.play()
        house.journal.close()
        # reported again only while it is not marked, and then word for word
        assert len(house.reported) == (point not in MARKED), point
        if had_result and house.reported:
            assert (house.reported[0].sha256, house.reported[0].path.name) == (whole.sha256, whole.path.name)
        assert list(house.results) == [key], point
        assert inputs(house.results[key]) == (house.journalled or undisturbed.house.journalled)[1:], point
        assert is_new or told(house.results[key]) == told(whole), point
        assert sorted(path.name for path in (folder / "records").iterdir()) == ["m-1.1.jsonl.gz"], point
        left = Journal(folder / "journal")
        left.close()
        assert left.left == {}, point
        assert house.secrets == [], point
    assert opened_again == ["before a write", "in a write"]


def test_downtime_is_charged_to_nobody(tmp_path: Path, lobby: Any) -> None:
    first = House(tmp_path, lobby)
    first.lobby.create("two_handed_spades", clock=replace(PROFILES["debug"], move=100, bank=0, lag=0))
    for entry in "ab":
        first.lobby.arrive(entry)
    for guest in first.lobby.guests:
        guest.ready()
    first.journal.close()
    second = House(tmp_path, lobby)
    second.recover()
    second.lobby.now += GRACE
    second.play()
    (report,) = second.reported
    assert report.outcome.forfeited == ()
    assert [counts.total for counts in report.outcome.faults] == [0, 0]
    assert all(time.longest <= 1 for time in report.outcome.times)
    second.journal.close()


# for tests/referee/test_books.py


def test_keys_without_a_match_are_forgotten(tmp_path: Path, lobby: Any) -> None:
    house = House(tmp_path, lobby)
    house.lobby.create("two_handed_spades")
    kept = house.keys.secret("m-1.1")
    house.keys.secret("m-2.1")  # it was killed before the header of this one was written
    house.journal.close()
    again = House(tmp_path, lobby)
    again.recover()
    assert sorted(path.name for path in (tmp_path / "secrets").iterdir()) == ["m-1.1.secret"]
    assert again.keys.secret("m-1.1") == kept
    again.journal.close()
