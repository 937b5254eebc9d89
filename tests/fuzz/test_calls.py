"""Wrong requests through gRPC itself: each ends as it may, with a constant text, and tells nothing."""

import asyncio
import os
import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

import grpc
import pytest

from fairdeal.testing import ServedReferee
from fairdeal.v1 import match_service_pb2 as match_pb
from referee.match.messages import Reason
from tests.choices import Choices
from tests.fuzz import texts
from tests.fuzz.attack import record
from tests.fuzz.http2 import PLAY
from tests.fuzz.mutate import mutate

pytestmark = pytest.mark.asyncio

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
CALLS: Final = 4_000 if LONG else 150

SERVICE: Final = "/fairdeal.v1.MatchService/"
REQUESTS: Final[tuple[tuple[str, Any, Any], ...]] = (
    ("ListGames", match_pb.ListGamesRequest(page_size=2, page_token="hearts"), match_pb.ListGamesResponse),
    (
        "ListMatches",
        match_pb.ListMatchesRequest(page_size=1, page_token="m", entry="a", over=False),
        match_pb.ListMatchesResponse,
    ),
    (
        "GetRecord",
        match_pb.GetRecordRequest(match_id="no-such", attempt=1, entry="a"),
        match_pb.GetRecordResponse,
    ),
    ("WatchMatch", match_pb.WatchMatchRequest(match_id="no-such"), match_pb.WatchMatchResponse),
    ("CancelMatch", match_pb.CancelMatchRequest(match_id="no-such"), match_pb.CancelMatchResponse),
)
REFUSALS: Final = {
    "PROTOCOL_VIOLATION": re.compile(r"this is not a request to /fairdeal\.v1\.MatchService/[A-Za-z]+"),
    "BAD_REQUEST": re.compile("over: this referee keeps no list .*"),
    "MATCH_NOT_FOUND": re.compile(
        "no match of this id is being played|there is no (record of such a match .*|match of this id)"
    ),
}
CODES: Final = {
    "PROTOCOL_VIOLATION": "INVALID_ARGUMENT",
    "BAD_REQUEST": "INVALID_ARGUMENT",
    "MATCH_NOT_FOUND": "NOT_FOUND",
}


def reason_of(error: grpc.aio.AioRpcError) -> str:
    return dict(tuple(error.trailing_metadata() or ())).get("fairdeal-reason", "")


@pytest.mark.parametrize(("name", "request_", "response"), REQUESTS, ids=[name for name, *_ in REQUESTS])
async def test_wrong_requests_are_answered_or_refused(
    attack: Callable[..., AbstractAsyncContextManager[ServedReferee]], name: str, request_: Any, response: Any
) -> None:
    right = request_.SerializeToString()
    seen: set[str] = set()
    async with attack() as served, grpc.aio.insecure_channel(served.address) as channel:
        ask: Any = channel.unary_unary(SERVICE + name)
        for number in range(CALLS):
            chance = Choices(name, number)
            data = mutate(right, right, chance, request_.DESCRIPTOR)
            try:
                response.FromString(await ask(data))
            except grpc.aio.AioRpcError as error:
                reason = reason_of(error)
                assert REFUSALS[reason].fullmatch(error.details() or ""), (error.details(), data.hex())
                assert error.code().name == CODES[reason]
                seen.add(error.code().name)
            else:
                seen.add("OK")
    assert {
        "INVALID_ARGUMENT",
        "NOT_FOUND" if name in ("CancelMatch", "GetRecord", "WatchMatch") else "OK",
    } <= seen


async def test_wrong_frames_on_a_stream_end_it_or_do_not(
    attack: Callable[..., AbstractAsyncContextManager[ServedReferee]],
) -> None:
    recorded = record("two_handed_spades")
    (hello,) = (frame for frame in recorded if b"test/1" in frame)
    seen: set[str] = set()
    async with attack() as served, grpc.aio.insecure_channel(served.address) as channel:
        play: Any = channel.stream_stream(PLAY)
        for number in range(CALLS):
            chance = Choices("stream", number)
            call = play()
            try:
                await call.write(hello if chance.below(4) else mutate(hello, chance.one(recorded), chance))
                await call.write(mutate(chance.one(recorded), chance.one(recorded), chance))
                await call.done_writing()
                while await call.read() is not grpc.aio.EOF:
                    pass
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                pass  # a stream that has ended, or had when we were about to write; the call says how
            code, details = await call.code(), await call.details()
            seen.add(code.name)
            if code is not grpc.StatusCode.OK:
                if details.startswith(("Internal error from Core", "Received RST_STREAM")):
                    continue  # so older clients of gRPC, when they were writing just then
                metadata = dict(tuple(await call.trailing_metadata() or ()))
                assert texts.is_end(details), (details, number)
                assert metadata["fairdeal-reason"] in Reason.__members__
    assert {"OK", "INVALID_ARGUMENT"} <= seen
