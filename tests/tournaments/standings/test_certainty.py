"""What a fit is said to show: intervals, possible ranks and tiers, compared with the truth in simulations.

A hundred tournaments of each kind, with FAIRDEAL_LONG=1 a thousand.
"""

import os
from collections import Counter
from dataclasses import replace
from typing import Final

import numpy as np
import pytest

from tests.draws import draw
from tests.tournaments.fields import Kind, kinds, of_shared_decks, simulated
from tournaments.ratings import RatingParameters
from tournaments.standings.certainty import differences, skills
from tournaments.standings.fit import Fit, fit
from tournaments.standings.orderings import Ordering
from tournaments.standings.shapes import Skill

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"


def normal(means: list[float], sigma: float, matches: float = 1e6) -> Fit:
    """Return a fit of independent skills."""
    names = tuple("abcdefgh"[: len(means)])
    return Fit(names, np.array(means), np.eye(len(means)) * sigma**2, np.full(len(means), matches))


def test_who_is_surely_better_has_another_rank_and_tier() -> None:
    found = skills(normal([10.0, 30.0, 20.0], 0.5))
    assert list(found) == ["b", "c", "a"]
    assert [(each.best_rank, each.worst_rank, each.tier) for each in found.values()] == [
        (1, 1, 1),
        (2, 2, 2),
        (3, 3, 3),
    ]


def test_who_may_be_level_shares_ranks_and_a_tier() -> None:
    found = skills(normal([30.0, 30.5, 20.0, 20.2], 0.5))
    ranks = {name: (each.best_rank, each.worst_rank, each.tier) for name, each in found.items()}
    assert ranks == {"b": (1, 2, 1), "a": (1, 2, 1), "d": (3, 4, 2), "c": (3, 4, 2)}


def test_one_alone_and_nobody() -> None:
    (alone,) = skills(normal([30.0], 2.0)).values()
    assert alone == Skill(mu=30.0, sigma=2.0, ahead=0.0, margin=0.0, best_rank=1, worst_rank=1, tier=1)
    assert skills(normal([], 2.0)) == {}


def test_how_strong_the_field_is_widens_no_interval() -> None:
    names = ("a", "b")
    together = Fit(
        names, np.array([25.0, 26.0]), np.array([[100.25, 100.0], [100.0, 100.25]]), np.full(2, 1e6)
    )
    found = skills(together)["b"]
    assert found.ahead == pytest.approx(0.5)
    assert found.sigma == pytest.approx(100.25**0.5)
    assert found.margin == pytest.approx(1.96 * 0.125**0.5, abs=1e-3)


def test_many_comparisons_need_more_than_one() -> None:
    """Among eight equals there is often one that is 2.2 standard errors ahead: none of them are separated."""
    found = skills(normal([25.0 + 2.2 * 2**0.5, *[25.0] * 7], 1.0))
    assert {each.tier for each in found.values()} == {1}
    assert found["a"].worst_rank > 1
    assert skills(normal([25.0 + 2.2 * 2**0.5, 25.0], 1.0))["a"].worst_rank == 1


def test_few_matches_allow_less_than_many() -> None:
    """Three are each 2.1 standard errors apart, which says nothing for sure after two matches."""
    means = [10.0, 10.0 + 2.1 * 2**0.5, 10.0 + 4.2 * 2**0.5]
    found = [skills(normal(means, 1.0, matches)) for matches in (2, 200)]
    assert [max(each.tier for each in of.values()) for of in found] == [1, 3]
    few, many = found[0]["a"].margin, found[1]["a"].margin
    assert few / many == pytest.approx(2.228 / 1.9659, abs=1e-3)


# Simulated tournaments


@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.name)
def test_intervals_cover_and_tiers_are_true(kind: Kind) -> None:
    counted = simulated(kind, 1000 if LONG else 100)
    low, high = (0.92, 0.98) if kind.matches < 25 else (0.94, 0.96)
    if kind.of_deck and kind.rounds < 20:  # of how decks differ, a few tell little
        high = 1.0
    slack = 0.005 if LONG else 0.02  # fewer tournaments tell it only roughly
    assert low - slack <= counted.coverage <= high + slack
    if kind.spread:  # where all are level, no rank is wrong
        assert counted.rank_coverage >= 0.95
    assert counted.false_share <= 0.05


