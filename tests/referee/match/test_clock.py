"""The clock of a seat: move time, then lag, then bank, as arithmetic."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.match.clock import PROFILES, ClockSettings, SeatClock

SETTINGS = ClockSettings(move=100, bank=50, increment=7, lag=10, lag_cap=15)
LATE = "late"


@pytest.mark.parametrize(
    ("took", "bank", "time_left"),
    [
        pytest.param([], 50, 160, id="at first: move, lag and bank"),
        pytest.param([0], 57, 167, id="an answer at once earns the increment"),
        pytest.param([-3], 57, 167, id="time that went back costs nothing"),
        pytest.param([100], 57, 167, id="the whole move time is free"),
        pytest.param([101], 57, 167, id="what is over is put down to the lag first"),
        pytest.param([110], 57, 162, id="a full lag leaves what the cap allows"),
        pytest.param([111], 56, 161, id="what is over that comes from the bank"),
        pytest.param([110, 110], 59, 159, id="beyond the cap there is no lag"),
        pytest.param([105, 105, 105, 105], 73, 173, id="small lags add up to the cap"),
        pytest.param([160], 7, 112, id="an answer at the deadline empties the bank"),
        pytest.param([161], 7, 112, id="the bank is never below zero"),
        pytest.param([10_000], 7, 112, id="nor far below"),
        pytest.param([LATE], 0, 105, id="late: nothing is left but the move time and the lag to come"),
        pytest.param([LATE, LATE], 0, 100, id="late twice: the lag is used up too"),
        pytest.param([LATE, LATE, LATE], 0, 100, id="late again: nothing is left to lose"),
        pytest.param([LATE, 50], 7, 112, id="the increment fills the bank again"),
    ],
)
def test_what_decisions_cost(took: list[int | str], bank: int, time_left: int) -> None:
    clock = SeatClock(SETTINGS)
    for elapsed in took:
        if isinstance(elapsed, str):
            clock.run_out()
        else:
            clock.charge(elapsed)
    assert clock.bank == bank
    assert clock.allowed == time_left


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_gives_its_whole_time_at_first(name: str) -> None:
    settings = PROFILES[name]
    assert SeatClock(settings).allowed == settings.move + settings.lag + settings.bank
    assert settings.start >= settings.move > 0


times = st.integers(0, 300)
some_settings = st.builds(
    ClockSettings, move=times, bank=times, increment=times, lag=times, lag_cap=times, start=times
)


def test_lag_that_is_used_up_is_not_allowed_again() -> None:
    clock = SeatClock(ClockSettings(move=100, bank=50, increment=0, lag=10, lag_cap=15))
    clock.charge(110)
    assert (clock.bank, clock.allowed) == (50, 155)


@given(some_settings, st.lists(st.none() | times))
def test_what_is_allowed_is_what_is_left_of_move_lag_and_bank(
    settings: ClockSettings, took: list[int | None]
) -> None:
    clock, lag = SeatClock(settings), settings.lag_cap
    for elapsed in took:
        over = settings.lag if elapsed is None else elapsed - settings.move
        lag -= max(0, min(over, settings.lag, lag))
        if elapsed is None:
            clock.run_out()
        else:
            clock.charge(elapsed)
        assert clock.allowed == settings.move + min(settings.lag, lag) + clock.bank


@given(some_settings, st.lists(st.none() | times))
def test_a_bank_is_never_negative_and_a_move_never_shorter_than_promised(
    settings: ClockSettings, took: list[int | None]
) -> None:
    clock = SeatClock(settings)
    for elapsed in took:
        if elapsed is None:
            clock.run_out()
        else:
            clock.charge(elapsed)
        assert clock.bank >= 0
        assert clock.allowed >= settings.move


@given(some_settings, st.lists(st.floats(0, 1)))
def test_time_is_neither_made_nor_lost(settings: ClockSettings, shares: list[float]) -> None:
    clock, over = SeatClock(settings), 0
    for share in shares:
        elapsed = int(share * clock.allowed)
        over += max(0, elapsed - settings.move)
        clock.charge(elapsed)
    from_bank = settings.bank + settings.increment * len(shares) - clock.bank
    assert 0 <= over - from_bank <= min(settings.lag_cap, settings.lag * len(shares))


@given(some_settings, st.lists(times))
def test_an_answer_at_the_deadline_uses_up_all_there_is(settings: ClockSettings, took: list[int]) -> None:
    clock = SeatClock(settings)
    for elapsed in took:
        clock.charge(elapsed)
    clock.charge(clock.allowed)
    assert clock.bank == settings.increment
