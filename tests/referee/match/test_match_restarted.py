"""A referee that was down: nobody pays for it, and the match goes on where it was."""

from typing import Any

import pytest

from referee.cards import Seat
from referee.match.effects import Append
from referee.match.faults import Fault, FaultCounts, FaultPolicy, Termination
from referee.match.messages import Closed, Decision, Happened, Seated
from referee.match.replay import apply
from referee.storage.record import input_line, read_input
from tests.referee.driven import Driven

PATIENT = FaultPolicy(max_faults=99)
GRACE = 1_000
LIMIT = 100 + 10 + 50  # move, lag, bank


def asked(match: Any, seat: int) -> Decision:
    decision: Decision = match.decision(seat)
    return decision


def test_a_clock_stands_until_its_bot_is_back(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.give("restarted", at=90, grace=GRACE)
    match.give("back", 0, at=90 + 700)
    assert match.give("tick", at=700 + LIMIT) == []
    match.answer(0, at=700 + 101)  # its 101st microsecond: one of lag
    assert match.told(0, Closed)[-1].fault is None
    match.give("back", 1)
    match.play_out()
    assert match.outcome.times[0].longest == 101


def test_it_stands_no_longer_than_the_grace(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.give("restarted", at=90, grace=GRACE)
    assert match.wake == GRACE + LIMIT + 1
    assert match.give("tick", at=GRACE + LIMIT) == []
    match.give("tick", at=GRACE + LIMIT + 1)
    assert match.told(0, Closed)[-1].fault is Fault.DISCONNECTED


def test_a_bot_that_comes_after_the_grace_finds_its_clock_run_on(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.give("restarted", at=90, grace=GRACE)
    match.give("back", 0, at=90 + GRACE + 20)
    assert match.wake == GRACE + LIMIT + 1
    match.answer(0, at=90 + GRACE + 20)
    match.give("back", 1)
    match.play_out()
    assert match.outcome.times[0].longest == 110


@pytest.mark.parametrize("second", [100, 600, 90 + GRACE, 90 + GRACE + 30])
def test_clocks_stand_again_when_it_was_down_again(driven: type[Driven], second: int) -> None:
    match = driven("two_handed_spades").begin()
    match.give("restarted", at=90, grace=GRACE)
    match.give("restarted", at=second, grace=GRACE)
    match.give("back", 0, at=second + 5)
    ran = 90 + max(0, second - (90 + GRACE))
    match.answer(0, at=second + 5)
    match.give("back", 1)
    match.play_out()
    assert match.outcome.times[0].longest == ran


def test_what_is_asked_meanwhile_is_measured_from_when_the_bot_is_back(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.give("restarted", at=10, grace=GRACE)
    match.give("back", 0, at=20)
    while match.asked == [0]:
        match.answer(0, at=30)
    assert match.asked == [1]
    assert match.wake == 10 + GRACE + LIMIT + 1
    match.give("back", 1, at=500)
    assert match.wake == 500 + LIMIT + 1
    match.answer(1, at=540)
    match.play_out()
    assert match.outcome.times[1].longest == 40


def test_what_is_asked_after_the_bot_is_back_is_measured_at_once(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.give("restarted", at=10, grace=GRACE)
    for seat in (0, 1):
        match.give("back", seat, at=20)
    match.answer(0, at=30)
    assert match.asked == [1]
    assert match.wake == 30 + LIMIT + 1


def test_no_session_is_counted_as_lost(driven: type[Driven]) -> None:
    match = driven().begin()
    match.give("restarted", at=5, grace=GRACE)
    for seat in match.seats:
        match.give("back", Seat(seat))
    match.play_out()
    assert match.outcome.faults == (FaultCounts(),) * 4


def test_the_open_decisions_are_told_again_as_they_were(driven: type[Driven]) -> None:
    match = driven().begin()
    match.answer(1)
    before = {seat: match.told(seat) for seat in match.seats}
    match.give("restarted", at=5, grace=GRACE)
    for seat in match.seats:
        match.give("back", Seat(seat), after=1)
        again = match.told(seat)[len(before[seat]) :]
        assert again[0] == match.told(seat, Seated)[0]
        events = [update for update in again if isinstance(update, Happened)]
        assert events == [update for update in before[seat] if isinstance(update, Happened)][1:]
        decisions = [update for update in again if isinstance(update, Decision)]
        assert decisions == ([] if seat == 1 else [asked(match, seat)])


def test_before_the_first_deal_seats_are_taken_anew_in_the_whole_time(driven: type[Driven]) -> None:
    match = driven("two_handed_spades")
    match.give("back", 0)
    match.give("ready", 0)
    match.give("restarted", at=900, grace=GRACE)
    assert match.wake == 900 + GRACE + 1_000 + 1
    for kind in ("back", "ready"):
        match.give(kind, 1, at=950)
    assert match.asked == []
    for kind in ("back", "ready"):
        match.give(kind, 0, at=960)
    assert match.asked == [0]


def test_a_match_that_is_over_stays_so(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.give("cancel")
    assert match.give("restarted", at=5, grace=GRACE) == []
    assert match.outcome.termination is Termination.CANCELLED


def test_restarts_are_inputs_that_a_replay_takes(driven: type[Driven]) -> None:
    match = driven("two_handed_spades", faults=PATIENT).begin()
    match.give("restarted", at=50, grace=GRACE)
    match.give("back", 0, at=60)
    match.answer(0, at=80)
    match.give("restarted", at=90, grace=GRACE)
    match.give("tick", at=match.wake)
    for seat in (0, 1):
        match.give("back", seat)
    match.play_out()
    again = driven("two_handed_spades", faults=PATIENT).match
    log = []
    for given in match.inputs[1:]:
        read = read_input(input_line(given))
        assert read == given
        log += [effect.entry for effect in apply(again, read) if isinstance(effect, Append)]
    assert again.outcome == match.outcome
    assert log == match.log[1:]


def test_the_clock_stands_for_the_last_given_grace(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.give("restarted", at=90, grace=GRACE)
    match.give("restarted", at=90, grace=5 * GRACE)
    assert match.wake == 5 * GRACE + LIMIT + 1
    match.give("back", 0, at=90 + 4 * GRACE)
    match.answer(0, at=4 * GRACE + 101)
    assert match.told(0, Closed)[-1].fault is None
