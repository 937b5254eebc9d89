"""The luck of the deal as a control variate: exact, in any order, and without bias whatever the bots."""

import math
import os
import statistics
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
import pytest

from fairdeal.bots import make
from fairdeal.testing import play
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from tests.draws import shuffled
from tournaments.par.estimate import FEWEST, Adjusted, Luck, _fold_of
from tournaments.par.play import par

Match = tuple[str, list[tuple[str, int]], list[int], list[int]]  # as `Luck.add` takes it

LONG: Final = bool(os.environ.get("FAIRDEAL_LONG"))
RUNS: Final = 2_000 if LONG else 100


def of_two(ys: Sequence[int], xs: Sequence[int]) -> list[Match]:
    """Return matches of a against b, who change sides, from a's differences and par differences."""
    return [
        (f"m{k}", [("a", k % 2), ("b", 1 - k % 2)], [y, 0][:: 1 - 2 * (k % 2)], [x, 0][:: 1 - 2 * (k % 2)])
        for k, (y, x) in enumerate(zip(ys, xs, strict=True))
    ]


def collected(matches: Sequence[Match], *, low_wins: bool = False, unit: int = 1) -> Luck:
    luck = Luck(low_wins, unit)
    for match in matches:
        luck.add(*match)
    return luck


def drawn(number: int) -> tuple[list[int], list[int]]:
    """Draw differences with a mean of about 2 that owe most to the deck, and par differences."""
    chance = np.random.default_rng(number)
    xs = np.rint(chance.normal(0, 10, number)).astype(int)
    ys = np.rint(2 + 0.8 * xs + chance.normal(0, 5, number)).astype(int)
    return ys.tolist(), xs.tolist()


def by_hand(ys: Sequence[int], xs: Sequence[int], ids: Sequence[str]) -> tuple[float, float]:
    """Return the adjusted mean and the variance left, written out match by match."""
    left: list[float] = []
    folds = [_fold_of(match_id) for match_id in ids]
    for y, x, fold in zip(ys, xs, folds, strict=True):
        others = [k for k, each in enumerate(folds) if each != fold]
        slope = statistics.linear_regression([xs[k] for k in others], [ys[k] for k in others]).slope
        left.append(y - slope * x)
    return statistics.fmean(left), statistics.variance(left)


def test_it_is_what_it_is_by_hand() -> None:
    ys, xs = drawn(200)
    matches = of_two(ys, xs)
    mean, variance = by_hand(ys, xs, [match[0] for match in matches])
    found = collected(matches).estimates()
    pair = found.pairs["a", "b"]
    assert pair.adjusted == pytest.approx(mean)
    assert pair.factor == pytest.approx(statistics.variance(ys) / variance)
    assert pair.margin == pytest.approx(1.97196 * math.sqrt(variance / 200), rel=1e-4)  # Student, 199
    assert pair.raw == pytest.approx(statistics.fmean(ys))
    assert pair.raw_margin == pytest.approx(1.97196 * statistics.stdev(ys) / math.sqrt(200), rel=1e-4)
    assert found.factor == pytest.approx(pair.factor)
    assert found.entries["a"] == pair
    assert found.entries["b"].adjusted == pytest.approx(-mean)
    assert found.factor is not None and 3 < found.factor < 5


def test_any_order_gives_the_same_bit_for_bit() -> None:
    matches = of_two(*drawn(100))
    first = collected(matches).estimates()
    for key in range(3):
        assert collected(shuffled(matches, key)).estimates() == first


def test_low_scores_and_deals() -> None:
    matches = of_two(*drawn(100))
    high = collected(matches).estimates().pairs["a", "b"]
    low = collected(matches, low_wins=True, unit=4).estimates().pairs["a", "b"]
    assert low.adjusted is not None and high.adjusted is not None
    assert low.adjusted == pytest.approx(-high.adjusted / 4)
    assert low.factor == pytest.approx(high.factor)


def test_four_sides_against_the_mean_of_the_others() -> None:
    luck = Luck(low_wins=True)
    names = [("a", 0), ("b", 1), ("c", 2), ("d", 3)]
    for k in range(2):
        luck.add(f"m{k}", names, [2, 4, 8, 12], [6, 6, 7, 7])
    found = luck.estimates()
    assert found.entries["a"] == Adjusted(2, 6.0, None)  # (4 + 8 + 12) / 3 - 2
    assert found.entries["d"].raw == pytest.approx(14 / 3 - 12)
    assert found.pairs == {}  # too few


def test_few_matches_of_an_entry_borrow_the_slope_of_the_table() -> None:
    ys, xs = drawn(100)
    matches = of_two(ys, xs)
    matches += [(f"c-{m[0]}", [("c", 0), ("b", 1)], m[2], m[3]) for m in matches[:20:2]]
    found = collected(matches).estimates()
    assert collected(matches[::-1]).estimates() == found
    few = found.entries["c"]
    assert few.matches == 10 < FEWEST
    assert few.adjusted is not None and few.factor is not None and few.factor > 2
    assert ("b", "c") not in found.pairs


