"""A legal answer comes to the same effects whether they are returned one by one or in one."""

from typing import Any

import pytest

from referee.cards import Seat
from referee.games.registry import GAMES
from referee.games.two_handed_spades.rules import Drafted, TwoHandedSpadesState
from referee.match.effects import Effect, Input, Moved, Outcome, Tell
from referee.match.match import Match
from referee.match.messages import Decision, Happened
from tests.referee.driven import Driven, pick


@pytest.mark.parametrize("listening", [(), (1,), (0, 1, 2, 3)])
@pytest.mark.parametrize("game", GAMES)
def test_in_one_or_one_by_one(
    driven: type[Driven], monkeypatch: pytest.MonkeyPatch, game: str, listening: tuple[int, ...]
) -> None:
    real, came = Match.move, []

    def move(self: Match, *args: Any) -> Moved | list[Effect]:
        came.append(real(self, *args))
        return came[-1]

    long, short = driven(game), driven(game)
    for each in (long, short):
        each.begin()
        for seat in each.seats:
            each.match.tell_events(Seat(seat), wanted=seat in listening)
    monkeypatch.setattr(Match, "move", move)
    heard = 0
    while asked := long.asked:
        for seat in asked:
            decision = long.decision(seat)
            assert decision is not None
            number = decision.decision_id
            at = long.now + number % 7 * 40  # now and then the bank is used
            given = pick(decision.legal, seat, number)
            long.match._is_plain = False
            expected = long.give("answer", Seat(seat), number, given, at=at)
            assert short.give("answer", Seat(seat), number, given, at=at) == expected
            heard += sum(isinstance(e, Tell) and isinstance(e.update, Happened) for e in expected)
    assert long.outcome == short.outcome is not None
    assert not any(isinstance(each, Moved) for each in came[::2])
    assert sum(isinstance(each, Moved) for each in came[1::2]) > 10
    assert bool(heard) is bool(listening)


@pytest.mark.parametrize("listening", [(), (1,), (0, 1)])
def test_a_seat_counts_only_events_that_it_may_know_of(
    driven: type[Driven], monkeypatch: pytest.MonkeyPatch, listening: tuple[int, ...]
) -> None:
    """In no game so far is a seat told nothing of an event, so this makes one of it."""
    rules: Any = GAMES["two_handed_spades"]
    real = rules.project

    def project(self: object, event: Any, seat: Seat | None) -> Any:
        return None if seat == 1 and isinstance(event, Drafted) and event.seat == 0 else real(event, seat)

    monkeypatch.setattr(type(rules), "project", project)
    match = driven(rules.name)
    for seat in match.seats:
        match.match.tell_events(Seat(seat), wanted=seat in listening)
    match.begin()
    for number in range(27):  # 26 drafts and a bid
        match.answer(number % 2)
    for seat, before_its_bid in ((0, 1 + 26), (1, 1 + 13 + 1)):
        numbers = [happened.sequence for happened in match.told(seat, Happened)]
        assert numbers == ([*range(1, match.match.told(Seat(seat)) + 1)] if seat in listening else [])
        assert match.told(seat, Decision)[13].sequence == before_its_bid


def test_a_match_wakes_for_the_seat_whose_time_is_up_first(driven: type[Driven]) -> None:
    match = driven("hearts").begin()
    match.give("restarted", at=10, grace=100)
    match.give("back", Seat(1), at=20)  # the clocks of the others stand until 110
    match.answer(0, at=30)
    assert match.wake == match.match._seat_states[1].deadline + 1 < match.match._seat_states[3].deadline


@pytest.mark.parametrize("is_plain", [True, False])
def test_the_record_shows_what_an_answer_did_before_the_referee_failed(
    driven: type[Driven], monkeypatch: pytest.MonkeyPatch, is_plain: bool
) -> None:
    match = driven("two_handed_spades").begin()
    match.match._is_plain = is_plain
    monkeypatch.setattr(TwoHandedSpadesState, "legal", None)
    with pytest.raises(TypeError):
        match.answer(0)
    match.give("void")
    assert [type(entry) for entry in match.log[-4:]] == [Input, Drafted, Input, Outcome]
