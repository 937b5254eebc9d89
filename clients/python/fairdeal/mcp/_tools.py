"""The tools as an MCP server, and the server over standard input and output."""

import asyncio
import logging
import os
import stat
import sys
from collections.abc import AsyncIterator, Mapping
from importlib.metadata import version
from typing import Any, Final, cast

import anyio
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from fairdeal.errors import BadSetting
from fairdeal.mcp._agent import LONGEST_WAIT, ToolBot
from fairdeal.mcp._seat import MOST_NOTE, BadCall

log = logging.getLogger("fairdeal")

_MOST_LINE: Final = 1 << 18  # bytes of a message: an answer is short

INSTRUCTIONS: Final = (
    "You hold one seat at a table of a card game. Call wait until it is your turn, and rules once in each"
    " match. Answer each turn with act, which returns your next turn when it comes soon. There is a clock: a"
    " turn without a legal answer in time is a fault, and the referee plays for you."
)

_ACTION: Final = {
    "description": "Your answer, as the turn's text says: a card such as QS, a list of cards, a number, or"
    " a word.",
    "anyOf": [
        {"type": "string"},
        {"type": "integer"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
    ],
}


def _tool(name: str, text: str, *required: str, **properties: Mapping[str, Any]) -> Tool:
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    return Tool(name=name, description=text, input_schema=schema)


TOOLS: Final = (
    _tool("rules", "Tell the rules of the match that is played, and how to answer. Once a match is enough."),
    _tool(
        "wait",
        f"Wait until it is your turn, at most {LONGEST_WAIT:g} s, and tell what you know and what is asked.",
    ),
    _tool(
        "act",
        "Answer the turn that is open. It tells your next turn if it comes within"
        f" {LONGEST_WAIT:g} s; else call wait. What has only one legal answer is played for you.",
        *("turn", "action"),
        turn={"type": "integer", "description": "The number of the turn that you answer."},
        action=_ACTION,
        note={
            "type": "string",
            "description": f"Why, in at most {MOST_NOTE} characters; it is secret until the match is over.",
        },
    ),
    _tool("look", "Tell the turn that is open once more, without waiting."),
    _tool(
        "leave",
        "Take no more matches after the one that is played.",
        now={
            "type": "boolean",
            "description": "Leave at once. A match that is played goes on without you, which costs faults.",
        },
    ),
)
_ARGUMENTS: Final = {tool.name: set(tool.input_schema["properties"]) for tool in TOOLS}


def server_of(bot: ToolBot) -> Server[Any]:
    """Return the server that offers the tools of a bot."""

    async def list_tools(
        context: ServerRequestContext[Any, Any], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=list(TOOLS))

    async def call_tool(
        context: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> CallToolResult:
        async def progress(waited: float, longest: float) -> None:
            await context.session.report_progress(waited, longest, "waiting for your turn")

        try:
            text = await _called(bot, params.name, params.arguments or {}, progress)
        except BadCall as error:
            return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)
        return CallToolResult(content=[TextContent(type="text", text=text)])

    return Server(
        "fairdeal",
        version=version("fairdeal"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _called(bot: ToolBot, name: str, given: Mapping[str, Any], progress: Any) -> str:
    """Return what a tool tells.

    Raises:
        BadCall: there is no such tool, or it cannot take these arguments now.
    """
    if name not in _ARGUMENTS:
        raise BadCall(f"There is no tool {name[:40]!r}; there are {', '.join(_ARGUMENTS)}.")
    if foreign := sorted(given.keys() - _ARGUMENTS[name]):
        raise BadCall(f"The tool {name} takes no argument {foreign[0][:40]!r}.")
    match name:
        case "rules":
            return bot.held.rules()
        case "look":
            return bot.held.told()
        case "leave":
            return bot.leave(now=given.get("now") is True)
        case "act":
            if missing := [each for each in ("turn", "action") if each not in given]:
                raise BadCall(f"The argument {missing[0]!r} is missing. Call look for the turn that is open.")
            bot.answer(given["turn"], given["action"], given.get("note") or "")
    return await bot.wait(progress)


def check_input() -> None:
    """Check that there is a client on standard input.

    Raises:
        BadSetting: it is a file, or nothing.
    """
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        mode = 0
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or (mode and sys.stdin.isatty())):
        raise BadSetting(
            "standard input must be a pipe: an MCP client starts this command, see docs/models.md"
        )
    if stat.S_ISCHR(mode):
        log.info("waiting for an MCP client on standard input; put this command into a client's settings")


async def serve(bot: ToolBot) -> None:
    """Serve a client over standard input and output until it closes the input."""
    server = server_of(bot)
    reader = asyncio.StreamReader(limit=_MOST_LINE)
    # not by a thread, which could not be ended while it waits for the client
    transport, _protocol = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(os.dup(sys.stdin.fileno()), "rb", 0)
    )
    try:
        lines = cast(anyio.AsyncFile[str], _lines(reader))
        async with stdio_server(stdin=lines) as (received, sent):
            await server.run(received, sent, server.create_initialization_options())
    finally:
        transport.close()


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[str]:
    while True:
        try:
            line = await reader.readline()
        except ValueError:
            log.warning("the client sent a message of more than %d bytes, which is left out", _MOST_LINE)
            continue
        if not line:
            return
        yield line.decode(errors="replace")