def test_each_two_have_a_slope_of_their_own() -> None:
    ys, xs = drawn(100)
    alike = of_two(ys, xs)
    unlike = [
        (f"c-{number}", [("a", 0), ("c", 1)], [4 - y, 0], [x, 0])
        for number, (y, x) in enumerate(zip(ys, xs, strict=True))
    ]
    found = collected([*alike, *unlike]).estimates()
    pairs = found.pairs["a", "b"], found.pairs["a", "c"]
    of_a = found.entries["a"]
    assert of_a.adjusted is not None and of_a.factor is not None
    assert of_a.adjusted == pytest.approx(statistics.fmean(each.adjusted or 0 for each in pairs))
    assert of_a.factor > 2.5  # with one slope for both it would be 1


def test_too_few_matches_tell_only_what_they_are() -> None:
    ys, xs = drawn(FEWEST - 1)
    found = collected(of_two(ys, xs)).estimates()
    assert found.factor is None
    assert (found.entries["a"].adjusted, found.entries["a"].factor) == (None, None)
    assert found.entries["a"].raw == pytest.approx(statistics.fmean(ys))
    assert collected([]).estimates().entries == {}
    assert collected(of_two([3], [1])).estimates().entries["a"] == Adjusted(1, 3.0, None)


@pytest.mark.parametrize("number", [3, 100])
def test_differences_that_were_all_equal_have_no_margin(number: int) -> None:
    found = collected(of_two([1] * number, drawn(number)[1])).estimates()
    for each in (*found.entries.values(), *found.pairs.values()):
        assert abs(each.raw) == 1
        assert (each.raw_margin, each.margin, each.factor) == (None, None, None)


def test_a_bot_against_itself_is_not_certain() -> None:
    _ys, xs = drawn(100)
    pair = collected(of_two(xs, xs)).estimates().pairs["a", "b"]
    assert pair.adjusted == pytest.approx(0)
    assert pair.margin is not None and pair.margin > 0
    assert pair.factor == pytest.approx(100)


def test_pars_that_are_all_alike_change_nothing() -> None:
    ys, _xs = drawn(50)
    pair = collected(of_two(ys, [0] * 50)).estimates().pairs["a", "b"]
    assert (pair.adjusted, pair.margin) == (pair.raw, pair.raw_margin)


# Without bias, whatever the bots: real pars, and bots that are made up


@cache
def pars(game: str, decks: int) -> list[tuple[int, ...]]:
    """Return the real pars of some decks."""
    rules = GAMES[game]
    setup = play(game, [make("random")] * rules.seats, seed="spring", deals=1).setup
    seeds = (f"par-{number}" for number in range(decks))
    return [par(setup, MatchDeals(setup, rules, SeededKeys(seed)), "greedy").scores for seed in seeds]


def made_up(kind: str, x: float, chance: np.random.Generator) -> float:
    """Return the difference that a made-up bot makes of a deck."""
    match kind:
        case "alike":
            return float(0.9 * x + chance.normal(1, 0.3 + 0.1 * abs(x)))
        case "opposite":  # what is good for others is bad for it
            return float(-1.5 * x + chance.normal(0, 1))
        case "bent":  # it makes much of good cards, and nothing of bad ones
            return float(max(x, 0) ** 1.5 + chance.normal(0, 2))
        case _:  # heavy tails, and the deck does not matter
            return float(chance.standard_t(2.5)) * 10


@pytest.mark.parametrize("kind", ["alike", "opposite", "bent", "heavy"])
@pytest.mark.parametrize("game", ["piquet", "euchre"])
def test_there_is_no_bias_whatever_the_bots(game: str, kind: str) -> None:
    rules = GAMES[game]
    known = [scores[0] - scores[1] for scores in pars(game, 400 if LONG else 60)]
    # a deck and its turn are equally likely
    chance = np.random.default_rng([len(kind), len(rules.name)])
    many = [made_up(kind, sign * x, chance) for x in known for sign in (1, -1) for _ in range(300)]
    truth, of_truth = statistics.fmean(many), statistics.stdev(many) / math.sqrt(len(many))
    adjusted: list[float] = []
    covered = 0
    for run in range(RUNS):
        xs = chance.choice(known, 60) * chance.choice([1, -1], 60)
        ys = [round(1000 * made_up(kind, float(x), chance)) for x in xs]
        matches = [(f"{run}-{m[0]}", *m[1:]) for m in of_two(ys, [1000 * int(x) for x in xs])]
        pair = collected(matches, unit=1000).estimates().pairs["a", "b"]
        assert pair.adjusted is not None and pair.margin is not None
        adjusted.append(pair.adjusted)
        covered += abs(pair.adjusted - truth) <= pair.margin
    error = math.hypot(statistics.stdev(adjusted) / math.sqrt(RUNS), of_truth)
    assert abs(statistics.fmean(adjusted) - truth) < 3.5 * error
    # what is left of "bent" is skewed, for which 60 matches are few
    assert covered / RUNS > (0.88 if kind == "bent" else 0.945) - 3 * math.sqrt(0.95 * 0.05 / RUNS)
