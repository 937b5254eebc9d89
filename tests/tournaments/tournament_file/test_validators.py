"""Single values of a tournament file."""

import math

import pytest
from pydantic_core import PydanticCustomError

from tournaments.tournament_file.validators import in_bounds


@pytest.mark.parametrize("value", [True, "1", None, math.nan, [1], 2.5, -0.5])
def test_what_is_no_number_within_bounds_is_refused(value: object) -> None:
    assert in_bounds(1, 0, 2, "a number") == 1.0
    with pytest.raises(PydanticCustomError, match="must be a number from 0 to 2, is"):
        in_bounds(value, 0, 2, "a number")
