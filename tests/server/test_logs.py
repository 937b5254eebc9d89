"""What a referee's logs say, what they never say, and that nobody else can write in them."""

import inspect
import logging
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
from referee.server.logs import MAX_TEXT, Form, Logs
from tests.server.conftest import Setup
from tests.server.log_lines import Log, forms, raised

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
