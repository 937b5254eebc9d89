"""What was checked for non-interference, and what was measured, is printed when the run is over."""

import os
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

from tests.house import House
from tests.noninterference.check import PROPERTY, Tally

# how long an example takes tells how busy the machine is, and nothing of what is tested
settings.register_profile("fairdeal", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fairdeal")

_ROW: Final = "{:<18} {:<10}" + 5 * " {:>9}"
_FIGURE: Final = "figure"


def pytest_configure() -> None:
    """Let programs under test hear SIGINT, also where this run was started in the background of a shell.

    Such a shell has it ignored, which programs inherit, and some respect.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Return a function that has a line about what was measured printed at the end of the run."""
    return lambda text: record_property(_FIGURE, text)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    try:
        yield house
    finally:
        house.close()
    house.nobody_is_left()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how many positions of each game and phase were checked, and what was measured."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    figures = []
    for test, name, value in _properties(terminalreporter):
        if name.startswith(PROPERTY):
            tallies[name] += Tally(*value)
        elif name == _FIGURE:
            figures.append(f"{test}: {value}")
    if tallies:
        terminalreporter.section("non-interference")
        terminalreporter.line(_ROW.format("game", "phase", *[f.name for f in fields(Tally)]))
        for name, tally in sorted(tallies.items()):
            terminalreporter.line(_ROW.format(*name.split()[1:], *astuple(tally)))
    if not os.environ.get("FAIRDEAL_KITS"):
        terminalreporter.line("the kits of other languages are not tested here: make test-clients does it")
    if figures:
        terminalreporter.section("figures")
        for line in sorted(figures):
            terminalreporter.line(line)


def _properties(terminalreporter: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the properties that tests have recorded, each with the test's name."""
    for reports in terminalreporter.stats.values():
        for report in reports:
            # the report of the teardown holds the properties once more
            if getattr(report, "when", None) == "call":
                for name, value in report.user_properties:
                    yield report.nodeid.rpartition("/")[2], name, value
