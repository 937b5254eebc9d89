"""Sessions over a real socket: how they open, how they fail, how they end."""

import asyncio
import gc
import logging
from typing import Any

import grpc
import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Tokens, token_digest
from referee.core.core import Core
from referee.core.limits import BURST_SECONDS, Limits
from referee.core.output import Output
from referee.games.registry import GAMES
from referee.server.play_service import HELD
from tests.server.conftest import Serve, Setup
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

HELLO = pb.Hello(versions=[1], entry="a")
LIMIT = 32 * 1024


def hello(**fields: Any) -> bytes:
    frame = pb.PlayRequest(hello=HELLO)
    for name, value in fields.items():
        getattr(frame.hello, name)[:] = value
    return frame.SerializeToString()


BROKEN = {
    "no hello first": (
        [pb.PlayRequest(frames_received=0).SerializeToString()],
        grpc.StatusCode.INVALID_ARGUMENT,
        "PROTOCOL_VIOLATION",
        "hello belongs in the first frame only",
    ),
    "a second hello": (
        [hello(), hello()],
        grpc.StatusCode.INVALID_ARGUMENT,
        "PROTOCOL_VIOLATION",
        "hello belongs in the first frame only",
    ),
    "garbage": (
        [b"\xff\x00garbage"],
        grpc.StatusCode.INVALID_ARGUMENT,
        "PROTOCOL_VIOLATION",
        "the frame is not a PlayRequest",
    ),
    "a frame over the limit": (
        [hello(), bytes(LIMIT + 1)],
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "MESSAGE_TOO_LARGE",
        "the frame has 32769 bytes, at most 32768 are allowed",
    ),
    "a version that is not spoken": (
        [hello(versions=[7, 9])],
        grpc.StatusCode.FAILED_PRECONDITION,
        "UNSUPPORTED_VERSION",
        "this referee speaks version 1 of the protocol, the bot: 7, 9",
    ),
    "no version": (
        [hello(versions=[])],
        grpc.StatusCode.FAILED_PRECONDITION,
        "UNSUPPORTED_VERSION",
        "this referee speaks version 1 of the protocol, the bot: none",
    ),
    "an unknown game": (
        [hello(games=["bridge"])],
        grpc.StatusCode.INVALID_ARGUMENT,
        "PROTOCOL_VIOLATION",
        f"unknown game 'bridge'; this referee plays {', '.join(sorted(GAMES))}",
    ),
    "frames acknowledged that were never sent": (
        [hello(), pb.PlayRequest(frames_received=9).SerializeToString()],
        grpc.StatusCode.INVALID_ARGUMENT,
        "PROTOCOL_VIOLATION",
        "frames_received counts more frames than were sent",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
async def test_a_session_that_breaks_the_protocol_ends_with_a_reason(serve: Serve, case: str) -> None:
    frames, code, reason, text = BROKEN[case]
    async with serve() as served:
        caller = served.caller()
        for frame in frames:
            await caller.send(frame)
        ending = await caller.end()
        assert (ending.code, ending.reason, ending.text) == (code, reason, text)
        assert len(ending.incident) == 8
        await served.referee.gone()
        assert not served.referee.core.sessions.is_here(("a", ""))


async def test_a_frame_at_the_limit_is_taken(serve: Serve) -> None:
    async with serve() as served:
        caller = await served.guest("a")
        bye = pb.PlayRequest(bye=pb.Bye())
        while bye.ByteSize() < LIMIT:
            room = LIMIT - bye.ByteSize() - 4  # less the tags and lengths of the item and of its name
            bye.ready.add(match_id="x" * (room if room < 100 else 90 if room < 300 else 190))
        assert bye.ByteSize() == LIMIT
        await caller.send(bye.SerializeToString())
        assert (await caller.end()).code is grpc.StatusCode.OK


async def test_a_message_far_over_the_limit_is_not_even_read(serve: Serve) -> None:
    async with serve() as served:
        caller = await served.guest("a")
        await caller.send(bytes(3 * LIMIT))
        assert (await caller.end()).code is grpc.StatusCode.RESOURCE_EXHAUSTED
        await served.referee.gone()
        assert not served.referee.core.sessions.is_here(("a", ""))


async def test_a_refusal_arrives_whatever_its_text_quotes(serve: Serve) -> None:
    async with serve() as served:
        caller = served.caller()
        await caller.send(hello(versions=range(2**32 - 90, 2**32)))
        ending = await caller.end()
        assert (ending.code, ending.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "UNSUPPORTED_VERSION")
        assert ending.text.startswith(
            "this referee speaks version 1 of the protocol, the bot: 4294967206, 4294967207"
        )
        assert len(ending.text) == 300  # of more, code and reason might be lost


DENIED = {
    "no token": (None, grpc.StatusCode.UNAUTHENTICATED, "MISSING_TOKEN"),
    "a token of no scheme": ("tok-a", grpc.StatusCode.UNAUTHENTICATED, "MISSING_TOKEN"),
    "an unknown token": ("Bearer tok-x", grpc.StatusCode.UNAUTHENTICATED, "MISSING_TOKEN"),
    "another entry's token": ("Bearer tok-b", grpc.StatusCode.PERMISSION_DENIED, "WRONG_SEAT"),
}


@pytest.mark.parametrize("case", DENIED)
async def test_a_bot_without_its_token_is_denied(
    serve: Serve, caplog: pytest.LogCaptureFixture, case: str
) -> None:
    authorization, code, reason = DENIED[case]
    access = Tokens({"a": token_digest("tok-a"), "b": token_digest("tok-b")})
    caplog.set_level(logging.DEBUG)
    async with serve(access=access) as served:
        caller = served.caller(authorization)
        if reason == "WRONG_SEAT":  # else it is refused before, and what is sent may hide why
            await caller.send(hello())
        ending = await caller.end()
        assert (ending.code, ending.reason) == (code, reason)
        assert served.arrived == []
    assert "tok-" not in ending.text + caplog.text
    assert ending.incident in caplog.text


async def test_a_stream_that_is_opened_too_fast_is_held_and_is_no_line_of_the_log(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    slept: list[float] = []
    sleep = asyncio.sleep

    async def asleep(seconds: float) -> None:
        slept.append(seconds)
        await sleep(0)

    caplog.set_level(logging.DEBUG)
    async with serve(limits=Limits(strangers_per_second=1, sessions=2 * BURST_SECONDS)) as served:
        guests = [served.caller() for _ in range(BURST_SECONDS)]
        await served.referee.come(len(guests))
        with monkeypatch.context() as patched:
            patched.setattr(asyncio, "sleep", asleep)
            hasty = await served.caller().end()
        assert (hasty.reason, slept.count(HELD)) == ("RATE_LIMITED", 1)
        assert hasty.incident not in caplog.text


@pytest.mark.parametrize("authorization", [None, "Bearer tok-x"])
@pytest.mark.parametrize("said", [[], [b"\xff\x00garbage"], [hello()]], ids=["nothing", "garbage", "hello"])
async def test_who_has_no_token_is_denied_before_anything_is_read(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, authorization: str | None, said: list[bytes]
) -> None:
    def decode(_frame: bytes) -> None:
        raise AssertionError("a frame was decoded")

    monkeypatch.setattr("referee.codec.proto.decode", decode)
    async with serve(access=Tokens({"a": token_digest("tok-a")})) as served:
        caller = served.caller(authorization)
        for frame in said:
            await caller.send(frame)
        ending = await caller.end()
    told = [(grpc.StatusCode.UNAUTHENTICATED, "MISSING_TOKEN")]
    if said:  # what grpc.aio itself says when a stream ends while it is written to
        told.append((grpc.StatusCode.INTERNAL, ""))
    assert (ending.code, ending.reason) in told


async def test_a_bot_with_its_token_is_welcomed(serve: Serve) -> None:
    async with serve(access=Tokens({"a": token_digest("tok-a")})) as served:
        welcome = await served.caller("Bearer tok-a").hello("a", tables=3)
    assert (welcome.version, welcome.epoch, welcome.max_tables) == (1, 1, 3)
    assert (welcome.max_frame_bytes, welcome.server) == (LIMIT, "referee/test")
    assert served.arrived == [("a", "")]


async def test_a_newer_session_replaces_an_older_one(serve: Serve) -> None:
    async with serve() as served:
        older = await served.guest("a")
        newer = served.caller()
        assert (await newer.hello("a")).epoch == 2
        notice = await older.until("notice")
        assert notice.kind == pb.NOTICE_KIND_REPLACED
        ending = await older.end()
        assert (ending.code, ending.reason) == (grpc.StatusCode.ABORTED, "REPLACED")
        assert ending.text == "a newer session of the same entry and instance took over"
        await served.referee.gone()
        assert served.referee.core.sessions.is_here(("a", ""))


async def test_another_instance_replaces_nothing(serve: Serve) -> None:
    async with serve() as served:
        one, two = await served.guest("a", instance="1"), await served.guest("a", instance="2")
        for caller in (one, two):
            await caller.say(bye=pb.Bye())
            assert (await caller.end()).code is grpc.StatusCode.OK
            assert caller.of("notice") == []


async def say_bye(caller: Any) -> None:
    await caller.say(bye=pb.Bye())
    assert (await caller.end()).code is grpc.StatusCode.OK


async def half_close(caller: Any) -> None:
    await caller.call.done_writing()
    assert (await caller.end()).code is grpc.StatusCode.OK


async def cancel(caller: Any) -> None:
    caller.call.cancel()


async def close_channel(caller: Any) -> None:
    await caller.channel.close()


async def break_the_protocol(caller: Any) -> None:
    await caller.send(b"\xff")
    assert (await caller.end()).code is grpc.StatusCode.INVALID_ARGUMENT


def session_tasks() -> set[Any]:
    """Return the tasks that run, except the one with which gRPC waits for the next call."""
    return {task for task in asyncio.all_tasks() if "_request_call" not in repr(task)}


CLOSING_CANCELS = tuple(map(int, grpc.__version__.split(".")[:2])) >= (1, 83)
WAYS = [
    say_bye,
    half_close,
    cancel,
    pytest.param(
        close_channel,
        marks=pytest.mark.skipif(
            not CLOSING_CANCELS, reason="before grpcio 1.83 a closed channel leaves its calls open"
        ),
    ),
    break_the_protocol,
]


@pytest.mark.parametrize("leave", WAYS)
async def test_a_session_that_is_gone_leaves_nothing_behind(serve: Serve, setup: Setup, leave: Any) -> None:
    async with serve() as served:
        stays = await served.guest("a")
        before = session_tasks()
        goes = await served.guest("b")
        match = served.referee.play(setup())
        await stays.ready()
        await goes.until("seated")
        await leave(goes)
        await served.referee.gone()
        assert not served.referee.core.sessions.is_here(("b", ""))
        if left := session_tasks() - before:
            await asyncio.wait(left, timeout=PATIENCE)
        assert session_tasks() <= before
        await served.list_games()  # what was to do after that is done before this comes back
        gc.collect()
        assert [session() is None for session in served.referee.sessions] == [False, True]

        # its seat counts a lost session, and waits for it
        back = await served.guest("b")
        await back.ready()
        await back.until("seated")
        served.referee.abandon(("b", ""))
        await match
    (report,) = served.reports
    assert [seat.sessions_lost for seat in report.outcome.faults] == [0, 1]


@pytest.mark.parametrize("leave", WAYS)
async def test_a_referee_at_rest_does_nothing(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, leave: Any
) -> None:
    async with serve() as served:
        await leave(await served.guest("a"))
        await served.referee.gone()
        await served.list_games()  # what was to do after that is done before this comes back
        turns = []
        take = Core.take

        def counted(core: Core) -> Output:
            turns.append(core)
            return take(core)

        monkeypatch.setattr(Core, "take", counted)
        await served.list_games()
        assert turns == []


CANARY = "queen of spades"


@pytest.mark.parametrize("place", ["receive", "next_frame"])
async def test_a_failure_of_the_referee_tells_nothing(
    serve: Serve, setup: Setup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    async with serve() as served:
        others = [await served.guest(entry, events=True) for entry in "ab"]
        match = served.referee.play(setup())
        victim = await served.guest("c")
        session = served.referee.sessions[-1]()
        owner = Core if place == "receive" else type(session)
        sound = getattr(owner, place)

        def fail(*args: Any) -> Any:
            if session in args:
                raise RuntimeError(CANARY)
            return sound(*args)

        with monkeypatch.context() as patched:
            patched.setattr(owner, place, fail)
            await victim.say()
            if place == "next_frame":
                served.referee.dismiss(("c", ""))  # else there is nothing to read
            ending = await victim.end()
        assert (ending.code, ending.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
        assert ending.text == "the referee failed; the session ends"
        assert len(ending.incident) == 8
        assert ending.incident in caplog.text
        assert "RuntimeError" in caplog.text
        await served.referee.gone()
        assert not served.referee.core.sessions.is_here(("c", ""))

        for other in others:
            await other.ready()
        for other in others:
            await other.until("happened")
        served.referee.abandon(("a", ""))
        await match
    assert CANARY not in caplog.text
