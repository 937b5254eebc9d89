"""Ratings: what they begin with, the estimate of draws, checkpoints."""

import json
from typing import Any

import pytest

from referee.games.registry import GAMES
from tests.draws import draw
from tests.rating import RatedMatch, rate
from tests.tournaments.rated import ESTIMATED, PUBLISHED_WITH, single
from tournaments.ratings import (
    LEAST_DRAWS,
    MOST_DRAWS,
    USUAL_WEIGHT,
    Rating,
    RatingParameters,
    Ratings,
)


def test_matches_are_taken_in_the_order_given() -> None:
    matches = [single("ab", 1, 2), single("bc", 1, 2), single("ca", 1, 2)]
    assert rate(matches, ESTIMATED) == rate(iter(matches), ESTIMATED)
    assert rate(matches, ESTIMATED) != rate(matches[::-1], ESTIMATED)


def test_who_did_not_play_keeps_its_rating() -> None:
    before = {"z": Rating(31.0, 2.0)}
    assert rate([single("ab", 1, 2)], ESTIMATED, before)["z"] == Rating(31.0, 2.0)
    assert before == {"z": Rating(31.0, 2.0)}


def test_parameters_are_used() -> None:
    given = RatingParameters(mu=1500.0, sigma=500.0, beta=250.0, tau=5.0, draw_probability=0.1)
    scaled = rate([single("ab", 1, 2)], given)["a"]
    usual = rate([single("ab", 1, 2)], PUBLISHED_WITH)["a"]
    assert scaled.mu - 1500 == pytest.approx(60 * (usual.mu - 25), rel=1e-6)
    assert scaled.sigma == pytest.approx(60 * usual.sigma, rel=1e-6)


def test_the_conservative_rating() -> None:
    assert Rating(30.0, 2.5).conservative == 22.5


def test_who_has_not_played_has_the_rating_of_a_beginner() -> None:
    ratings = Ratings(RatingParameters(mu=100.0, sigma=7.0))
    assert ratings.of("a") == Rating(100.0, 7.0)
    assert ratings.all == {}
    ratings.add(*single("ab", 1, 2))
    assert ratings.of("a") == ratings.all["a"] != Rating(100.0, 7.0)
    assert ratings.all.keys() == {"a", "b"}


# How often matches are drawn


def test_what_is_usual_is_known_of_every_game() -> None:
    assert all(LEAST_DRAWS < game.usual_draws < MOST_DRAWS for game in GAMES.values())


@pytest.mark.parametrize("game", [*sorted(GAMES), None])
def test_an_estimate_begins_with_what_is_usual(game: str | None) -> None:
    usual = GAMES[game].usual_draws if game else 0.10
    assert Ratings(ESTIMATED, game).draw_probability == pytest.approx(usual)


@pytest.mark.parametrize(
    ("match", "draws", "chances"),
    [
        (single("ab", 1, 2), 0, 1),
        (single("ab", 1, 1), 1, 1),
        (single("abcd", 4, 3, 1, 2), 0, 3),
        (single("abcd", 3, 1, 3, 2), 1, 3),
        (single("abcd", 1, 3, 1, 3), 2, 3),
        (single("abcd", 1, 2, 2, 2), 2, 3),
        (single("abcd", 1, 1, 1, 1), 3, 3),
        (((("a", "b"), ("c", "d")), (1, 1)), 1, 1),
    ],
)
def test_neighbours_in_rank_count_as_chances_of_a_draw(match: RatedMatch, draws: int, chances: int) -> None:
    ratings = Ratings(ESTIMATED, "euchre")
    ratings.add(*match)
    usual = GAMES["euchre"].usual_draws * USUAL_WEIGHT
    assert ratings.draw_probability == pytest.approx((usual + draws) / (USUAL_WEIGHT + chances))


def test_each_match_is_rated_with_the_estimate_from_those_before_it() -> None:
    matches = [single("ab", 1, 1 + (n % 3 > 0)) for n in range(12)]
    stepwise: dict[str, Rating] = {}
    for n, match in enumerate(matches):
        drawn = sum(ranks == (1, 1) for _sides, ranks in matches[:n])
        estimate = (GAMES["hearts"].usual_draws * USUAL_WEIGHT + drawn) / (USUAL_WEIGHT + n)
        stepwise = rate([match], RatingParameters(draw_probability=estimate), stepwise)
    assert rate(matches, ESTIMATED, game="hearts") == stepwise
    assert rate(matches, ESTIMATED, game="euchre") != stepwise


@pytest.mark.parametrize(("drawn", "bound"), [(0, LEAST_DRAWS), (10**6, MOST_DRAWS)])
def test_an_estimate_is_never_zero_and_never_one(drawn: int, bound: float) -> None:
    counted = {**Ratings(ESTIMATED, "spades").dump(), "draws": drawn, "chances": 10**6}
    assert Ratings.load(counted, ESTIMATED, "spades").draw_probability == bound


def test_a_given_draw_probability_is_never_estimated() -> None:
    ratings = Ratings(RatingParameters(draw_probability=0.25), "hearts")
    for _ in range(20):
        ratings.add(*single("ab", 1, 1))
    assert ratings.draw_probability == 0.25


# Checkpoints


def some_match(number: int) -> RatedMatch:
    names = [f"p{(draw(12, 'first', number) + step * (1 + number % 3)) % 12}" for step in range(4)]
    kind = draw(3, "kind", number)
    if kind == 0:
        return ((names[0],), (names[1],)), (1, 1 + draw(2, "drawn", number))
    if kind == 1:
        return ((names[0], names[2]), (names[1], names[3])), (2, 1)
    return tuple((name,) for name in names), (1, 2, 2, 4)


@pytest.mark.parametrize("parameters", [ESTIMATED, PUBLISHED_WITH], ids=["estimated", "given"])
def test_a_checkpoint_and_the_rest_equal_a_full_rebuild_bit_for_bit(parameters: RatingParameters) -> None:
    matches = [some_match(number) for number in range(60)]
    whole = Ratings(parameters, "hearts")
    dumps = []
    for match in matches:
        dumps.append(json.dumps(whole.dump()))
        whole.add(*match)
    for cut in range(0, 60, 7):
        ratings = Ratings.load(json.loads(dumps[cut]), parameters, "hearts")
        for match in matches[cut:]:
            ratings.add(*match)
        assert ratings.dump() == whole.dump()


@pytest.mark.parametrize(
    ("parameters", "game"),
    [(ESTIMATED, "spades"), (RatingParameters(tau=0.5), "hearts"), (PUBLISHED_WITH, "hearts")],
)
def test_a_checkpoint_made_otherwise_is_refused(parameters: RatingParameters, game: str) -> None:
    dumped = Ratings(ESTIMATED, "hearts").dump()
    with pytest.raises(ValueError, match="other parameters"):
        Ratings.load(dumped, parameters, game)


def test_a_view_of_the_ratings_changes_with_them_and_by_nothing_else() -> None:
    ratings = Ratings(ESTIMATED)
    view = ratings.all
    ratings.add(*single("ab", 1, 2))
    assert view["a"].mu > 25 > view["b"].mu
    changed: Any = view
    with pytest.raises(TypeError):
        changed["a"] = Rating(0.0, 1.0)
