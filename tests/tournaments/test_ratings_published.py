"""Ratings against published examples and the closed form."""

from typing import Any, Final

import pytest

from tests.tournaments.rated import NEW, closed_form, rated_sides
from tournaments.ratings import LEAST_DRAWS, MOST_DRAWS, RatingParameters

# Published: the tests of the package and those of Jeff Moser's library, which were checked against
# Microsoft's calculator (http://www.moserware.com/2010/03/computing-your-skill.html); the table of eight
# players is that of Microsoft Research's page on TrueSkill. Draw probability 10%.
PUBLISHED: Final[list[Any]] = [
    ("1 v 1", [[NEW], [NEW]], (1, 2), [[(29.396, 7.171)], [(20.604, 7.171)]]),
    ("1 v 1, the second wins", [[NEW], [NEW]], (2, 1), [[(20.604, 7.171)], [(29.396, 7.171)]]),
    ("1 v 1 drawn", [[NEW], [NEW]], (1, 1), [[(25.0, 6.458)]] * 2),
    ("2 v 2", [[NEW] * 2] * 2, (1, 2), [[(28.108, 7.774)] * 2, [(21.892, 7.774)] * 2]),
    ("2 v 2 drawn", [[NEW] * 2] * 2, (1, 1), [[(25.0, 7.455)] * 2] * 2),
    ("4 v 4", [[NEW] * 4] * 2, (1, 2), [[(27.198, 8.059)] * 4, [(22.802, 8.059)] * 4]),
    ("1 v 2", [[NEW], [NEW] * 2], (1, 2), [[(33.730, 7.317)], [(16.270, 7.317)] * 2]),
    ("1 v 2 drawn", [[NEW], [NEW] * 2], (1, 1), [[(31.660, 7.138)], [(18.340, 7.138)] * 2]),
    ("1 v 3", [[NEW], [NEW] * 3], (1, 2), [[(36.337, 7.527)], [(13.663, 7.527)] * 3]),
    ("1 v 3 drawn", [[NEW], [NEW] * 3], (1, 1), [[(34.990, 7.455)], [(15.010, 7.455)] * 3]),
    ("1 v 7", [[NEW], [NEW] * 7], (1, 2), [[(40.582, 7.917)], [(9.418, 7.917)] * 7]),
    (
        "three single players",
        [[NEW]] * 3,
        (1, 2, 3),
        [[(31.675, 6.656)], [(25.0, 6.208)], [(18.325, 6.656)]],
    ),
    ("three drawn", [[NEW]] * 3, (1, 1, 1), [[(25.0, 5.698)], [(25.0, 5.695)], [(25.0, 5.698)]]),
    (
        "four single players",
        [[NEW]] * 4,
        (1, 2, 3, 4),
        [[(33.207, 6.348)], [(27.401, 5.787)], [(22.599, 5.787)], [(16.793, 6.348)]],
    ),
    (
        "five single players",
        [[NEW]] * 5,
        (1, 2, 3, 4, 5),
        [[(34.363, 6.136)], [(29.058, 5.536)], [(25.0, 5.420)], [(20.942, 5.536)], [(15.637, 6.136)]],
    ),
    (
        "eight single players",
        [[NEW]] * 8,
        (1, 2, 3, 4, 5, 6, 7, 8),
        [
            [(36.771, 5.749)],
            [(32.242, 5.133)],
            [(29.074, 4.943)],
            [(26.322, 4.874)],
            [(23.678, 4.874)],
            [(20.926, 4.943)],
            [(17.758, 5.133)],
            [(13.229, 5.749)],
        ],
    ),
    (
        "eight drawn",
        [[NEW]] * 8,
        (1,) * 8,
        [[(25.0, sigma)] for sigma in (4.592, 4.583, 4.576, 4.573, 4.573, 4.576, 4.583, 4.592)],
    ),
    (
        "a draw with a much stronger one",
        [[NEW], [(50.0, 12.5)]],
        (1, 1),
        [[(31.662, 7.137)], [(35.010, 7.910)]],
    ),
    (
        "an upset, 2 v 2",
        [[(20.0, 8.0), (25.0, 6.0)], [(35.0, 7.0), (40.0, 5.0)]],
        (1, 2),
        [[(29.698, 7.008), (30.455, 5.594)], [(27.575, 6.346), (36.211, 4.768)]],
    ),
    (
        "an unequal draw, 2 v 2",
        [[(15.0, 8.0), (20.0, 6.0)], [(25.0, 4.0), (30.0, 3.0)]],
        (1, 1),
        [[(21.570, 6.556), (23.696, 5.418)], [(23.357, 3.833), (29.075, 2.931)]],
    ),
    (
        "3 v 2",
        [[(28.0, 7.0), (27.0, 6.0), (26.0, 5.0)], [(30.0, 4.0), (31.0, 3.0)]],
        (1, 2),
        [[(28.658, 6.770), (27.484, 5.856), (26.336, 4.917)], [(29.785, 3.958), (30.879, 2.983)]],
    ),
    (
        "an upset, 3 v 2",
        [[(28.0, 7.0), (27.0, 6.0), (26.0, 5.0)], [(30.0, 4.0), (31.0, 3.0)]],
        (2, 1),
        [[(21.840, 6.314), (22.474, 5.575), (22.857, 4.757)], [(32.012, 3.877), (32.132, 2.949)]],
    ),
    (
        "2 v 4 v 2, the last two sides equal",
        [
            [(40.0, 4.0), (45.0, 3.0)],
            [(20.0, 7.0), (19.0, 6.0), (30.0, 9.0), (10.0, 4.0)],
            [(50.0, 5.0), (30.0, 2.0)],
        ],
        (1, 2, 2),
        [
            [(40.877, 3.840), (45.493, 2.934)],
            [(19.609, 6.396), (18.712, 5.625), (29.353, 7.673), (9.872, 3.891)],
            [(48.830, 4.590), (29.813, 1.976)],
        ],
    ),
    (
        "eight single players, the weakest first",
        [[(5.0 * n, 10.0 - n)] for n in (2, 3, 4, 5, 6, 7, 8, 9)],
        (1, 2, 3, 4, 5, 6, 7, 8),
        [
            [(35.135, 4.506)],
            [(32.585, 4.037)],
            [(31.329, 3.756)],
            [(30.984, 3.453)],
            [(31.751, 3.064)],
            [(34.051, 2.541)],
            [(38.263, 1.849)],
            [(44.118, 0.983)],
        ],
    ),
]


