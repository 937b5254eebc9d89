"""Who may pause entries and take them back, over a real wire, and what a broken store tells to whom."""

from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from fairdeal.v1 import tournament_service_pb2 as pb
from referee.core.access import Access, Trusting
from tests.tournaments.manager_server import CUP, opened
from tournaments.running.access import Admission
from tournaments.store import StoreError

pytestmark = pytest.mark.asyncio

STATES: Final = (pb.ENTRY_STATE_ACTIVE, pb.ENTRY_STATE_PAUSED, pb.ENTRY_STATE_LEFT)


def believing(tokens: Access) -> Access:
    """Return what one tournament on loopback asks of bots while no token is given out."""
    return Admission(Trusting(organisers=False))


async def test_a_stranger_changes_no_entry(tmp_path: Path) -> None:
    async with opened(tmp_path, access=believing) as (served, call):
        cup = served.cup()
        for token in (None, "nonsense"):
            call.token = token
            for entry in ("a", "b", "c", "d", "x"):
                for state in STATES:
                    refused = await call.refused("SetEntryState", tournament="cup", entry=entry, state=state)
                    assert refused[0] == "MISSING_TOKEN"
        assert cup.calls == []


async def test_a_bot_of_one_tournament_changes_nothing_hosted_in_another(tmp_path: Path) -> None:
    admissions: list[Admission] = []

    def admitting(tokens: Access) -> Access:
        admissions.append(Admission(tokens))
        return admissions[0]

    async with opened(tmp_path, access=admitting) as (served, call):
        near = served.cup(CUP.replace('"c"', '"greedy"'), "near")
        far = served.cup(CUP.replace('"a"', '"greedy"'), "far")
        hosted = admissions[0].token_for(("greedy", "near"))
        remote = (await call("RegisterEntry", tournament="far", entry="greedy")).token
        left = {"entry": "greedy", "state": pb.ENTRY_STATE_LEFT}
        call.token = remote
        refused = await call.refused("SetEntryState", tournament="near", **left)
        told = "greedy is hosted by the referee: organisers say whether it is paired"
        assert refused == ("WRONG_ROLE", told)
        call.token = hosted
        for name in ("near", "far"):
            assert (await call.refused("SetEntryState", tournament=name, **left))[0] == "WRONG_SEAT"
        assert (near.calls, far.calls) == ([], [])
        call.token = remote
        assert (await call("SetEntryState", tournament="far", **left)).entry.state == pb.ENTRY_STATE_LEFT
        assert (near.calls, far.calls) == ([], ["greedy left"])


async def test_a_hosted_bot_does_not_pause_itself(tmp_path: Path) -> None:
    admissions: list[Admission] = []

    def admitting(tokens: Access) -> Access:
        admissions.append(Admission(tokens))
        return admissions[0]

    async with opened(tmp_path, access=admitting) as (served, call):
        cup = served.cup()
        call.token = admissions[0].token_for(("c", ""))
        paused = {"tournament": "cup", "entry": "c", "state": pb.ENTRY_STATE_PAUSED}
        assert (await call.refused("SetEntryState", **paused))[0] == "MISSING_TOKEN"
        assert cup.calls == []


async def test_who_was_removed_does_not_come_back_by_itself(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        fields = {"tournament": "cup", "entry": "a"}
        bot = (await call("RegisterEntry", **fields)).token
        await call("SetEntryState", **fields, state=pb.ENTRY_STATE_LEFT)
        call.token = bot
        for state in (pb.ENTRY_STATE_ACTIVE, pb.ENTRY_STATE_PAUSED):
            refused = await call.refused("SetEntryState", **fields, state=state)
            assert refused == ("WRONG_ROLE", "a has left: organisers can take it back")
        call.token = served.boss
        await call("SetEntryState", **fields, state=pb.ENTRY_STATE_ACTIVE)
        assert cup.calls == ["a left", "a active"]


async def test_a_bot_that_says_too_often_whether_it_is_paired_is_told_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        call.token = (await call("RegisterEntry", tournament="cup", entry="a")).token
        for number in range(12):
            state = (pb.ENTRY_STATE_PAUSED, pb.ENTRY_STATE_ACTIVE)[number % 2]
            await call("SetEntryState", tournament="cup", entry="a", state=state)
        error = await call.error("SetEntryState", tournament="cup", entry="a", state=pb.ENTRY_STATE_PAUSED)
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert dict(tuple(error.trailing_metadata()))["fairdeal-reason"] == "RATE_LIMITED"
        assert (
            error.details() == "a bot may say whether it is paired 6 times a minute at most; wait 10 seconds"
        )
        assert len(cup.calls) == 12


# A store that fails

TEXT: Final = "/srv/secret/store.sqlite: cannot be used as a store (disk I/O error): free the disk"
BROKEN: Final = "the server's store failed; its operator has to repair it"


@pytest.mark.parametrize(
    ("rpc", "fields", "who"),
    [
        ("GetTournament", {"tournament": "cup"}, "stranger"),
        ("ListTournaments", {}, "stranger"),
        ("ListStandings", {"tournament": "cup"}, "stranger"),
        ("SetEntryState", {"tournament": "cup", "entry": "a", "state": pb.ENTRY_STATE_PAUSED}, "bot"),
    ],
)
async def test_where_the_store_is_goes_to_the_log_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, rpc: str, fields: dict[str, Any], who: str
) -> None:
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        bot = (await call("RegisterEntry", tournament="cup", entry="a")).token
        call.token = bot if who == "bot" else None
        cup.store.failing = StoreError(TEXT)
        assert await call.refused(rpc, **fields) == ("INTERNAL", BROKEN)
    own = [record for record in caplog.records if record.name == "referee.tournaments"]
    assert [(record.getMessage(), record.event) for record in own] == [(TEXT, "tournament_broken")]


async def test_a_watcher_is_not_told_where_the_store_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        served.cup().store.failing = StoreError(TEXT)
        with pytest.raises(Exception, match="the server's store failed") as caught:
            await anext(aiter(call.watch()))
    assert "/srv" not in str(caught.value)


async def test_an_organiser_is_told_where_the_store_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        served.cup().store.failing = StoreError(TEXT)
        assert await call.refused("RegisterEntry", tournament="cup", entry="a") == ("INTERNAL", TEXT)
