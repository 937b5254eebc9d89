import json
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product

import pytest

from referee.faults import FaultCounts
from tests.draws import draw, shuffled
from tests.rating import rate
from tests.results import Match, drawn, played, report, standing
from tests.sample_report import plan
from tournaments import schedule
from tournaments.plan import Entry, Format, Partners, Plan, Team
from tournaments.ratings import RatedMatch, Rating, RatingParameters
from tournaments.schedule.swiss import scores
from tournaments.standings import (
    Encounters,
    RatingPoint,
    Report,
    ScoreBin,
    Standings,
    Tally,
    ThinkTime,
    fingerprint,
)
from tournaments.standings.bounded import BINS, HISTORY, Distribution, History
from tournaments.states import EntryState
from tournaments.store import Registered

TWO = plan("abcd", "piquet")
FOUR = plan("abcd", "hearts")
PARTNERS = plan("abcd", "spades")
PAIRS = plan("abcd", "spades", partners=Partners.FIXED)
TEAMS = plan("abcd", "spades", partners=Partners.FIXED, teams=(Team("x", ("a", "b")), Team("y", ("c", "d"))))
LADDER = plan("abcd", "piquet", format=Format.LADDER)
PLANS = [TWO, FOUR, PARTNERS, PAIRS, TEAMS, LADDER]


def _play_all(of: Plan) -> tuple[dict[str, tuple[int, ...]], Standings]:
    """Play a whole schedule, in which results are drawn; return the ranks and the standings."""
    ranks: dict[str, tuple[int, ...]] = {}
    standings = Standings(of)
    while pairings := list(schedule.next(of, ranks.keys(), ranks, set())):
        for pairing in pairings:
            ranks[pairing.match_id] = (1, 2) if draw(2, pairing.match_id) else (2, 1)
            standings.add(*played(pairing.seats, ranks[pairing.match_id], (3, 1), serial=len(ranks)))
    return ranks, standings


def registered(name: str, version: str | None = None, state: EntryState = EntryState.ACTIVE) -> Registered:
    return Registered(Entry(name=name, version=version, remote=True), state, False, "2026-03-01T12:00:00")


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


# Ratings and order


def test_ratings_are_those_of_the_matches_in_order() -> None:
    pairs = ["ab", "bc", "ca"]
    rated = rate([RatedMatch(((x,), (y,)), (1, 2)) for x, y in pairs], RatingParameters(), game="piquet")
    made = report(TWO, *(played(pair, (1, 2), (1, 0)) for pair in pairs))
    assert {entry: standing(made, entry).rating for entry in "abc"} == rated
    assert standing(made, "d").rating == Rating(25.0, 25 / 3)


def test_mixed_partners_are_rated_as_teams() -> None:
    rated = rate([RatedMatch((("a", "c"), ("b", "d")), (1, 2))], RatingParameters(), game="spades")
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
    keys = [(-each.points, -each.buchholz, -each.rating.conservative) for each in made]
    assert keys == sorted(keys)
    assert sum(each.points for each in made) == 12  # a match is worth one
    by_rating = sorted(made, key=lambda each: -each.rating.conservative)
    assert [each.entry for each in made] != [each.entry for each in by_rating]
    score_of = scores(swiss, ranks)
    assert all((2 * each.points, 2 * each.buchholz) == score_of[each.entry] for each in made)
    assert {each.place for each in made} == {None}


@pytest.mark.parametrize("kind", [Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT])
def test_a_knockout_is_ordered_by_place_then_rating(kind: Format) -> None:
    ranks, standings = _play_all(plan("hgfedcba", "piquet", format=kind))
    made = standings.report(ranks=ranks).standings
    keys = [(each.place, -each.rating.conservative) for each in made]
    assert keys == sorted(keys)
    assert [each.place for each in made][:2] == [1, 2]
    by_name = sorted(made, key=lambda each: (each.place, each.entry))
    assert [each.entry for each in made] != [each.entry for each in by_name]
    assert {each.points for each in made} == {None}


# Versions and states


