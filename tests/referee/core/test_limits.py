"""Limits: their bounds, and the allowance of what comes too fast."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.limits import LIMITS, Allowance, BadLimit, Granted, Limits
from referee.match.clock import SECOND
from referee.match.messages import Reason


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_is_within_its_bounds(name: str) -> None:
    field = LIMITS[name]
    low, high = field.metadata["low"], field.metadata["high"]
    others = {"idle_seconds": 86_400} if name == "heartbeat_seconds" else {"heartbeat_seconds": 0}
    for value in (low, field.default, high):
        assert getattr(Limits(**{**others, name: value}), name) == value
    for value in (low - 1, high + 1):
        text = f"^{name} must be a whole number from {low:,} to {high:,}, is {value}$"
        with pytest.raises(BadLimit, match=text):
            Limits(**{**others, name: value})


@pytest.mark.parametrize("seconds", [15, 16])
def test_a_bot_that_answers_heartbeats_is_never_silent_for_too_long(seconds: int) -> None:
    text = r"^heartbeat_seconds must be less than idle_seconds \(15\), .*; it is "
    with pytest.raises(BadLimit, match=text + str(seconds)):
        Limits(heartbeat_seconds=seconds, idle_seconds=15)


def test_every_reason_that_a_limit_has_is_one_of_too_much() -> None:
    reasons = {field.metadata["reason"] for field in LIMITS.values()} - {None}
    assert reasons == {
        Reason.MESSAGE_TOO_LARGE,
        Reason.SLOW_READER,
        Reason.TOO_MANY_SESSIONS,
        Reason.RATE_LIMITED,
        Reason.IDLE,
    }


def taken(allowance: Allowance, now: int, tries: int) -> int:
    return sum(allowance.take(now) for _ in range(tries))


def test_two_seconds_worth_may_come_at_once_and_then_the_rate() -> None:
    allowance = Allowance(10, now=0)
    assert taken(allowance, 0, 50) == 20
    assert taken(allowance, SECOND // 2, 50) == 5
    assert taken(allowance, SECOND // 2 + SECOND // 10 - 1, 50) == 0
    assert taken(allowance, SECOND // 2 + SECOND // 10, 50) == 1


def test_savings_are_bounded() -> None:
    allowance = Allowance(10, now=0)
    assert taken(allowance, 1_000 * SECOND, 100) == 20


def test_of_what_is_granted_some_is_kept_and_what_goes_beyond_is_told() -> None:
    granted = Granted(most=30)
    for _ in range(25):
        granted.grant(2)
    assert [granted.use(20), granted.use(15), granted.use(7)] == [0, 5, 7]
    granted.grant()
    assert granted.use(1) == 0


def test_too_many_at_once_cost_nothing() -> None:
    allowance = Allowance(10, now=0)
    assert not allowance.take(0, 21)
    assert allowance.take(0, 20)
    assert not allowance.take(0)


@given(
    rate=st.integers(1, 50), steps=st.lists(st.tuples(st.integers(0, SECOND), st.integers(1, 9)), max_size=60)
)
def test_in_no_stretch_of_time_is_more_taken_than_allowed(rate: int, steps: Any) -> None:
    allowance, now = Allowance(rate, now=0), 0
    took: list[tuple[int, int]] = []
    for later, count in steps:
        now += later
        if allowance.take(now, count):
            took.append((now, count))
    for start, (since, _count) in enumerate(took):
        in_all = 0
        for at, count in took[start:]:
            in_all += count
            assert in_all <= 2 * rate + rate * (at - since) / SECOND