@pytest.mark.parametrize("kind", list(of_shared_decks()), ids=lambda kind: kind.name)
def test_matches_of_one_deck_taken_as_independent_would_cover_too_little(kind: Kind) -> None:
    counted = simulated(kind, 1000 if LONG else 8, as_independent=True)
    assert counted.coverage <= (0.93 if LONG else 0.96)


# Shared decks


def shared(*orders: str, copies: int = 1) -> Fit:
    """Return the fit of decks, of each of which it is given which of two won which match."""
    decks = {
        str(deck): Counter(Ordering.of([(won,), (lost,)], (1, 2)) for won, lost in order.split() * copies)
        for deck, order in enumerate(orders)
    }
    return fit(sum(decks.values(), Counter()), RatingParameters(), 0.1, decks=decks)


def alone(of: Fit) -> Fit:
    """Return the fit as if each match had a deck of its own."""
    return replace(of, by_deck=None)


def test_copies_of_a_match_on_the_same_deck_tell_no_more_than_one() -> None:
    """As wide as where each deck has one of them, but for the prior and few matches."""
    orders = ["ab bc ac" if draw(3, deck) else "ba cb ca" for deck in range(60)]
    once, often = shared(*orders), shared(*orders, copies=9)
    assert differences(often)[0, 1] == pytest.approx(differences(once)[0, 1], rel=0.1)
    assert differences(alone(often))[0, 1] == pytest.approx(differences(once)[0, 1] / 3, rel=0.1)
    assert all(often.means == alone(often).means)


def test_a_deck_alone_says_only_what_it_would_if_all_its_matches_were_the_same() -> None:
    one = shared("ab bc ac")
    off = ~np.eye(3, dtype=bool)
    assert (differences(one) / differences(alone(one)))[off] == pytest.approx(3**0.5)
    found = skills(one)
    assert found["a"].margin == pytest.approx(3**0.5 * skills(alone(one))["a"].margin)
    assert found["a"].sigma == skills(alone(one))["a"].sigma


def test_decks_that_say_the_same_make_nobody_surer_than_independent_matches() -> None:
    same = shared(*["ab bc ac"] * 30)
    assert skills(same) == skills(alone(same))


def test_where_each_deck_has_one_match_nothing_changes() -> None:
    of = shared(*["ab" if draw(3, deck) else "ba" for deck in range(20)])
    assert skills(of) == skills(alone(of))


def test_a_small_deck_is_no_second_one() -> None:
    """Sets that are played again have decks of their own, which say little of how decks differ."""
    found = shared("ab bc ac " * 20, "ab")
    assert found.by_deck is not None
    assert 1 < found.by_deck.decks < 1.1
    assert differences(found)[0, 1] == pytest.approx(60**0.5 * differences(alone(found))[0, 1])


def test_who_is_apart_by_independent_matches_may_not_be_by_decks() -> None:
    orders = ["ab" if deck % 3 else "ba" for deck in range(12)]
    of = shared(*orders, copies=20)
    assert [each.tier for each in skills(alone(of)).values()] == [1, 2]
    assert [each.tier for each in skills(of).values()] == [1, 1]
    assert skills(of)["b"].best_rank == 1


def test_the_order_of_decks_and_matches_does_not_matter() -> None:
    orders = ["ab bc ac" if draw(3, deck) else "ba cb ca" for deck in range(12)]
    decks = {
        str(deck): Counter(Ordering.of([(first,), (other,)], (1, 2)) for first, other in order.split())
        for deck, order in enumerate(orders)
    }
    turned = {name: Counter(dict(reversed(decks[name].items()))) for name in reversed(decks)}
    one, other = (
        fit(sum(each.values(), Counter()), RatingParameters(), 0.1, decks=each) for each in (decks, turned)
    )
    assert skills(one) == skills(other)
