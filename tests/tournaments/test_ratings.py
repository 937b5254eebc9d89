import math

import pytest

from tournaments.ratings import RatedMatch, Rating, RatingParameters, rate

DEFAULTS = RatingParameters()


def single(names: str, *ranks: int) -> RatedMatch:
    return RatedMatch(tuple((name,) for name in names), ranks)


# Published: the package's documentation and tests, and Jeff Moser's, which are checked against Microsoft's
# calculator (http://www.moserware.com/2010/03/computing-your-skill.html).
PUBLISHED = [
    (
        "1 v 1",
        single("ab", 1, 2),
        {"a": (29.39583201999924, 7.171475587326186), "b": (20.604167980000835, 7.171475587326186)},
        1e-9,
    ),
    ("1 v 1, the second wins", single("ab", 2, 1), {"a": (20.604, 7.171), "b": (29.396, 7.171)}, 1e-3),
    (
        "1 v 1 drawn",
        single("ab", 1, 1),
        {"a": (25.0, 6.4575196623173081), "b": (25.0, 6.4575196623173081)},
        1e-4,
    ),
    (
        "four single players",
        single("abcd", 1, 2, 3, 4),
        {
            "a": (33.206680965631264, 6.3481091698077057),
            "b": (27.401454693843323, 5.7871629348447584),
            "c": (22.598545306188374, 5.7871629348413451),
            "d": (16.793319034361271, 6.3481091698144967),
        },
        1e-3,
    ),
    (
        "three drawn",
        single("abc", 1, 1, 1),
        {"a": (25.0, 5.698), "b": (25.0, 5.695), "c": (25.0, 5.698)},
        1e-3,
    ),
    (
        "2 v 2",
        RatedMatch((("a", "b"), ("c", "d")), (1, 2)),
        {
            "a": (28.108322399069035, 7.7743613544908664),
            "b": (28.108322399069035, 7.7743613544908664),
            "c": (21.891677600930958, 7.7743613544908664),
            "d": (21.891677600930958, 7.7743613544908664),
        },
        1e-3,
    ),
    (
        "2 v 2 drawn",
        RatedMatch((("a", "b"), ("c", "d")), (1, 1)),
        dict.fromkeys("abcd", (25.0, 7.455)),
        1e-3,
    ),
]


@pytest.mark.parametrize(
    ("match", "expected", "within"), [case[1:] for case in PUBLISHED], ids=[case[0] for case in PUBLISHED]
)
def test_published_examples(
    match: RatedMatch, expected: dict[str, tuple[float, float]], within: float
) -> None:
    rated = rate([match], DEFAULTS)
    assert rated.keys() == expected.keys()
    for name, (mu, sigma) in expected.items():
        assert rated[name].mu == pytest.approx(mu, abs=within)
        assert rated[name].sigma == pytest.approx(sigma, abs=within)


def test_a_published_upset_between_known_entries() -> None:
    rated = rate([single("ab", 1, 1)], DEFAULTS, {"a": Rating(25.0, 25 / 3), "b": Rating(50.0, 12.5)})
    assert (rated["a"].mu, rated["a"].sigma) == pytest.approx((31.662, 7.137), abs=1e-3)
    assert (rated["b"].mu, rated["b"].sigma) == pytest.approx((35.010, 7.910), abs=1e-3)


def test_matches_are_taken_in_the_order_given() -> None:
    matches = [single("ab", 1, 2), single("bc", 1, 2), single("ca", 1, 2)]
    assert rate(matches, DEFAULTS) == rate(iter(matches), DEFAULTS)
    assert rate(matches, DEFAULTS) != rate(matches[::-1], DEFAULTS)


def test_going_on_from_known_ratings_equals_rating_all() -> None:
    matches = [single("ab", 1, 2), single("bc", 1, 2), single("cd", 2, 1), single("da", 1, 1)] * 5
    for cut in (0, 7, len(matches)):
        before = rate(matches[:cut], DEFAULTS)
        assert rate(matches[cut:], DEFAULTS, before) == rate(matches, DEFAULTS)


def test_who_did_not_play_keeps_its_rating() -> None:
    before = {"z": Rating(31.0, 2.0)}
    assert rate([single("ab", 1, 2)], DEFAULTS, before)["z"] == Rating(31.0, 2.0)
    assert before == {"z": Rating(31.0, 2.0)}


def test_parameters_are_used() -> None:
    given = RatingParameters(mu=1500.0, sigma=500.0, beta=250.0, tau=5.0, draw_probability=0.1)
    scaled = rate([single("ab", 1, 2)], given)["a"]
    usual = rate([single("ab", 1, 2)], DEFAULTS)["a"]
    assert scaled.mu - 1500 == pytest.approx(60 * (usual.mu - 25), rel=1e-6)
    assert scaled.sigma == pytest.approx(60 * usual.sigma, rel=1e-6)


def test_the_conservative_rating() -> None:
    assert Rating(30.0, 2.5).conservative == 22.5


@pytest.mark.parametrize(
    ("ranks", "mu", "sigma"),
    [((1, 2), 38.7274, 0.98962), ((1, 1), 38.6868, 0.98962), ((2, 1), 25.0, 1.00347)],
)
def test_ratings_too_far_apart_for_floats_are_still_rated(
    ranks: tuple[int, ...], mu: float, sigma: float
) -> None:
    rated = rate([single("ab", *ranks)], DEFAULTS, {"a": Rating(25.0, 1.0), "b": Rating(525.0, 1.0)})
    assert (rated["a"].mu, rated["a"].sigma) == pytest.approx((mu, sigma), abs=1e-4)
    assert math.isfinite(rated["b"].mu)


def test_a_draw_of_very_unequally_known_entries_is_still_rated() -> None:
    given = RatingParameters(sigma=1000.0, beta=0.01, tau=0.0)
    before = {
        "a": Rating(500.0, 10.0),
        "b": Rating(500.0, 1000.0),
        "c": Rating(1000.0, 100.0),
        "d": Rating(0.0, 100.0),
    }
    for rating in rate([single("abcd", 1, 1, 1, 1)], given, before).values():
        assert (rating.mu, rating.sigma) == pytest.approx((500.0, 9.901), abs=1e-3)
