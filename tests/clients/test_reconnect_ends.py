"""Bots whose session breaks and that do not come back, over real sockets."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest

import fairdeal
from fairdeal import Decision, _backoff, _connection
from tests.clients.conftest import OpenReferee, Script, Tell
from tests.rounds import rounds
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

CODES = {
    "RATE_LIMITED": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "MISSING_TOKEN": grpc.StatusCode.UNAUTHENTICATED,
    "SHUTTING_DOWN": grpc.StatusCode.UNAVAILABLE,
    "": grpc.StatusCode.UNAVAILABLE,
}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the bots of these tests dial again soon."""
    monkeypatch.setattr(_backoff, "FIRST_DELAY", 0.002)


def first(decision: Decision) -> fairdeal.Answer:
    assert isinstance(decision.legal, fairdeal.LegalActions)
    return decision.legal.actions[0]


async def run(bot: Any, address: str, **settings: Any) -> None:
    """Run a bot, for a bounded time."""
    async with asyncio.timeout(PATIENCE):
        await fairdeal.run_async(bot, address, **settings)


async def abort(stream: Any, reason: str) -> None:
    await stream.abort(CODES.get(reason, grpc.StatusCode.INTERNAL), "on purpose", reason)


FINAL = [
    "MISSING_TOKEN",
    "WRONG_SEAT",
    "WRONG_ROLE",
    "ENDED_BY_ORGANISER",
    "UNSUPPORTED_VERSION",
    "PROTOCOL_VIOLATION",
    "MESSAGE_TOO_LARGE",
    "REPLACED",
]


@pytest.mark.parametrize("reason", FINAL)
async def test_what_cannot_be_mended_is_final(
    tell: type[Tell],
    referee: OpenReferee,
    reason: str,
    one_by_one: Callable[..., Script],
    log_lines: Callable[[], list[str]],
) -> None:
    async def breaks(stream: Any) -> None:
        await stream.lose_answer(tell)
        await abort(stream, reason)

    async with referee(one_by_one(breaks)) as at:
        with pytest.raises(fairdeal.Rejected) as caught:
            await run(first, at.address)
    assert caught.value.reason == reason
    assert isinstance(caught.value, fairdeal.Replaced) == (reason == "REPLACED")
    assert log_lines() == []


async def test_a_final_error_while_reconnecting_ends_the_run(
    tell: type[Tell], referee: OpenReferee, one_by_one: Callable[..., Script]
) -> None:
    async def ends(stream: Any) -> None:
        await stream.lose_answer(tell)

    async def refuses(stream: Any) -> None:
        await stream.next()
        await abort(stream, "MISSING_TOKEN")

    async with referee(one_by_one(ends, refuses)) as at:
        with pytest.raises(fairdeal.Rejected, match="MISSING_TOKEN"):
            await run(first, at.address)


async def test_a_bot_that_was_never_welcome_does_not_insist(
    referee: OpenReferee, one_by_one: Callable[..., Script]
) -> None:
    async def refuses(stream: Any) -> None:
        await stream.next()
        await abort(stream, "SHUTTING_DOWN")

    async with referee(one_by_one(refuses)) as at:
        with pytest.raises(fairdeal.Rejected, match="SHUTTING_DOWN"):
            await run(first, at.address)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("reason", ["RATE_LIMITED", "TOO_MANY_SESSIONS"])
async def test_a_referee_that_is_busy_for_too_long_is_given_up(referee: OpenReferee, reason: str) -> None:
    async def refuses(stream: Any) -> None:
        await stream.next()
        await abort(stream, reason)

    for seconds, trying in rounds(
        0.2, 2.0, 20.0
    ):  # on a busy machine to dial once may take as long as the first
        async with referee(refuses) as at:
            with pytest.raises(fairdeal.Rejected) as caught:
                await run(first, at.address, connect_timeout=seconds)
        assert caught.value.reason == reason
        text = f"the referee at {at.address} ended the session: on purpose ({reason})"
        assert str(caught.value) == f"{text}; the bot dialled for {seconds:g} s"
        with trying:
            assert len(at.requests) > 1
            break


