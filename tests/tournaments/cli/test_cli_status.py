"""`fairdeal tournament status --json` answers the same here and over --server."""

import asyncio
from pathlib import Path

import pytest

from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, Termination
from tests.results import result
from tests.tournaments.conftest import Fairdeal
from tests.tournaments.tournament_under_test import CUP, opened_tournament, remote, written
from tournaments import schedule
from tournaments.cli.wording import status_data
from tournaments.plan.plan import Plan
from tournaments.service import codec
from tournaments.store import Checkpoint, Store

THREE = CUP + remote("a", "b", "c")


def outcome(how: Termination) -> Outcome:
    ranks = (1, 2) if how in (Termination.COMPLETED, Termination.FORFEIT) else ()
    return Outcome(how, ranks, (300, 120), False, (FaultCounts(), FaultCounts()), ())


def played(store: Store, plan: Plan) -> None:
    """Store a result, a void attempt, a match that is left out, and a result that is taken back."""
    first, second, third, fourth, *_ = store.issue(schedule.next(plan, store.issued(), {}))
    store.add(result(first.match_id, outcome(Termination.COMPLETED)))
    store.add(result(second.match_id, outcome(Termination.VOID)))
    store.skip(third)
    store.add(result(fourth.match_id, outcome(Termination.FORFEIT)))
    store.take_back([fourth], "olga", "a slow machine")


@pytest.mark.asyncio
async def test_a_server_says_what_is_said_here(fairdeal: Fairdeal, tmp_path: Path) -> None:
    plan = written(tmp_path, THREE)
    with Store.open(plan) as store:
        played(store, plan)
    async with opened_tournament(tmp_path, plan) as tested:
        sent = codec.tournament(tested.tournament.snapshot()).SerializeToString()
    there = status_data(codec.snapshot_of(codec.pb.Tournament.FromString(sent)))
    here = (await asyncio.to_thread(fairdeal, "tournament", "status", plan.source, "--json")).json
    assert here.pop("folder") == str(plan.folder)
    assert there.pop("folder") is None
    assert here == there
    assert here["played"] == here["skipped"] == here["taken_back"] == 1
    assert here["attempts"] == {"completed": 1, "void": 1}


def test_what_is_counted_while_results_come_is_what_is_stored(tmp_path: Path) -> None:
    plan = written(tmp_path, THREE)
    with Store.open(plan) as store:
        played(store, plan)
        counted = (store.terminations(), store.skipped_count(), store.extent())
    with Store.read(plan) as store:
        assert (store.terminations(), store.skipped_count(), store.extent()) == counted


def test_standings_say_that_an_earlier_version_ranked_otherwise(fairdeal: Fairdeal, tmp_path: Path) -> None:
    plan = written(tmp_path, THREE)
    with Store.open(plan) as store:
        played(store, plan)
        store.keep(Checkpoint(1, "5" * 64, "of version 5"))
    shown = fairdeal("tournament", "standings", plan.source)
    assert shown.err == "standings: 1 result is ranked again, by the rules of this version\n"
