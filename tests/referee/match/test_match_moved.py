"""A legal answer comes to the same effects whether they are returned one by one or in one."""

from typing import Any

import pytest

from referee.cards import Seat
from referee.games.registry import GAMES
from referee.match.effects import Effect, Moved, Tell
from referee.match.match import Match
from referee.match.messages import Happened
from tests.referee.driven import Driven, pick


def without_events(effects: list[Effect]) -> list[Effect]:
    return [e for e in effects if not (isinstance(e, Tell) and isinstance(e.update, Happened))]


@pytest.mark.parametrize("game", GAMES)
def test_in_one_or_one_by_one(driven: type[Driven], monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    real, came = Match.move, []

    def move(self: Match, *args: Any) -> Moved | list[Effect]:
        came.append(real(self, *args))
        return came[-1]

    told, quiet = driven(game), driven(game)
    for seat in quiet.seats:
        quiet.match.tell_events(Seat(seat), wanted=False)
    told.begin()
    quiet.begin()
    monkeypatch.setattr(Match, "move", move)
    while asked := told.asked:
        for seat in asked:
            decision = told.decision(seat)
            assert decision is not None
            number = decision.decision_id
            at = told.now + number % 7 * 40  # now and then the bank is used
            given = pick(decision.legal, seat, number)
            expected = told.give("answer", Seat(seat), number, given, at=at)
            assert quiet.give("answer", Seat(seat), number, given, at=at) == without_events(expected)
    assert told.outcome == quiet.outcome is not None
    assert not any(isinstance(each, Moved) for each in came[::2])
    assert sum(isinstance(each, Moved) for each in came[1::2]) > 10