@pytest.mark.parametrize(
    ("sides", "ranks", "expected"), [case[1:] for case in PUBLISHED], ids=[case[0] for case in PUBLISHED]
)
def test_published_examples(
    sides: list[list[tuple[float, float]]],
    ranks: tuple[int, ...],
    expected: list[list[tuple[float, float]]],
) -> None:
    # published to three decimals, of which the libraries differ in the last
    for side, members in zip(rated_sides(sides, ranks), expected, strict=True):
        for found, published in zip(side, members, strict=True):
            assert found == pytest.approx(published, abs=0.0011)


TWO_SIDES: Final = [
    [[NEW], [NEW]],
    [[(30.0, 1.5)], [(20.0, 4.0)]],
    [[NEW] * 2, [(28.0, 3.0), (10.0, 2.0)]],
    [[(25.0, 1.0)], [(525.0, 1.0)]],
    [[(0.0, 0.01)], [(1000.0, 0.01)]],
    [[(1000.0, 0.01)], [(0.0, 8.0)]],
    [[(1000.0, 0.5), (0.0, 0.5)], [(-20.0, 3.0), (0.0, 0.001)]],
]


@pytest.mark.parametrize("draw_probability", [LEAST_DRAWS, 0.10, 0.50, MOST_DRAWS])
@pytest.mark.parametrize("ranks", [(1, 2), (1, 1), (2, 1)], ids=str)
@pytest.mark.parametrize("sides", TWO_SIDES, ids=str)
def test_two_sides_are_rated_by_the_closed_form(
    sides: list[list[tuple[float, float]]], ranks: tuple[int, int], draw_probability: float
) -> None:
    parameters = RatingParameters(draw_probability=draw_probability)
    exact = closed_form(sides, ranks, parameters)
    for found, expected in zip(rated_sides(sides, ranks, parameters), exact, strict=True):
        for one, other in zip(found, expected, strict=True):
            assert one == pytest.approx(other, rel=1e-6, abs=1e-6)
