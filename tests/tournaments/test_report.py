import json
from collections.abc import Sequence
from io import StringIO

import pytest
from rich.console import Console

from referee.cards import Seat
from referee.effects import Outcome
from referee.faults import FaultCounts, Termination
from tournaments.ratings import RatedMatch, Rating, RatingParameters, rate
from tournaments.report.tables import Played, Report, Standing, Tally, as_json, as_text, report, show

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


def of(sides: Sequence[Sequence[Seat]], *matches: Played, entries: str = "abcd") -> Report:
    return report(tuple(entries), sides, matches, RatingParameters())


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
    assert made["a", "b"] == Tally(0, 0, 2)
    assert made["a", "c"] == Tally(0, 1, 1)
    assert made["a", "d"] == Tally(1, 0, 1)
    assert made["d", "a"] == Tally(1, 0, 1)
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
    assert (standing(made, "a").forfeits, standing(made, "b").forfeits) == (1, 0)
    assert (standing(made, "a").tally, standing(made, "b").tally) == (Tally(1, 0, 1), Tally(1, 0, 1))


def test_of_four_only_the_score_of_who_forfeited_does_not_count() -> None:
    made = of(FOUR, played("abcd", (4, 1, 2, 3), (10, 20, 30, 40), forfeited=[0]))
    assert [standing(made, entry).mean_score for entry in "abcd"] == [None, 20, 30, 40]
    assert [standing(made, entry).forfeits for entry in "abcd"] == [1, 0, 0, 0]


def test_a_forfeit_and_faults_are_those_of_the_seat_and_not_of_the_partner() -> None:
    made = of(PARTNERS, played("abcd", (2, 1), (), forfeited=[2], late=(1, 0, 3, 0)))
    assert [standing(made, entry).forfeits for entry in "abcd"] == [0, 0, 1, 0]
    assert [standing(made, entry).faults for entry in "abcd"] == [1, 0, 3, 0]


def test_faults_are_summed_and_lost_sessions_are_none() -> None:
    made = of(TWO, *[played("ab", (1, 2), (1, 0), late=(1, 2))] * 3)
    assert [standing(made, entry).faults for entry in "ab"] == [3, 6]


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
    assert pairs.standings == singles.standings


# Text and JSON

TEXT = """\
cup: standings
rank  entry      matches  W/D/L  mean score     mu  sigma  mu - 3 sigma  forfeits  faults
   1  ann              2  1/1/0       280.5  26.11   5.68          9.08         0       0
   2  benedicta        2  0/1/1       196.0  23.89   5.68          6.85         0       4
   3  newcomer         0  0/0/0           -  25.00   8.33          0.00         0       0

cup: W/D/L of the row against the column
   entry          1      2  3
1  ann            -  1/1/0
2  benedicta  0/1/1      -
3  newcomer                 -
"""


@pytest.fixture
def cup() -> Report:
    seats = ("ann", "benedicta")
    matches = [played("ab", (1, 2), (301, 132), late=(0, 4)), played("ab", (1, 1), (260, 260))]
    return report(
        ("newcomer", "benedicta", "ann"),
        TWO,
        [Played(seats, match.outcome) for match in matches],
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
    text = as_text(report(entries, FOUR, matches, RatingParameters()), "hearts")
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
        "faults": 0,
    }
    assert [each["entry"] for each in data["standings"]] == ["ann", "benedicta", "newcomer"]
    assert data["standings"][2]["mean_score"] is None
    assert data["crosstable"] == [
        {"entry": "ann", "opponent": "benedicta", "wins": 1, "draws": 1, "losses": 0},
        {"entry": "benedicta", "opponent": "ann", "wins": 0, "draws": 1, "losses": 1},
    ]
