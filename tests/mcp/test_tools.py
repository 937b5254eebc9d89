"""The tools as an MCP client has them: in process, then as a client starts the command at a real referee."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest
from mcp import Client, StdioServerParameters

import fairdeal
from fairdeal import BadSetting, Decision, Noted
from fairdeal.bots import make
from fairdeal.mcp import HeldSeat, ToolBot, play
from fairdeal.mcp._tools import _lines, server_of
from fairdeal.testing import serving
from referee.match.clock import PROFILES
from referee.match.faults import Termination
from tests.words.asked import sample
from tests.workspace import ALONE, PATIENCE, PROGRAM

pytestmark = pytest.mark.asyncio
PLAY: Final = sample("hearts", "play")
CARD: Final = PLAY.legal.actions[0].card.name  # type: ignore[union-attr] # a card is played


class Table:
    """A bot and a client of its tools."""

    def __init__(self, bot: ToolBot, client: Client, left: list[str]) -> None:
        self.bot = bot
        self.client = client
        self.left = left
        self.progress: list[tuple[float, float | None]] = []

    async def call(self, name: str, **given: Any) -> tuple[str, bool]:
        """Call a tool; return its text, and whether it is an error."""

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            self.progress.append((progress, total))

        result: Any = await self.client.call_tool(name, given, progress_callback=on_progress)
        [content] = result.content
        return content.text, result.is_error

    async def turn(self, decision: Decision = PLAY) -> "asyncio.Task[Any]":
        """Have the bot asked, and return its answering."""
        acting = asyncio.create_task(self.bot.act(decision))
        await asyncio.sleep(0)  # it runs until it waits for the answer
        return acting


@asynccontextmanager
async def table(longest: float = ALONE, step: float = ALONE) -> AsyncIterator[Table]:
    left: list[str] = []
    bot = ToolBot(
        HeldSeat(), lambda: left.append("finish"), lambda: left.append("now"), longest=longest, step=step
    )
    async with asyncio.timeout(ALONE), Client(server_of(bot)) as client:
        yield Table(bot, client, left)


async def test_five_tools_are_offered() -> None:
    async with table() as at:
        tools = (await at.client.list_tools()).tools
    assert [tool.name for tool in tools] == ["rules", "wait", "act", "look", "leave"]


async def test_a_turn_is_waited_for_and_answered_and_the_next_comes_with_the_answer() -> None:
    async with table() as at:
        waiting = asyncio.create_task(at.call("wait"))
        acting = await at.turn()
        told, failed = await waiting
        assert told.startswith("Turn 1 is yours.")
        assert not failed
        assert (await at.call("look"))[0] == told
        assert "# Rules" in (await at.call("rules"))[0]
        answering = asyncio.create_task(at.call("act", turn=1, action=CARD, note="the lowest"))
        noted = await acting
        assert isinstance(noted, Noted)
        assert noted.answer == PLAY.legal.actions[0]  # type: ignore[union-attr]
        assert isinstance(noted.note, dict)
        assert noted.note["thought"] == "the lowest"
        await at.turn()
        assert (await answering)[0].startswith("Turn 2 is yours.")


async def test_a_wait_ends_with_its_progress_told() -> None:
    async with table(longest=0.002, step=0.001) as at:
        told = await at.call("wait")
        assert told == ("It is not your turn yet. Call wait again.", False)
        assert at.progress[-1] == (0.002, 0.002)


async def test_what_is_wrong_is_an_error_with_its_remedy() -> None:
    async with table() as at:
        await at.turn()
        for name, given, text in (
            ("cards", {}, "There is no tool 'cards'; there are rules, wait, act, look, leave."),
            ("look", {"seat": 2}, "The tool look takes no argument 'seat'."),
            ("act", {"turn": 1}, "The argument 'action' is missing."),
            ("act", {"turn": 1, "action": "the queen"}, "Your reply could not be read"),
            ("act", {"turn": 2, "action": CARD}, "The turn that is open is 1, not 2."),
        ):
            told, failed = await at.call(name, **given)
            assert failed
            assert text in told


async def test_a_turn_that_is_closed_meanwhile() -> None:
    async with table() as at:
        acting = await at.turn()
        acting.cancel()
        await asyncio.wait({acting})
        told, failed = await at.call("act", turn=1, action=CARD)
        assert failed
        assert told.startswith("No turn is open.")


async def test_leaving() -> None:
    async with table() as at:
        told, _failed = await at.call("leave")
        assert told.startswith("You take no more matches.")
        assert at.left == ["finish"]
        waiting = asyncio.create_task(at.call("wait"))
        assert (await at.call("leave", now=True))[0] == "You have left the referee."
        assert at.left == ["finish", "now"]
        assert (await waiting)[0] == "You have left the referee."
        assert (await at.call("leave"))[0] == "You have left the referee."


async def test_a_message_without_an_end_is_left_out() -> None:
    reader = asyncio.StreamReader(limit=8)
    reader.feed_data(b"x" * 20 + b"\nshort\n")
    reader.feed_eof()
    assert [line async for line in _lines(reader)] == ["short\n"]


async def test_settings_are_checked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadSetting, match="mcp does not play 'bridge'; it plays euchre, "):
        play(game="bridge")
    with pytest.raises(BadSetting, match="must be full or plain or relabelled, not 'short'"):
        play(profile="short")
    with pytest.raises(BadSetting, match="standard input must be a pipe"):
        play(game="hearts")
    for name in [each for each in sys.modules if each.startswith("fairdeal.mcp._tools")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(fairdeal.mcp, "_tools")
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    with pytest.raises(
        BadSetting, match=re.escape("agents need the package mcp: pip install 'fairdeal[mcp]'")
    ):
        play(game="hearts")


@pytest.mark.process
async def test_a_client_plays_a_match_at_a_referee() -> None:
    """What the client hears is its own; it is the table's only seat without a bot."""
    told: list[str] = []
    async with (
        asyncio.timeout(PATIENCE),
        serving("hearts", deals=1, clock=PROFILES["debug"]) as served,
    ):
        others = [
            asyncio.create_task(
                fairdeal.run_async(make("greedy"), served.address, entry=f"secret-name-{seat}", matches=1)
            )
            for seat in range(3)
        ]
        command = [str(PROGRAM), "mcp", "--game", "hearts", "--connect", served.address, "--entry", "agent"]
        parameters = StdioServerParameters(command=command[0], args=command[1:])
        async with Client(parameters) as client:
            match = asyncio.create_task(served.play("agent", *(f"secret-name-{seat}" for seat in range(3))))

            async def call(name: str, **given: Any) -> str:
                result: Any = await client.call_tool(name, given)
                assert not result.is_error, result
                told.append(result.content[0].text)
                return told[-1]

            text = await call("wait")
            while "The match is over" not in text:
                found = re.search(r"Turn (\d+) is yours", text)
                if not found:
                    text = await call("wait")
                    continue
                legal = re.search(r'Legal values of "action": ("\w+")', text)
                cards = re.search(r"Cards to choose from: (\S+ \S+ \S+)", text)
                action = legal[1].strip('"') if legal else cards and cards[1]
                text = await call("act", turn=int(found[1]), action=action)
            assert "Your rank is" in text
            report = await match
            while "The session with the referee is over" not in text:
                text = await call("wait")
        await asyncio.gather(*others)
    assert report.outcome.termination is Termination.COMPLETED
    assert report.outcome.faults[0].total == 0
    assert not [text for text in told if "secret-name" in text or "match-1" in text]
