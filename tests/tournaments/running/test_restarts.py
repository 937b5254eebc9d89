"""The rule by which a bot is started again."""

from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.match.clock import SECOND
from tournaments.plan.plan import Hosting
from tournaments.running.restarts import Restarts

WINDOW: Final = 600 * SECOND


def test_the_pauses_grow_to_half_a_minute() -> None:
    restarts = Restarts(Hosting(restarts=9))
    pauses = [restarts.ended(now * SECOND) for now in range(10)]
    assert pauses == [*(round(s * SECOND) for s in (0.5, 1, 2, 4, 8, 16, 30, 30, 30)), None]


@pytest.mark.parametrize("now", [0, 10 * WINDOW])
def test_there_may_be_none(now: int) -> None:
    assert Restarts(Hosting(restarts=0)).ended(now) is None


@pytest.mark.parametrize(
    ("later", "pause"),
    [
        (SECOND // 2 + WINDOW - 1, None),  # the first start was at half a second
        (SECOND // 2 + WINDOW, SECOND),  # and counts no more: the second still does
        (2 * SECOND + WINDOW, SECOND // 2),
    ],
)
def test_a_start_counts_for_as_long_as_the_window(later: int, pause: int | None) -> None:
    restarts = Restarts(Hosting(restarts=2, restart_window=WINDOW))
    assert [restarts.ended(0), restarts.ended(SECOND)] == [SECOND // 2, SECOND]
    assert restarts.ended(later) == pause


def test_what_was_refused_does_not_count() -> None:
    restarts = Restarts(Hosting(restarts=1, restart_window=WINDOW))
    assert restarts.ended(0) == SECOND // 2
    assert restarts.ended(WINDOW) is None
    assert restarts.ended(SECOND // 2 + WINDOW) == SECOND // 2


@given(
    st.integers(0, 8),
    st.integers(SECOND, 100 * SECOND),
    st.lists(st.integers(0, 60 * SECOND), max_size=60),
)
def test_no_window_holds_more_starts_than_allowed(allowed: int, window: int, lives: list[int]) -> None:
    restarts = Restarts(Hosting(restarts=allowed, restart_window=window))
    now, starts = 0, []
    for life in lives:
        now += life
        pause = restarts.ended(now)
        if pause is not None:
            now += pause
            starts.append(now)
    assert starts == sorted(starts)
    assert all(later - first >= window for first, later in zip(starts, starts[allowed:], strict=False))
    assert allowed == 0 or lives == [] or starts != []
    assert all(later > first for first, later in pairwise(starts))
