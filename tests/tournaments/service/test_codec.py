"""Lines of the standings as messages and back."""

from dataclasses import replace

from referee.match.faults import FaultCounts
from tests.results import played, report
from tests.tournaments.standings_plans import TWO
from tournaments.service import standings_codec


def test_a_line_of_the_standings_comes_back_as_it_was_told() -> None:
    faults = [FaultCounts(illegal=1, late=2), FaultCounts()]
    times = [(5, 300, 100), (4, 300, 100)]
    made = report(
        TWO,
        played("ab", (1, 2), (9, 1), faults=faults, times=times),
        played("ab", (2, 1), forfeited=[0]),
        played("ab", (1, 1), (4, 4)),
    )
    for line in made.standings:
        assert standings_codec.standing_of(standings_codec.standing(line)) == replace(
            line, history=(), scores=()
        )
    assert made.standings[0].clean_skill not in (None, made.standings[0].skill)
