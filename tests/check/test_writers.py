"""What is written of the results: text, JSON, JUnit XML."""

import json
import xml.etree.ElementTree as ET

import pytest

from tournaments.check.catalogue import CHECKS
from tournaments.check.results import CheckReport, CheckResults, CheckStatus, Finding
from tournaments.check.writers import data, junit, line, listing, text

FAILURE = Finding(
    what="an answer is <wrong> & \x1b[2J odd",
    place="play_service.proto: Answer",
    sent='{"decision": {}}',
    came='{"answer": {}}',
    expected="another one",
)
KEYS = {
    "version": int,
    "command": list,
    "entry": str,
    "agent": str,
    "games": list,
    "printed": list,
    "passed": bool,
    "counts": dict,
    "checks": list,
}
CHECK_KEYS = {
    "number": int,
    "name": str,
    "means": str,
    "places": list,
    "outcome": str,
    "seconds": float,
    "reason": str,
    "failures": list,
    "notes": list,
}


@pytest.fixture
def report() -> CheckReport:
    """Return a report of one check that passed, one that failed, and others that were not run."""
    results = CheckResults()
    for number, result in results.by_number.items():
        result.reason = "check 2 (greets) failed" if number > 2 else ""
        result.was_run = number <= 2
    results.by_number[1].seconds = 0.25
    results.note(1, "something to know")
    results.fail(2, FAILURE)
    return CheckReport(
        results=tuple(results.by_number.values()),
        command=("my", "bot"),
        entry="bot",
        agent="mine/1",
        games=("hearts",),
        printed=("Traceback: at last", "LookupError: no idea"),
    )


def types(given: dict[str, object]) -> dict[str, type]:
    return {name: type(value) for name, value in given.items()}


def test_json(report: CheckReport) -> None:
    told = json.loads(json.dumps(data(report)))
    assert types(told) == KEYS
    assert [types(each) for each in told["checks"]] == [CHECK_KEYS] * len(CHECKS)
    assert told["counts"] == {"passed": 1, "failed": 1, "not_run": len(CHECKS) - 2}
    assert told["passed"] is False
    assert [each["outcome"] for each in told["checks"][:3]] == ["passed", "failed", "not_run"]
    (finding,) = told["checks"][1]["failures"]
    assert types(finding) == dict.fromkeys(("what", "sent", "came", "expected", "place"), str)
    assert told["checks"][0]["notes"] == ["something to know"]


def test_junit(report: CheckReport) -> None:
    suite = ET.fromstring(junit(report)).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == (str(len(CHECKS)), "1")
    assert suite.get("skipped") == str(len(CHECKS) - 2)
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases[:2]] == ["01 connects", "02 greets"]
    assert cases[0].get("time") == "0.250"
    assert cases[0].findtext("system-out") == "something to know"
    failed = cases[1].find("failure")
    assert failed is not None
    assert failed.get("message") == "an answer is <wrong> &  odd"
    for told in (FAILURE.sent, FAILURE.came, FAILURE.expected, FAILURE.place):
        assert told in (failed.text or "")
    skipped = [case.find("skipped") for case in cases[2:]]
    assert {each.get("message") for each in skipped if each is not None} == {"check 2 (greets) failed"}
    assert None not in skipped


def test_text(report: CheckReport) -> None:
    told = text(report)
    assert "check 2 failed: greets" in told
    labels = {"sent": "sent", "came": "received", "expected": "expected", "place": "see"}
    for name, label in labels.items():
        assert f"{label:<9} {getattr(FAILURE, name)}" in told
    assert "  1  connects: something to know" in told
    assert "not run, since check 2 (greets) failed: 3, 4, 5," in told
    assert told.endswith(f"1 passed, 1 failed, {len(CHECKS) - 2} not run")


def test_a_line(report: CheckReport) -> None:
    first, second, third, *_ = report.results
    assert line(first) == "  1  passed   connects (0.2 s)"
    assert line(second).startswith("  2  failed   greets: an answer is")
    assert line(third) == "  3  not run  takes its seats: check 2 (greets) failed"
    assert CheckStatus.PASSED == "passed"


def test_the_list_tells_all() -> None:
    told = listing()
    for check in CHECKS:
        assert f"{check.number:3}  {check.name}\n     {check.means}" in told
        assert all(place in told for place in check.places)
