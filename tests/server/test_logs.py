"""What a referee's logs say, what they never say, and that nobody else can write in them."""

import asyncio
import inspect
import io
import json
import logging
import re
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.limits import LIMITS
from referee.core.observer import Observer
from referee.match.effects import MatchSetup, Outcome
from referee.match.faults import Fault, FaultCounts, Termination
from referee.match.messages import Reason
from referee.server.logs import MAX_TEXT, Form, Logs, configure, taking_records
from tests.server.conftest import Serve, Setup

CANARY: Final = "QS-and-TC"
# what logfmt allows: bare values without blanks, and values in quotes in which a backslash escapes
_PAIR: Final = re.compile(r'(?P<name>\w+)=(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s"=]*))(?: |$)')

forms: Final = pytest.mark.parametrize("form", Form)


class Time:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 5_000_000

    def __call__(self) -> int:
        return self.now


class Log:
    """Logs on a stream of their own."""

    def __init__(self, form: Form = Form.JSON, level: int = logging.DEBUG) -> None:
        self.form = form
        self.stream = io.StringIO()
        self.time = Time()
        self.log = configure(self.stream, form, level)
        self.logs = Logs(self.log, self.time)

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    def lines(self) -> list[dict[str, Any]]:
        """Return the fields of each line but the time, which must be there."""
        read = json.loads if self.form is Form.JSON else logfmt
        lines = [read(line) for line in self.text.splitlines()]
        assert self.text.count("\n") == len(lines)
        for line in lines:
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", line.pop("timestamp"))
        return lines

    def line(self) -> dict[str, Any]:
        """Return the fields of the only line."""
        (line,) = self.lines()
        return line


def logfmt(line: str) -> dict[str, str]:
    """Return the fields of a line of logfmt, which must be nothing else."""
    fields = {}
    at = 0
    while at < len(line):
        pair = _PAIR.match(line, at)
        assert pair, line[at:]
        assert pair["name"] not in fields, line
        fields[pair["name"]] = pair["bare"] if pair["quoted"] is None else pair["quoted"]
        at = pair.end()
    return fields


def raised(*, text: str = CANARY) -> Exception:
    """Return an error whose text, cause, context and note all hold a card."""
    try:
        try:
            raise ValueError(text)
        except ValueError:
            cause = KeyError(text)
            cause.add_note(text)
            error = RuntimeError(text, {"hand": text})
            error.add_note(text)
            raise error from cause
    except RuntimeError as caught:
        return caught


# Each event is a line


def over(setup: MatchSetup) -> Outcome:
    return Outcome(
        termination=Termination.FORFEIT,
        ranks=(2, 1),
        scores=(-20, 300),
        capped=False,
        faults=(FaultCounts(late=3), FaultCounts()),
        forfeited=(0,),
    )


Call = Callable[[Logs, MatchSetup], None]
WHO: Final = {"entry": "a", "instance": "left hand", "peer": "127.0.0.1"}
SEAT: Final = {"match": "m-1", "seat": 1, "entry": "b"}
MATCH: Final = {"match": "m-1", "attempt": 1, "game": "two_handed_spades", "entries": ["a", "b"]}

