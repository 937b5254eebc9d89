"""Asks a bot again what a seat was asked in a match of a record, over a real session."""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from referee.cards import Seat
from referee.core.access import Tokens, token_digest
from referee.dealing.keys import SeededKeys
from referee.match.clock import SECOND
from referee.match.effects import Owner
from referee.server.listen import listening
from referee.server.opening import open_referee
from referee.server.play_service import PlayService
from referee.verify import Past
from tournaments.check.asked_again import AskedAgain, Reply
from tournaments.check.process import CommandBot
from tournaments.hosting.bot_process import NO_MAIN

LOOPBACK: Final = "127.0.0.1:0"
CONNECT: Final = 60.0
"""Seconds that a bot has from its start to its hello."""
_TO_START: Final = 10.0  # seconds of them that it has in any case: to start takes longer than to answer
_LEAVE: Final = 2.0  # seconds that it has to leave when it was asked everything
_SETTLE: Final = 1.0


@dataclass(frozen=True, slots=True)
class Interview:
    """What a bot has answered; ``problem`` says why it was not asked everything, and is empty if it was."""

    replies: tuple[Reply, ...]
    problem: str
    printed: tuple[str, ...]


def time_to_connect(seconds: float | None) -> float:
    """Return the seconds that a bot has to connect; ``seconds`` are for each answer, None by default."""
    return CONNECT if seconds is None else min(CONNECT, max(_TO_START, seconds))


async def ask(
    past: Past,
    seat: int,
    command: tuple[str, ...],
    *,
    deal: int | None = None,
    seconds: float | None = None,
    connect: float = CONNECT,
    seed: str = "",
    on_reply: Callable[[Reply], None] = lambda reply: None,
) -> Interview:
    """Start a bot, ask it what the seat was asked, and return what it answered.

    ``deal`` is the only one that it is asked about, None for all; each answer may take ``seconds``, by
    default what the seat's clock allowed then. It has ``connect`` seconds to connect. ``seed`` is that of
    the bot's draws.

    Raises:
        CannotStart: the command cannot be executed.
        HostFailed: this machine cannot start it now.
        RefereeFailed: the referee cannot go on.
    """
    limit = None if seconds is None else round(seconds * SECOND)
    asked = AskedAgain(past, Seat(seat), deal=deal, limit=limit, on_reply=on_reply)
    header = past.lines[0]
    entry, instance = header["entries"][seat], header["instances"][seat]
    token = secrets.token_hex(16)
    arrived: asyncio.Future[Owner] = asyncio.get_running_loop().create_future()
    gone = asyncio.Event()
    with TemporaryDirectory(prefix="fairdeal-ask-") as name:
        referee = open_referee(
            Path(name),
            SeededKeys(token),
            Tokens({entry: token_digest(token)}),
            deals=lambda setup, rules: past.deals,
            new_match=lambda setup, rules, deals: asked,
            on_arrived=lambda owner: None if arrived.done() else arrived.set_result(owner),
        )
        try:
            async with listening(referee, LOOPBACK, services=[PlayService(referee)], watched=False) as at:
                bot = CommandBot(
                    command,
                    entry=entry,
                    instance=instance,
                    token=token,
                    address=at.address,
                    folder=Path(name),
                    settle=_SETTLE,
                    changed=gone.set,
                    seed=seed,
                )
                try:
                    await bot.start()
                    leaving = asyncio.ensure_future(gone.wait())
                    either: set[asyncio.Future[Any]] = {arrived, leaving}
                    await asyncio.wait(either, timeout=connect, return_when="FIRST_COMPLETED")
                    if arrived.done():
                        owners = _owners(arrived.result(), seat, len(header["entries"]))
                        playing = referee.play(asked.setup, owners)
                        either = {playing, leaving}
                        await asyncio.wait(either, return_when="FIRST_COMPLETED")
                        if not playing.done():
                            asked.problem = "the bot's process has ended"
                            referee.cancel(asked.setup.match_id)
                        await playing
                        referee.drain()
                        with suppress(TimeoutError):
                            await asyncio.wait_for(leaving, _LEAVE)
                    else:
                        asked.problem = "the bot did not connect"
                        if bot.exited is None:
                            asked.problem += f": waited {connect:g} s, then ended it"
                    exited = bot.exited  # by itself, and not because we stop it
                finally:
                    await bot.stop()
                leaving.cancel()
                problem = asked.problem
                if problem and exited and not exited.was_killed:
                    problem = f"{problem} ({exited.status})"
                    if exited.code == 0 and not arrived.done():
                        problem += f": {NO_MAIN}"
                return Interview(tuple(asked.replies), problem, bot.printed())
        finally:
            await referee.close()


def _owners(owner: Owner, seat: int, seats: int) -> tuple[Owner, ...]:
    """Return who has the seats: the bot has its own, and nobody comes for the others."""
    return tuple(owner if place == seat else ("", f"then-{place}") for place in range(seats))
