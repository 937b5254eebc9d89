"""In which order the standings stand: by ratings, points or places."""

from collections import Counter
from dataclasses import replace

import pytest

from referee.core.steps import at_once
from tests.draws import draw
from tests.rating import rate
from tests.results import Match, played, report, standing
from tests.sample_report import plan
from tests.tournaments.standings_plans import FOUR, LADDER, PAIRS, PARTNERS, TWO
from tournaments import schedule
from tournaments.plan.plan import Format, Plan, RankBy, TieBreak
from tournaments.ratings import Rating, RatingParameters
from tournaments.schedule.score_table import scores_of
from tournaments.schedule.swiss import scores
from tournaments.standings import Standing, Standings
from tournaments.standings.ranking import ranked


def _play_all(of: Plan) -> tuple[dict[str, tuple[int, ...]], Standings]:
    """Play a whole schedule, in which results are drawn; return the ranks and the standings."""
    ranks: dict[str, tuple[int, ...]] = {}
    standings = Standings(of)
    while pairings := list(schedule.next(of, ranks.keys(), ranks)):
        for pairing in pairings:
            ranks[pairing.match_id] = (1, 2) if draw(2, pairing.match_id, "k20") else (2, 1)
            standings.add(*played(pairing.entries, ranks[pairing.match_id], (3, 1), serial=len(ranks)))
    return ranks, standings


def test_ratings_are_those_of_the_matches_in_order() -> None:
    pairs = ["ab", "bc", "ca"]
    rated = rate([(((x,), (y,)), (1, 2)) for x, y in pairs], RatingParameters(), game="piquet")
    made = report(TWO, *(played(pair, (1, 2), (1, 0)) for pair in pairs))
    assert {entry: standing(made, entry).rating for entry in "abc"} == rated
    assert standing(made, "d").rating == Rating(25.0, 25 / 3)


def test_mixed_partners_are_rated_as_teams() -> None:
    rated = rate([((("a", "c"), ("b", "d")), (1, 2))], RatingParameters(), game="spades")
    made = report(PARTNERS, played("abcd", (1, 2), (9, 1)))
    assert {entry: standing(made, entry).rating for entry in "abcd"} == rated


def test_the_best_conservative_rating_is_first() -> None:
    made = report(FOUR, *[played("cabd", (1, 2, 3, 4), (1, 2, 3, 4))] * 5)
    assert [(each.rank, each.entry) for each in made.standings] == [(1, "c"), (2, "a"), (3, "b"), (4, "d")]


def test_equal_ratings_share_a_rank_in_the_order_of_names() -> None:
    made = report(plan("cbade", "piquet"), *[played("da", (1, 2), (1, 0))] * 9)
    expected = [(1, "d"), (2, "a"), (3, "b"), (3, "c"), (3, "e")]
    assert [(each.rank, each.entry) for each in made.standings] == expected


def test_a_fixed_pair_is_rated_as_one() -> None:
    rating = RatingParameters(draw_probability=0.1)  # what is estimated differs from game to game
    pairs = report(replace(PAIRS, rating=rating), played("abab", (1, 2), (10, 0)))
    singles = report(replace(TWO, rating=rating), played("ab", (1, 2), (10, 0)))
    assert pairs == singles


def test_a_swiss_is_ordered_by_points_then_buchholz_then_rating() -> None:
    swiss = plan("abcdefgh", "piquet", format=Format.SWISS, rounds=3)
    ranks, standings = _play_all(swiss)
    made = standings.report(ranks=ranks).standings
    keys = [(-each.points, -each.buchholz, -each.skill.mu) for each in made]
    assert keys == sorted(keys)
    assert sum(each.points for each in made) == 12  # a match is worth one
    by_rating = sorted(made, key=lambda each: -each.skill.mu)
    assert [each.entry for each in made] != [each.entry for each in by_rating]
    score_of = scores(swiss, ranks)
    assert all((2 * each.points, 2 * each.buchholz) == score_of[each.entry] for each in made)
    assert {each.place for each in made} == {None}


@pytest.mark.parametrize("kind", [Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT])
def test_a_knockout_is_ordered_by_place_then_rating(kind: Format) -> None:
    ranks, standings = _play_all(plan("hgfedcba", "piquet", format=kind))
    made = standings.report(ranks=ranks).standings
    keys = [(each.place, -each.skill.mu) for each in made]
    assert keys == sorted(keys)
    assert [each.place for each in made][:2] == [1, 2]
    by_name = sorted(made, key=lambda each: (each.place, each.entry))
    assert [each.entry for each in made] != [each.entry for each in by_name]
    assert {each.points for each in made} == {None}


@pytest.mark.parametrize("form", [Format.SWISS, Format.ROUND_ROBIN])
def test_tie_breaks_are_the_ones_that_the_plan_names(form: Format) -> None:
    breaks = (TieBreak.SONNEBORN_BERGER, TieBreak.DIRECT)
    of = plan("abcdefgh", "piquet", format=form, rounds=3 if form is Format.SWISS else 1)
    of = replace(of, rank_by=RankBy.POINTS, tie_breaks=breaks)
    ranks, standings = _play_all(of)
    made = standings.report(ranks=ranks).standings
    keys = [(-each.points, -each.sonneborn_berger, -each.direct) for each in made]
    assert keys == sorted(keys)
    assert len(set(keys)) > len({each.points for each in made})
    assert [each.rank for each in made] == [1 + keys.index(key) for key in keys]
    found = scores_of(of, ranks)
    assert all(4 * each.sonneborn_berger == found.sonneborn_berger[each.entry] for each in made)


