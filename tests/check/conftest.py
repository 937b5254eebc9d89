"""Bots to check, each a process, and the places that the checks name."""

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio

from fairdeal.v1 import actions_pb2, events_pb2, play_service_pb2
from tournaments.check.check import check
from tournaments.check.results import CheckReport, CheckStatus

BOT: Final = Path(__file__).parent / "bots" / "bad.py"
DOCS: Final = Path(__file__).parents[2]
MODULES: Final = {
    "actions.proto": actions_pb2,
    "events.proto": events_pb2,
    "play_service.proto": play_service_pb2,
}
PATIENCE: Final = 60.0
"""Seconds, which only a bot that hangs makes a test wait for."""
ROUNDS: Final = (0.3, 1.5, 6.0, 24.0)
"""Seconds, for bots that are to be given up: as short as the machine allows."""

Check = Callable[..., Awaitable[CheckReport]]


def failed(report: CheckReport) -> set[int]:
    """Return the numbers of the checks that failed."""
    return {result.check.number for result in report.of(CheckStatus.FAILED)}


@pytest.fixture
def bad() -> Callable[..., tuple[str, ...]]:
    """Return a function that gives the command of a bot with a vice, which plays the games named."""
    return lambda vice, *games: (sys.executable, str(BOT), vice, *games)


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("FAIRDEAL_")]:
        monkeypatch.delenv(name)
    # gRPC would tell the terminal of what it does
    monkeypatch.setenv("GRPC_VERBOSITY", "NONE")


@pytest.fixture
def check_bot() -> Check:
    """Return a function that checks a command."""

    async def run(command: tuple[str, ...], **given: Any) -> CheckReport:
        return await check(command, **{"patience": PATIENCE, **given})

    return run


@pytest.fixture
def check_slow_bot() -> Check:
    """Return a function that checks a command whose failures, or delays, have to be waited for.

    When it is not these checks that fail, it is checked again with the next patience of ``rounds``: on a
    busy machine all is slow, also what a bot does right. What it does wrong it does in every round.
    """

    async def run(
        command: tuple[str, ...], *fails: int, rounds: tuple[float, ...] = ROUNDS, **given: Any
    ) -> CheckReport:
        for patience in rounds:
            report = await check(command, **{"patience": patience, **given})
            if failed(report) == set(fails):
                break
        return report

    return run


@pytest_asyncio.fixture
async def skip(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return a function that lets so many seconds pass at once for the event loop, as a stall does."""
    loop = asyncio.get_running_loop()
    time, skipped = loop.time, 0.0

    def forward(seconds: float) -> None:
        nonlocal skipped
        skipped += seconds

    monkeypatch.setattr(loop, "time", lambda: time() + skipped)
    return forward


@pytest.fixture
def is_written() -> Callable[[str], bool]:
    """Return a function that tells whether there is such a place in the protocol or its pages."""
    return _is_written


def _is_written(place: str) -> bool:
    file, _, name = place.partition(": ")
    if file.startswith("docs/"):
        return re.search(rf"^#+ {re.escape(name)}$", (DOCS / file).read_text(), re.MULTILINE) is not None
    module: Any = MODULES[file]
    outer, _, inner = name.partition(".")
    if service := module.DESCRIPTOR.services_by_name.get(outer):
        return inner in service.methods_by_name
    if message := module.DESCRIPTOR.message_types_by_name.get(outer):
        return not inner or inner in message.fields_by_name
    enum = module.DESCRIPTOR.enum_types_by_name.get(outer)
    return enum is not None and (not inner or inner in enum.values_by_name)