def test_in_a_ladder_versions_are_rated_apart_and_the_history_stays() -> None:
    standings = Standings(LADDER)
    for serial, version in enumerate(["1", "1", "2"], start=1):
        standings.add(*played("ab", (1, 2), (9, 1), serial=serial, versions=(version, None)))
    made = standings.report([registered("a", "2"), registered("b")])
    matches = {(each.entry, each.matches, each.is_current) for each in made.standings}
    assert matches == {("a@1", 2, False), ("a@2", 1, True), ("b", 3, True)}
    assert made.crosstable["b", "a@1"].tally == Tally(0, 0, 2)
    assert made.crosstable["a@2", "b"].tally == Tally(1, 0, 0)


def test_a_new_version_that_has_not_played_is_there() -> None:
    made = report(LADDER, played("ab", (1, 2), (9, 1), versions=("1", "1")))
    assert {each.entry for each in made.standings} == {"a", "a@1", "b", "b@1", "c", "d"}
    standings = Standings(LADDER)
    made = standings.report([registered("a", "7"), registered("b")])
    assert [(each.entry, each.matches) for each in made.standings] == [("a@7", 0), ("b", 0)]


def test_only_in_a_ladder_a_version_makes_another_competitor() -> None:
    made = report(TWO, played("ab", (1, 2), (9, 1), versions=("1", "2")))
    assert {each.entry for each in made.standings} == set("abcd")


def test_a_team_in_a_ladder_has_the_versions_of_both_in_the_order_of_the_team() -> None:
    of = replace(TEAMS, format=Format.LADDER)
    made = report(of, played("dbca", (1, 2), (9, 1), versions=(None, "2", "1", None)))
    assert set(made.crosstable) == {("x@-+2", "y@1+-"), ("y@1+-", "x@-+2")}
    made = Standings(of).report([registered("a"), registered("b", "2"), registered("c"), registered("d")])
    assert {each.entry for each in made.standings} == {"x@-+2", "y"}


def test_who_left_or_pauses_is_marked_in_all_versions() -> None:
    standings = Standings(LADDER)
    standings.add(*played("ab", (1, 2), (9, 1), versions=("1", "1")))
    roster = [registered("a", "2", EntryState.LEFT), registered("b", "1", EntryState.PAUSED), registered("c")]
    states = {each.entry: (each.state, each.is_current) for each in standings.report(roster).standings}
    assert states == {
        "a@1": (EntryState.LEFT, False),
        "a@2": (EntryState.LEFT, True),
        "b@1": (EntryState.PAUSED, True),
        "c": (EntryState.ACTIVE, True),
    }


def test_only_a_ladder_has_competitors_that_its_plan_does_not_name() -> None:
    roster = [registered("z"), registered("a", state=EntryState.LEFT)]
    states = {each.entry: each.state for each in Standings(TWO).report(roster).standings}
    assert states == {name: EntryState.LEFT if name == "a" else EntryState.ACTIVE for name in "abcd"}
    assert {each.entry for each in Standings(LADDER).report(roster).standings} == {"a", "z"}


def test_of_a_team_the_state_is_that_of_who_keeps_it_from_playing() -> None:
    roster = [registered("a", state=EntryState.PAUSED), registered("b"), registered("c"), registered("d")]
    states = {each.entry: each.state for each in Standings(TEAMS).report(roster).standings}
    assert states == {"x": EntryState.PAUSED, "y": EntryState.ACTIVE}


# Histories and distributions


def test_a_history_begins_with_the_first_rating_and_ends_with_the_last() -> None:
    made = report(TWO, played("ab", (1, 2), (9, 1)), played("bc", (1, 2), (9, 1)))
    history = standing(made, "b").history
    rating = standing(made, "b").rating
    assert history[0] == RatingPoint(0, 0, 25.0, 25 / 3)
    assert [(point.serial, point.matches) for point in history] == [(0, 0), (1, 1), (2, 2)]
    assert history[-1] == RatingPoint(2, 2, rating.mu, rating.sigma)
    assert [point.serial for point in standing(made, "c").history] == [0, 2]
    assert len(standing(made, "d").history) == 1


@pytest.mark.parametrize("matches", [1, 198, 199, 200, 398, 399, 400, 12_345])
def test_a_history_is_thinned_evenly(matches: int) -> None:
    history = History.of(Rating(0.0, 1.0))
    for number in range(1, matches + 1):
        history.add(2 * number, Rating(float(number), 1.0))
    points = history.points()
    assert len(points) <= HISTORY
    assert len(points) > HISTORY / 2 or len(points) == matches + 1
    assert all(point.serial == 2 * point.matches == 2 * point.mu for point in points)
    assert points[0].matches == 0
    assert points[-1].matches == matches
    strides = {after.matches - point.matches for point, after in pairwise(points[:-1])}
    assert len(strides) == 1 or matches == 1


