"""One table over several games, each with the same weight."""

from dataclasses import replace

import numpy as np
import pytest

from tests.draws import draw
from tests.results import played
from tests.sample_report import plan
from tests.tournaments.standings_plans import TWO
from tournaments.plan.plan import Plan
from tournaments.standings import Standings
from tournaments.standings.overall import overall

OTHER = plan("abc", "two_handed_spades")


def folded(of: Plan, *matches: tuple[str, tuple[int, int]]) -> Standings:
    standings = Standings(of)
    for serial, (seats, ranks) in enumerate(matches, start=1):
        standings.add(*played(seats, ranks, serial=serial))
    return standings


def test_each_game_has_the_same_weight_however_much_of_it_was_played() -> None:
    """A beats b in 40 matches of one game, b beats a in 10 of the other: about level, and not a's."""
    much = folded(TWO, *[("ab", (1, 2)), ("ab", (2, 1)), ("ab", (1, 2)), ("ab", (1, 2))] * 10)
    little = folded(OTHER, *[("ba", (1, 2)), ("ba", (2, 1)), ("ba", (1, 2)), ("ba", (1, 2))] * 3)
    found = {each.entry: each for each in overall([much, little])}
    assert found["a"].matches == 52
    means = [found["a"].by_game[game].mu for game in ("piquet", "two_handed_spades")]
    assert found["a"].skill.mu == pytest.approx(np.mean(means))
    sigmas = [found["a"].by_game[game].sigma for game in ("piquet", "two_handed_spades")]
    assert found["a"].skill.sigma == pytest.approx(np.hypot(*sigmas) / 2)
    assert found["a"].skill.ahead < found["a"].by_game["piquet"].ahead / 2
    assert {each.skill.tier for each in found.values()} == {1}


def test_tournaments_of_one_game_are_one_fit() -> None:
    matches = [("ab", (1, 2)), ("bc", (1, 1)), ("ca", (1, 2))]
    apart = overall([folded(TWO, *matches[:1]), folded(TWO, *matches[1:])])
    assert apart == overall([folded(TWO, *matches)])
    (first, *_) = folded(TWO, *matches).report().standings
    assert apart[0].skill == apart[0].by_game["piquet"] == first.skill


def test_decks_that_are_shared_make_wider_intervals_of_one_game_and_of_all() -> None:
    """In all nine matches of a deck the same one wins."""
    pairs = [("ab", (1, 2) if draw(2, at % 20) else (2, 1)) for at in range(180)]
    both = [folded(of, *pairs) for of in (TWO, OTHER)]
    shared = Standings(replace(TWO, deals=1, duplicate=True, shared_decks=True))
    for serial, (seats, ranks) in enumerate(pairs, start=1):
        issued, result = played(seats, ranks, serial=serial)
        shared.add(replace(issued, match_id=f"piquet-{serial % 20}-1"), result)
    (apart, _), (together, _), (twice, _) = overall(both), overall([shared, both[1]]), overall([shared] * 2)
    of_game = [together.by_game[game].margin for game in ("piquet", "two_handed_spades")]
    assert of_game[0] == pytest.approx(3 * apart.by_game["piquet"].margin, rel=0.1)
    assert of_game[1] == apart.by_game["two_handed_spades"].margin
    assert together.skill.margin == pytest.approx(np.hypot(*of_game) / 2, rel=0.1)
    assert together.skill.mu == apart.skill.mu
    # the decks of another tournament of the game are others
    assert twice.skill.margin == pytest.approx(of_game[0] / 2**0.5, rel=0.1)


def test_the_order_of_the_files_does_not_matter() -> None:
    one, other = folded(TWO, ("ab", (1, 2))), folded(OTHER, ("bc", (1, 2)), ("ab", (2, 1)))
    assert overall([one, other]) == overall([other, one])


def test_who_did_not_play_a_game_is_a_beginner_there() -> None:
    found = overall([folded(TWO, *[("ab", (1, 2))] * 5), folded(OTHER, *[("ac", (1, 2))] * 5)])
    assert [each.entry for each in found] == ["a", "b", "c"]
    assert found[1].by_game.keys() == {"piquet"}
    assert found[1].skill.mu == pytest.approx((found[1].by_game["piquet"].mu + 25) / 2)
    assert found[1].skill.sigma > found[0].skill.sigma


def test_nothing_was_played() -> None:
    assert overall([]) == overall([folded(TWO)]) == ()