@pytest.mark.usefixtures("patient")
async def test_a_bot_that_is_too_fast_each_time_is_given_up(
    tell: type[Tell], referee: OpenReferee, monkeypatch: pytest.MonkeyPatch
) -> None:
    # pauses that grow beyond the time would end it anyway
    monkeypatch.setattr(_connection, "Backoff", partial(_backoff.Backoff, longest=0.05))

    async def floods(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"))
        await abort(stream, "RATE_LIMITED" if len(at.requests) < 100 else "WRONG_SEAT")  # else it never ends

    for seconds, trying in rounds(
        0.5, 5.0, 20.0
    ):  # on a busy machine to dial once may take as long as the first
        async with referee(floods) as at:
            with pytest.raises(fairdeal.FairdealError, match=r"\(RATE_LIMITED\)"):
                await run(first, at.address, reconnect_timeout=seconds)
        hellos = sum(request.HasField("hello") for request in at.requests)
        with trying:
            assert 1 < hellos < 80 * seconds  # the pauses grow although each session was welcome
            break


async def test_a_bot_without_a_match_does_not_wait_for_a_referee_that_shut_down(
    tell: type[Tell], referee: OpenReferee, one_by_one: Callable[..., Script]
) -> None:
    async def breaks(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome())
        await abort(stream, "SHUTTING_DOWN")

    async with referee(one_by_one(breaks)) as at:
        with pytest.raises(fairdeal.Rejected, match="SHUTTING_DOWN"):
            await run(first, at.address)


@pytest.mark.usefixtures("patient")
async def test_a_referee_that_stays_away_is_given_up(
    tell: type[Tell],
    referee: OpenReferee,
    one_by_one: Callable[..., Script],
    log_lines: Callable[[], list[str]],
    tmp_path: Path,
) -> None:
    answered = asyncio.Event()

    async def ends(stream: Any) -> None:
        await stream.lose_answer(tell)
        answered.set()
        await stream.rest()

    address = f"unix:{tmp_path}/s"  # which nobody else can take afterwards, as one could a port
    async with referee(one_by_one(ends), address):
        bot = asyncio.create_task(run(first, address, reconnect_timeout=0.2))
        await answered.wait()
    with pytest.raises(fairdeal.ConnectionLost) as caught:
        await bot
    text = str(caught.value)
    assert text.startswith(f"no referee answers at {address}: ")
    assert text.endswith("; the bot dialled again for 0.2 s")
    [lost] = log_lines()
    assert lost.endswith("; dialling again for up to 0.2 s")


async def test_a_referee_that_is_back_without_a_welcome_is_given_up(
    tell: type[Tell], referee: OpenReferee, one_by_one: Callable[..., Script]
) -> None:
    async def ends(stream: Any) -> None:
        await stream.lose_answer(tell)

    async def ignores(stream: Any) -> None:
        await stream.rest()

    async with referee(one_by_one(ends, ignores)) as at:
        with pytest.raises(fairdeal.ConnectionLost, match=r"did not welcome the bot in time.* for 0\.2 s"):
            await run(first, at.address, reconnect_timeout=0.2)


@pytest.mark.usefixtures("patient")
async def test_a_session_that_breaks_when_there_is_no_time_to_dial_is_the_last(
    tell: type[Tell], referee: OpenReferee, one_by_one: Callable[..., Script]
) -> None:
    async def ends(stream: Any) -> None:
        await stream.lose_answer(tell)

    async with referee(one_by_one(*[ends] * 5)) as at:
        with pytest.raises(fairdeal.ConnectionLost) as caught:
            await run(first, at.address, reconnect_timeout=0.01)  # soon less than a delay
    assert str(caught.value) == f"the referee at {at.address} ended the session"


async def test_a_run_that_is_cancelled_between_two_sessions_ends_at_once(
    tell: type[Tell],
    referee: OpenReferee,
    monkeypatch: pytest.MonkeyPatch,
    one_by_one: Callable[..., Script],
    lost: asyncio.Event,
) -> None:
    async def ends(stream: Any) -> None:
        await stream.lose_answer(tell)

    monkeypatch.setattr(_backoff, "FIRST_DELAY", 1000.0)
    async with referee(one_by_one(ends)) as at:
        bot = asyncio.create_task(run(first, at.address, reconnect_timeout=2000.0))
        await lost.wait()
        bot.cancel()
        with pytest.raises(asyncio.CancelledError):
            await bot


async def test_an_exception_of_the_bot_between_two_sessions_ends_the_run(
    tell: type[Tell],
    referee: OpenReferee,
    monkeypatch: pytest.MonkeyPatch,
    one_by_one: Callable[..., Script],
    lost: asyncio.Event,
) -> None:
    fails, acts = asyncio.Event(), asyncio.Event()

    async def act(decision: Decision) -> fairdeal.Answer:
        acts.set()
        await fails.wait()
        raise ZeroDivisionError("in the bot")

    async def ends(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.plays("2C 3C"))
        await acts.wait()

    monkeypatch.setattr(_backoff, "FIRST_DELAY", 1000.0)
    async with referee(one_by_one(ends)) as at:
        bot = asyncio.create_task(run(act, at.address, on_error="stop", reconnect_timeout=2000.0))
        await lost.wait()
        fails.set()
        with pytest.raises(ZeroDivisionError, match="in the bot"):
            await bot


BOT = """
import sys, fairdeal
class Bot:
    def act(self, decision):
        return decision.legal.actions[0]
fairdeal.run(Bot(), sys.argv[1])
print("over")
"""


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_second_signal_between_two_sessions_ends_the_run(
    tell: type[Tell], referee: OpenReferee, number: int, one_by_one: Callable[..., Script]
) -> None:
    async def ends(stream: Any) -> None:
        await stream.lose_answer(tell)

    async def refuses(stream: Any) -> None:
        await stream.next()
        await abort(stream, "SHUTTING_DOWN")

    async with asyncio.timeout(PATIENCE), referee(one_by_one(ends, *[refuses] * 100)) as at:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", BOT, at.address, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stderr is not None
        assert b"dialling again" in await process.stderr.readline()
        process.send_signal(number)
        assert b"finishing 1 match" in await process.stderr.readline()
        process.send_signal(number)
        output, errors = await process.communicate()
    assert (output, errors, process.returncode) == (b"over\n", b"", 0)


async def test_two_bots_of_one_name_do_not_replace_each_other_for_ever(
    tell: type[Tell], referee: OpenReferee, log_lines: Callable[[], list[str]]
) -> None:
    streams: list[Any] = []
    seated = [asyncio.Event(), asyncio.Event()]

    async def newest_wins(stream: Any) -> None:
        streams.append(stream)
        number = len(streams) - 1
        await stream.next()
        if number:
            await streams[-2].send(tell.notice("REPLACED", "a newer session took over"))
        await stream.send(tell.welcome(), tell.seated("m1"))
        await stream.next()
        seated[number].set()
        if not number:
            await stream.rest()
            return
        await bots[0]
        await stream.send(tell.finished("m1"))
        await stream.rest()

    async def outcome() -> str:
        try:
            await run(first, at.address, entry="same", matches=1)
        except fairdeal.Replaced as error:
            return error.reason
        return "played"

    async with referee(newest_wins) as at:
        bots = [asyncio.create_task(outcome())]
        await seated[0].wait()
        bots.append(asyncio.create_task(outcome()))
        assert await asyncio.gather(*bots) == ["REPLACED", "played"]
    assert len(streams) == 2
    assert log_lines() == []
