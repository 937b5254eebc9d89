"""What was checked for non-interference is printed when the run is over."""

from collections import defaultdict
from dataclasses import astuple, fields
from typing import Any, Final

from tests.noninterference.check import PROPERTY, Tally

_ROW: Final = "{:<18} {:<10}" + 5 * " {:>9}"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how many positions of each game and phase were checked, and how many variants were accepted."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for reports in terminalreporter.stats.values():
        for report in reports:
            # the report of the teardown holds the properties once more
            if getattr(report, "when", None) == "call":
                for name, counts in report.user_properties:
                    if name.startswith(PROPERTY):
                        tallies[name] += Tally(*counts)
    if tallies:
        terminalreporter.section("non-interference")
        terminalreporter.line(_ROW.format("game", "phase", *[f.name for f in fields(Tally)]))
        for name, tally in sorted(tallies.items()):
            terminalreporter.line(_ROW.format(*name.split()[1:], *astuple(tally)))
