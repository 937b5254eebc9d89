"""Bots that do not come, decline, or never come back: who forfeits, and how the match goes on."""

from typing import Any

import pytest

from referee.games.registry import GAMES
from referee.match.faults import Fault, FaultCounts, Termination
from referee.match.messages import Closed, CloseReason
from tests.referee.driven import Driven


def counts(match: Any, seat: int) -> FaultCounts:
    """Return the faults of a seat, which are told when the match is over."""
    if match.outcome is None:
        match.give("cancel")
    found: FaultCounts = match.outcome.faults[seat]
    return found


def one(fault: Fault, **more: int) -> FaultCounts:
    return FaultCounts(**{fault.name.lower(): 1, **more})


# The start limit


def absent(match: Any, *, silent: tuple[int, ...] = (), away: tuple[int, ...] = ()) -> Any:
    """Seat all but those away, and let time run out; those silent never become ready."""
    for seat in match.seats:
        if seat not in away:
            match.give("back", seat)
        if seat not in (*silent, *away):
            match.give("ready", seat)
    match.give("tick", at=1_000)
    assert match.outcome is None and match.asked == []
    match.give("tick", at=1_001)
    return match


def test_who_is_not_ready_in_time_forfeits_and_the_others_play(driven: type[Driven]) -> None:
    match = absent(driven(), silent=(1,), away=(2,))
    assert match.asked == [0, 3]
    match.play_out()
    outcome = match.outcome
    assert outcome.forfeited == (1, 2)
    assert (outcome.faults[1], outcome.faults[2]) == (one(Fault.LATE), one(Fault.DISCONNECTED))
    assert [given.kind for given in match.inputs].count("tick") == 1


def test_of_two_the_one_that_is_there_wins(driven: type[Driven]) -> None:
    match = absent(driven("two_handed_spades"), away=(0,))
    outcome = match.outcome
    assert (outcome.termination, outcome.ranks) == (Termination.FORFEIT, (2, 1))
    assert outcome.faults == (one(Fault.DISCONNECTED), FaultCounts())


@pytest.mark.parametrize("game", GAMES)
def test_when_nobody_comes_nobody_wins(game: str, driven: type[Driven]) -> None:
    match = driven(game)
    match = absent(match, away=tuple(match.seats))
    outcome = match.outcome
    assert outcome.termination is Termination.FORFEIT
    assert set(outcome.ranks) == {1}
    assert outcome.faults == tuple(one(Fault.DISCONNECTED) for _ in match.seats)


# Leaving


def test_declining_a_seat_forfeits_it(driven: type[Driven]) -> None:
    match = driven("two_handed_spades")
    match.give("back", 0)
    match.give("decline", 0)
    outcome = match.outcome
    assert (outcome.termination, outcome.ranks, outcome.forfeited) == (Termination.FORFEIT, (2, 1), (0,))
    assert outcome.faults[0] == FaultCounts()


def test_the_others_begin_without_a_seat_that_is_declined(driven: type[Driven]) -> None:
    match = driven()
    for kind in ("back", "ready"):
        for seat in (0, 1, 2):
            match.give(kind, seat)
    match.give("decline", 3)
    assert match.asked == [0, 1, 2]
    assert match.outcome is None


def test_who_declined_is_not_missed_when_the_time_is_up(driven: type[Driven]) -> None:
    match = driven()
    match.give("decline", 3)
    absent(match, away=(2, 3))
    assert match.asked == [0, 1]
    match.play_out()
    assert match.outcome.forfeited == (2, 3)
    assert match.outcome.faults[2:] == (one(Fault.DISCONNECTED), FaultCounts())


def test_it_is_too_late_to_decline_when_cards_are_dealt(driven: type[Driven]) -> None:
    match = driven().begin()
    assert match.give("decline", 0) == []
    assert match.asked == [0, 1, 2, 3]


def test_declining_twice_changes_nothing(driven: type[Driven]) -> None:
    match = driven()
    match.give("decline", 0)
    assert match.give("decline", 0) == []


def test_a_bot_that_never_comes_back_forfeits_before_the_first_deal(driven: type[Driven]) -> None:
    match = driven()
    for kind in ("back", "ready"):
        for seat in (0, 2, 3):
            match.give(kind, seat)
    match.give("abandon", 1)
    assert match.asked == [0, 2, 3]
    assert counts(match, 1) == one(Fault.DISCONNECTED)


def test_a_bot_that_never_comes_back_forfeits_in_the_midst_of_play(driven: type[Driven]) -> None:
    match = driven().begin()
    match.give("lost", 1, at=20)
    match.give("abandon", 1, at=20)
    assert match.told(1, Closed) == [Closed("m-1", 1, CloseReason.DEFAULTED, Fault.DISCONNECTED)]
    assert match.asked == [0, 2, 3]
    assert match.give("abandon", 1) == []
    match.play_out()
    outcome = match.outcome
    assert (outcome.termination, outcome.ranks[1]) == (Termination.COMPLETED, 4)
    assert outcome.faults[1] == one(Fault.DISCONNECTED, sessions_lost=1)


def test_who_gives_up_does_so_once_and_without_a_fault(driven: type[Driven]) -> None:
    match = driven().begin()
    match.give("resign", 1, at=20)
    assert match.told(1, Closed) == [Closed("m-1", 1, CloseReason.CANCELLED)]
    assert match.give("resign", 1) == []
    match.play_out()
    outcome = match.outcome
    assert (outcome.termination, outcome.ranks[1]) == (Termination.COMPLETED, 4)
    assert outcome.faults[1].total == 0


def test_the_other_side_wins_against_a_bot_that_never_comes_back(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.give("abandon", 1)
    outcome = match.outcome
    assert (outcome.termination, outcome.ranks) == (Termination.FORFEIT, (1, 2))
    assert match.told(0, Closed) == [Closed("m-1", 1, CloseReason.CANCELLED)]
