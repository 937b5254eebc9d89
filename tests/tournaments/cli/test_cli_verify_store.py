"""`fairdeal record verify` of a store: what counts, and running ratings, are computed again from results."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from referee.verify import Status
from tests.results import fill
from tests.tournaments.cli.test_cli_rulings import ENTRIES, name_of, played
from tests.tournaments.conftest import Fairdeal
from tournaments.cli.verify_store import StoreFound, StoreToVerify
from tournaments.plan.plan import Plan
from tournaments.plan.states import RulingKind
from tournaments.schedule import Pairing
from tournaments.serving.next_season import end_season
from tournaments.standings import current
from tournaments.store import FILE, Store, StoreError
from tournaments.store.records import StoredRecords
from tournaments.tournament_file.reader import load
from tournaments.tournament_file.season import ENDED

CUP: Final = f'game = "two_handed_spades"\nmatch = {{ deals = 1 }}\nrounds = 12\n{ENTRIES}'
WHY: Final = ("olga", "why not")


@pytest.fixture(autouse=True)
def kept_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a checkpoint after a few matches."""
    monkeypatch.setattr("tournaments.standings.live._WORTH_KEEPING", 20)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Have a tournament played whose ratings are kept."""
    file = played(tmp_path / "cup", CUP)
    keep(file)
    return file


def keep(file: Path) -> None:
    plan = load(file)
    with Store.open(plan) as store:
        current(store, plan)


def found(file: Path, *, with_plan: bool = False) -> StoreFound:
    """Return what is found out about the store, as if all records were verified."""
    plan = load(file)
    stored = StoredRecords.in_file(plan.folder / FILE)
    with closing(StoreToVerify(stored, plan.folder, plan if with_plan else None)) as store:
        return store.verified(records_are=True)


def change(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(load(file).folder / FILE)) as store:
        for statement in statements:
            store.execute(statement)
        store.commit()


@pytest.mark.parametrize("with_plan", [False, True])
def test_ratings_that_are_kept_are_computed_again(file: Path, with_plan: bool) -> None:
    done = found(file, with_plan=with_plan)
    assert (done.status, done.rated, done.problem, done.note) == (Status.VERIFIED, 72, None, "")
    plan = load(file)
    assert list(done.lines()) == [
        f"{plan.folder}: verified: the right results count, by attempts and rulings;"
        " the running ratings of 72 matches follow from them",
        f"digest: {done.records_sha256}",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"mu": 2', '"mu": 3'),
        ('"wins": ', '"wins": 1'),
        ('"times": ', '"times": 1'),
        ("\n", "\n\n"),
        ("{", "["),
    ],
)
def test_ratings_that_were_changed_are_found(file: Path, old: str, new: str) -> None:
    with closing(sqlite3.connect(load(file).folder / FILE)) as store:
        (data,) = store.execute("SELECT data FROM checkpoints").fetchone()
        assert old in data
        store.execute("UPDATE checkpoints SET data = ?", [data.replace(old, new, 1)])
        store.commit()
    done = found(file)
    assert done.status is Status.WRONG
    assert "the running ratings that are stored do not follow from the results" in next(done.lines())


def test_a_changed_rating_is_named(fairdeal: Fairdeal, file: Path) -> None:
    with closing(sqlite3.connect(load(file).folder / FILE)) as store:
        (data,) = store.execute("SELECT data FROM checkpoints").fetchone()
        first, rest = data.split("\n", 1)
        told: dict[str, Any] = json.loads(first)
        told["ratings"]["ratings"]["b"]["mu"] = 40.5
        store.execute("UPDATE checkpoints SET data = ?", [f"{json.dumps(told)}\n{rest}"])
        store.commit()
    problem = found(file).problem
    assert problem is not None
    assert (problem.field, problem.found) == ("ratings.ratings.b.mu", "40.5")


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE attempts SET stands = 0 WHERE serial = 30", ", attempt 1: "),
        ("UPDATE issued SET decided = 0 WHERE serial = 30", ": "),
        ("DELETE FROM attempts WHERE serial = 30", ": "),
    ],
)
def test_what_counts_otherwise_than_by_the_rulings_is_found(file: Path, statement: str, told: str) -> None:
    name = name_of(file, 30)
    change(file, statement)
    done = found(file)
    text = f"{name}{told}whether it counts does not follow from its attempts and the rulings"
    assert (done.status, done.problem and done.problem.text) == (Status.WRONG, text)


def ruled(store: Store, plan: Plan) -> None:
    """Rule in all ways on what is over."""
    results = [issued for issued, _result in store.matches()]
    store.take_back(results[:2], *WHY)
    store.annul(results[2:4], *WHY)
    store.rule_on_entry(RulingKind.DISQUALIFY, "a", *WHY, is_struck=True)
    store.rule_on_entry(RulingKind.WITHDRAW, "b", *WHY)
    store.rule_on_entry(RulingKind.REINSTATE, "a", *WHY)


def test_after_all_kinds_of_rulings_it_verifies(file: Path) -> None:
    plan = load(file)
    with Store.open(plan) as store:
        ruled(store, plan)
        current(store, plan)
    assert found(file).status is Status.VERIFIED
    change(file, "DELETE FROM adjudications WHERE number = 3")  # a result was annulled by nobody
    assert found(file).status is Status.WRONG


def test_what_was_kept_before_a_ruling_or_with_other_parameters_is_not_compared(file: Path) -> None:
    keep(file)
    file.write_text(CUP.replace("rounds", "rating = { beta = 5.0 }\nrounds"))
    assert "with other parameters" in found(file, with_plan=True).note
    assert found(file).status is Status.VERIFIED  # by the parameters of then


def test_sets_that_share_decks_are_rated_as_they_are_kept(tmp_path: Path) -> None:
    match = "match = { deals = 1, duplicate = true, shared_decks = true }"
    file = played(tmp_path / "cup", CUP.replace("match = { deals = 1 }", match))
    keep(file)
    done = found(file)
    assert (done.status, done.rated) == (Status.VERIFIED, 144)


GHOST: Final = {"rank": 9, "entry": "ghost", "matches": 0, "mu": 25.0, "sigma": 25 / 3}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (lambda told: told, None),
        (lambda told: {**told, "records_sha256": "00"}, "records_sha256"),
        (lambda told: {**told, "matches": 1}, "matches"),
        (lambda told: {**told, "matches": 31}, None),  # with the one that was skipped, as told before
        (
            lambda told: {**told, "standings": [{**each, "mu": 30.0} for each in told["standings"]]},
            "standings[0].mu",
        ),
        (lambda told: {**told, "standings": told["standings"][::-1]}, "standings[0].rank"),
        (lambda told: {**told, "standings": [*told["standings"], GHOST]}, "standings[4]"),
        (lambda told: {**told, "season": 3}, "season"),
        (lambda told: {**told, "name": "cop"}, "name"),
        (lambda told: {**told, "game": "hearts"}, "game"),
        (lambda told: {**told, "format": "fairdeal-season/2"}, "format"),
        (lambda told: {**told, "more": 1}, "more"),
        (lambda told: {**told, "ended": "2026-11-24T23:59:59+00:00"}, None),  # which nothing proves
        (lambda told: {}, ""),
    ],
)
def test_the_end_of_a_season_is_compared(
    tmp_path: Path, changed: Callable[[dict[str, Any]], dict[str, Any]], told: str | None
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(f'game = "two_handed_spades"\nformat = "ladder"\n{ENTRIES}')
    for _season in (1, 2):  # the second one begins with ratings
        plan = load(file)
        with Store.open(plan) as store:
            fill(store, plan, 30)
            store.issue([Pairing("skipped", 31, ("a", "b"))])
            store.skip(store.to_do()[0])
            store.issue([Pairing("in-play", 32, ("a", "b"))])  # which is not over when the season is
        kept = end_season(plan, lambda: datetime(2026, 11, 24, tzinfo=UTC)).folder
    end = kept / ENDED
    assert json.loads(end.read_text())["matches"] == 30
    end.write_text(json.dumps(changed(json.loads(end.read_text()))))
    stored = StoredRecords.in_file(kept / FILE)
    with closing(StoreToVerify(stored, kept)) as store:
        done = store.verified(records_are=True)
    assert (done.problem and done.problem.field) == told
    assert done.status is (Status.VERIFIED if told is None else Status.WRONG)
    assert ("rulings; season-end.json follows from them; " in next(done.lines())) is (told is None)


def test_nothing_is_computed_where_records_do_not_verify(file: Path, fairdeal: Fairdeal) -> None:
    done = fairdeal("record", "verify", load(file).folder)  # which has none
    assert done.status == 1
    assert "not compared: what counts and running ratings: not all of its records verify" in done.out


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE attempts SET scores = '[1'",
        "UPDATE attempts SET status = 'never'",
        "UPDATE issued SET versions = 'x' WHERE serial = 3",
        "INSERT INTO entry_rulings VALUES ('cup', 1, 'a', 'never', 0, 'olga', '', 'why')",
    ],
)
def test_what_fairdeal_never_writes_is_told_in_one_line(
    fairdeal: Fairdeal, tmp_path: Path, statement: str
) -> None:
    file = played(tmp_path / "cup", CUP)
    keep(file)
    change(file, statement)
    with pytest.raises(StoreError, match="holds what fairdeal never writes"):
        stored = StoredRecords.in_file(load(file).folder / FILE)
        with closing(StoreToVerify(stored, load(file).folder)) as store:
            list(stored.all())
            store.verified(records_are=True)
