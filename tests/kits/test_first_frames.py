"""A kit's random bot and a server that does not begin as a referee does: one line, exit status 1, and an end.

What a first frame must be stands in `play_service.proto`; what a bot then does is what the Python SDK does.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import pytest

from fairdeal.v1 import cards_pb2 as cards
from fairdeal.v1 import play_service_pb2 as play
from tests.kits.conftest import Dialler, OneLine
from tests.kits.kits import Kit

pytestmark = pytest.mark.asyncio

Script = Callable[[Any], Awaitable[None]]

# long enough for any machine: what is looked at is no silence
GAME = ("--game", "two_handed_spades", "--connect-timeout", 100)
ROUNDS = (2, 10, 60)  # seconds; a busy machine may need as long as the first for one stream

WELCOME = play.Update(welcome=play.Welcome(version=1, max_frame_bytes=32768))
SEATED = play.Update(
    seated=play.Seated(match_id="m1", attempt=1, game="two_handed_spades", seat=cards.SEAT_1)
)
FINISHED = play.Update(finished=play.Finished(match_id="m1", termination=play.TERMINATION_COMPLETED))
HEARTBEAT = play.Update(notice=play.Notice(kind=play.NOTICE_KIND_HEARTBEAT))

NO_MESSAGE = b"\xff\xff\xff\xff"
CUT_SHORT = b"\x0a\x7f"  # an update of 127 bytes, of which none comes


def _frame(*updates: play.Update) -> bytes:
    return play.PlayResponse(updates=updates).SerializeToString()


def _sends(*frames: bytes) -> Script:
    """Return a script that sends frames and waits for the bot to leave."""

    async def send(context: Any) -> None:
        for frame in frames:
            await context.write(frame)
        while await context.read() is not grpc.aio.EOF:
            pass

    return send


async def _ends(_context: Any) -> None:
    """End the stream with OK, without a word."""


async def _breaks(context: Any) -> None:
    """Seat the bot, and break once it has heard so."""
    await context.write(_frame(WELCOME, SEATED))
    await context.read()
    await context.abort(grpc.StatusCode.UNAVAILABLE, "gone")


class ScriptedServer:
    """Plays one script for each call, the last again and again, and counts the calls."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = scripts
        self.calls = 0

    async def __call__(self, context: Any) -> None:
        self.calls += 1
        await self.scripts[min(self.calls, len(self.scripts)) - 1](context)


@pytest.fixture
def meet(dial: Dialler, scripted: Callable[..., Any], kit: Kit) -> Any:
    """Return a function that makes a bot dial a server, and returns how it ended and the server's address."""

    async def run(server: ScriptedServer, *options: object) -> tuple[Any, str]:
        async with scripted(server) as address:
            done = await asyncio.to_thread(dial(kit, "--connect", address, *GAME, *options).done)
        return done, address

    return run


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (_frame(SEATED), "sent a message before its welcome"),
        (_frame(play.Update()), "sent a message before its welcome"),
        (_frame(HEARTBEAT, WELCOME), "sent a message before its welcome"),
        (_frame(), "sent a message before its welcome"),
        (_frame(play.Update(welcome=play.Welcome(version=2))), "speaks version 2 of the protocol, not 1"),
        (CUT_SHORT, "sent a frame that is not a message"),
    ],
    ids=["seated", "unknown kind", "late welcome", "empty", "version 2", "cut short"],
)
async def test_a_first_frame_that_is_no_welcome(
    meet: Any, one_line: OneLine, frame: bytes, words: str
) -> None:
    server = ScriptedServer(_sends(frame))
    done, address = await meet(server)
    assert (done.status, done.out, server.calls) == (1, "", 1)
    one_line(done, words, address, "is a referee of the same version of fairdeal")


async def test_a_stream_that_ends_before_the_welcome(meet: Any, one_line: OneLine) -> None:
    server = ScriptedServer(_ends)
    done, address = await meet(server)
    assert (done.status, done.out, server.calls) == (1, "", 1)
    one_line(done, f"the referee at {address} ended the session before it welcomed the bot; check that")


async def test_a_later_frame_that_is_no_message(meet: Any, one_line: OneLine) -> None:
    server = ScriptedServer(_sends(_frame(WELCOME), NO_MESSAGE))
    done, address = await meet(server)
    assert (done.status, done.out, server.calls) == (1, "", 1)
    one_line(done, "sent a frame that is not a message", address)


async def test_a_reconnecting_kit_needs_a_welcome_first_too(meet: Any) -> None:
    server = ScriptedServer(_breaks, _sends(_frame(HEARTBEAT)))
    done, address = await meet(server, "--reconnect-timeout", 100)
    assert (done.status, server.calls) == (1, 2)
    lost, nonsense = done.complaints.splitlines()
    assert f"the session with the referee at {address} broke: gone; dialling again" in lost
    assert address in nonsense
    assert "same version" in nonsense


async def test_a_stream_that_ends_before_the_welcome_is_dialled_again_for_a_lost_session(meet: Any) -> None:
    for seconds in ROUNDS:
        server = ScriptedServer(_breaks, _ends)
        done, address = await meet(server, "--reconnect-timeout", seconds)
        assert done.status == 1
        assert server.calls <= 10 * seconds  # 0.1 s at first, each pause twice the one before, half at least
        lost, gone = done.complaints.splitlines()
        assert f"the session with the referee at {address} broke: gone; dialling again" in lost
        if f"the referee at {address} ended the session before it welcomed the bot" in gone:
            break
    assert f"the referee at {address} ended the session before it welcomed the bot" in gone
    assert gone.endswith(f"; the bot dialled again for {seconds} s")
    assert server.calls >= 2


@pytest.mark.parametrize(
    ("seconds", "limit"), [(-1, 1), (315_576_000_000, 2**32 - 1)], ids=["too small", "too large"]
)
async def test_limits_that_make_no_sense_harm_nobody(meet: Any, seconds: int, limit: int) -> None:
    welcome = play.Welcome(
        version=1, max_frame_bytes=limit, max_unacknowledged_frames=limit, max_unacknowledged_bytes=limit
    )
    welcome.heartbeat.seconds = seconds
    server = ScriptedServer(_sends(_frame(play.Update(welcome=welcome)), _frame(SEATED), _frame(FINISHED)))
    done, _address = await meet(server)
    assert (done.status, done.complaints, server.calls) == (0, "", 1)
    assert len(done.out.splitlines()) == 2
