"""A seat for agents: a local server of the Model Context Protocol that plays one table at a time.

From a terminal: ``fairdeal mcp --game hearts --connect HOST:PORT``, which an MCP client starts and talks to
over standard input and output. It needs the package mcp (``pip install 'fairdeal[mcp]'``). The agent plays by
five tools, ``rules``, ``wait``, ``act``, ``look`` and ``leave``. It is told its own decisions and results,
and nothing else, in the texts of `fairdeal.words`. docs/models.md shows how it is set up.
"""

import asyncio
from typing import Final, Unpack

from fairdeal import by_hand
from fairdeal._run import run_async, until_stopped
from fairdeal.errors import BadSetting, FairdealError
from fairdeal.mcp._agent import LEFT, ToolBot
from fairdeal.mcp._seat import BadCall, HeldSeat
from fairdeal.words import GAMES, PROFILES

__all__ = ["NAME", "BadCall", "HeldSeat", "ToolBot", "play"]

NAME: Final = "mcp"
_OVER: Final = "The session with the referee is over: there are no more matches."


def play(
    address: str | None = None,
    *,
    game: str | None = None,
    profile: str = "full",
    **options: Unpack[by_hand.Options],
) -> None:
    """Serve a seat over standard input and output until the client closes the input.

    How the session with the referee ended is told to the agent, and after that to the caller.

    Raises:
        BadSetting: one of the settings is wrong, or the package mcp is not installed.
        FairdealError: the session failed.
    """
    if game is not None and game not in GAMES:
        raise BadSetting(f"{NAME} does not play {game!r}; it plays {', '.join(GAMES)}")
    if profile not in PROFILES:
        raise BadSetting(f"--words: must be {' or '.join(PROFILES)}, not {profile!r}")
    try:
        from fairdeal.mcp import _tools
    except ImportError as error:  # also of what an older version does not have
        if (error.name or "").partition(".")[0] not in ("mcp", "anyio"):
            raise
        raise BadSetting("agents need the package mcp: pip install 'fairdeal[mcp]'") from None
    _tools.check_input()
    options["games"] = GAMES if game is None else (game,)
    options["tables"] = 1
    completed = by_hand.completed(NAME, address, options)

    async def main(finish: asyncio.Event) -> None:
        bot = ToolBot(HeldSeat(profile), finish.set, lambda: session.cancel())
        session = asyncio.create_task(
            run_async(bot, address, finish=finish, on_error="stop", play_forced=True, **completed)
        )
        session.add_done_callback(lambda ended: bot.end(_why(ended)))
        serving = asyncio.create_task(_tools.serve(bot))
        try:
            await asyncio.wait({session, serving}, return_when=asyncio.FIRST_COMPLETED)
            # else the agent hears how the session ended, and ends the server itself
            if not (isinstance(_error(session), BadSetting) or (finish.is_set() and not bot.has_left)):
                await asyncio.wait({serving})
        finally:
            session.cancel()  # it says goodbye
            serving.cancel()
            await asyncio.wait({session, serving})
        for task in (serving, session):
            if error := _error(task):
                raise error

    until_stopped(main)


def _error(task: asyncio.Task[None]) -> BaseException | None:
    return task.exception() if task.done() and not task.cancelled() else None


def _why(session: asyncio.Task[None]) -> str:
    """Return how a session ended, in words for an agent."""
    if session.cancelled():
        return LEFT
    error = session.exception()
    if isinstance(error, FairdealError):
        return f"The session with the referee failed: {error}"
    return "The session with the referee failed." if error else _OVER
