"""The schedule by which a bot dials again, without a clock."""

import random
from itertools import pairwise

import pytest

from fairdeal._backoff import FIRST_DELAY, LASTING, LONGEST_DELAY, Backoff


def delays(backoff: Backoff, now: float = 0.0) -> list[float]:
    """Return all delays, when each attempt fails at once."""
    found = []
    while (delay := backoff.next_delay(now)) is not None:
        found.append(delay)
        now += delay
        assert len(found) < 1_000, "the attempts have no end"
    return found


def test_delays_double_up_to_the_longest() -> None:
    found = delays(Backoff(0.0, 60.0, draw=lambda: 0.0))
    assert found[:8] == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0])
    assert set(found[8:]) == {LONGEST_DELAY}
    assert delays(Backoff(0.0, 10.0, longest=1.0, draw=lambda: 0.0))[3:6] == pytest.approx([0.8, 1.0, 1.0])


@pytest.mark.parametrize("seed", range(20))
def test_each_delay_is_shortened_by_up_to_a_half(seed: int) -> None:
    full = delays(Backoff(0.0, 600.0, draw=lambda: 0.0))
    found = delays(Backoff(0.0, 600.0, draw=random.Random(seed).random))
    parts = [delay / most for delay, most in zip(found, full, strict=False)]
    assert all(0.5 <= part <= 1.0 for part in parts)
    assert len(set(parts)) == len(parts)
    assert delays(Backoff(0.0, 1.0, draw=lambda: 1.0))[0] == pytest.approx(FIRST_DELAY / 2)


def test_attempts_end_with_the_time_for_them() -> None:
    backoff = Backoff(100.0, 60.0, draw=lambda: 0.0)
    total = sum(delays(backoff, 100.0))
    assert 60.0 - LONGEST_DELAY <= total < 60.0
    assert backoff.next_delay(1000.0) is None


@pytest.mark.parametrize("timeout", [0.0, FIRST_DELAY])
def test_without_time_there_is_no_attempt(timeout: float) -> None:
    assert Backoff(0.0, timeout, draw=lambda: 0.0).next_delay(0.0) is None


@pytest.mark.parametrize(("now", "left"), [(100.0, 60.0), (130.0, 30.0), (160.0, 0.0), (170.0, 0.0)])
def test_the_time_left_is_known(now: float, left: float) -> None:
    assert Backoff(100.0, 60.0).left(now) == left


def test_a_session_gives_time_and_one_that_lasted_short_delays_too() -> None:
    backoff = Backoff(0.0, 1.0, draw=lambda: 0.0)
    assert delays(backoff) == pytest.approx([0.1, 0.2, 0.4])
    backoff.restart(50.0, 10.0, lasted=LASTING - 0.01)
    assert backoff.left(50.0) == 10.0
    assert delays(backoff, 50.0) == pytest.approx([0.8, 1.6, 3.2])
    backoff.restart(90.0, 10.0, lasted=LASTING)
    assert backoff.next_delay(90.0) == pytest.approx(0.1)


def test_sessions_that_break_at_once_are_dialled_for_ever_more_slowly() -> None:
    backoff = Backoff(0.0, 60.0, draw=lambda: 0.0)
    found, now = [], 0.0
    for _ in range(100):
        backoff.restart(now, 60.0, lasted=0.0)
        delay = backoff.next_delay(now)
        assert delay is not None
        found.append(delay)
        now += delay
    assert all(earlier <= later for earlier, later in pairwise(found))
    assert found[-1] == LONGEST_DELAY
