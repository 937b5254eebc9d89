import json
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from itertools import product

import pytest
from rich.console import Console

from referee.cards import Seat
from referee.effects import Outcome
from referee.faults import FaultCounts, SeatTime, Termination
from referee.shapes import Micros
from tournaments.ratings import RatedMatch, Rating, RatingParameters, rate
from tournaments.report.tables import (
    Encounters,
    Played,
    Report,
    Standing,
    Tally,
    ThinkTime,
    as_json,
    as_text,
    report,
    show,
)

TIMES = [(5, 900, 700), (1, 100, 100), (0, 0, 0), (1, 2000, 2000)]  # answered, total, longest
TWO = ((Seat(0),), (Seat(1),))
FOUR = tuple((Seat(seat),) for seat in range(4))
PARTNERS = ((Seat(0), Seat(2)), (Seat(1), Seat(3)))


def played(
    seats: str,
    ranks: Sequence[int],
    scores: Sequence[int] = (),
    *,
    forfeited: Sequence[int] = (),
    late: Sequence[int] = (0, 0, 0, 0),
) -> Played:
    return Played(
        tuple(seats),
        Outcome(
            termination=Termination.COMPLETED if scores else Termination.FORFEIT,
            ranks=tuple(ranks),
            scores=tuple(scores),
            capped=False,
            faults=tuple(FaultCounts(late=late[seat], sessions_lost=9) for seat in range(len(seats))),
            forfeited=tuple(Seat(seat) for seat in forfeited),
        ),
    )


def of(
    sides: Sequence[Sequence[Seat]], *matches: Played, entries: str = "abcd", voids: Sequence[str] = ()
) -> Report:
    return report(tuple(entries), sides, matches, [tuple(void) for void in voids], RatingParameters())


def forfeits(of_report: Report, entry: str) -> int:
    return sum(standing(of_report, entry).forfeits.values())


def standing(of_report: Report, entry: str) -> Standing:
    (found,) = (each for each in of_report.standings if each.entry == entry)
    return found


@pytest.mark.parametrize(
    ("sides", "seats", "ranks", "tallies"),
    [
        (TWO, "ab", (1, 2), {"a": Tally(1, 0, 0), "b": Tally(0, 0, 1)}),
        (TWO, "ab", (1, 1), {"a": Tally(0, 1, 0), "b": Tally(0, 1, 0)}),
        (FOUR, "abcd", (2, 1, 3, 3), {"a": Tally(0, 0, 1), "b": Tally(1, 0, 0), "c": Tally(0, 0, 1)}),
        (FOUR, "abcd", (1, 1, 3, 4), {"a": Tally(0, 1, 0), "b": Tally(0, 1, 0), "c": Tally(0, 0, 1)}),
        (PARTNERS, "abcd", (2, 1), {"a": Tally(0, 0, 1), "b": Tally(1, 0, 0), "c": Tally(0, 0, 1)}),
        (PARTNERS, "abab", (2, 1), {"a": Tally(0, 0, 1), "b": Tally(1, 0, 0)}),
    ],
)
def test_who_is_sole_best_wins_and_who_shares_the_best_rank_draws(
    sides: Sequence[Sequence[Seat]], seats: str, ranks: Sequence[int], tallies: dict[str, Tally]
) -> None:
    made = of(sides, played(seats, ranks, ranks))
    for entry, tally in tallies.items():
        assert standing(made, entry).tally == tally
        assert standing(made, entry).matches == 1


def test_the_crosstable_compares_the_ranks_of_each_two() -> None:
    made = of(
        FOUR, played("abcd", (2, 1, 2, 4), (5, 1, 5, 9)), played("dcba", (1, 2, 3, 4), (1, 2, 3, 4))
    ).crosstable
    assert made["a", "b"] == Encounters(Tally(0, 0, 2))
    assert made["a", "c"] == Encounters(Tally(0, 1, 1))
    assert made["a", "d"] == Encounters(Tally(1, 0, 1))
    assert made["d", "a"] == Encounters(Tally(1, 0, 1))
    assert len(made) == 12


