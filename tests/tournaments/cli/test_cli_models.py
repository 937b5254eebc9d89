"""`fairdeal bot llm` and `fairdeal mcp` at a referee, in this process: a whole match each."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest
from mcp import Client

import fairdeal as sdk
from fairdeal.bots import make
from fairdeal.mcp import ToolBot, _tools
from fairdeal.testing import serving
from referee.match.clock import PROFILES
from referee.match.faults import Termination
from tests.llm.provider import serving as providing
from tests.tournaments.conftest import Fairdeal
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio
GAME: Final = "two_handed_spades"
NAME: Final = "model"


@asynccontextmanager
async def table(name: str) -> AsyncIterator[str]:
    """Seat a bot of this name against a house bot for one deal, and yield the address."""
    async with asyncio.timeout(PATIENCE), serving(GAME, deals=1, clock=PROFILES["debug"]) as served:
        match = asyncio.create_task(served.play(name, "other"))
        other = asyncio.create_task(sdk.run_async(make("greedy"), served.address, entry="other", matches=1))
        yield served.address
        report = await match
        await other
    assert report.outcome.termination is Termination.COMPLETED
    assert report.outcome.faults[0].total == 0


async def test_a_model_plays_a_match(fairdeal: Fairdeal) -> None:
    async with providing() as provider, table(NAME) as address:
        words = ("llm", "--model", "fake", "--base-url", provider.base_url, "--entry", NAME)
        done = await asyncio.to_thread(fairdeal, "bot", *words, "--game", GAME, "--connect", address)
        assert done.status == 0, done.err
        assert len(provider.calls) > 10


async def test_an_agent_plays_a_match(fairdeal: Fairdeal, monkeypatch: pytest.MonkeyPatch) -> None:
    async def serve(bot: ToolBot) -> None:
        async with Client(_tools.server_of(bot)) as client:

            async def call(name: str, **given: Any) -> str:
                result: Any = await client.call_tool(name, given)
                assert not result.is_error, result
                text: str = result.content[0].text
                return text

            text = await call("wait")
            while "The match is over" not in text:
                turn = re.search(r"Turn (\d+) is yours", text)
                legal = re.search(r'Legal values of "action": "?(\w+)', text)
                given = {"turn": int(turn[1]), "action": legal[1]} if turn and legal else {}
                text = await call("act" if given else "wait", **given)

    monkeypatch.setattr(_tools, "check_input", lambda: None)
    monkeypatch.setattr(_tools, "serve", serve)
    async with table(NAME) as address:
        done = await asyncio.to_thread(fairdeal, "mcp", "--game", GAME, "--connect", address, "--entry", NAME)
        assert done.status == 0, done.err
