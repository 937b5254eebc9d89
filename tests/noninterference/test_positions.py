"""Non-interference: matches that differ only in what an observer may not know are one to it."""

import os
from collections.abc import Callable
from dataclasses import astuple
from typing import Final

import pytest

from referee.games.registry import GAMES
from tests.noninterference.adaptors import ADAPTORS
from tests.noninterference.check import POSITIONS_A_PHASE, PROPERTY, Tally, check_phase, check_windows
from tests.noninterference.window import END

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
SHARDS: Final = 20 if LONG else 4
POSITIONS_A_GAME: Final = 10_000

PHASES: Final = [(name, phase) for name, game in GAMES.items() for phase in game.phases]


def wanted(name: str) -> int:
    """Return how many positions of each phase of a game are checked in each shard."""
    a_phase = -(-POSITIONS_A_GAME // len(GAMES[name].phases)) if LONG else POSITIONS_A_PHASE
    return -(-a_phase // SHARDS)


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize(("name", "phase"), PHASES)
def test_what_may_not_be_known_changes_nothing_that_is_told(
    name: str, phase: str, shard: int, record_property: Callable[[str, object], None]
) -> None:
    tally = check_phase(ADAPTORS[name], phase, wanted(name), shard)  # fails unless so many are found
    record_property(f"{PROPERTY} {name} {phase}", astuple(tally))


@pytest.mark.parametrize("name", GAMES)
def test_what_was_hidden_in_a_deal_stays_hidden_after_it(
    name: str, record_property: Callable[[str, object], None]
) -> None:
    tally = Tally()
    check_windows(ADAPTORS[name], END, 400 if LONG else 20, tally)
    record_property(f"{PROPERTY} {name} {END}", astuple(tally))
    # few in spades: when a deal is over, all its cards have been seen, so only of the next one any are hidden
    assert tally.every + tally.some > 0


def test_every_game_has_an_adaptor() -> None:
    assert set(ADAPTORS) == set(GAMES)
    assert all(ADAPTORS[name].game is game for name, game in GAMES.items())
