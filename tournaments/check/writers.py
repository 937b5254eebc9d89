"""The results as text, JSON and JUnit XML, and the list of the checks."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

from tournaments.check.catalogue import CHECKS, Check
from tournaments.check.results import CheckReport, CheckResult, CheckStatus, Finding
from tournaments.text import one_line

SCHEMA_VERSION = 1


def line(result: CheckResult) -> str:
    """Return a result in one line."""
    text = f"{result.check.number:3}  {result.status:<8} {result.check.name}"
    if result.status is CheckStatus.NOT_RUN:
        return f"{text}: {result.reason}"
    if result.findings:
        return f"{text}: {result.findings[0].what}"
    return f"{text} ({result.seconds:.1f} s)"


def text(report: CheckReport) -> str:
    """Return the findings with their details, the remarks, the checks that were not run, and the sum."""
    blocks = [_block(result) for result in report.of(CheckStatus.FAILED)]
    if blocks and report.printed:
        blocks.append("\n".join(["what the bot printed last:", *(f"  {line}" for line in report.printed)]))
    notes = [f"{r.check.number:3}  {r.check.name}: {note}" for r in report.results for note in r.notes]
    if notes:
        blocks.append("\n".join(["remarks, which are not failures:", *notes]))
    reasons: dict[str, list[str]] = {}
    for result in report.of(CheckStatus.NOT_RUN):
        reasons.setdefault(result.reason, []).append(str(result.check.number))
    if reasons:
        blocks.append("\n".join(f"not run, since {reason}: {', '.join(n)}" for reason, n in reasons.items()))
    blocks.append(", ".join(f"{len(report.of(status))} {status}" for status in CheckStatus))
    return "\n\n".join(blocks)


def _block(result: CheckResult) -> str:
    lines = [f"check {result.check.number} failed: {result.check.name}", f"  {result.check.means}"]
    for finding in result.findings:
        lines.append(f"  * {finding.what}")
        lines += [f"      {name:<9} {told}" for name, told in _told(finding)]
    return "\n".join(lines)


def _told(finding: Finding) -> Iterator[tuple[str, str]]:
    """Yield the details of a finding, each with what it is for people."""
    for label, told in (
        ("sent", finding.sent),
        ("received", finding.came),
        ("expected", finding.expected),
        ("see", finding.place),
    ):
        if told:
            yield label, told


def data(report: CheckReport) -> dict[str, Any]:
    """Return the results for JSON."""
    return {
        "version": SCHEMA_VERSION,
        "command": list(report.command),
        "entry": report.entry,
        "agent": report.agent,
        "games": list(report.games),
        "printed": list(report.printed),
        "passed": report.passed,
        "counts": {status.name.lower(): len(report.of(status)) for status in CheckStatus},
        "checks": [
            {
                **check_data(result.check),
                "outcome": result.status.name.lower(),
                "seconds": round(result.seconds, 3),
                "reason": result.reason,
                "failures": [
                    {
                        "what": finding.what,
                        "sent": finding.sent,
                        "came": finding.came,
                        "expected": finding.expected,
                        "place": finding.place,
                    }
                    for finding in result.findings
                ],
                "notes": result.notes,
            }
            for result in report.results
        ],
    }


def check_data(check: Check) -> dict[str, Any]:
    """Return a check for JSON."""
    return {
        "number": check.number,
        "name": check.name,
        "means": check.means,
        "places": list(check.places),
    }


def junit(report: CheckReport) -> bytes:
    """Return the results as JUnit XML."""
    suite = ET.Element(
        "testsuite",
        name="fairdeal check-bot",
        tests=str(len(report.results)),
        failures=str(len(report.of(CheckStatus.FAILED))),
        errors="0",
        skipped=str(len(report.of(CheckStatus.NOT_RUN))),
        time=f"{sum(result.seconds for result in report.results):.3f}",
    )
    for result in report.results:
        case = ET.SubElement(
            suite,
            "testcase",
            classname="fairdeal.check-bot",
            name=f"{result.check.number:02} {result.check.name}",
            time=f"{result.seconds:.3f}",
        )
        if result.findings:
            failed = ET.SubElement(case, "failure", message=_clean(result.findings[0].what))
            failed.text = _clean(_block(result))
        elif result.status is CheckStatus.NOT_RUN:
            ET.SubElement(case, "skipped", message=_clean(result.reason))
        if result.notes:
            ET.SubElement(case, "system-out").text = _clean("\n".join(result.notes))
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    written: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return written


def _clean(text: str) -> str:
    """Return a text without the characters that XML cannot hold, line by line."""
    return "\n".join(map(one_line, text.split("\n")))


def listing() -> str:
    """Return the checks, what each means and where it is documented."""
    lines = []
    for check in CHECKS:
        lines.append(f"{check.number:3}  {check.name}")
        lines.append(f"     {check.means}")
        lines += [f"       {place}" for place in check.places]
    return "\n".join(lines)
