"""Who sits where in the turns of a set, and what they say of two bots."""

from itertools import product

import pytest

from referee.games.registry import GAMES
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, Termination
from tournaments.compare.sets import BOTS, TURNS, Play, SetResult, copies, match_id, play_of, seating
from tournaments.compare.tally import BetterBot, SetTally

every_game = pytest.mark.parametrize("game", GAMES)


@every_game
def test_in_the_second_turn_the_bots_have_changed_seats(game: str) -> None:
    rules = GAMES[game]
    first, second = (seating(rules, turn) for turn in TURNS)
    assert all({one, two} == set(BOTS) for one, two in zip(first, second, strict=True))
    assert first.count("a") == first.count("b") == rules.seats // 2
    assert first[rules.sides[0][0]] == "a"
    for seats, by_seat in product(rules.sides, (first, second)):
        assert len({by_seat[seat] for seat in seats}) == 1, "partners are of the same bot"


def test_hearts_alternates() -> None:
    assert seating(GAMES["hearts"], 0) == ("a", "b", "a", "b")
    assert seating(GAMES["hearts"], 1) == ("b", "a", "b", "a")


def test_people_see_turns_counted_from_1() -> None:
    assert [match_id(GAMES["piquet"], 7, turn) for turn in TURNS] == ["piquet-7-1", "piquet-7-2"]


def test_no_process_has_two_seats_of_a_match() -> None:
    assert copies(("a", "b", "a", "b")) == (1, 1, 2, 2)
    assert copies(("b", "a")) == (1, 1)


def outcome(game: str, scores: tuple[int, ...], faults: tuple[int, ...] = ()) -> Outcome:
    rules = GAMES[game]
    sign = 1 if rules.low_wins else -1
    ranks = tuple(1 + sum(sign * other < sign * score for other in scores) for score in scores)
    late = [FaultCounts(late=number) for number in faults or (0,) * rules.seats]
    return Outcome(Termination.COMPLETED, ranks, scores, False, tuple(late), ())


@pytest.mark.parametrize(
    ("game", "turn", "deals", "scores", "points", "won"),
    [
        ("piquet", 0, 1, (30, 12), 18, 1),
        ("piquet", 1, 1, (30, 12), -18, 0),
        ("piquet", 0, 6, (120, 120), 0, 0.5),
        ("spades", 0, 2, (50, 81), -15.5, 0),
        ("spades", 1, 2, (50, 81), 15.5, 1),
        ("hearts", 0, 1, (0, 13, 3, 10), 10, 1),  # few points are good
        ("hearts", 1, 1, (0, 13, 3, 10), -10, 0),
        ("hearts", 0, 1, (2, 2, 11, 11), 0, 0.5),  # one of each is first
        ("hearts", 0, 1, (0, 0, 0, 26), 13, 2 / 3),
    ],
)
def test_what_a_turn_says(
    game: str, turn: int, deals: int, scores: tuple[int, ...], points: float, won: float
) -> None:
    play = play_of(GAMES[game], turn, deals, outcome(game, scores))
    assert (play.points, play.won) == (points, pytest.approx(won))


@every_game
def test_the_other_bot_sees_the_opposite(game: str) -> None:
    scores = tuple(range(3, 3 + len(GAMES[game].sides)))
    one, other = (play_of(GAMES[game], turn, 1, outcome(game, scores)) for turn in TURNS)
    assert (one.points, one.won) == (-other.points, pytest.approx(1 - other.won))


def test_faults_are_those_of_the_bot() -> None:
    assert play_of(GAMES["hearts"], 0, 1, outcome("hearts", (1, 2, 3, 4), (1, 2, 4, 8))).faults == (5, 10)
    assert play_of(GAMES["hearts"], 1, 1, outcome("hearts", (1, 2, 3, 4), (1, 2, 4, 8))).faults == (10, 5)


# What they say together


def tally_of(*sets: tuple[float, float], won: float = 0.5) -> SetTally:
    tally = SetTally()
    for number, (one, two) in enumerate(sets, 1):
        tally.add(SetResult(number, (Play(one, won, (1, 0)), Play(two, won, (0, 2)))))
    return tally


def test_the_match_in_which_a_did_worst_is_known() -> None:
    assert SetTally().worst is None
    assert tally_of((7, -7), (3, -9), (-9, 2)).worst == (-9, 2, 1)


def test_sets_in_which_the_deck_decides_are_even() -> None:
    even = tally_of(*[(7, -7), (-3, 3)] * 500)
    assert even.verdict is BetterBot.EQUAL
    assert not even.is_decided
    assert even.points_factor is None
    assert (even.points.mean, even.faults) == (0, (1000, 2000))
    assert even.points.low < 0 < even.points.high


@pytest.mark.parametrize(("sign", "verdict"), [(1, BetterBot.A), (-1, BetterBot.B)])
def test_a_bot_is_better_when_0_is_left_out(sign: int, verdict: BetterBot) -> None:
    sets = [(sign * (5 + number % 3), sign * (number % 2)) for number in range(40)]
    assert tally_of(*sets[:12]).verdict is BetterBot.UNDECIDED
    assert tally_of(*sets).verdict is verdict
    assert tally_of(*sets).is_decided


def test_a_few_uneven_sets_decide_nothing() -> None:
    assert tally_of(*[(4.0, -4.0)] * 200, (9.0, 8.0)).verdict is BetterBot.UNDECIDED


def test_the_share_won_stays_within_its_bounds() -> None:
    won = tally_of(*[(1.0, 2.0), (2.0, 1.0), (1.0, 1.0)] * 8, won=1.0).won
    assert won.mean == won.high == 1.0
    assert 0.0 <= won.low < 0.9, "one that has won every play need not win all"


def test_the_factor_tells_what_the_turns_cancel() -> None:
    lucky = tally_of(*[(10, -9), (-10, 11), (10, -11), (-10, 9)] * 10)
    assert lucky.points_factor == pytest.approx((100 + 100.5) / 4 / 0.25, rel=0.02)
    unlike = tally_of((1, 1), (1, -1), (-1, 1), (-1, -1))
    assert unlike.points_factor == pytest.approx(1.0)
    assert tally_of().points_factor is None
