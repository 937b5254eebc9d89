"""What the tests of the bridge share: decisions, programs that play, and a bridge in this process."""

import asyncio
import os
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

import fairdeal
from fairdeal import _connection, _updates
from fairdeal.stdio import _child
from fairdeal.stdio._bridge import play
from fairdeal.stdio._child import launch
from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as pb
from tests.clients import conftest as sdk

PATIENCE: Final = 300.0  # seconds; on an idle machine nothing takes a hundredth of that


class MadeDecisions:
    """Makes decisions of one match."""

    def __init__(self) -> None:
        self.matches: dict[str, fairdeal.Seated] = {}

    def __call__(
        self, legal: actions_pb2.Legal, decision_id: int = 1, match_id: str = "m1", seed: str = "s"
    ) -> fairdeal.Decision:
        message = pb.Decision(match_id=match_id, decision_id=decision_id, legal=legal)
        return fairdeal.Decision(self._match(match_id), message, seed)

    def plays(self, cards: str, decision_id: int = 1, match_id: str = "m1") -> fairdeal.Decision:
        """Ask which of some cards is played."""
        actions = [{"play_card": number} for number in sdk.numbers(cards)]
        return self(sdk.Tell.listed(*actions), decision_id, match_id)

    def choose(self, cards: str, minimum: int, maximum: int) -> fairdeal.Decision:
        """Ask which of some cards are chosen."""
        return self(sdk.Tell.choose(cards, minimum, maximum).decision.legal)

    def further(self, minimum: int, maximum: int, *combinations: Any) -> fairdeal.Decision:
        """Ask which combinations are chosen."""
        choice = actions_pb2.ChooseCombinations(combinations=combinations, minimum=minimum, maximum=maximum)
        return self(actions_pb2.Legal(choose_combinations=choice))

    def _match(self, match_id: str) -> fairdeal.Seated:
        if match_id not in self.matches:
            message = sdk.Tell.seated(match_id, seat=2).seated
            self.matches[match_id] = _updates.seated(message)
        return self.matches[match_id]


@pytest.fixture
def asked() -> MadeDecisions:
    return MadeDecisions()


@pytest.fixture
def tell() -> type[sdk.Tell]:
    return sdk.Tell


@pytest.fixture
def referee() -> sdk.OpenReferee:
    """Return the starter of scripted referees, see tests/clients/conftest.py."""
    return sdk.scripted


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ADDRESS", "TOKEN", "ENTRY", "INSTANCE", "SEED", "CA", "CERT", "KEY"):
        monkeypatch.delenv(f"FAIRDEAL_{name}", raising=False)


_FRAME: Final = """import json, os, signal, sys, time

def say(what):
    print(what if isinstance(what, str) else json.dumps(what), flush=True)

{before}
for line in sys.stdin:
    update = json.loads(line)
{each}{after}
"""


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., list[str]]:
    """Return a function that makes a bot: what it does with each ``update``, before all, and at the end."""

    def write(each: str, before: str = "", after: str = "") -> list[str]:
        path = tmp_path / f"bot{len(list(tmp_path.glob('bot*.py')))}.py"
        path.write_text(_FRAME.format(before=before, each=textwrap.indent(each, "    ") + "\n", after=after))
        return [sys.executable, str(path)]

    return write


class Bridged:
    """Runs bridges in this process and keeps what they have said."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.warned: list[str] = []

    async def __call__(self, command: Sequence[str], address: str, **settings: Any) -> None:
        """Play one match with a program, unless the arguments say otherwise."""
        given: dict[str, Any] = {"matches": 1, "events": False, "entry": "bot", "seed": "s", **settings}
        process = launch(command, os.environ)
        async with asyncio.timeout(PATIENCE):
            await play(process, self.said.append, self.warned.append, address=address, **given)


@pytest.fixture
def bridged(monkeypatch: pytest.MonkeyPatch) -> Bridged:
    # all the time to end by itself; tests of what happens otherwise make it short
    for name in ("_LAST_WORDS", "_GRACE", "_SIGTERM_GRACE"):
        monkeypatch.setattr(_child, name, PATIENCE)
    # and all the time for its goodbye to arrive
    monkeypatch.setattr(_connection, "_GOODBYE_SECONDS", PATIENCE)
    return Bridged()
