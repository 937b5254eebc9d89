"""A kit's random bot that is stopped in mid-match, and one that finds the referee busy."""

import asyncio
import re
import signal
from collections.abc import Callable
from typing import Any, Final

import grpc
import pytest

from fairdeal.v1 import actions_pb2 as actions
from fairdeal.v1 import cards_pb2 as cards
from fairdeal.v1 import play_service_pb2 as play
from tests.e2e.places import listening
from tests.kits.conftest import Dialler
from tests.kits.kits import PYTHON, Kit
from tests.workspace import PATIENCE, Workspace

GAME: Final = ("--game", "two_handed_spades")
LEAVES: Final = "finishing 1 match; a second Ctrl-C leaves now"

WELCOME: Final = play.Update(welcome=play.Welcome(version=1, max_frame_bytes=32768))
SEATED: Final = play.Update(
    seated=play.Seated(match_id="m1", attempt=1, game="two_handed_spades", seat=cards.SEAT_1)
)
HEARTBEAT: Final = play.Update(notice=play.Notice(kind=play.NOTICE_KIND_HEARTBEAT))
DRAINING: Final = play.Update(notice=play.Notice(kind=play.NOTICE_KIND_DRAINING, text="no more"))
FINISHED: Final = play.Update(
    finished=play.Finished(match_id="m1", termination=play.TERMINATION_COMPLETED, scores=[1, 0])
)


def _asked() -> play.Update:
    legal = actions.Legal()
    legal.actions.actions.add(play_card=cards.CARD_ACE_OF_SPADES)
    return play.Update(decision=play.Decision(match_id="m1", decision_id=1, legal=legal))


async def _tell(context: Any, *updates: play.Update) -> None:
    await context.write(play.PlayResponse(updates=updates).SerializeToString())


async def _until(context: Any, wanted: str) -> play.PlayRequest | None:
    """Return the bot's next frame that holds something, None at the end of its stream."""
    while (data := await context.read()) is not grpc.aio.EOF:
        request = play.PlayRequest.FromString(data)
        if wanted in {field.name for field, _value in request.ListFields()}:
            return request
    return None


async def _done(running: Any) -> Any:
    return await asyncio.to_thread(running.done)


async def _stopped(
    dial: Any, scripted: Any, kit: Kit, number: signal.Signals, *, signals: int, seated: bool
) -> tuple[Any, list[str]]:
    """Stop a bot so many times, each once it has heard the one before; return its end, and what it said."""
    said: list[str] = []
    here, heard = asyncio.Event(), asyncio.Event()

    async def script(context: Any) -> None:
        await _tell(context, WELCOME, HEARTBEAT, *[SEATED] * seated)
        await _until(context, "ready" if seated else "frames_received")
        here.set()
        assert await _until(context, "no_more_matches")
        said.append("no more matches")
        heard.set()
        if signals == 1:
            await _tell(context, DRAINING, *[_asked()] * seated)
            if seated:
                assert await _until(context, "answers")
                said.append("answer")
                await _tell(context, FINISHED)
        if await _until(context, "bye"):
            said.append("bye")

    async with asyncio.timeout(PATIENCE), scripted(script) as address:
        bot = dial(kit, "--connect", address, *GAME, "--matches", 0)
        await here.wait()
        if seated:
            await asyncio.to_thread(bot.says, "seat ")
        bot.process.send_signal(number)
        await heard.wait()
        if signals == 2:
            bot.process.send_signal(number)
        return await _done(bot), said


@pytest.mark.asyncio
async def test_the_first_signal_lets_it_finish(dial: Dialler, scripted: Callable[..., Any], kit: Kit) -> None:
    done, said = await _stopped(dial, scripted, kit, signal.SIGTERM, signals=1, seated=True)
    assert said == ["no more matches", "answer", "bye"]
    assert done.status == 0
    assert re.fullmatch(rf"(.*: )?{LEAVES}\n", done.complaints)
    assert "completed" in done.out


@pytest.mark.asyncio
async def test_a_second_signal_is_a_goodbye(dial: Dialler, scripted: Callable[..., Any], kit: Kit) -> None:
    done, said = await _stopped(dial, scripted, kit, signal.SIGINT, signals=2, seated=True)
    assert said == ["no more matches", "bye"]
    assert done.status == 0
    assert re.fullmatch(rf"(.*: )?{LEAVES}\n", done.complaints)


