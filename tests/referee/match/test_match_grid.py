"""What a match on a grid tells, and when: how long somebody thought carries no message to others."""

from typing import Any

import pytest

from referee.cards import Seat
from referee.games.registry import GAMES
from referee.match.effects import Tell
from referee.match.match import Match
from referee.match.messages import Closed, Decision, Happened, Index, Reason, Refused, Seated
from referee.match.replay import apply
from referee.storage.record import header_line, read_header
from tests.referee.driven import Driven, KeyedDecks

GRID = 50


def begun(match: Driven) -> Driven:
    """Begin a match at 0, which is a point of the grid: what follows is told at once."""
    return match.begin()


def heard(match: Driven, think: int) -> list[tuple[int, int, Any]]:
    """Have each decision answered after some time; return what all others are told, and at what times."""
    found = []

    def note(effects: list[Any], answerer: int) -> None:
        found.extend(
            (match.now, e.seat, e.update) for e in effects if isinstance(e, Tell) and e.seat != answerer
        )

    for number in range(6):
        seat = match.asked[0]
        thought = think if number % 2 else 1
        note(match.answer(seat, at=match.now + thought), seat)
        if match.match._grid.at is not None:
            note(match.give("tick", at=match.wake), seat)
    return found


@pytest.mark.parametrize("game", ["spades", "euchre", "two_handed_spades"])
def test_how_long_somebody_thought_is_told_to_nobody_within_a_cell(game: str) -> None:
    quick, slow = (heard(begun(Driven(game, event_grid=GRID)), think) for think in (1, 49))
    assert quick == slow
    assert all(at % GRID == 0 for at, _seat, _update in quick)
    assert any(isinstance(update, Happened) for _at, _seat, update in quick)
    plain = [heard(begun(Driven(game)), think) for think in (1, 49)]
    assert plain[0] != plain[1]


def test_a_clock_is_charged_for_what_its_bot_thought_and_nobody_for_the_grid() -> None:
    match = begun(Driven("two_handed_spades", event_grid=1000))
    first = match.asked[0]
    match.answer(first, at=130)  # 30 beyond the move time, of which 10 are lag; 7 are added
    assert match.match._seat_states[first].clock.bank == 50 - 20 + 7
    (place,) = [place for place in match.match._seat_states if place.open]
    assert (match.wake, place.open and place.asked) == (1000, 1000)
    match.give("tick", at=1000)
    assert match.wake == 1000 + 100 + 10 + place.clock.bank + 1


def test_a_bot_that_returns_between_grid_points_gets_nothing_early_or_twice() -> None:
    match = begun(Driven("two_handed_spades", event_grid=GRID))
    first = Seat(match.asked[0])
    other = Seat(1 - first)
    match.answer(first, at=10)
    for kind in ("lost", "back"):
        match.give(kind, other, at=20)
        assert not [e for e in match.steps[-1] if isinstance(e, Tell)]
    match.give("tick", at=GRID)
    told = [e.update for e in match.steps[-1] if isinstance(e, Tell) and e.seat == other]
    numbers = [update.sequence for update in told if isinstance(update, Happened)]
    assert isinstance(told[0], Seated)
    assert numbers == list(range(1, len(numbers) + 1))
    assert isinstance(told[-1], Decision)


@pytest.mark.parametrize("is_asked", [True, False])
def test_what_is_due_is_told_before_a_bot_is_back_whether_or_not_it_was_asked_for(is_asked: bool) -> None:
    """The record does not say, and its digests of what the seats were told must follow from it."""
    match = begun(Driven("two_handed_spades", event_grid=GRID))
    first = Seat(match.asked[0])
    match.answer(first, at=10)
    match.give("lost", first, at=20)
    if is_asked:
        match.give("tick", at=GRID)
    match.give("back", first, at=GRID + 10)
    assert len(match.told(first, Closed)) == 1


def test_a_late_tick_sends_what_was_held_back(driven: type[Driven]) -> None:
    match = begun(driven("two_handed_spades", event_grid=GRID))
    match.answer(match.asked[0], at=10)
    match.give("tick", at=GRID + 7)  # the referee itself was late
    assert [type(e.update) for e in match.steps[-1] if isinstance(e, Tell)].count(Decision) == 1
    assert match.match._grid.at is None


def test_points_are_counted_from_the_start_of_a_match() -> None:
    match = Driven("two_handed_spades", event_grid=GRID, start=7).begin(at=7)
    match.answer(match.asked[0], at=20)
    assert match.wake == 7 + GRID


def test_held_back_events_come_before_events_at_the_grid_point() -> None:
    match = begun(Driven("two_handed_spades", event_grid=GRID))
    first = Seat(match.asked[0])
    other = Seat(1 - first)
    match.answer(first, at=10)
    number = match.match._seat_states[other].decisions
    match.give("answer", other, number, Index(0), at=GRID)  # it is read before the tick
    told = [type(e.update) for e in match.steps[-1] if isinstance(e, Tell) and e.seat == other]
    assert told.index(Decision) < told.index(Closed)
    for seat in (first, other):
        numbers = [happened.sequence for happened in match.told(seat, Happened)]
        assert numbers == list(range(1, len(numbers) + 1))


def test_the_end_is_told_at_once() -> None:
    match = begun(Driven("two_handed_spades", event_grid=GRID))
    match.answer(match.asked[0], at=10)
    effects = match.give("cancel", at=11)
    kinds = [type(effect.update) for effect in effects if isinstance(effect, Tell)]
    assert Closed in kinds
    assert kinds.index(Closed) < len(kinds) - 1


def test_the_same_inputs_make_the_same_match_again() -> None:
    match = begun(Driven("two_handed_spades", event_grid=GRID))
    heard(match, 7)
    assert "tick" not in [given.kind for given in match.inputs]  # to tell changes nothing
    again = Match(match.setup, GAMES["two_handed_spades"], KeyedDecks(cards=GAMES["two_handed_spades"].cards))
    log = [e.entry for given in match.inputs for e in apply(again, given) if hasattr(e, "entry")]
    assert log == match.log
    effects = again.restarted(match.now + 3, 100)
    assert not [effect for effect in effects if isinstance(effect, Tell)]


@pytest.mark.parametrize("grid", [0, 50_000])
def test_a_header_says_so_where_there_is_a_grid(grid: int) -> None:
    setup = Driven("hearts", event_grid=grid).setup
    owners = tuple((entry, "") for entry in setup.entries)
    line = header_line(setup, owners, GAMES["hearts"], KeyedDecks.commitment, software="s", started="t")
    assert line.get("event_grid") == (grid or None)
    assert read_header(line).setup == setup


def test_who_asks_again_and_again_does_not_learn_when_a_decision_was_opened() -> None:
    match = begun(Driven("two_handed_spades", event_grid=GRID))
    first = Seat(match.asked[0])
    other = Seat(1 - first)
    before = match.match._seat_states[other].decisions
    match.answer(first, at=10)  # now the other one has a decision, which it is told at the next point
    assert match.match._seat_states[other].decisions == before + 1
    assert not match.match.reads(other, before + 1, 11)
    match.match.refuse(other, before + 1, 11)
    told = [e.update for e in match.give("tick", at=GRID) if isinstance(e, Tell) and e.seat == other]
    (refused,) = [update for update in told if isinstance(update, Refused)]
    assert refused.reason is Reason.NOT_YOUR_DECISION
    assert match.match.reads(other, before + 1, GRID)