def test_in_the_crosstable_partners_do_not_meet() -> None:
    made = of(PARTNERS, played("abcd", (1, 2), (10, 3))).crosstable
    assert set(made) == {(x, y) for side, other in (("ac", "bd"), ("bd", "ac")) for x in side for y in other}


# Scores, forfeits, faults


def test_the_mean_score_is_of_the_own_side() -> None:
    made = of(TWO, played("ab", (1, 2), (300, 100)), played("ba", (1, 2), (310, -51)))
    assert standing(made, "a").mean_score == (300 - 51) / 2
    assert standing(made, "b").mean_score == (100 + 310) / 2
    assert standing(made, "c").mean_score is None


@pytest.mark.parametrize("scores", [(), (120, 80)])
def test_of_two_sides_no_score_of_a_forfeited_match_counts(scores: Sequence[int]) -> None:
    made = of(TWO, played("ab", (1, 2), (300, 100)), played("ab", (2, 1), scores, forfeited=[0]))
    assert (standing(made, "a").mean_score, standing(made, "b").mean_score) == (300, 100)
    assert (forfeits(made, "a"), forfeits(made, "b")) == (1, 0)
    assert (standing(made, "a").tally, standing(made, "b").tally) == (Tally(1, 0, 1), Tally(1, 0, 1))


def test_of_four_only_the_score_of_who_forfeited_does_not_count() -> None:
    made = of(FOUR, played("abcd", (4, 1, 2, 3), (10, 20, 30, 40), forfeited=[0]))
    assert [standing(made, entry).mean_score for entry in "abcd"] == [None, 20, 30, 40]
    assert [forfeits(made, entry) for entry in "abcd"] == [1, 0, 0, 0]


def test_a_forfeit_and_faults_are_those_of_the_seat_and_not_of_the_partner() -> None:
    made = of(PARTNERS, played("abcd", (2, 1), (), forfeited=[2], late=(1, 0, 3, 0)))
    assert [forfeits(made, entry) for entry in "abcd"] == [0, 0, 1, 0]
    assert [standing(made, entry).faults.total for entry in "abcd"] == [1, 0, 3, 0]


def test_faults_are_summed_and_lost_sessions_are_none() -> None:
    made = of(TWO, *[played("ab", (1, 2), (1, 0), late=(1, 2))] * 3)
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
    match = played("ab", (2, 1), forfeited=[0])
    match = replace(match, outcome=replace(match.outcome, faults=(faults, FaultCounts())))
    made = of(TWO, match, match, played("ab", (1, 2), (1, 0), late=(2, 0)))
    assert standing(made, "a").forfeits == {kind: 2}
    assert standing(made, "b").forfeits == {}


def test_voids_are_counted_for_all_who_sat_there() -> None:
    made = of(FOUR, played("abcd", (1, 2, 3, 4), (1, 2, 3, 4)), entries="abcde", voids=["abcd", "bcde"])
    assert [standing(made, entry).voids for entry in "abcde"] == [1, 2, 2, 2, 1]
    assert [standing(made, entry).matches for entry in "abcde"] == [1, 1, 1, 1, 0]
    assert made.crosstable["b", "c"] == Encounters(Tally(1, 0, 0), voids=2)
    assert made.crosstable["b", "e"] == Encounters(voids=1)
    assert ("a", "e") not in made.crosstable


def test_of_partners_a_void_counts_between_the_sides() -> None:
    made = of(PARTNERS, voids=["abcd"])
    assert {pair for pair, cell in made.crosstable.items() if cell.voids} == {
        pair for mine, theirs in (("ac", "bd"), ("bd", "ac")) for pair in product(mine, theirs)
    }


