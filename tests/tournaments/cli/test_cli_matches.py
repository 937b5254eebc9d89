"""`fairdeal tournament matches`: every attempt at every match, for people and programs."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Final

import pytest

from referee.cards import Seat
from referee.match.clock import Micros
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, SeatTime, Termination
from tests.results import result
from tests.tournaments.conftest import Fairdeal
from tests.tournaments.tournament_under_test import CUP, remote, written
from tournaments import schedule
from tournaments.report import texts
from tournaments.report.texts import TextKind
from tournaments.standings import current
from tournaments.store import Store
from tournaments.tournament_file.reader import load

BAD: Final = FaultCounts(illegal=2, late=1)
TIMES: Final = tuple(SeatTime(9, Micros(seconds * 1_000_000), Micros(500_000)) for seconds in (3, 4))
GOOD: Final = Outcome(Termination.COMPLETED, (1, 2), (300, 120), False, (FaultCounts(),) * 2, (), TIMES)
FORFEIT: Final = replace(
    GOOD, termination=Termination.FORFEIT, scores=(), faults=(FaultCounts(), BAD), forfeited=(Seat(1),)
)
VOID: Final = replace(GOOD, termination=Termination.VOID, ranks=(), scores=())


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """Play a result, a forfeit, a void attempt, a match that is left out and a withdrawn result."""
    plan = written(tmp_path, CUP + remote("a", "b", "c"))
    with Store.open(plan) as store:
        first, second, third, fourth, fifth, *_ = store.issue(schedule.next(plan, store.issued(), {}))
        store.add(result(first.match_id, GOOD))
        store.add(result(second.match_id, FORFEIT))
        store.add(result(third.match_id, VOID))
        store.skip(fourth)
        store.add(result(fifth.match_id, GOOD))
        store.take_back([fifth], "olga", "a slow machine")
    assert plan.source
    return plan.source


def ended(matches: Sequence[dict[str, object]]) -> list[tuple[object, ...]]:
    return [(each["serial"], each["attempt"], each["state"], each["stands"]) for each in matches]


def test_every_attempt_is_there_with_all_that_is_known_of_it(fairdeal: Fairdeal, cup: Path) -> None:
    found = fairdeal("tournament", "matches", cup, "--json").json
    assert (found["name"], found["game"]) == ("cup", "two_handed_spades")
    assert ended(found["matches"]) == [
        (1, 1, "completed", True),
        (2, 1, "forfeit", True),
        (3, 1, "void", True),
        (3, 2, "open", True),
        (4, 1, "skipped", True),
        (5, 1, "completed", False),
        (5, 2, "open", True),
        (6, 1, "open", True),
    ]
    forfeited = found["matches"][1]
    assert forfeited["record"] == f"records/{forfeited['match']}.1.jsonl.gz"
    assert (forfeited["record_sha256"], forfeited["seconds"]) == ("ab" * 32, 1.5)
    seats = [seat.pop("entry") for seat in forfeited["seats"]]
    assert set(seats) < {"a", "b", "c"}
    both = {"version": None, "score": None, "answered": 9}
    assert forfeited["seats"] == [
        {**both, "rank": 1, "faults": {}, "forfeited": False, "think_seconds": 3.0},
        {**both, "rank": 2, "faults": {"illegal": 2, "late": 1}, "forfeited": True, "think_seconds": 4.0},
    ]


def test_csv_says_the_same_in_one_table(fairdeal: Fairdeal, cup: Path) -> None:
    lines = list(csv.DictReader(StringIO(fairdeal("tournament", "matches", cup, "--csv").out)))
    matches = fairdeal("tournament", "matches", cup, "--json").json["matches"]
    assert [line["match"] for line in lines] == [each["match"] for each in matches]
    assert (lines[1]["faults_1"], lines[1]["rank_0"], lines[1]["forfeited_1"]) == (
        "illegal=2 late=1",
        "1",
        "True",
    )
    assert (lines[0]["score_0"], lines[0]["entry_0"]) == ("300", matches[0]["seats"][0]["entry"])


def test_a_line_for_people(fairdeal: Fairdeal, cup: Path) -> None:
    first, second, third, again, *_ = fairdeal("tournament", "matches", cup).out.splitlines()
    assert ": completed; round 1; " in first
    assert " 300 (1.), " in first
    assert first.endswith(
        " 120 (2.); 2026-03-01 12:00:00, 1.5 s, records/" + first.split(":")[0] + ".1.jsonl.gz"
    )
    assert " 2 illegal, 1 late, forfeits; " in second
    assert "void" in third
    assert ": open, attempt 2; round 1; " in again


def test_only_some(fairdeal: Fairdeal, cup: Path) -> None:
    faulty = fairdeal("tournament", "matches", cup, "--faults", "--json").json["matches"]
    assert ended(faulty) == [(2, 1, "forfeit", True)]
    (third,) = {"a", "b", "c"} - {seat["entry"] for seat in faulty[0]["seats"]}
    of_who_made_none = ("--entry", third)
    others = fairdeal("tournament", "matches", cup, "--faults", *of_who_made_none)
    assert others.out == "no match with a fault\n"
    assert fairdeal("tournament", "matches", cup, "--faults", "--csv", *of_who_made_none).out.count("\n") == 1
    of_a = fairdeal("tournament", "matches", cup, "--entry", "a", "--json").json["matches"]
    assert {each["serial"] for each in of_a} < set(range(1, 7))
    assert all("a" in [seat["entry"] for seat in each["seats"]] for each in of_a)
    assert len({each["serial"] for each in of_a}) == 4


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("--csv", "--json"), 2, "fairdeal: --csv and --json: choose one"),
        (("--entry", "zoe"), 1, "fairdeal: {cup}: it has no entry zoe: name one of a, b, c"),
    ],
)
def test_what_is_refused(
    fairdeal: Fairdeal, cup: Path, words: tuple[str, ...], status: int, told: str
) -> None:
    done = fairdeal("tournament", "matches", cup, *words)
    assert (done.status, done.line) == (status, told.format(cup=cup))


def test_each_file_of_csv_holds_one_table(fairdeal: Fairdeal, cup: Path) -> None:
    printed = fairdeal("tournament", "report", cup, "--csv").out
    done = fairdeal("tournament", "report", cup, "--csv", "-o", "cup.csv")
    files = ["cup.csv", "cup-crosstable.csv", "cup-matches.csv"]
    assert done.err.splitlines() == [f"wrote {name}" for name in files]
    standings, crosstable, matches = (cup.with_name(name).read_text() for name in files)
    assert standings == printed
    assert {len(line) for line in csv.reader(StringIO(standings))} == {
        standings.split("\n")[0].count(",") + 1
    }
    assert crosstable.startswith("entry,opponent,wins,")
    assert matches == fairdeal("tournament", "matches", cup, "--csv").out


@pytest.mark.parametrize("kind", sorted(texts.OF_MATCHES))
def test_another_machine_is_told_no_path(cup: Path, kind: TextKind) -> None:
    plan = load(cup)
    with Store.read(plan) as store:
        told = "".join(texts.matches(plan, store, kind, (), only_faults=False, is_here=False))
        here = "".join(texts.matches(plan, store, kind, (), only_faults=False))
    assert "completed" in told
    assert [each in here for each in ("records/", ".jsonl.gz")] == [True, True]
    assert [each in told for each in (str(plan.folder), "records/", ".jsonl.gz")] == [False] * 3
    assert ("ab" * 32 in told) is (kind is not TextKind.MATCHES)  # the digest is no path


@pytest.mark.parametrize("kind", [kind for kind in TextKind if kind not in texts.OF_MATCHES])
def test_a_report_for_another_machine_has_no_path(cup: Path, kind: TextKind) -> None:
    plan = load(cup)
    with Store.read(plan) as store:
        told = texts.report(plan, store, kind, current(store, plan))
        assert (store.records_digest() in told) is (kind is not TextKind.REPORT_CSV)
    assert [each in told for each in (str(plan.folder), "records/", ".jsonl.gz")] == [False] * 3
