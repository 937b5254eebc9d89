"""Single values of a tournament file."""

import math

import pytest
from pydantic_core import PydanticCustomError

from tournaments.tournament_file.validators import in_bounds, in_whole_bounds


@pytest.mark.parametrize("value", [True, "1", None, math.nan, [1], 2.5, -0.5])
def test_what_is_no_number_within_bounds_is_refused(value: object) -> None:
    assert in_bounds(1, 0, 2, "a number") == 1.0
    with pytest.raises(PydanticCustomError, match="must be a number from 0 to 2, is"):
        in_bounds(value, 0, 2, "a number")


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (0, 2_592_000.0, "from 0 to 2,592,000"),
        (-1_000_000, 1_000_000, "from -1,000,000 to 1,000,000"),
        (0.000001, 10**9, "from 0.000001 to 1,000,000,000"),
        (0.01, 86_400, "from 0.01 to 86,400"),
        (1, 10**15, "from 1 to 1,000,000,000,000,000"),
    ],
)
def test_bounds_are_told_with_all_their_digits(low: float, high: float, told: str) -> None:
    with pytest.raises(PydanticCustomError, match=f"must be a number {told}, is"):
        in_bounds(math.inf, low, high, "a number")


def test_bounds_of_whole_numbers_are_told_as_those_of_others() -> None:
    with pytest.raises(PydanticCustomError, match="must be a whole number from 1 to 1,000,000, is"):
        in_whole_bounds(0, 1, 1_000_000)
