"""What was checked for non-interference, and what was measured, is printed when the run is over."""

import gc
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

from tests.noninterference.check import PROPERTY, Tally
from tests.smokes import SMOKES
from tests.workspace import Workspace

# how long an example takes tells how busy the machine is, and nothing of what is tested
settings.register_profile("fairdeal", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fairdeal")

PROGRAMS: Final = frozenset(
    {
        *("workspace", "new_workspace", "check_bot", "check_slow_bot", "open_host", "needs_sandbox"),
        *("postgres", "browser", "tab", "run_without", "bridged"),
    }
)
"""The fixtures that start processes; who takes one of them is marked ``process``."""
_FOLDERS: Final = ("tests/kits/", "tests/stress/")
"""Folders in which every test is about processes."""
_STARTS: Final = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"})
"""What Python's audit calls the start of a process."""

_ROW: Final = "{:<18} {:<10}" + 5 * " {:>9}"
_FIGURE: Final = "figure"


def pytest_configure(config: pytest.Config) -> None:
    """Make programs under test receive SIGINT, also where this run was started in the background of a shell.

    Such a shell has it ignored, which programs inherit, and some respect. Bots keep nothing in the home of
    whoever runs the tests.
    """
    os.environ["FAIRDEAL_KEEP"] = ""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.addaudithook(_NO_PROCESS.hear)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that start processes, which take seconds where others take milliseconds, and the smokes.

    Raises:
        UsageError: a smoke is not among the tests of its file.
    """
    for item in items:
        fixtures = PROGRAMS.intersection(getattr(item, "fixturenames", ()))
        if "postgres" in fixtures:
            item.add_marker("postgres")
        if fixtures or item.nodeid.startswith(_FOLDERS):
            item.add_marker("process")
        if item.nodeid in SMOKES:
            item.add_marker("smoke")
    if not (config.getoption("lf", default=False) or any("::" in argument for argument in config.args)):
        collected = {item.nodeid for item in items}
        files = {item.nodeid.partition("::")[0] for item in items}
        gone = sorted(each for each in SMOKES if each.partition("::")[0] in files and each not in collected)
        if gone:
            raise pytest.UsageError(f"tests/smokes.py names something that is not a test: {', '.join(gone)}")


def pytest_collection_finish() -> None:
    """Take what was collected out of the garbage collector's sight.

    It stays to the end, and each full collection would go through it all again.
    """
    gc.collect()
    gc.freeze()


class _NoProcess:
    """Keeps tests that are not marked ``process`` from starting one: `make test` is to be quick."""

    def __init__(self) -> None:
        self.test = ""
        self.heard = ""

    def hear(self, event: str, _arguments: object) -> None:
        if event in _STARTS and self.test:
            self.heard = f"{self.test} starts a process ({event}): mark it process"
            raise AssertionError(self.heard)


_NO_PROCESS: Final = _NoProcess()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Hold a test to its marks, from the first of its fixtures on, and forget what a first try has left.

    `.ci/run` tries what fails once more.
    """
    _NO_PROCESS.test = "" if item.get_closest_marker("process") else item.nodeid
    _NO_PROCESS.heard = ""
    item.user_properties.clear()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    """Hold no test to what ends after it: whoever is a worker's last ends the fixtures of the session."""
    _NO_PROCESS.test = ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test that started a process also where the code under test went on without it."""
    yield
    assert not _NO_PROCESS.heard, _NO_PROCESS.heard


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Return a function that has a line about what was measured printed at the end of the run."""
    return lambda text: record_property(_FIGURE, text)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    workspace = Workspace(tmp_path)
    try:
        yield workspace
    finally:
        workspace.close()
    workspace.nobody_is_left()


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
            # the report of the teardown holds the properties once more, and so does one of a first try
            if getattr(report, "when", None) == "call" and report.outcome != "rerun":
                for name, value in report.user_properties:
                    yield report.nodeid.rpartition("/")[2], name, value
