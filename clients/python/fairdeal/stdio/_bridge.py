"""The bridge between a referee and a bot that is a separate program."""

import asyncio
import os
import re
import signal
import subprocess
from collections.abc import Callable, Coroutine, Sequence
from pathlib import PurePath
from types import FrameType
from typing import Any, TypeVar, Unpack

from fairdeal import by_hand
from fairdeal._run import run_async, until_stopped
from fairdeal._settings import Options
from fairdeal.errors import FairdealError
from fairdeal.stdio._bot import PipedBot, PipedBotWithEvents
from fairdeal.stdio._child import Child, launch, send_signal

Say = Callable[[str], None]
Result = TypeVar("Result")


class BotEnded(FairdealError):
    """The bot's program ended, or stopped reading or writing, while it had a session."""


def bridge(
    command: Sequence[str],
    address: str | None = None,
    *,
    events: bool = False,
    play_forced: bool = False,
    say: Say,
    warn: Say,
    **options: Unpack[Options],
) -> None:
    """Start a program and run it as a bot until its matches are over.

    The program reads lines of JSON and answers with lines, see clients/stdio/README.md; with ``events`` it
    gets events, too, and with ``play_forced`` it is not asked where one answer is legal. The ``options`` are
    those of `fairdeal.run`, with the same defaults from the environment.
    Where neither knows who plays, the entry is the name of the program's file and the instance a new one;
    ``matches`` is 0 for no limit, by default one, or no limit when the address comes from the environment.
    The program finds the seed in its own environment as FAIRDEAL_SEED, and no token there.

    A wrong or late answer of the program is one line to ``warn`` and costs a fault; a
    line for each match begun and finished goes to ``say``. At the end the program's input is closed, and it
    has a few seconds to end. The first SIGINT or SIGTERM lets it finish its matches and take no new ones, a
    second one ends the session with a goodbye, and a third one all at once.

    Raises:
        BadSetting: one of the settings is wrong, or the program cannot be started.
        BotEnded: the program ended first; the session ended with a goodbye.
        FairdealError: the session failed.
        OSError: ``say`` or ``warn`` raised it.
    """
    process: subprocess.Popen[bytes] | None = None

    async def main(finish: asyncio.Event) -> None:
        nonlocal process
        process = launch(command, _environment(options.get("seed")))
        completed = by_hand.completed(_name(command), address, options)
        await play(
            process,
            say,
            warn,
            address=address,
            events=events,
            play_forced=play_forced,
            finish=finish,
            **completed,
        )

    def end_at_once(number: int, frame: FrameType | None) -> None:
        if process:
            send_signal(process, signal.SIGKILL)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    def heed_another() -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, end_at_once)

    until_stopped(main, heed_another)


async def play(
    process: subprocess.Popen[bytes],
    say: Say,
    warn: Say,
    *,
    address: str | None,
    events: bool,
    play_forced: bool = False,
    finish: asyncio.Event | None = None,
    **options: Unpack[Options],
) -> None:
    """Run a started program as a bot, and end it; when cancelled, say goodbye to the referee first.

    ``options`` are those of `fairdeal.run`; it raises the same as `bridge`.
    """
    unheard: asyncio.Future[OSError] = asyncio.get_running_loop().create_future()

    def told(tell: Say) -> Say:
        def attempt(text: str) -> None:
            try:
                tell(text)
            except OSError as error:  # nobody reads our output any more
                if not unheard.done():
                    unheard.set_result(error)

        return attempt

    say, warn = told(say), told(warn)
    made = PipedBotWithEvents if events else PipedBot
    bot = made(lambda line: child.write(line), matches=options.get("matches") or 0, say=say, warn=warn)
    child = await _in_full(Child.connect(process, bot.hear))
    session = asyncio.create_task(run_async(bot, address, finish=finish, play_forced=play_forced, **options))
    is_blamed = False  # whether the error says how the program ended
    ends: set[asyncio.Future[Any]] = {session, child.gone, unheard}
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if unheard.done():
            raise unheard.result()
        if child.gone.done() and not session.done() and not bot.is_over:
            is_blamed = True
            what_now = "; while it is away, the time for its decisions runs out" if bot.is_playing else ""
            raise BotEnded(f"the bot {child.gone.result()}{what_now}")
        await session
    finally:
        session.cancel()
        how = await _in_full(_wind_up(session, child))
        if how and not is_blamed:
            warn(f"the bot {how}")
        if bot.strays > 1:
            warn(f"{bot.strays} lines of the bot belonged to no open decision")


async def _wind_up(session: asyncio.Task[None], child: Child) -> str | None:
    """Wait for the goodbye to the referee, then end the program; return how it ended, as `Child.end` does."""
    await asyncio.gather(session, return_exceptions=True)
    return await child.end()


async def _in_full(work: Coroutine[Any, Any, Result]) -> Result:
    """Return the result of work that takes bounded time; a cancellation meanwhile comes after it."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        if caller := asyncio.current_task():
            caller.uncancel()  # the same cancellation counts once
            caller.cancel()
        return task.result()


def _environment(seed: str | None) -> dict[str, str]:
    environment = dict(os.environ)
    environment.pop("FAIRDEAL_TOKEN", None)  # the session's own variables, which the program does not need
    environment.setdefault("PYTHONUNBUFFERED", "1")  # so that a Python program's answers are not buffered
    if seed is not None:
        environment["FAIRDEAL_SEED"] = seed
    return environment


def _name(command: Sequence[str]) -> str:
    """Return a name for a program's entry."""
    return re.sub(r"[^A-Za-z0-9_.-]", "-", PurePath(command[0]).name)[:40]