def test_few_scores_are_counted_each() -> None:
    made = report(TWO, *(played("ab", (1, 2), (score, 0)) for score in (-3, 20, -3, 0)))
    assert standing(made, "a").scores == (ScoreBin(-3, -3, 2), ScoreBin(0, 0, 1), ScoreBin(20, 20, 1))


@pytest.mark.parametrize(("reach", "width"), [(39, 1), (40, 2), (79, 2), (1000, 32)])
def test_bins_widen_until_they_are_few(reach: int, width: int) -> None:
    distribution = Distribution()
    numbers = [0, reach, *(draw(reach, "number", n) for n in range(500))]
    for number in numbers:
        distribution.add(number)
    bins = distribution.bins()
    assert len(bins) <= BINS
    assert {(each.high - each.low + 1, each.low % width) for each in bins} == {(width, 0)}
    for each in bins:
        assert each.matches == sum(each.low <= number <= each.high for number in numbers)
    assert sum(each.matches for each in bins) == len(numbers)


@pytest.mark.parametrize("order", range(5))
def test_bins_do_not_depend_on_the_order(order: int) -> None:
    numbers = [draw(4000, "any", n) - 1000 for n in range(60)]
    made = []
    for each in (numbers, shuffled(numbers, order)):
        distribution = Distribution()
        for number in each:
            distribution.add(number)
        made.append(distribution.bins())
    assert made[0] == made[1]


# Dumped, loaded, copied


@pytest.mark.parametrize("of", PLANS)
def test_what_is_loaded_goes_on_exactly_as_what_was_dumped(of: Plan) -> None:
    matches = [_drawn(of, serial) for serial in range(1, 500)]
    whole = Standings(of)
    for match in matches[:450]:
        whole.add(*match)
    assert whole.serial == 450
    whole.add_void(matches[450][0])
    loaded = Standings.load(of, json.loads(json.dumps(whole.dump())))
    assert loaded.serial == whole.serial == 451
    assert loaded.report() == whole.report()
    for match in matches[450:]:
        whole.add(*match)
        loaded.add(*match)
    assert loaded.report() == whole.report()
    assert loaded.dump() == whole.dump()


@pytest.mark.parametrize("of", PLANS)
def test_a_copy_goes_on_apart(of: Plan) -> None:
    matches = [_drawn(of, serial) for serial in range(1, 500)]
    standings = Standings(of)
    for match in matches[:250]:
        standings.add(*match)
    before = json.dumps(standings.dump())
    copy = standings.copy()
    assert json.dumps(copy.dump()) == before
    for match in matches[250:]:
        copy.add(*match)
    copy.add_void(matches[0][0])
    assert json.dumps(standings.dump()) == before
    for match in matches[250:]:
        standings.add(*match)
    standings.add_void(matches[0][0])
    assert standings.dump() == copy.dump()


def _drawn(of: Plan, serial: int) -> Match:
    match, ended = drawn(of, serial)
    versions = tuple(str(1 + serial // 200) if draw(2, seat) else None for seat in match.seats)
    return replace(match, versions=versions), ended


@pytest.mark.parametrize(
    ("change", "is_another"),
    [
        ({"rating": RatingParameters(beta=4.0)}, True),
        ({"rating": RatingParameters(draw_probability=0.1)}, True),
        ({"format": Format.LADDER}, True),
        ({"game": "hearts"}, True),
        ({"game": "spades"}, True),
        ({"entries": ()}, False),
        ({"format": Format.SWISS}, False),
        ({"rounds": 7}, False),
        ({"concurrency": 7}, False),
    ],
)
def test_standings_go_on_under_a_plan_that_leaves_them_as_they_are(
    change: dict[str, object], is_another: bool
) -> None:
    assert (fingerprint(replace(TWO, **change)) != fingerprint(TWO)) is is_another


def test_pairs_and_teams_are_other_competitors() -> None:
    assert len({fingerprint(of) for of in (PARTNERS, PAIRS, TEAMS)}) == 3
