"""What a store knows of the records of its tournament, also one of an earlier version."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from referee.codec.json import plain
from referee.match.faults import Termination
from referee.verify import Status, verify
from tests.tournaments.examples import copied, play_on_paper
from tests.tournaments.kept import FOLDER, GAMES, restored
from tests.tournaments.store.conftest import CUP, StoreLocation
from tournaments.schedule.duplicates import set_of
from tournaments.store import FILE, Store, StoreError
from tournaments.store.records import StoredRecords
from tournaments.tournament_file.reader import load


@pytest.mark.parametrize("game", GAMES)
def test_records_of_an_earlier_version_verify_with_their_store(game: str, tmp_path: Path) -> None:
    file = restored(f"{game}-finished", tmp_path)
    folder = tmp_path / FOLDER
    before = (folder / FILE).read_bytes()
    with closing(StoredRecords.of_plan(load(file))) as stored:
        (found,) = stored.all()
        assert stored.find(found.match_id, 1) == found
        assert stored.find(found.match_id, 2) is None
        assert stored.find("m-1", 1) is None
        assert not stored.is_open(found.match_id)
    verdict = verify((folder / found.path).read_bytes(), name=Path(found.path).name, known=found.known)
    assert (verdict.status, verdict.problem) == (Status.VERIFIED, None)
    assert (folder / FILE).read_bytes() == before, "who verifies changes nothing"


def test_a_match_that_is_played_is_open(tmp_path: Path) -> None:
    restored("hearts-running", tmp_path)
    with closing(StoredRecords.in_file(tmp_path / FOLDER / FILE)) as stored:
        assert list(stored.all()) == []
        name = next((tmp_path / FOLDER / "secrets").iterdir()).name
        assert stored.is_open(name.removesuffix(".1.secret"))


def test_a_void_attempt_has_its_record_too(tmp_path: Path) -> None:
    restored("piquet-finished", tmp_path)
    with closing(sqlite3.connect(tmp_path / FOLDER / FILE)) as store:
        store.execute("UPDATE attempts SET status = 'VOID'")
        store.commit()
    with closing(StoredRecords.in_file(tmp_path / FOLDER / FILE)) as stored:
        (found,) = stored.all()
    assert found.known.outcome["termination"] == "void"


def text(path: Path) -> None:
    path.write_text("no database, and longer than the header of one has to be")


def other_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE notes (text)")


def nothing(path: Path) -> None:
    path.touch()


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (text, "cannot be used as a store (file is not a database)"),
        (other_tables, "not the store of a tournament"),
        (nothing, "holds no tournament"),
        (lambda path: None, "cannot be used as a store (unable to open database file)"),
    ],
)
def test_what_is_no_store_is_refused(tmp_path: Path, made: Callable[[Path], None], told: str) -> None:
    made(tmp_path / FILE)
    with pytest.raises(StoreError, match=r"^[^\n]*$") as caught:
        StoredRecords.in_file(tmp_path / FILE)
    assert str(caught.value).startswith(str(tmp_path / FILE))
    assert told in str(caught.value)


def test_a_copy_that_nobody_may_write_to_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    restored("piquet-finished", tmp_path)
    copy = shutil.copytree(tmp_path / FOLDER, tmp_path / "copy")
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and access(path, mode))
    with closing(StoredRecords.in_file(copy / FILE)) as stored:
        assert len(list(stored.all())) == 1
    assert sorted(path.name for path in copy.iterdir()) == ["records", FILE]


def test_every_attempt_that_is_over_is_known(location: StoreLocation) -> None:
    plan = location.plan()
    with location.issued(plan) as store:
        first, second, third, *_ = store.to_do()
        store.add(location.result(second.match_id, 1, Termination.VOID))
        store.add(location.result(second.match_id, 2))
        store.add(location.result(first.match_id, 1, Termination.FORFEIT, score=7))
        store.skip(third)
    with closing(StoredRecords.of_plan(plan)) as stored:
        found = list(stored.all())
        assert [(each.match_id, each.attempt) for each in found] == [
            (first.match_id, 1),
            (second.match_id, 1),
            (second.match_id, 2),
        ]
        assert stored.find(second.match_id, 2) == found[2]
        assert stored.find(third.match_id, 1) is None
        assert [stored.is_open(each.match_id) for each in (second, third)] == [False, False]
        assert (list(stored.unsettled()), stored.checkpoint()) == ([], None)
        assert [each.entry.name for each in stored.roster()] == ["ann", "ben", "cid"]
    known = found[0].known
    assert found[0].path == f"records/{first.match_id}.1.jsonl.gz"
    assert (known.sha256, known.duration, known.knows_seed, known.seed) == ("ab" * 32, 1_500_000, True, None)
    assert known.header["entries"] == list(first.entries)
    assert known.header["game"] == "two_handed_spades"
    assert [known.header[name] for name in ("deals", "event_grid", "epoch")] == [None] * 3
    assert known.header["clock"] == plain(plan.clock)
    assert known.header["faults"] == plain(plan.faults)
    assert known.outcome["termination"] == "forfeit"
    assert known.outcome["scores"] == [7, 120]


def test_the_matches_of_a_stage_have_its_clock(tmp_path: Path) -> None:
    file = copied("groups_and_playoff.toml", tmp_path / "cup")
    play_on_paper(file)
    plan = load(file)
    assert plan.stages[-1].clock not in (None, plan.clock)
    with Store.read(plan) as store, closing(StoredRecords.of_plan(plan)) as stored:
        rounds = {issued.match_id: issued.round for issued, _result in store.results()}
        clocks = {each.match_id: each.known.header["clock"] for each in stored.all()}
    assert clocks == {name: plain(plan.clock_of(number)) for name, number in rounds.items()}
    assert len({each["move"] for each in clocks.values()}) == 2


def test_a_tournament_that_is_not_there(location: StoreLocation) -> None:
    with pytest.raises(StoreError, match=r"^[^\n]*$"):
        StoredRecords.of_plan(location.plan())


def test_the_turns_of_a_set_share_their_epoch(sqlite: StoreLocation) -> None:
    plan = sqlite.plan(f"match = {{ deals = 3, duplicate = true }}\nevent_grid = 50\n{CUP}")
    with sqlite.issued(plan) as store:
        for issued in store.to_do(2):
            store.add(sqlite.result(issued.match_id))
    with closing(StoredRecords.of_plan(plan)) as stored:
        first, second = stored.all()
    assert first.match_id != second.match_id
    assert first.known.header["epoch"] == second.known.header["epoch"] == f"{set_of(first.match_id)}.1"
    assert (first.known.header["deals"], first.known.header["event_grid"]) == (3, 50_000)


def test_the_sets_of_a_round_may_share_their_epoch(sqlite: StoreLocation) -> None:
    plan = sqlite.plan(f"match = {{ deals = 3, duplicate = true, shared_decks = true }}\n{CUP}")
    with sqlite.issued(plan) as store:
        first, second = store.to_do(2)
        store.add(sqlite.result(first.match_id))
        store.add(replace(sqlite.result(second.match_id), attempt=2))
    with closing(StoredRecords.of_plan(plan)) as stored:
        epochs = [each.known.header["epoch"] for each in stored.all()]
    assert epochs == [f"{plan.game}-1.1", f"{set_of(second.match_id)}.2"]
