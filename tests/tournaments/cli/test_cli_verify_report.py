"""`fairdeal record verify --report`: standings that were published are computed again."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from referee.verify import Status
from tests.results import fill
from tests.tournaments.cli.test_cli_record import write
from tests.tournaments.conftest import Fairdeal
from tests.tournaments.examples import copied, play_on_paper
from tests.tournaments.kept import FOLDER, restored
from tournaments.cli.verify_report import PublishedReport, ReportFound
from tournaments.cli.verify_store import StoreToVerify
from tournaments.plan.states import EntryState, RulingKind
from tournaments.store import FILE, Store
from tournaments.store.records import StoredRecords
from tournaments.tournament_file.reader import load


def found(file: Path, report: Path) -> ReportFound:
    """Return what is found out about a report, as if all records were verified."""
    plan = load(file)
    with closing(StoreToVerify(StoredRecords.in_file(plan.folder / FILE), plan.folder, plan)) as store:
        published = PublishedReport(report)
        return published.verified(published.store_of({plan.name: store}), records_are=True)


def published(fairdeal: Fairdeal, file: Path) -> Path:
    report = file.with_suffix(".json")
    assert fairdeal("tournament", "report", file, "--json", "-o", report).status == 0
    return report


@pytest.mark.parametrize(
    "name", ["round_robin", "duplicate", "gauntlet", "swiss", "knockout", "groups_and_playoff"]
)
def test_a_report_follows_from_the_results_and_the_rulings(
    fairdeal: Fairdeal, tmp_path: Path, name: str
) -> None:
    file = copied(f"{name}.toml", tmp_path / "cup")
    play_on_paper(file)
    with Store.open(load(file)) as store:
        entry = store.roster()[-1].entry.name
        store.rule_on_entry(RulingKind.DISQUALIFY, entry, "olga", "why not", is_struck=name == "round_robin")
    report = published(fairdeal, file)
    done = found(file, report)
    assert (done.status, done.problem) == (Status.VERIFIED, None)
    assert done.line == f"{report}: verified: its standings follow from the results and the rulings"
    standings = fairdeal("tournament", "standings", file, "--json").json  # without the ratings over time
    report.write_text(json.dumps(standings))
    assert found(file, report).status is Status.VERIFIED


@pytest.fixture
def cup(fairdeal: Fairdeal, tmp_path: Path) -> tuple[Path, Path]:
    """Return the file of a tournament that is over, and its report."""
    file = copied("round_robin.toml", tmp_path / "cup")
    play_on_paper(file)
    return file, published(fairdeal, file)


def renamed(told: dict[str, Any]) -> None:
    lines = told["standings"]
    lines[0]["entry"], lines[1]["entry"] = lines[1]["entry"], lines[0]["entry"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda told: told["standings"][1].update(mu=30.0), "standings[1].mu"),
        (lambda told: told["standings"][2].update(rank=1), "standings[2].rank"),
        (lambda told: told["standings"][0]["history"][3].update(sigma=1.0), "standings[0].history[3].sigma"),
        (renamed, "standings[0].entry"),
        (lambda told: told["standings"].pop(), "standings"),
        (lambda told: told["standings"].append({"entry": "zoe"}), "standings[5].entry"),
        (lambda told: told["crosstable"][4].update(wins=7), "crosstable[4].wins"),
        (lambda told: told.update(records_sha256="00"), "records_sha256"),
    ],
)
def test_what_was_changed_in_a_report_is_named(
    cup: tuple[Path, Path], change: Callable[[dict[str, Any]], object], field: str
) -> None:
    file, report = cup
    told = json.loads(report.read_text())
    change(told)
    report.write_text(json.dumps(told))
    done = found(file, report)
    assert (done.status, done.problem and done.problem.field) == (Status.WRONG, field)


def test_who_leaves_a_ladder_after_the_report_changes_nothing(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = copied("ladder.toml", tmp_path / "cup")
    with Store.open(load(file)) as store:
        fill(store, load(file), 20)
    report = published(fairdeal, file)
    with Store.open(load(file)) as store:
        store.set_standing("greedy", EntryState.LEFT)
    done = found(file, report)
    assert (done.status, done.problem) == (Status.VERIFIED, None)


def test_a_result_that_was_changed_after_the_report_is_found(cup: tuple[Path, Path]) -> None:
    file, report = cup
    with closing(sqlite3.connect(load(file).folder / FILE)) as store:
        store.execute("UPDATE attempts SET ranks = '[2, 1]' WHERE serial = 1 AND ranks = '[1, 2]'")
        store.execute("UPDATE attempts SET ranks = '[1, 2]' WHERE serial = 2 AND ranks = '[2, 1]'")
        store.execute("UPDATE attempts SET ranks = '[1, 1]' WHERE serial = 3")
        store.commit()
    assert found(file, report).status is Status.WRONG


def test_the_command(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = restored("hearts-finished", tmp_path)
    report = published(fairdeal, file)
    done = fairdeal("record", "verify", file, "--report", report)
    assert (done.status, done.err) == (0, "")
    assert (
        done.out.splitlines()[-1]
        == f"{report}: verified: its standings follow from the results and the rulings"
    )
    told = json.loads(report.read_text())
    told["standings"][0]["mu"] += 1e-9
    report.write_text(json.dumps(told))
    done = fairdeal("record", "verify", file, "--report", report, "--json")
    (data,) = done.json["reports"]
    assert (done.status, data["status"], data["problem"]["field"]) == (1, "wrong", "standings[0].mu")
    for record in (tmp_path / FOLDER / "records").glob("**/*.gz"):
        record.unlink()
    done = fairdeal("record", "verify", file, "--report", report)
    assert (done.status, "not compared: its standings: not all records" in done.out.splitlines()[-1]) == (
        1,
        True,
    )


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"name": "cup", "standings": [1]}', '{"name": "cup", "standings": 1}']
)
def test_what_is_no_report_is_refused(fairdeal: Fairdeal, tmp_path: Path, text: str) -> None:
    report = tmp_path / "report.json"
    report.write_text(text)
    done = fairdeal("record", "verify", write(tmp_path, "hearts"), "--report", report)
    assert (done.status, "is no report as JSON" in done.line) == (2, True)


def test_a_report_needs_the_file_of_its_tournament(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = restored("hearts-finished", tmp_path)
    report = published(fairdeal, file)
    done = fairdeal("record", "verify", FOLDER, "--report", report)
    assert done.status == 2
    assert "is a report of cup: name the file of the tournament, too" in done.line
    done = fairdeal("record", "verify", file, "--report", tmp_path / "nowhere")
    assert (done.status, "cannot be read (No such file" in done.line) == (2, True)