LINES: Final[dict[str, tuple[Call, dict[str, Any]]]] = {
    "session_opened": (
        lambda logs, setup: logs.session_opened("a", "left hand", "127.0.0.1", "kit/2"),
        {"level": "info", "event": "session_opened", **WHO, "agent": "kit/2"},
    ),
    "session_refused": (
        lambda logs, setup: logs.session_refused("127.0.0.1", Reason.MISSING_TOKEN),
        {
            "level": "info",
            "event": "session_refused",
            "peer": "127.0.0.1",
            "reason": "missing_token",
            "count": 1,
        },
    ),
    "session_ended": (
        lambda logs, setup: logs.session_ended("a", "left hand", "127.0.0.1", None),
        {"level": "info", "event": "session_ended", **WHO, "reason": "left"},
    ),
    "refused": (
        lambda logs, setup: logs.refused("a", "m-1", Reason.STALE_DECISION),
        {
            "level": "debug",
            "event": "answer_refused",
            "match": "m-1",
            "entry": "a",
            "reason": "stale_decision",
        },
    ),
    "match_opened": (
        lambda logs, setup: logs.match_opened(setup, recovered=True),
        {"level": "info", "event": "match_opened", **MATCH, "recovered": True},
    ),
    "match_finished": (
        lambda logs, setup: logs.match_finished(setup, over(setup)),
        {
            "level": "info",
            "event": "match_finished",
            **MATCH,
            "termination": "forfeit",
            "ranks": [2, 1],
            "scores": [-20, 300],
            "forfeited": [0],
        },
    ),
    "answered": (
        lambda logs, setup: logs.answered(setup, 1, 1_500),
        {"level": "debug", "event": "answered", **SEAT, "seconds": 0.0015},
    ),
    "fault": (
        lambda logs, setup: logs.fault(setup, 1, Fault.LATE),
        {"level": "info", "event": "fault", **SEAT, "fault": "late"},
    ),
    "seat_lost": (
        lambda logs, setup: logs.seat_lost(setup, 1),
        {"level": "info", "event": "seat_lost", **SEAT},
    ),
    "seat_taken": (
        lambda logs, setup: logs.seat_taken(setup, 1),
        {"level": "info", "event": "seat_taken", **SEAT},
    ),
    "stalled": (
        lambda logs, setup: logs.stalled(750_000, "a", 700_000),
        {"level": "warning", "event": "stalled", "seconds": 0.75, "entry": "a", "cost": 0.7},
    ),
    "connected": (
        lambda logs, setup: logs.connected(700, 716, "192.0.2.7", 690),
        {
            "level": "warning",
            "event": "crowded",
            "connections": 700,
            "most": 716,
            "peer": "192.0.2.7",
            "of_peer": 690,
        },
    ),
    "unreadable": (
        lambda logs, setup: logs.unreadable("127.0.0.1"),
        {"level": "warning", "event": "unreadable_calls", "peer": "127.0.0.1", "calls": 1},
    ),
    "failed": (
        lambda logs, setup: logs.failed("a turn", raised(), "m-1"),
        {"level": "error", "event": "failed", "match": "m-1", "what": "a turn"},
    ),
}


@pytest.mark.parametrize("method", LINES)
def test_each_event_is_a_line_with_its_fields(setup: Setup, method: str) -> None:
    call, fields = LINES[method]
    log = Log()
    call(log.logs, setup())
    line = log.line()
    assert ("trace" in line) is (method == "failed")
    line.pop("trace", None)
    assert line == fields


@pytest.mark.parametrize("method", LINES)
def test_a_line_of_text_has_the_same_fields(setup: Setup, method: str) -> None:
    call, fields = LINES[method]
    log = Log(Form.TEXT)
    call(log.logs, setup())
    line = log.line()
    line.pop("trace", None)
    shown = {name: str(value) for name, value in fields.items()}
    assert line == {name: "true" if value == "True" else value for name, value in shown.items()}


def test_every_method_of_an_observer_is_among_the_lines() -> None:
    methods = {name for name, _method in inspect.getmembers(Observer, inspect.isfunction) if name[0] != "_"}
    assert LINES.keys() == methods


def test_a_line_of_text_is_what_the_documentation_shows(setup: Setup) -> None:
    log = Log(Form.TEXT)
    log.logs.fault(setup(), 1, Fault.LATE)
    _time, _, rest = log.text.partition(" ")
    assert rest == "level=info event=fault match=m-1 seat=1 entry=b fault=late\n"


@pytest.mark.parametrize("reason", [None, *Reason], ids=str)
def test_a_session_that_a_limit_ended_is_a_warning(reason: Reason | None) -> None:
    limits = {field.metadata["reason"] for field in LIMITS.values()}
    log = Log()
    log.logs.session_ended("a", "", "127.0.0.1", reason)
    line = log.line()
    assert line["level"] == ("warning" if reason and reason in limits else "info")
    assert line["reason"] == (reason.name.lower() if reason else "left")


def test_lines_below_the_level_are_left_out(setup: Setup) -> None:
    log = Log(level=logging.WARNING)
    for call, _fields in LINES.values():
        call(log.logs, setup())
    assert [line["event"] for line in log.lines()] == ["stalled", "crowded", "unreadable_calls", "failed"]


def test_a_log_may_be_written_by_many_without_any_configuration_of_the_process(setup: Setup) -> None:
    one, other = Log(Form.JSON), Log(Form.TEXT, logging.INFO)
    one.logs.refused("a", "m-1", Reason.WRONG_SEAT)
    other.logs.fault(setup(), 1, Fault.ILLEGAL)
    assert (one.line()["event"], other.line()["event"]) == ("answer_refused", "fault")


# Stalls


