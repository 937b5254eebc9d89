"""Views that are written as they grow are the bytes of the games' own views, at every step."""

from collections.abc import Iterator
from typing import Any

import pytest

from referee.cards import Seat
from referee.codec.proto import GrowingViews
from referee.codec.proto.updates import view_bytes
from referee.games.base import Game, State
from referee.games.registry import GAMES
from tests.choices import Choices

MATCHES = 6


def steps(game: Game[Any], *key: object) -> Iterator[State]:
    """Yield the state of a match of random actions at every step."""
    chance = Choices("growing", game.name, *key)
    options = game.check_plan.options if chance.below(2) else {}
    state: State = game.new(game.bind(options), deals=3, first=Seat(chance.below(game.seats)))
    while state.result() is None:
        if state.needs_deck:
            state.deal(chance.shuffled(game.cards))
        yield state
        seat = chance.one(state.to_act())
        state.apply(seat, chance.action(state.legal(seat)))


@pytest.mark.parametrize("name", GAMES)
def test_what_has_grown_is_what_the_view_is(name: str) -> None:
    game = GAMES[name]
    played = 0
    for number in range(MATCHES):
        asked, all_along = GrowingViews(game), GrowingViews(game)
        for state in steps(game, number):
            played += state.phase in game.growing
            for seat in map(Seat, range(game.seats)):
                right = view_bytes(game.view(state, seat))
                assert all_along(state, seat) == right
                if seat in state.to_act():
                    assert asked(state, seat) == right  # whoever was not asked before sees no less
                    assert GrowingViews(game)(state, seat) == right
    assert played > 100 or not game.growing


@pytest.mark.parametrize("name", GAMES)
def test_events_are_public_that_everybody_is_told_as_they_are(name: str) -> None:
    game = GAMES[name]
    seen = set()
    for number in range(MATCHES):
        chance = Choices("public", name, number)
        state: Any = game.new(game.bind(game.check_plan.options), deals=2, first=Seat(0))
        while state.result() is None:
            if state.needs_deck:
                events = state.deal(chance.shuffled(game.cards))
            else:
                seat = chance.one(state.to_act())
                events = state.apply(seat, chance.action(state.legal(seat)))
            for event in events:
                seen.add(type(event))
                told = [game.project(event, seat) for seat in (None, *map(Seat, range(game.seats)))]
                assert (type(event) in game.public) == all(each is event for each in told)
    assert seen & game.public or not game.public
