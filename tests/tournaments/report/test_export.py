import csv
import json
from dataclasses import replace
from io import StringIO

import pytest

from tests.results import played, report
from tests.sample_report import plan
from tests.sample_report import standing as beginner
from tournaments.plan.states import EntryState
from tournaments.report.export import as_json, crosstable_csv, standings_csv
from tournaments.standings import Encounters, Report


@pytest.fixture
def cup() -> Report:
    seats = ("ann", "benedicta")
    times = [(4, 6_000_000, 3_500_000), (0, 0, 0)]
    matches = [
        played(seats, (1, 2), (301, 132), late=(0, 4), times=times),
        played(seats, (1, 1), (260, 260), times=times),
        played(seats, (2, 1), (), forfeited=[0], late=(3, 0)),
    ]
    return report(plan(("newcomer", "benedicta", "ann"), "piquet"), *matches, voids=[seats])


SKILL = ("mu", "sigma", "ahead", "margin", "best_rank", "worst_rank", "tier")


def test_as_json(cup: Report) -> None:
    data = json.loads(json.dumps(as_json(cup)))
    ann = next(each for each in cup.standings if each.entry == "ann")
    assert data["standings"][[each.entry for each in cup.standings].index("ann")] == {
        "rank": ann.rank,
        "entry": "ann",
        "is_current": True,
        "state": "active",
        "place": None,
        "points": 1.5,
        "buchholz": None,
        "direct": None,
        "sonneborn_berger": None,
        "matches": 3,
        "wins": 1,
        "draws": 1,
        "losses": 1,
        "scored": 2,
        "mean_score": 280.5,
        "score_deviation": pytest.approx(28.99137803),
        "score_error": pytest.approx(20.5),
        "mu": ann.rating.mu,
        "sigma": ann.rating.sigma,
        "conservative": ann.rating.conservative,
        **{f"skill_{name}": getattr(ann.skill, name) for name in SKILL},
        "clean_matches": 1,
        "decided_by_faults": 1,
        "legal_share": 1.0,
        **{f"clean_skill_{name}": getattr(ann.clean_skill, name) for name in SKILL},
        "forfeits": 1,
        "forfeits_by": {"late": 1},
        "faults": 3,
        "faults_by": {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 3},
        "sessions_lost": 0,
        "voids": 1,
        "decisions": 8,
        "mean_think_seconds": 1.5,
        "longest_think_seconds": 3.5,
        "history": [
            {"serial": point.serial, "matches": point.matches, "mu": point.mu, "sigma": point.sigma}
            for point in ann.history
        ],
        "scores": [{"low": 260, "high": 261, "matches": 1}, {"low": 300, "high": 301, "matches": 1}],
    }
    newcomer = next(each for each in data["standings"] if each["entry"] == "newcomer")
    assert newcomer["mean_score"] is newcomer["score_error"] is newcomer["mean_think_seconds"] is None
    assert [each["rank"] for each in data["standings"]] == [1, 1, 3]
    # of two, each is half of their difference ahead of the field
    assert ann.skill is not None
    wide = {"skill_difference": 0.0, "skill_difference_margin": pytest.approx(2 * ann.skill.margin)}
    met = {"wins": 1, "draws": 1, "losses": 1, "voids": 1, **wide}
    assert data["crosstable"] == [
        {"entry": "ann", "opponent": "benedicta", "forfeits": 1, **met},
        {"entry": "benedicta", "opponent": "ann", "forfeits": 0, **met},
    ]


def test_differences_are_told_with_their_intervals() -> None:
    """Half of the interval of a difference is not the sum of those of both skills."""
    matches = [played(pair, (1, 2)) for pair in ("ab", "bc", "ab")]
    of = report(plan("abc", "piquet"), *matches)
    skills = {each.entry: each.skill for each in of.standings if each.skill}
    found = {(each["entry"], each["opponent"]): each for each in as_json(of)["crosstable"]}
    assert found["a", "b"]["skill_difference"] == skills["a"].mu - skills["b"].mu
    assert found["b", "a"]["skill_difference"] == -found["a", "b"]["skill_difference"]
    one, other = (found[pair]["skill_difference_margin"] for pair in (("a", "b"), ("b", "c")))
    assert skills["a"].margin < one < other < skills["b"].margin + skills["c"].margin
    assert of.margins is not None
    assert of.margins.between("a", "newcomer") is None
    (cell, *_) = as_json(replace(of, margins=None))["crosstable"]  # a fit that was made elsewhere
    assert cell["skill_difference"] and cell["skill_difference_margin"] is None


def test_the_standings_as_csv_say_what_json_says(cup: Report) -> None:
    lines = list(csv.DictReader(StringIO(standings_csv(cup))))
    for line, said in zip(lines, as_json(cup)["standings"], strict=True):
        flat = {**said, **said["faults_by"]}
        for key in line.keys() - {"forfeits_by"}:
            assert line[key] == ("" if flat[key] is None else str(flat[key]))
        assert flat.keys() - line.keys() == {"faults_by", "history", "scores"}


def test_forfeits_by_kind_are_one_field_of_csv() -> None:
    of = Report((beginner("a", forfeits={"declined": 1, "illegal+late": 2}),), {})
    (line,) = csv.DictReader(StringIO(standings_csv(of)))
    assert (line["forfeits"], line["forfeits_by"]) == ("3", "declined=1 illegal+late=2")


@pytest.mark.parametrize("name", ["-1", "=1", "+1", "@sum", "\t=1"])
def test_no_name_is_a_formula_in_csv(name: str) -> None:
    crosstable = {(name, "b"): Encounters(), ("b", name): Encounters()}
    of = Report((beginner(name, scored=-3), beginner("b")), crosstable)
    first, second = csv.DictReader(StringIO(standings_csv(of), newline=""))
    assert (first["entry"], second["entry"]) == (f"'{name}", "b")
    met = [
        (line["entry"], line["opponent"]) for line in csv.DictReader(StringIO(crosstable_csv(of), newline=""))
    ]
    assert sorted(met) == sorted([(f"'{name}", "b"), ("b", f"'{name}")])
    assert as_json(of)["standings"][0]["entry"] == name


def test_what_formats_add_is_there() -> None:
    swiss = beginner("a", points=2.5, buchholz=7.0)
    knockout = beginner('b@1,"2"', place=3, is_current=False, state=EntryState.LEFT)
    of = Report((swiss, knockout), {})
    first, second = csv.DictReader(StringIO(standings_csv(of)))
    assert (first["points"], first["buchholz"], first["place"]) == ("2.5", "7.0", "")
    assert (second["entry"], second["place"], second["points"]) == ('b@1,"2"', "3", "")
    assert (second["is_current"], second["state"]) == ("False", "left")
    assert [(each["points"], each["place"]) for each in as_json(of)["standings"]] == [(2.5, None), (None, 3)]


def test_the_crosstable_stands_in_the_order_of_names() -> None:
    of = Report((), {("b", "c"): Encounters(), ("c", "b"): Encounters(), ("a", "c"): Encounters()})
    met = [(each["entry"], each["opponent"]) for each in as_json(of)["crosstable"]]
    assert met == [("a", "c"), ("b", "c"), ("c", "b")]


def test_the_crosstable_as_csv(cup: Report) -> None:
    heading, first, second = crosstable_csv(cup).splitlines()
    assert heading == (
        "entry,opponent,wins,draws,losses,forfeits,voids,skill_difference,skill_difference_margin"
    )
    assert first.startswith("ann,benedicta,1,1,1,1,1,0.0,")
    assert second.startswith("benedicta,ann,1,1,1,0,1,0.0,")
