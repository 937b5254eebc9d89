"""What organisers see of the matches being played, and how they end one."""

import asyncio
from typing import Any, Final

import grpc
import pytest

from fairdeal.v1 import match_service_pb2 as pb
from fairdeal.v1 import play_service_pb2 as play_pb
from referee.games.registry import GAMES
from referee.match.faults import Termination
from referee.server import match_service
from referee.storage import record
from tests.server.conftest import Serve, Setup
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

SERVICE: Final = "/fairdeal.v1.MatchService"


async def list_matches(served: Any, **fields: Any) -> pb.ListMatchesResponse:
    return pb.ListMatchesResponse.FromString(
        await ask(served, "ListMatches", pb.ListMatchesRequest(**fields).SerializeToString())
    )


async def cancel(served: Any, match_id: str) -> pb.CancelMatchResponse:
    request = pb.CancelMatchRequest(match_id=match_id).SerializeToString()
    return pb.CancelMatchResponse.FromString(await ask(served, "CancelMatch", request))


async def ask(served: Any, method: str, data: bytes) -> bytes:
    async with grpc.aio.insecure_channel(served.address) as channel, asyncio.timeout(PATIENCE):
        call: Any = channel.unary_unary(f"{SERVICE}/{method}")
        answer: bytes = await call(data)
        return answer


# Listing


async def test_a_match_is_listed_as_it_was_set_up(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        assert await list_matches(served) == pb.ListMatchesResponse()
        served.referee.play(setup("hearts", "m-2", entries="dcba", deals=3))
        served.referee.play(setup("piquet", "m-1", entries="xy", deals=None))
        response = await list_matches(served)
    assert response == pb.ListMatchesResponse(
        matches=[
            pb.Match(match_id="m-1", attempt=1, game="piquet", entries=["x", "y"], deals=0),
            pb.Match(match_id="m-2", attempt=1, game="hearts", entries=["d", "c", "b", "a"], deals=3),
        ]
    )


@pytest.mark.parametrize("game", GAMES)
async def test_a_listed_match_tells_the_same_whatever_was_played(
    serve: Serve, setup: Setup, game: str
) -> None:
    async with serve() as served:
        match = setup(game)
        served.referee.play(match)
        before = await list_matches(served)
        guests = [await served.guest(entry, events=True) for entry in match.entries]
        for guest in guests:
            await guest.ready()
        for guest in guests:
            await guest.until("happened")  # the cards are dealt
        assert await list_matches(served) == before


@pytest.mark.parametrize("limit", ["asked for", "the referee's own"])
async def test_matches_come_in_pages(
    serve: Serve, setup: Setup, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    size = 2 if limit == "asked for" else 0
    monkeypatch.setattr(match_service, "PAGE_SIZE", 50 if size else 2)
    ids = [f"m-{number}" for number in range(5)]
    pages: list[list[str]] = []
    async with serve() as served:
        for match_id in reversed(ids):
            served.referee.play(setup(match_id=match_id))
        token = ""
        while not pages or token:
            response = await list_matches(served, page_size=size, page_token=token)
            pages.append([match.match_id for match in response.matches])
            token = response.next_page_token
    assert pages == [ids[:2], ids[2:4], ids[4:]]


async def test_a_page_goes_on_although_its_token_is_no_match_any_more(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        for number in range(3):
            served.referee.play(setup(match_id=f"m-{number}"))
        token = (await list_matches(served, page_size=1)).next_page_token
        await cancel(served, "m-0")
        response = await list_matches(served, page_token=token)
    assert [match.match_id for match in response.matches] == ["m-1", "m-2"]


async def test_no_page_is_larger_than_the_referee_bears(
    serve: Serve, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_service, "PAGE_SIZE", 1)
    async with serve() as served:
        for number in range(2):
            served.referee.play(setup(match_id=f"m-{number}"))
        assert len((await list_matches(served, page_size=1_000)).matches) == 1


# Cancelling


async def test_a_cancelled_match_has_no_result_and_leaves_a_record(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        match, other = served.referee.play(setup()), served.referee.play(setup(match_id="m-2"))
        guests = [await served.guest(entry) for entry in "ab"]
        for guest in guests:
            await guest.ready(2)
        assert await cancel(served, "m-1") == pb.CancelMatchResponse()
        report = await match
        for guest in guests:
            finished = await guest.until("finished")
            assert finished.match_id == "m-1"
            assert finished.termination == play_pb.TERMINATION_CANCELLED
        assert [found.match_id for found in (await list_matches(served)).matches] == ["m-2"]
        assert not other.done()
    assert (report.outcome.termination, report.outcome.ranks) == (Termination.CANCELLED, ())
    assert record.read(report.path).lines[-2]["termination"] == "cancelled"


@pytest.mark.parametrize("match_id", ["m-9", "", "m-1 ", "m-1"])
async def test_a_match_that_is_not_being_played_is_not_found(
    serve: Serve, setup: Setup, match_id: str
) -> None:
    async with serve() as served:
        served.referee.play(setup(match_id="m-2"))
        served.referee.play(setup())
        await cancel(served, "m-1")  # from now on it is over
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await cancel(served, match_id)
        assert [setup.match_id for setup in served.referee.core.matches.setups] == ["m-2"]
    error = caught.value
    assert (error.code(), error.details()) == (
        grpc.StatusCode.NOT_FOUND,
        "no match of this id is being played",
    )
    trailing = dict(tuple(error.trailing_metadata()))
    assert trailing["fairdeal-reason"] == "MATCH_NOT_FOUND"
    assert len(trailing["fairdeal-incident"]) == 8
