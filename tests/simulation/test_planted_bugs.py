"""The simulation finds small faults that are planted in the referee: it could not be trusted without that."""

from typing import Final

import pytest

from tests.simulation.bugs import BUGS, Plant
from tests.simulation.runs import WorldFailed, run

SEEDS: Final = 400
"""In so many worlds a fault must have shown itself, mostly in one of the first few."""


@pytest.mark.parametrize("plant", BUGS.values(), ids=BUGS)
def test_a_planted_bug_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    with pytest.raises(WorldFailed):
        for seed in range(SEEDS):
            run(seed)
