"""What the turns of a duplicate set make together."""

import pytest

from referee.games.registry import GAMES
from referee.match.clock import Micros
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, SeatTime, Termination
from tests.results import turn
from tests.sample_report import plan
from tournaments.schedule.set_outcome import outcome_of_set, ranks_of_sets


def test_points_are_added_up_for_who_sat_there() -> None:
    outcome = outcome_of_set("piquet", [turn(100, 60), turn(80, 50)])
    assert (outcome.scores, outcome.ranks) == ((150, 140), (1, 2))
    assert outcome_of_set("piquet", [turn(100, 60), turn(100, 60)]).ranks == (1, 1)


def test_four_single_players_turn_by_a_seat() -> None:
    # who began in seat 2 sits in seats 1, 0 and 3 after it, and few points win
    turns = [turn(0, 0, 5, 0), turn(0, 6, 0, 0), turn(7, 0, 0, 0), turn(0, 0, 0, 8)]
    outcome = outcome_of_set("hearts", turns)
    assert (outcome.scores, outcome.ranks) == ((0, 0, 26, 0), (1, 1, 4, 1))


def test_faults_and_times_go_with_the_player() -> None:
    first, second = FaultCounts(late=1), FaultCounts(illegal=2)
    none = FaultCounts()
    outcome = outcome_of_set("piquet", [turn(1, 0, faults=(first, none)), turn(0, 1, faults=(none, second))])
    assert outcome.faults == (FaultCounts(late=1, illegal=2), none)
    assert outcome.times == (SeatTime(2, Micros(10), Micros(1)),) * 2


@pytest.mark.parametrize(
    ("turns", "forfeited", "ranks"),
    [
        ([turn(9, 0), turn(0, 9, forfeited=(0,))], (1,), (1, 2)),
        ([turn(9, 0, forfeited=(1,)), turn(0, 9, forfeited=(0,))], (1,), (1, 2)),
        ([turn(9, 0, forfeited=(0,)), turn(0, 9, forfeited=(0,))], (0, 1), (1, 1)),
    ],
)
def test_who_forfeits_a_turn_forfeits_the_set(
    turns: list[Outcome], forfeited: tuple[int, ...], ranks: tuple[int, ...]
) -> None:
    outcome = outcome_of_set("piquet", turns)
    assert (outcome.forfeited, outcome.ranks) == (forfeited, ranks)
    assert outcome.termination is Termination.FORFEIT


def test_of_four_the_others_are_ranked_above_who_forfeits() -> None:
    turns = [turn(9, 1, 2, 3, forfeited=(1,)), turn(0, 0, 0, 0), turn(0, 0, 0, 0), turn(0, 0, 0, 0)]
    assert outcome_of_set("hearts", turns).ranks == (3, 4, 1, 2)


def test_a_set_has_a_seat_for_each_side() -> None:
    assert all(len(rules.sides) in (2, rules.seats) for rules in GAMES.values())


def test_a_set_has_ranks_when_all_its_turns_have_results_of_one_attempt() -> None:
    of = plan("ab", "piquet", deals=1, duplicate=True)
    first, second = ("set~1", 1, turn(9, 5)), ("set~2", 1, turn(9, 5))
    assert ranks_of_sets(of, [first]) == ranks_of_sets(of, [second]) == {}
    assert ranks_of_sets(of, [("set~1", 2, turn(9, 5)), second]) == {}
    assert ranks_of_sets(of, [("other~1", 1, turn(9, 5)), second]) == {}
    assert ranks_of_sets(of, [second, first]) == {"set": (1, 1)}
    assert ranks_of_sets(of, [("set~1", 2, turn(8, 5)), ("set~2", 2, turn(9, 5))]) == {"set": (2, 1)}


@pytest.mark.parametrize(("forfeited", "ranks"), [((0,), (2, 1)), ((1,), (1, 2)), ((0, 1), (2, 2))])
def test_who_forfeits_has_the_last_rank_alone(forfeited: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    of = plan("ab", "piquet", deals=1, duplicate=True)
    turns = [("set~1", 1, turn(9, 9, forfeited=forfeited)), ("set~2", 1, turn(0, 0))]
    assert ranks_of_sets(of, turns) == {"set": ranks}