@pytest.mark.asyncio
async def test_without_a_match_it_leaves_at_the_first(
    dial: Dialler, scripted: Callable[..., Any], kit: Kit
) -> None:
    done, said = await _stopped(dial, scripted, kit, signal.SIGTERM, signals=1, seated=False)
    assert said == ["no more matches", "bye"]
    assert (done.status, done.complaints) == (0, "")


@pytest.mark.asyncio
async def test_an_older_referee_is_left_without_an_answer(
    dial: Dialler, scripted: Callable[..., Any], kit: Kit
) -> None:
    here, left = asyncio.Event(), asyncio.Event()

    async def script(context: Any) -> None:
        await _tell(context, WELCOME, HEARTBEAT)
        await _until(context, "frames_received")
        here.set()
        assert await _until(context, "no_more_matches")
        if await _until(context, "bye"):
            left.set()

    async with asyncio.timeout(PATIENCE), scripted(script) as address:
        bot = dial(kit, "--connect", address, *GAME, "--matches", 0)
        await here.wait()
        bot.process.send_signal(signal.SIGTERM)
        done = await _done(bot)
        await left.wait()
    assert (done.status, done.complaints) == (0, "")


def test_a_bot_that_is_stopped_in_mid_match_forfeits_nothing(
    workspace: Workspace, dial: Dialler, kit: Kit
) -> None:
    serving, address = listening(workspace, *GAME, "--deals", 40, "--clock", "debug")
    words = ("--connect", address, *GAME, "--matches", 0, "--tables", 2)
    bot, other = dial(kit, *words), dial(PYTHON, *words)
    bot.says("seat ")
    done = bot.stopped(signal.SIGTERM)
    assert done.status == 0
    assert len(done.out.splitlines()) % 2 == 0, done.out  # what has begun has ended
    assert other.stopped(signal.SIGTERM).status == 0
    assert serving.stopped(signal.SIGTERM).status == 0
    records = workspace.records("fairdeal-serve").timeless().values()
    assert records
    for record in records:
        assert [line for line in record if line["type"] in ("faulted", "substituted")] == []
        assert record[-1]["type"] != "cancelled"


def _refusals(reason: str, *, welcome: bool, times: int) -> tuple[Any, list[Any]]:
    """Return a script that ends so many streams for a reason and plays the next one, and its calls."""
    calls: list[Any] = []

    async def script(context: Any) -> None:
        calls.append(context)
        if len(calls) <= times:
            if welcome:
                await _tell(context, WELCOME, SEATED)
            metadata = (("fairdeal-reason", reason),)
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many", metadata)
        await _tell(context, WELCOME, SEATED, FINISHED)
        await _until(context, "bye")

    return script, calls


ROUNDS: Final = (2, 10, 60)
"""Seconds to connect, of which a busy machine may take so many that there is no second attempt."""


@pytest.mark.asyncio
async def test_a_referee_that_is_busy_is_dialled_again(
    dial: Dialler, scripted: Callable[..., Any], kit: Kit
) -> None:
    script, calls = _refusals("RATE_LIMITED", welcome=False, times=2)
    async with scripted(script) as address:
        done = await _done(dial(kit, "--connect", address, *GAME, "--matches", 1))
    assert (done.status, len(calls)) == (0, 3)


@pytest.mark.asyncio
async def test_a_referee_that_stays_busy_is_given_up(
    dial: Dialler, scripted: Callable[..., Any], kit: Kit
) -> None:
    reason = "TOO_MANY_SESSIONS"
    for seconds in ROUNDS:
        script, calls = _refusals(reason, welcome=False, times=1_000_000)
        async with scripted(script) as address:
            done = await _done(dial(kit, "--connect", address, *GAME, "--connect-timeout", seconds))
        assert done.status == 1
        line = done.err.splitlines()[-1]
        for text in (address, f"({reason})", f"{seconds} s"):
            assert text in line
        assert len(calls) <= 6 * seconds  # each pause twice the one before, up to a second
        if len(calls) >= 2:
            break
    assert len(calls) >= 2


@pytest.mark.asyncio
async def test_a_bot_that_is_too_fast_each_time_is_given_up(
    dial: Dialler, scripted: Callable[..., Any], kit: Kit
) -> None:
    seconds = 6  # more than the longest pause, after which the time is over anyway
    script, calls = _refusals("RATE_LIMITED", welcome=True, times=1_000_000)
    async with scripted(script) as address:
        words = ("--connect", address, *GAME, "--matches", 0, "--reconnect-timeout", seconds)
        done = await _done(dial(kit, *words))
    assert done.status == 1
    assert 2 <= len(calls) <= 16
    assert "(RATE_LIMITED)" in done.complaints.splitlines()[-1]
