"""What a seat may not know is in no observation of its own: deals that differ only there look the same."""

from typing import Any, Final

import numpy as np
import pytest

from fairdeal.adapters._matches import Variant
from fairdeal.adapters.pettingzoo._observation import observe
from fairdeal.adapters.pettingzoo._table import EnvMatch
from referee.cards import Seat
from referee.games.base import State
from referee.games.registry import GAMES
from tests.choices import Choices
from tests.noninterference.adaptors import ADAPTORS
from tests.noninterference.drive import drive
from tests.noninterference.variant import base, variant
from tests.noninterference.window import Window

PHASES: Final = [(name, phase) for name, game in GAMES.items() for phase in game.phases]
WINDOWS: Final = 12
TRIES: Final = 6


class _Frozen(EnvMatch):
    """A table that stands at a position."""

    def __init__(self, game: str, state: State) -> None:
        self._game = Variant(game, {}, None).game
        self._state = state


def shown(game: str, state: State, seat: int) -> Any:
    """Return the observation of a seat at a position."""
    view, _legal = _Frozen(game, state).told(seat)
    return observe(game, view, (), ())["observation"]


def differing(game: str, phase: str, number: int) -> list[tuple[int, State, State]]:
    """Return positions that only differ in what a seat does not know, each as the seat and both states."""
    window: Window = drive(ADAPTORS[game], phase, "observations", number)
    chance = Choices(game, phase, "observations", number)
    found = []
    there = [at for at, name in enumerate(window.phases) if name == phase]
    for at in chance.shuffled(there)[:2]:
        here = base(window, at).truth.state
        for seat in range(GAMES[game].seats):
            for _ in range(TRIES):
                swap = window.adaptor.swap(window.past(at), Seat(seat), chance)
                other = variant(window, at, swap, Seat(seat), [Seat(seat)]) if swap else None
                if other:
                    found.append((seat, here, other.truth.state))
                    break
    return found


@pytest.mark.parametrize(("game", "phase"), PHASES)
def test_what_a_seat_does_not_know_is_not_in_its_observation(game: str, phase: str) -> None:
    compared = told_apart = 0
    for number in range(WINDOWS):
        for seat, here, other in differing(game, phase, number):
            assert np.array_equal(shown(game, here, seat), shown(game, other, seat))
            compared += 1
            told_apart += any(
                not np.array_equal(shown(game, here, n), shown(game, other, n))
                for n in range(GAMES[game].seats)
            )
    assert compared >= WINDOWS / 2
    # somebody knows what is different, unless nobody holds it: cards left over, or put away in the draft
    assert told_apart or (game, phase) in {("hearts", "moon")}


@pytest.mark.parametrize("game", GAMES)
def test_an_observation_from_another_seat_would_be_found_out(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the view of the next seat, the same comparison fails."""
    told = EnvMatch.told
    monkeypatch.setattr(EnvMatch, "told", lambda self, seat: told(self, (seat + 1) % GAMES[game].seats))
    with pytest.raises(AssertionError):
        test_what_a_seat_does_not_know_is_not_in_its_observation(game, "play")