def test_forfeits_stand_in_the_crosstable_of_who_made_them() -> None:
    made = of(FOUR, played("abcd", (4, 1, 2, 3), (10, 20, 30, 40), forfeited=[0])).crosstable
    assert made["a", "b"] == made["a", "d"] == Encounters(Tally(0, 0, 1), forfeits=1)
    assert made["b", "a"] == Encounters(Tally(1, 0, 0))


def test_the_time_of_an_entry_is_that_of_all_its_seats() -> None:
    times = [SeatTime(answered, Micros(total), Micros(longest)) for answered, total, longest in TIMES]
    match = played("aabb", (1, 2), (1, 0))
    match = replace(match, outcome=replace(match.outcome, times=tuple(times)))
    made = of(((Seat(0), Seat(1)), (Seat(2), Seat(3))), match, match)
    assert standing(made, "a").think == ThinkTime(answered=12, total=2000, longest=700)
    assert standing(made, "a").think.mean == pytest.approx(2000 / 12)
    assert standing(made, "b").think == ThinkTime(answered=2, total=4000, longest=2000)
    assert standing(made, "c").think.mean is None


# Ratings and order


def test_ratings_are_those_of_the_matches_in_order() -> None:
    matches = [played("ab", (1, 2), (1, 0)), played("bc", (1, 2), (1, 0)), played("ca", (1, 2), (1, 0))]
    rated = rate(
        [RatedMatch(tuple((name,) for name in m.seats), (1, 2)) for m in matches], RatingParameters()
    )
    made = of(TWO, *matches)
    assert {entry: standing(made, entry).rating for entry in "abc"} == rated
    assert standing(made, "d").rating == Rating(25.0, 25 / 3)


def test_the_best_conservative_rating_is_first() -> None:
    made = of(FOUR, *[played("cabd", (1, 2, 3, 4), (1, 2, 3, 4))] * 5)
    assert [(each.rank, each.entry) for each in made.standings] == [(1, "c"), (2, "a"), (3, "b"), (4, "d")]


def test_equal_ratings_share_a_rank_in_the_order_of_names() -> None:
    made = of(TWO, *[played("da", (1, 2), (1, 0))] * 9, entries="cbad")
    assert [(each.rank, each.entry) for each in made.standings] == [(1, "d"), (2, "a"), (3, "b"), (3, "c")]


def test_a_fixed_pair_is_rated_as_one() -> None:
    pairs = of(PARTNERS, played("abab", (1, 2), (10, 0)))
    singles = of(TWO, played("ab", (1, 2), (10, 0)))
    # but for their sessions, of which a pair has two
    without = [[replace(each, faults=FaultCounts()) for each in made.standings] for made in (pairs, singles)]
    assert without[0] == without[1]


# Text and JSON

TEXT = """\
cup: standings
rank  entry      matches  W/D/L  mean score     mu  sigma  mu-3sigma  forfeits  faults  voids
   1  ann              2  1/1/0       280.5  26.11   5.68       9.08         0       0      1
   2  benedicta        2  0/1/1       196.0  23.89   5.68       6.85         0       4      1
   3  newcomer         0  0/0/0           -  25.00   8.33       0.00         0       0      0

cup: W/D/L of the row against the column (v: void and played again)
   entry             1         2  3
1  ann               -  1/1/0 1v
2  benedicta  0/1/1 1v         -
3  newcomer                       -
"""


@pytest.fixture
def cup() -> Report:
    seats = ("ann", "benedicta")
    matches = [played("ab", (1, 2), (301, 132), late=(0, 4)), played("ab", (1, 1), (260, 260))]
    return report(
        ("newcomer", "benedicta", "ann"),
        TWO,
        [Played(seats, match.outcome) for match in matches],
        [seats],
        RatingParameters(),
    )


def test_as_text(cup: Report) -> None:
    assert as_text(cup, "cup") + "\n" == TEXT


