"""A referee that fails, and how one ends: what is written by then, and what is done afterwards."""

import asyncio
import errno
import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.limits import Limits
from referee.match.clock import PROFILES
from referee.match.messages import Reason
from referee.server.runtime import RefereeFailed
from referee.storage import record
from tests.server.conftest import Serve, Setup
from tests.server.direct import Direct, Watch
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio


# A referee that fails

CANARY = "queen of spades"


def fail(*_args: Any, **_more: Any) -> None:
    raise TypeError(CANARY)


@pytest.mark.parametrize(
    "place",
    [
        "referee.core.core.Core.take",
        "referee.core.core.Core.tick",
        "referee.storage.record.lines",
        "referee.storage.record.input_text",
    ],
)
async def test_a_fault_in_the_loop_stops_the_referee_with_a_word(
    serve: Serve, setup: Setup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    async with serve() as served:
        match = served.referee.play(setup(clock=replace(PROFILES["debug"], start=0)))
        monkeypatch.setattr(place, fail)
        text = r"the referee itself is at fault \(TypeError\); its log says where; please report it"
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(RefereeFailed, match=text):
                await asyncio.wait_for(match, PATIENCE)
            assert str(await served.referee.failed()) == str(match.exception())
    assert "TypeError" in caplog.text
    assert CANARY not in caplog.text


async def test_a_fault_of_who_is_told_stops_the_referee(serve: Serve, setup: Setup) -> None:
    def broken_pipe(_setup: Any) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    async with serve(on_opened=broken_pipe) as served:
        with pytest.raises(RefereeFailed, match=r"a file cannot be read or written \(Broken pipe\)"):
            await served.referee.play(setup())


async def test_a_slow_reader_loses_its_seats_whatever_becomes_of_its_stream(
    serve: Serve, setup: Setup
) -> None:
    patient = Limits(answers_per_second=1 << 20, bytes_per_second=1 << 30)
    async with serve(limits=patient) as served:
        session = served.referee.connect(
            None, lambda: None
        )  # a stream that is stuck: nobody takes its frames
        hello = pb.PlayRequest(hello=pb.Hello(versions=[1], entry="a"))
        nonsense = pb.PlayRequest(answers=[pb.Answer(match_id="x") for _ in range(100)])
        served.referee.receive(session, hello.SerializeToString())
        while served.referee.core.sessions.is_here(("a", "")):
            served.referee.receive(session, nonsense.SerializeToString())
            await served.list_games()
        assert session.ended
        assert session.ended.reason is Reason.SLOW_READER
        served.referee.disconnect(session)


async def test_that_a_slow_reader_has_lost_its_seats_is_written_down_before_anything_else_happens(
    tmp_path: Path, setup: Setup
) -> None:
    limits = Limits(queued_bytes=4096, answers_per_second=1 << 20)
    async with Direct(tmp_path, lambda: 0, Watch(), limits=limits) as direct:
        direct.referee.play(setup())
        session = direct.seat("a")  # which reads nothing
        direct.say(session, answers=[pb.Answer(match_id="x")] * 200)
        for _ in range(5):  # turns, in which nothing comes in
            await asyncio.sleep(0)
        assert session.ended and session.ended.reason is Reason.SLOW_READER
        (path,) = (tmp_path / "journal").iterdir()
        assert json.loads(path.read_bytes().splitlines()[-1])["kind"] == "lost"


# The end


async def test_a_closed_referee_has_nothing_left_to_do(
    serve: Serve, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    call_later, timers = loop.call_later, []

    def watched(*args: Any) -> asyncio.TimerHandle:
        timers.append(call_later(*args))
        return timers[-1]

    monkeypatch.setattr(loop, "call_later", watched)
    async with serve() as served:
        served.referee.play(setup())
    assert timers
    pulse = served.referee._pulse_timer
    assert pulse is not None and pulse.cancelled()
    assert [timer for timer in timers if not timer.cancelled() and timer.when() > loop.time()] == []


async def test_what_is_over_is_recorded_before_the_referee_is_closed(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        match = served.referee.play(setup())
        served.referee.abandon(("a", ""))
        await served.referee.close()
        (report,) = served.reports
        assert match.result() is report
    assert record.read(report.path).header["match_id"] == "m-1"


async def test_a_record_is_packed_and_written_off_the_loop(
    serve: Serve, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, wrote = record.write, []

    def noted(path: Path, data: bytes) -> str:
        wrote.append(threading.current_thread() is threading.main_thread())
        return write(path, data)

    monkeypatch.setattr(record, "write", noted)
    async with serve() as served:
        match = served.referee.play(setup())
        served.referee.abandon(("a", ""))
        await asyncio.wait_for(match, PATIENCE)
    assert wrote == [False]


async def test_what_is_settled_after_the_end_is_reported_again(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        match = served.referee.play(setup())
        served.referee.abandon(("a", ""))
        report = await asyncio.wait_for(match, PATIENCE)
        await served.referee.close()
        written = served.journal
        served.referee.settle(report)
        assert served.journal == written
    async with serve(served.folder) as again:
        assert [each.setup for each in await again.referee.recover()] == [report.setup]


async def test_a_stream_may_end_later_than_the_referee(
    serve: Serve, setup: Setup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("referee.server.listen._FAREWELL", 0)
    async with serve() as served:
        session = served.referee.connect(None, lambda: None)
        hello = pb.PlayRequest(hello=pb.Hello(versions=[1], entry="a"))
        served.referee.receive(session, hello.SerializeToString())
        served.referee.play(setup())
    written = served.journal
    served.referee.disconnect(session)
    async with serve() as another:
        await another.list_games()  # turns of the loop in which it could go wrong
    assert served.journal == written
    assert caplog.text == ""
