"""What is told of a tournament while a duplicate set is open does not depend on how its turns have ended."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from referee.core.steps import at_once
from referee.match.effects import Outcome
from tests.results import result, turn
from tests.sample_report import plan
from tournaments import schedule
from tournaments.plan.plan import Format, Plan
from tournaments.report import export, match_list
from tournaments.running.status import looking
from tournaments.running.watch import Snapshot
from tournaments.service import codec
from tournaments.standings import Live
from tournaments.store import Store
from tournaments.store.told import as_told, matches_as_told, played_count

FORMATS: Final = [Format.ROUND_ROBIN, Format.GAUNTLET, Format.SWISS, Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT]
ENDS: Final = [
    turn(90, 10),
    turn(10, 90),
    turn(5, 5),
    turn(40, 0, forfeited=(1,)),
    turn(0, 0, forfeited=(0, 1)),
]


def told_of(of: Plan, ends: list[Outcome]) -> Any:
    """Return all that is told when the first set is over and some turns of others have ended so."""
    with Store.open(of) as store:
        store.issue(tuple(schedule.next(of, set(), {})))
        first, second, *others = store.to_do()
        for each, how in zip((first, second, *others[::2]), (turn(9, 1), turn(7, 2), *ends), strict=False):
            assert store.add(result(each.match_id, how))
        snapshot: Snapshot = at_once(looking(of, store, playing=0, is_running=True))
        return (
            codec.tournament(snapshot).SerializeToString(),
            export.as_json(Live(store, of).report()),
            [match_list.as_data(of, each) for each in as_told(of, store.attempts())],
            list(matches_as_told(of, store)),
            played_count(of, store),
            list(schedule.next(of, store.issued(), store.ranks())),
        )


@pytest.mark.parametrize("form", FORMATS)
def test_how_turns_of_open_sets_have_ended_changes_nothing_that_is_told(tmp_path: Path, form: Format) -> None:
    of = plan("abcd", "piquet", deals=1, duplicate=True, format=form, rounds=2)
    of = replace(of, challenger="a" if form is Format.GAUNTLET else None)
    told = [told_of(replace(of, folder=tmp_path / str(number)), [how]) for number, how in enumerate(ENDS)]
    assert all(each == told[0] for each in told)
    assert told[0][4] == 2
