"""The list of the checks, and the pages to which they refer."""

from collections.abc import Callable

import pytest

from referee.games.registry import GAMES
from tournaments.check.catalogue import CHECKS, GAME_CHECKS


def test_the_checks_are_numbered() -> None:
    assert sorted(check.number for check in CHECKS) == list(range(1, len(CHECKS) + 1))


def test_a_check_keeps_its_number_whatever_games_come() -> None:
    assert [GAME_CHECKS[game] for game in list(GAMES)[:5]] == [5, 6, 7, 8, 9]
    others = [check.number for check in CHECKS if not check.game]
    assert others == [1, 2, 3, 4, *range(10, 24)]


def test_every_game_has_a_check() -> None:
    assert [check.game for check in CHECKS if check.game] == list(GAMES)


@pytest.mark.parametrize(
    ("number", "place"), [(check.number, place) for check in CHECKS for place in check.places]
)
def test_the_place_is_there(is_written: Callable[[str], bool], number: int, place: str) -> None:
    assert is_written(place)


@pytest.mark.parametrize("place", ["play_service.proto: Hello.colour", "docs/sessions.md: Weather"])
def test_no_place_is_made_up(is_written: Callable[[str], bool], place: str) -> None:
    assert not is_written(place)