def test_a_narrow_terminal_gets_every_word(cup: Report) -> None:
    out = StringIO()
    show(cup, "cup", Console(file=out, width=40, force_terminal=True, color_system=None))
    assert out.getvalue() == as_text(cup, "cup") + "\n"


def test_what_is_not_a_terminal_gets_the_plain_text_whatever_its_width(cup: Report) -> None:
    out = StringIO()
    show(cup, "cup", Console(file=out, width=20))
    assert out.getvalue() == TEXT


def test_a_terminal_gets_the_same_tables(cup: Report) -> None:
    out = StringIO()
    show(cup, "cup", Console(file=out, width=100, force_terminal=True, color_system=None))
    assert [line.rstrip() for line in out.getvalue().splitlines()] == TEXT.splitlines()


def test_five_entries_fit_into_100_columns() -> None:
    entries = [f"entry-name-{n:02}" for n in range(5)]
    outcome = played("abcd", (1, 2, 3, 4), (-100, 100, 100, 100), late=(99, 99, 99, 99)).outcome
    matches = [Played(tuple(entries[:4]), outcome)] * 200
    text = as_text(report(entries, FOUR, matches, [tuple(entries[:4])] * 20, RatingParameters()), "hearts")
    assert max(len(line) for line in text.splitlines()) <= 100


def test_as_json(cup: Report) -> None:
    data = json.loads(json.dumps(as_json(cup)))
    first = data["standings"][0]
    assert first == {
        "rank": 1,
        "entry": "ann",
        "matches": 2,
        "wins": 1,
        "draws": 1,
        "losses": 0,
        "mean_score": 280.5,
        "mu": cup.standings[0].rating.mu,
        "sigma": cup.standings[0].rating.sigma,
        "conservative": cup.standings[0].rating.conservative,
        "forfeits": 0,
        "forfeits_by": {},
        "faults": 0,
        "faults_by": {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0},
        "sessions_lost": 18,
        "voids": 1,
        "decisions": 0,
        "mean_think_seconds": None,
        "longest_think_seconds": 0.0,
    }
    assert data["standings"][1]["faults_by"]["late"] == data["standings"][1]["faults"] == 4
    assert [each["entry"] for each in data["standings"]] == ["ann", "benedicta", "newcomer"]
    assert data["standings"][2]["mean_score"] is None
    assert data["crosstable"] == [
        {
            "entry": "ann",
            "opponent": "benedicta",
            "wins": 1,
            "draws": 1,
            "losses": 0,
            "forfeits": 0,
            "voids": 1,
        },
        {
            "entry": "benedicta",
            "opponent": "ann",
            "wins": 0,
            "draws": 1,
            "losses": 1,
            "forfeits": 0,
            "voids": 1,
        },
    ]


def test_the_times_in_json_are_seconds() -> None:
    match = played("ab", (1, 2), (1, 0))
    times = (SeatTime(4, Micros(6_000_000), Micros(3_500_000)), SeatTime(0, Micros(0), Micros(0)))
    first = as_json(of(TWO, replace(match, outcome=replace(match.outcome, times=times))))["standings"][0]
    assert (first["entry"], first["decisions"]) == ("a", 4)
    assert (first["mean_think_seconds"], first["longest_think_seconds"]) == (1.5, 3.5)


def test_who_forfeited_how_is_told_below_the_standings() -> None:
    lost = played("ab", (2, 1), forfeited=[0], late=(3, 0))
    declined = played("ba", (2, 1), forfeited=[0])
    lines = as_text(of(TWO, declined, lost, lost, entries="ab"), "cup").splitlines()
    assert lines[4:6] == ["forfeits of b: 1 declined", "forfeits of a: 2 late"]
    assert lines[7] == "cup: W/D/L of the row against the column (f: forfeited by the row)"
    assert lines[9:] == ["1  b             -  2/0/1 1f", "2  a      1/0/2 2f         -"]
