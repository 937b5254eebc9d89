"""What the tests of the adapters share: decisions as they come up in matches, and bots at a real referee."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pytest

import fairdeal
from fairdeal.bots import Random
from fairdeal.testing import play, serving
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.faults import Termination
from tests.workspace import PATIENCE

AGREED: Final[dict[str, dict[str, Any]]] = {
    "hearts": {"any_heart_breaks": True},
    "spades": {"blind_nil_gap": 0},
    "euchre": {"dealer_may_discard_upcard": False, "maker_partner_may_go_alone": False},
}
"""Options by which our tables and OpenSpiel play alike, by game."""

OTHER_OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "hearts": {"jack_of_diamonds": True, "moon": "add"},
    "spades": {"target": 300, "floor": -300, "nil_points": 100},
    "euchre": {"defenders_may_go_alone": False, "stick_the_dealer": False},
}
"""Options that OpenSpiel has too, and that are not the default."""


class Keeper:
    """A bot that answers at random and keeps the decisions."""

    def __init__(self) -> None:
        self.decisions: list[fairdeal.Decision] = []

    def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
        self.decisions.append(decision)
        return Random().act(decision)


def decisions_of(game: str, *, seed: str = "spring", **setup: Any) -> list[fairdeal.Decision]:
    """Return the decisions of a match between random bots."""
    keeper = Keeper()
    play(game, [keeper] * GAMES[game].seats, seed=seed, **setup)
    return keeper.decisions


async def meet(game: str, bots: Sequence[Any], *, options: Mapping[str, Any], deals: int | None) -> Any:
    """Play a match at a referee behind a socket and return how it ended."""
    names = [f"entry{seat}" for seat in range(len(bots))]
    clock = PROFILES["debug"]
    async with serving(game, options=options, deals=deals, clock=clock) as served, asyncio.timeout(PATIENCE):
        match = asyncio.create_task(served.play(*names))
        playing = [
            asyncio.create_task(
                fairdeal.run_async(bot, served.address, entry=name, matches=1, on_error="stop")
            )
            for name, bot in zip(names, bots, strict=True)
        ]
        _done, pending = await asyncio.wait([match, *playing], return_when=asyncio.FIRST_EXCEPTION)
        for task in pending:
            task.cancel()
        await asyncio.gather(*playing)
        report = await match
    assert report.outcome.termination is Termination.COMPLETED
    assert [faults.total for faults in report.outcome.faults] == [0] * len(bots)
    return report.outcome


def run_without(packages: Sequence[str], code: str) -> Any:
    """Run code in an interpreter that lacks some packages, and return what it prints as JSON."""
    block = f"import sys\nfor name in {list(packages)!r}: sys.modules[name] = None\n"
    command = [sys.executable, "-W", "error", "-c", block + code]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return json.loads(ended.stdout)


@pytest.fixture(name="decisions_of")
def decisions_of_fixture() -> Callable[..., list[fairdeal.Decision]]:
    return decisions_of


@pytest.fixture(name="meet")
def meet_fixture() -> Callable[..., Any]:
    return meet


@pytest.fixture(name="run_without")
def run_without_fixture() -> Callable[..., Any]:
    return run_without