def test_stalls_are_told_once_a_second_and_none_is_left_out() -> None:
    log = Log()
    for late, apart in ((10_000, 0), (20_000, 400_000), (30_000, 599_999), (40_000, 1), (50_000, 1_000_000)):
        log.time.now += apart
        log.logs.stalled(late, "", 0)
    assert [line["seconds"] for line in log.lines()] == [0.01, 0.09, 0.05]


def test_what_is_left_of_stalls_comes_before_the_next_line() -> None:
    log = Log()
    log.logs.stalled(10_000, "", 0)
    log.logs.stalled(20_000, "", 0)
    log.logs.refused("a", "m-1", Reason.WRONG_SEAT)
    log.time.now += 1_000_000
    log.logs.refused("a", "m-1", Reason.WRONG_SEAT)
    told = [(line["event"], line.get("seconds")) for line in log.lines()]
    assert told == [("stalled", 0.01), ("answer_refused", None), ("stalled", 0.02), ("answer_refused", None)]


def test_a_crowd_is_told_once_a_minute_while_there_is_one() -> None:
    log = Log()
    for connections in (0, 799, 800, 900, 1_000, 10, 800):
        log.logs.connected(connections, 1_000, "192.0.2.7", 5)
        log.time.now += 30_000_000
    assert [line["connections"] for line in log.lines()] == [800, 1_000, 800]


def test_unreadable_calls_are_told_at_once_and_then_once_a_minute() -> None:
    log = Log()
    for number in range(200):
        log.logs.unreadable(f"192.0.2.{number}")
        log.time.now += 1_000_000
    told = [(line["peer"], line["calls"]) for line in log.lines()]
    assert told == [("192.0.2.0", 1), ("192.0.2.60", 60), ("192.0.2.120", 60), ("192.0.2.180", 60)]


# Streams that are not let in


def test_however_many_streams_are_refused_there_is_a_line_a_second_for_each_reason() -> None:
    log = Log()
    for number in range(3_000):
        log.time.now = number * 1_000
        log.logs.session_refused("127.0.0.1", Reason.RATE_LIMITED)
    log.logs.session_refused("127.0.0.1", Reason.MISSING_TOKEN)
    told = [(line["reason"], line["count"], line["level"]) for line in log.lines()]
    assert told == [
        ("rate_limited", 1, "warning"),
        ("rate_limited", 1_000, "warning"),
        ("rate_limited", 1_000, "warning"),
        ("missing_token", 1, "info"),
    ]


# What bots call themselves

FORGED: Final = "a\ntimestamp=2030-01-01T00:00:00.000000Z level=error event=failed what=nothing"


@forms
@given(
    text=st.text(max_size=300)
    | st.sampled_from([FORGED, '\\" level=error', "a\r\x1b[2K\u2028\u202e", "\ud800"])
)
def test_nobody_can_forge_a_line_or_a_field(setup: Any, form: Form, text: str) -> None:
    log = Log(form)
    named = setup(entries=(text, "b"))
    log.logs.session_opened(text, text, text, text)
    log.logs.fault(named, 0, Fault.LATE)
    log.logs.match_opened(named, recovered=False)
    opened, fault, match = log.lines()
    assert list(opened) == ["level", "event", "entry", "instance", "peer", "agent"]
    assert list(fault) == ["level", "event", "match", "seat", "entry", "fault"]
    assert list(match) == ["level", "event", "match", "attempt", "game", "entries", "recovered"]
    assert (opened["event"], fault["fault"], match["game"]) == ("session_opened", "late", "two_handed_spades")
    assert all(c.isprintable() for c in log.text.replace("\n", ""))
    # a name has at most two characters more for each of its own than `\U0010ffff`
    assert all(len(line) < 5 * 12 * MAX_TEXT for line in log.text.splitlines())


@pytest.mark.parametrize("length", [MAX_TEXT, MAX_TEXT + 1])
def test_names_are_cut_where_they_are_longer_than_any_may_be(setup: Setup, length: int) -> None:
    log = Log()
    name = "n" * length
    shown = name if length == MAX_TEXT else f"{'n' * (MAX_TEXT - 1)}…"
    log.logs.session_opened(name, name, name, name)
    log.logs.match_opened(setup(entries=(name, "b")), recovered=False)
    opened, match = log.lines()
    assert {opened[key] for key in ("entry", "instance", "peer", "agent")} == {shown}
    assert match["entries"] == [shown, "b"]


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