def test_the_usual_tie_breaks_of_a_swiss_named_are_no_change() -> None:
    of = plan("abcdefgh", "piquet", format=Format.SWISS, rounds=3)
    ranks, standings = _play_all(of)
    named = replace(of, tie_breaks=(TieBreak.BUCHHOLZ, TieBreak.FIT))
    assert _report(named, ranks, standings) == _report(of, ranks, standings)


def _report(of: Plan, ranks: dict[str, tuple[int, ...]], standings: Standings) -> tuple[Standing, ...]:
    return at_once(ranked(of, standings.report(ranks=ranks).standings, ranks))


def _lines(of: Plan, *matches: Match) -> list[tuple[int, str, float | None]]:
    return [(each.rank, each.entry, each.points) for each in report(of, *matches).standings]


def test_a_round_robin_is_ranked_by_points_where_its_file_says_so() -> None:
    """B plays once and wins, against c, which beats a three times: by the fit b is first, by points third."""
    by_points = replace(TWO, rank_by=RankBy.POINTS)
    matches = [played("bc", (1, 2)), *[played("ac", (2, 1))] * 3, *[played("ad", (1, 2))] * 2]
    assert _lines(by_points, *matches) == [(1, "c", 3.0), (2, "a", 2.0), (3, "b", 1.0), (4, "d", 0.0)]
    assert _lines(TWO, *matches)[0] == (1, "b", 1.0)
    assert not any(each.is_ranked_by_skill for each in report(by_points, *matches).standings)
    level = _lines(by_points, *[played("ab", (1, 1)), played("cd", (1, 1))])
    assert level == [(1, "a", 0.5), (1, "b", 0.5), (1, "c", 0.5), (1, "d", 0.5)]


def test_points_of_four_singles_are_by_places() -> None:
    by_points = replace(FOUR, rank_by=RankBy.POINTS)
    lines = _lines(by_points, played("abcd", (1, 2, 2, 4)), played("abcd", (4, 1, 2, 2)))
    assert lines == [(1, "b", 4.5), (2, "a", 3.0), (2, "c", 3.0), (4, "d", 1.5)]


def test_between_equal_points_the_fit_decides() -> None:
    by_points = replace(TWO, rank_by=RankBy.POINTS)
    strong, weak = [played("ab", (1, 2))] * 5, [played("bc", (1, 2))] * 5
    made = report(by_points, *strong, *weak, *[played("cd", (1, 2))] * 5).standings
    assert [(each.entry, each.points) for each in made] == [("a", 5.0), ("b", 5.0), ("c", 5.0), ("d", 0.0)]
    assert made[0].skill is not None and made[1].skill is not None
    assert made[0].skill.mu > made[1].skill.mu


def test_the_points_of_a_gauntlet_count_for_each_match() -> None:
    gauntlet = replace(TWO, format=Format.GAUNTLET, challenger="a", rank_by=RankBy.POINTS)
    made = _lines(gauntlet, played("ab", (1, 2)), played("ac", (2, 1)), played("ad", (1, 2)))
    assert [entry for _, entry, _ in made] == ["c", "a", "b", "d"]


@pytest.mark.parametrize("breaks", [(), (TieBreak.FIT,)])
def test_points_count_for_each_match_where_some_play_one_less(breaks: tuple[TieBreak, ...]) -> None:
    of = plan("abcde", "piquet", matches_each=3, rank_by=RankBy.POINTS, tie_breaks=breaks)
    matches = {each.match_id: each.entries for each in schedule.next(of, set(), {})}
    times = Counter(name for two in matches.values() for name in two)
    (less,) = (name for name in times if times[name] == 2)
    # who plays less wins all, and one more loses half a point of three: 1 a match is more than 5/6
    other = next(name for name in times if not any({name, less} == set(two) for two in matches.values()))
    drawn = next(name for name, two in matches.items() if other in two)
    ranks = {
        name: (1, 1) if name == drawn else (1, 2) if two[0] in (less, other) else (2, 1)
        for name, two in matches.items()
    }
    standings = Standings(of)
    for serial, (name, two) in enumerate(matches.items(), 1):
        standings.add(*played(two, ranks[name], serial=serial))
    made = standings.report(ranks=ranks).standings
    assert [(each.entry, each.points) for each in made[:2]] == [(less, 2.0), (other, 2.5)]


@pytest.mark.parametrize("breaks", [(), (TieBreak.FIT,)])
def test_who_played_one_match_of_many_does_not_lead_by_it(breaks: tuple[TieBreak, ...]) -> None:
    of = plan("abcde", "piquet", matches_each=3, rank_by=RankBy.POINTS, tie_breaks=breaks)
    matches = {each.match_id: each.entries for each in schedule.next(of, set(), {})}
    (first, two), *_ = matches.items()
    ranks = {first: (1, 2)}
    ranks |= {
        name: (1, 2) if each[0] == two[1] else (2, 1)
        for name, each in matches.items()
        if two[1] in each and name != first
    }
    standings = Standings(of)
    for serial, name in enumerate(ranks, 1):
        standings.add(*played(matches[name], ranks[name], serial=serial))
    made = standings.report(ranks=ranks).standings
    assert [each.entry for each in made[:2]] == [two[1], two[0]]
    assert [each.points for each in made[:2]] == [len(ranks) - 1.0, 1.0]


def test_a_ladder_has_no_points() -> None:
    assert {points for _, _, points in _lines(LADDER, played("ab", (1, 2)))} == {None}
