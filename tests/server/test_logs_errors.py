"""What a referee's logs show of errors and of other loggers, and of a log that cannot be written."""

import asyncio
import io
import logging

import pytest

from referee.match.faults import Fault
from referee.server.logs import Form, configure, taking_records
from tests.server.conftest import Serve, Setup
from tests.server.log_lines import CANARY, Log, forms, raised

# The referee's own errors


@forms
def test_an_error_says_where_but_none_of_its_text(form: Form) -> None:
    log = Log(form)
    log.logs.failed("a turn", raised(), "m-1")
    assert CANARY not in log.text
    trace = log.line()["trace"]
    assert trace.startswith("RuntimeError in")
    assert "in raised" in trace
    assert "ValueError" not in trace


def deep(left: int) -> None:
    if left:
        deep_too(left - 1)
    raise RuntimeError(CANARY)


def deep_too(left: int) -> None:
    deep(left)


def test_a_trace_is_never_cut() -> None:
    log = Log()
    with pytest.raises(RuntimeError) as caught:
        deep(50)
    log.logs.failed("a turn", caught.value)
    line = log.line()
    assert line["trace"].count("in deep\n") == 51
    assert "match" not in line


# Records of `logging`


@forms
def test_records_of_the_project_and_of_grpc_come_out_in_the_same_form(form: Form) -> None:
    log = Log(form, logging.INFO)
    with taking_records(log.log):
        logging.getLogger("referee.server.play_service").info("the %s is %d", "answer", 42)
        logging.getLogger("grpc.aio").warning("stopping")
        logging.getLogger("asyncio").error("Task was destroyed\ntask: %s", CANARY)
        logging.getLogger("referee.core.core").debug("too little to tell")
        logging.getLogger("elsewhere").error("of no concern")
    assert log.lines() == [
        {"level": "info", "event": "the answer is 42", "logger": "referee.server.play_service"},
        {"level": "warning", "event": "stopping", "logger": "grpc.aio"},
        {"level": "error", "event": "Task was destroyed", "logger": "asyncio"},
    ]


def test_loggers_are_as_before_when_the_log_is_no_longer_taken() -> None:
    names = ("referee", "grpc", "asyncio")
    before = [(logging.getLogger(name).level, list(logging.getLogger(name).handlers)) for name in names]
    log = Log()
    with pytest.raises(KeyError), taking_records(log.log):
        raise KeyError
    assert [
        (logging.getLogger(name).level, list(logging.getLogger(name).handlers)) for name in names
    ] == before
    logging.getLogger("referee").error("nobody takes this")
    assert log.text == ""


@forms
@pytest.mark.parametrize("name", ["referee.core.core", "grpc._cython.cygrpc", "asyncio"])
@pytest.mark.parametrize("how", ["with its text", "as an argument", "as the message"])
def test_an_error_that_is_logged_anywhere_says_where_but_none_of_its_text(
    form: Form, name: str, how: str
) -> None:
    log = Log(form)
    logger = logging.getLogger(name)
    error = raised()
    with taking_records(log.log):
        if how == "with its text":
            logger.error(f"{error!r} in a callback({CANARY})", exc_info=error)
        elif how == "as an argument":
            logger.error("%r in %s", error, CANARY, exc_info=error)
        else:
            logger.error(error, exc_info=error)
    assert CANARY not in log.text
    line = log.line()
    assert (line["level"], line["event"], line["what"]) == ("error", "failed", name)
    assert line["trace"].startswith("RuntimeError in")


@forms
def test_what_grpc_fills_in_is_not_shown(form: Form) -> None:
    log = Log(form)
    with taking_records(log.log):
        logging.getLogger("grpc._channel").error("Exception in callback %s: %s", "f", repr(raised()))
    assert CANARY not in log.text
    assert log.line()["event"] == "Exception in callback %s: %s"


@pytest.mark.asyncio
async def test_what_a_callback_of_the_loop_raises_is_not_shown() -> None:
    def failing(card: str) -> None:
        raise RuntimeError(card)

    log = Log()
    with taking_records(log.log):
        asyncio.get_running_loop().call_soon(failing, CANARY)
        await asyncio.sleep(0)
    assert CANARY not in log.text
    line = log.line()
    assert (line["event"], line["what"]) == ("failed", "asyncio")
    assert "in failing" in line["trace"]


# What goes over the wire


@pytest.mark.asyncio
@forms
async def test_a_refused_call_is_one_line_with_its_incident_and_without_the_token(
    serve: Serve, form: Form
) -> None:
    log = Log(form)
    with taking_records(log.log):
        async with serve() as served:
            caller = served.caller("Bearer tok-a")
            await caller.say(hello={"versions": [99], "entry": "a"})
            ending = await caller.end()
            assert ending.reason == "UNSUPPORTED_VERSION"
            await served.caller("Bearer tok-b").hello("b")
    assert "tok-" not in log.text
    (refused,) = [line for line in log.lines() if line.get("incident") == ending.incident]
    assert refused == {
        "level": "info",
        "event": "call_refused",
        "reason": "unsupported_version",
        "incident": ending.incident,
        "text": ending.text,
    }


# A log that cannot be written


class Full(io.StringIO):
    """A stream on a disk that is full for a while."""

    full = True

    def write(self, text: str) -> int:
        if self.full:
            raise OSError(28, "No space left on device")
        return super().write(text)


@forms
def test_a_log_that_cannot_be_written_harms_nobody_and_says_so_later(form: Form) -> None:
    log = Log(form)
    log.stream = Full()
    log.log = configure(log.stream, form, logging.DEBUG)
    log.log.info("lost")
    log.log.info("lost too")
    log.stream.full = False
    log.log.info("told")
    log.log.info("told too")
    assert [(line["event"], line.get("lost_before")) for line in log.lines()] in (
        [("told", 2), ("told too", None)],
        [("told", "2"), ("told too", None)],
    )


def test_a_stream_that_is_closed_harms_nobody(setup: Setup) -> None:
    log = Log()
    log.stream.close()
    log.logs.fault(setup(), 0, Fault.LATE)
