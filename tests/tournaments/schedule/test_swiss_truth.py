"""How near the order of a Swiss comes to the truth, in tournaments of entries whose strength is known."""

import os
import random
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Final

import pytest

from tests.tournaments.on_paper import drawn_up, play_out
from tournaments.plan.plan import Format, Plan
from tournaments.ratings import RatingParameters
from tournaments.schedule.pairing import Pairing
from tournaments.schedule.swiss import scores, swiss

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
TOURNAMENTS: Final = 1000 if LONG else 10


def _kendall(order: list[str], skill: Mapping[str, float]) -> float:
    """Return Kendall's tau of an order, best first, with the truth."""
    pairs = list(combinations(order, 2))
    right = sum(skill[one] > skill[other] for one, other in pairs)
    return 2 * right / len(pairs) - 1


@pytest.mark.parametrize("entries", [16, 24] if LONG else [16])
def test_an_order_by_points_of_tables_is_near_the_truth(entries: int, figure: Callable[[str], None]) -> None:
    # TrueSkill's own model: strengths as wide as its prior, and a performance in each match
    beta, sigma = RatingParameters().beta, RatingParameters().sigma
    total = 0.0
    for key in range(TOURNAMENTS):
        chance = random.Random(key)
        plan = drawn_up("hearts", entries, Format.SWISS, rounds=5)
        skill = {entry.name: chance.gauss(0.0, sigma) for entry in plan.entries}

        def performed(
            _plan: Plan,
            pairing: Pairing,
            chance: random.Random = chance,
            skill: Mapping[str, float] = skill,
        ) -> tuple[int, ...]:
            shown = [chance.gauss(skill[name], beta) for name in pairing.entries]
            return tuple(1 + sum(other > own for other in shown) for own in shown)

        _, results = play_out(swiss, plan, performed)
        total += _kendall(list(scores(plan, results)), skill)
    tau = total / TOURNAMENTS
    figure(f"tau of {entries} entries after 5 rounds, {TOURNAMENTS} tournaments: {tau:.3f}")
    assert tau >= 0.77  # when only the sole best of a table scored: 0.64
