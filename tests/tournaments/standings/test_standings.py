"""What is counted in the standings: wins, scores, forfeits, faults, voids and times."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest

from referee.match.faults import FaultCounts
from tests.results import played, report, standing
from tests.sample_report import plan
from tests.tournaments.standings_plans import FOUR, PAIRS, PARTNERS, TEAMS, TWO
from tournaments.plan.plan import Plan
from tournaments.ratings import RatingParameters
from tournaments.standings import Encounters, Report, Standings, Tally, ThinkTime


def forfeits(of_report: Report, entry: str) -> int:
    return sum(standing(of_report, entry).forfeits.values())


@pytest.mark.parametrize(
    ("of", "seats", "ranks", "tallies"),
    [
        (TWO, "ab", (1, 2), {"a": Tally(1, 0, 0), "b": Tally(0, 0, 1)}),
        (TWO, "ab", (1, 1), {"a": Tally(0, 1, 0), "b": Tally(0, 1, 0)}),
        (FOUR, "abcd", (2, 1, 3, 3), {"a": Tally(0, 0, 1), "b": Tally(1, 0, 0), "c": Tally(0, 0, 1)}),
        (FOUR, "abcd", (1, 1, 3, 4), {"a": Tally(0, 1, 0), "b": Tally(0, 1, 0), "c": Tally(0, 0, 1)}),
        (PARTNERS, "abcd", (2, 1), {"a": Tally(0, 0, 1), "b": Tally(1, 0, 0), "c": Tally(0, 0, 1)}),
        (PAIRS, "abab", (2, 1), {"a": Tally(0, 0, 1), "b": Tally(1, 0, 0)}),
        (TEAMS, "acbd", (2, 1), {"x": Tally(0, 0, 1), "y": Tally(1, 0, 0)}),
        (TEAMS, "dbca", (2, 1), {"x": Tally(1, 0, 0), "y": Tally(0, 0, 1)}),
    ],
)
def test_who_is_sole_best_wins_and_who_shares_the_best_rank_draws(
    of: Plan, seats: str, ranks: Sequence[int], tallies: dict[str, Tally]
) -> None:
    made = report(of, played(seats, ranks, ranks))
    for entry, tally in tallies.items():
        assert standing(made, entry).tally == tally
        assert standing(made, entry).matches == 1


def test_the_crosstable_compares_the_ranks_of_each_two() -> None:
    made = report(
        FOUR, played("abcd", (2, 1, 2, 4), (5, 1, 5, 9)), played("dcba", (1, 2, 3, 4), (1, 2, 3, 4))
    ).crosstable
    assert made["a", "b"] == Encounters(Tally(0, 0, 2))
    assert made["a", "c"] == Encounters(Tally(0, 1, 1))
    assert made["a", "d"] == Encounters(Tally(1, 0, 1))
    assert made["d", "a"] == Encounters(Tally(1, 0, 1))
    assert len(made) == 12


def test_in_the_crosstable_partners_do_not_meet() -> None:
    made = report(PARTNERS, played("abcd", (1, 2), (10, 3))).crosstable
    assert set(made) == {(x, y) for side, other in (("ac", "bd"), ("bd", "ac")) for x in side for y in other}


def test_a_team_stands_in_the_crosstable_as_one() -> None:
    assert set(report(TEAMS, played("acbd", (1, 2), (10, 3))).crosstable) == {("x", "y"), ("y", "x")}


# Scores, forfeits, faults


def test_the_mean_score_is_of_the_own_side() -> None:
    made = report(TWO, played("ab", (1, 2), (300, 100)), played("ba", (1, 2), (310, -51)))
    assert standing(made, "a").mean_score == (300 - 51) / 2
    assert standing(made, "b").mean_score == (100 + 310) / 2
    assert standing(made, "c").mean_score is None


@pytest.mark.parametrize("scores", [(), (120, 80)])
def test_of_two_sides_no_score_of_a_forfeited_match_counts(scores: Sequence[int]) -> None:
    made = report(TWO, played("ab", (1, 2), (300, 100)), played("ab", (2, 1), scores, forfeited=[0]))
    assert (standing(made, "a").mean_score, standing(made, "b").mean_score) == (300, 100)
    assert (forfeits(made, "a"), forfeits(made, "b")) == (1, 0)
    assert (standing(made, "a").tally, standing(made, "b").tally) == (Tally(1, 0, 1), Tally(1, 0, 1))


def test_of_four_only_the_score_of_who_forfeited_does_not_count() -> None:
    made = report(FOUR, played("abcd", (4, 1, 2, 3), (10, 20, 30, 40), forfeited=[0]))
    assert [standing(made, entry).mean_score for entry in "abcd"] == [None, 20, 30, 40]
    assert [forfeits(made, entry) for entry in "abcd"] == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("scores", "deviation", "error"),
    [((7,), None, None), ((7, 7), 0.0, 0.0), ((2, 4, 4, 4, 5, 5, 7, 9), 2.138089935, 0.755928946)],
)
def test_scores_have_the_deviation_of_a_sample(
    scores: Sequence[int], deviation: float | None, error: float | None
) -> None:
    made = standing(report(TWO, *(played("ab", (1, 2), (score, 0)) for score in scores)), "a")
    assert made.score_deviation == (None if deviation is None else pytest.approx(deviation))
    assert made.score_error == (None if error is None else pytest.approx(error))
    assert made.scored == len(scores)


def test_a_small_deviation_of_great_scores_is_not_lost() -> None:
    matches = [played("ab", (1, 2), (10**12 + n % 2, 0)) for n in range(10)]
    assert standing(report(TWO, *matches), "a").score_deviation == pytest.approx(math.sqrt(2.5 / 9))


def test_a_forfeit_and_faults_are_those_of_the_seat_and_not_of_the_partner() -> None:
    made = report(PARTNERS, played("abcd", (2, 1), (), forfeited=[2], late=(1, 0, 3, 0)))
    assert [forfeits(made, entry) for entry in "abcd"] == [0, 0, 1, 0]
    assert [standing(made, entry).faults.total for entry in "abcd"] == [1, 0, 3, 0]


def test_a_forfeit_and_faults_of_a_team_are_those_of_both() -> None:
    made = report(TEAMS, played("acbd", (2, 1), (), forfeited=[2], late=(1, 0, 3, 5)))
    assert [forfeits(made, team) for team in "xy"] == [1, 0]
    assert [standing(made, team).faults.total for team in "xy"] == [4, 5]


def test_faults_are_summed_and_lost_sessions_are_none() -> None:
    counts = (FaultCounts(late=1, sessions_lost=9), FaultCounts(late=2, sessions_lost=9))
    made = report(TWO, *[played("ab", (1, 2), (1, 0), faults=counts)] * 3)
    assert [standing(made, entry).faults.total for entry in "ab"] == [3, 6]
    assert standing(made, "b").faults == FaultCounts(late=6, sessions_lost=27)


@pytest.mark.parametrize(
    ("faults", "kind"),
    [
        (FaultCounts(late=3), "late"),
        (FaultCounts(late=2, illegal=1), "illegal+late"),
        (FaultCounts(malformed=1, disconnected=2, sessions_lost=1), "malformed+disconnected"),
        (FaultCounts(sessions_lost=1), "declined"),
    ],
)
def test_a_forfeit_is_told_by_the_faults_that_led_to_it(faults: FaultCounts, kind: str) -> None:
    match = played("ab", (2, 1), forfeited=[0], faults=(faults, FaultCounts()))
    made = report(TWO, match, match, played("ab", (1, 2), (1, 0), late=(2, 0)))
    assert standing(made, "a").forfeits == {kind: 2}
    assert standing(made, "b").forfeits == {}


def test_kinds_of_forfeits_stand_in_the_order_of_their_names() -> None:
    late = played("ab", (2, 1), forfeited=[0], late=(3, 0))
    made = report(TWO, late, played("ab", (2, 1), forfeited=[0]), late)
    assert list(standing(made, "a").forfeits.items()) == [("declined", 1), ("late", 2)]


def test_voids_are_counted_for_all_who_sat_there() -> None:
    of = plan("abcde", "hearts")
    made = report(of, played("abcd", (1, 2, 3, 4), (1, 2, 3, 4)), voids=["abcd", "bcde"])
    assert [standing(made, entry).voids for entry in "abcde"] == [1, 2, 2, 2, 1]
    assert [standing(made, entry).matches for entry in "abcde"] == [1, 1, 1, 1, 0]
    assert made.crosstable["b", "c"] == Encounters(Tally(1, 0, 0), voids=2)
    assert made.crosstable["b", "e"] == Encounters(voids=1)
    assert ("a", "e") not in made.crosstable


def test_what_was_counted_of_two_stays_with_what_comes_after() -> None:
    standings = Standings(TWO)
    standings.add(*played("ab", (2, 1), forfeited=[0], serial=1))
    standings.add_void(played("ab", (), serial=2)[0])
    standings.add(*played("ba", (1, 2), (9, 1), serial=2))
    made = standings.report().crosstable
    assert made["a", "b"] == Encounters(Tally(0, 0, 2), forfeits=1, voids=1)
    assert made["b", "a"] == Encounters(Tally(2, 0, 0), forfeits=0, voids=1)


def test_of_partners_a_void_counts_between_the_sides() -> None:
    made = report(PARTNERS, voids=["abcd"])
    assert {pair for pair, cell in made.crosstable.items() if cell.voids} == {
        pair for mine, theirs in (("ac", "bd"), ("bd", "ac")) for pair in product(mine, theirs)
    }


def test_a_void_of_a_pair_is_one() -> None:
    assert standing(report(PAIRS, voids=["abab"]), "a").voids == 1


def test_forfeits_stand_in_the_crosstable_of_who_made_them() -> None:
    made = report(FOUR, played("abcd", (4, 1, 2, 3), (10, 20, 30, 40), forfeited=[0])).crosstable
    assert made["a", "b"] == made["a", "d"] == Encounters(Tally(0, 0, 1), forfeits=1)
    assert made["b", "a"] == Encounters(Tally(1, 0, 0))


def test_the_time_of_a_competitor_is_that_of_all_its_seats() -> None:
    match = played("abab", (1, 2), (1, 0), times=[(5, 900, 700), (0, 0, 0), (1, 100, 100), (1, 2000, 2000)])
    made = report(PAIRS, match, match)
    assert standing(made, "a").think == ThinkTime(answered=12, total=2000, longest=700)
    assert standing(made, "a").think.mean == pytest.approx(2000 / 12)
    assert standing(made, "b").think == ThinkTime(answered=2, total=4000, longest=2000)
    assert standing(made, "c").think.mean is None


# Skill apart from faults


def test_a_match_is_clean_without_faults_and_forfeits_of_anybody() -> None:
    made = report(
        TWO,
        played("ab", (1, 2)),
        played("ab", (1, 2), late=(0, 1)),
        played("ab", (2, 1), forfeited=[0]),
        played("ab", (2, 1), faults=[FaultCounts(sessions_lost=1), FaultCounts()]),
    )
    for name in "ab":
        line = standing(made, name)
        assert (line.matches, line.clean_matches, line.decided_by_faults) == (4, 2, 1)


def test_the_skill_of_clean_matches_is_that_of_a_table_of_them_alone() -> None:
    known = replace(TWO, rating=RatingParameters(draw_probability=0.1))
    clean = [played("ab", (1, 2)), played("bc", (1, 1)), played("ab", (1, 2))]
    unclean = [played("ab", (2, 1), forfeited=[0]), played("ab", (2, 1), late=(1, 0))]
    both, alone = report(known, *clean, *unclean), report(known, *clean)
    assert standing(alone, "a").clean_skill == standing(alone, "a").skill
    for name in "abc":
        assert standing(both, name).clean_skill == standing(alone, name).skill != standing(both, name).skill


def test_who_played_no_clean_match_has_no_skill_by_them() -> None:
    made = report(TWO, played("ab", (1, 2)), played("cd", (1, 2), late=(1, 0)))
    assert standing(made, "c").clean_skill is None
    assert standing(made, "c").skill is not None


def test_what_is_legal_at_the_first_try_is_a_share_of_the_answers() -> None:
    faults = [FaultCounts(malformed=1, illegal=2, late=5), FaultCounts()]
    made = report(TWO, played("ab", (1, 2), faults=faults, times=[(20, 1, 1), (0, 0, 0)]))
    assert standing(made, "a").legal_share == pytest.approx(0.85)
    assert standing(made, "b").legal_share is None
