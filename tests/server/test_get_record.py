"""Who gets the record of a match, and when: nobody else learns of its cards, or that there is one."""

import asyncio
import gzip
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, Final

import grpc
import pytest

from fairdeal.v1 import match_service_pb2 as pb
from referee.core.access import Tokens, Trusting, token_digest
from referee.games.registry import GAMES
from referee.match.effects import MatchSetup
from referee.server import played
from referee.server.match_service import MatchService
from referee.server.play_service import PlayService
from referee.storage import record_files
from referee.verify import past, seen_by
from tests.server.conftest import RunningServer, Serve, Setup
from tests.server.kept_records import keep
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

NAMES: Final = ("a", "b", "c", "boss")
ACCESS: Final = Tokens({name: token_digest(f"tok-{name}") for name in NAMES}, organisers=["boss"])
UNKNOWN: Final = ("MATCH_NOT_FOUND", "there is no record of such a match in which this entry sat")
TOO_EARLY: Final = ("WRONG_STATE", "this match is being played: its record is sent when it is over")
OPEN: Final = (
    "WRONG_STATE",
    "other matches are still to be played with the same deals: the record is sent when all of them are over;"
    " name an entry for what it knew",
)
NO_TOURNAMENT: Final = played.NoTournaments()

Open = Callable[..., AbstractAsyncContextManager[RunningServer]]


class Sets:
    """Knows which decks are still to be played, and of no hosted bots."""

    def __init__(self, *still_open: str) -> None:
        self._still_open = still_open

    def sat_in(self, match_id: str, entry: str) -> bool:
        return entry != "b"

    def is_open(self, match_id: str, epoch: str) -> bool:
        return epoch in self._still_open

    def over(self, entry: str, size: int, after: str) -> tuple[list[MatchSetup], str]:
        return [replace(MATCH[0], match_id=f"{entry}:{size}:{after}")], "next"


MATCH: Final[list[MatchSetup]] = []


@pytest.fixture
def open_desk(serve: Serve) -> Open:
    """Return a function that serves a referee that wants tokens."""

    def opened(known: Any = None, **options: Any) -> AbstractAsyncContextManager[RunningServer]:
        def services(referee: Any) -> tuple[Any, ...]:
            return PlayService(referee), MatchService(referee, known)

        return serve(**{"access": ACCESS, **options}, services=services)

    return opened


def call(served: RunningServer, channel: Any, rpc: str, request: Any, token: str) -> Any:
    start = channel.unary_stream if rpc == "GetRecord" else channel.unary_unary
    metadata = grpc.aio.Metadata(("authorization", f"Bearer tok-{token}")) if token else None
    return start(f"/fairdeal.v1.MatchService/{rpc}")(request.SerializeToString(), metadata=metadata)


async def parts(served: RunningServer, token: str, **fields: Any) -> list[pb.GetRecordResponse]:
    async with grpc.aio.insecure_channel(served.address) as channel, asyncio.timeout(PATIENCE):
        stream = call(served, channel, "GetRecord", pb.GetRecordRequest(**fields), token)
        return [pb.GetRecordResponse.FromString(data) async for data in stream]


async def refused(served: RunningServer, token: str, **fields: Any) -> tuple[str, str]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await parts(served, token, **fields)
    trailing = dict(tuple(caught.value.trailing_metadata() or ()))
    return str(trailing["fairdeal-reason"]), caught.value.details() or ""


async def cancelled(served: RunningServer, setup: MatchSetup) -> bytes:
    """Play a match that is cancelled at once, and return its record."""
    over = served.referee.play(setup)
    served.referee.cancel(setup.match_id)
    return (await over).path.read_bytes()


async def listed(served: RunningServer, token: str, **fields: Any) -> pb.ListMatchesResponse:
    async with grpc.aio.insecure_channel(served.address) as channel, asyncio.timeout(PATIENCE):
        answer = await call(served, channel, "ListMatches", pb.ListMatchesRequest(**fields), token)
        return pb.ListMatchesResponse.FromString(answer)


# Who


@pytest.mark.parametrize(("token", "entry"), [("a", "a"), ("b", "b"), ("boss", ""), ("boss", "a")])
async def test_who_sat_in_a_match_gets_its_record_and_so_do_organisers(
    open_desk: Open, setup: Setup, monkeypatch: pytest.MonkeyPatch, token: str, entry: str
) -> None:
    monkeypatch.setattr(played, "PART", 100)
    async with open_desk() as served:
        data = keep(served.referee.records, setup())
        answers = await parts(served, token, match_id="m-1", entry=entry)
    assert b"".join(each.data for each in answers) == data
    assert {each.attempt for each in answers} == {1}
    assert len(answers) > 2
    assert max(len(each.data) for each in answers) == 100


@pytest.mark.parametrize("match_id", ["m-1", "m-9"])
@pytest.mark.parametrize(
    ("token", "entry", "refusal"),
    [
        ("c", "c", UNKNOWN),
        ("boss", "c", UNKNOWN),
        ("c", "a", ("WRONG_SEAT", "the token is not this entry's")),
        ("a", "b", ("WRONG_SEAT", "the token is not this entry's")),
        ("a", "", ("WRONG_ROLE", "")),
        ("boss2", "a", ("MISSING_TOKEN", "")),
        ("", "a", ("MISSING_TOKEN", "")),
        ("", "", ("MISSING_TOKEN", "")),
    ],
)
@pytest.mark.parametrize("is_played", [False, True])
async def test_others_cannot_tell_whether_there_is_such_a_match(
    open_desk: Open,
    setup: Setup,
    match_id: str,
    token: str,
    entry: str,
    refusal: tuple[str, str],
    is_played: bool,
) -> None:
    async with open_desk() as served:
        if is_played:
            served.referee.play(setup())
        else:
            keep(served.referee.records, setup())
        reason, text = await refused(served, token, match_id=match_id, entry=entry)
    assert reason == refusal[0]
    assert text.startswith(refusal[1])


async def test_where_nobody_is_an_organiser_nobody_gets_all(open_desk: Open, setup: Setup) -> None:
    async with open_desk(access=Trusting(organisers=False)) as served:
        keep(served.referee.records, setup())
        assert (await refused(served, "", match_id="m-1"))[0] == "WRONG_ROLE"
        assert await refused(served, "", match_id="m-1", entry="c") == UNKNOWN
        assert await parts(served, "", match_id="m-1", entry="a")


async def test_another_bot_of_the_same_name_did_not_sit_in_the_match(open_desk: Open, setup: Setup) -> None:
    async with open_desk(Sets()) as served:
        keep(served.referee.records, setup())
        assert await refused(served, "b", match_id="m-1", entry="b") == UNKNOWN
        assert await parts(served, "a", match_id="m-1", entry="a")


# When


async def test_a_match_that_is_played_has_to_be_over(open_desk: Open, setup: Setup) -> None:
    async with open_desk() as served:
        keep(served.referee.records, setup())
        over = served.referee.play(replace(setup(), attempt=2))
        for token, entry in (("a", "a"), ("boss", "")):
            assert await refused(served, token, match_id="m-1", entry=entry) == TOO_EARLY
            assert await refused(served, token, match_id="m-1", attempt=2, entry=entry) == TOO_EARLY
            assert (await parts(served, token, match_id="m-1", attempt=1, entry=entry))[0].attempt == 1
        served.referee.cancel("m-1")
        report = await over
        (answer,) = await parts(served, "a", match_id="m-1", entry="a")
        assert (answer.attempt, answer.data) == (2, report.path.read_bytes())


async def test_a_record_that_is_being_written_is_not_missing(open_desk: Open, setup: Setup) -> None:
    async with open_desk() as served:
        served.referee._writer.being_written["m-1", 1] = setup()
        assert await refused(served, "a", match_id="m-1", entry="a") == TOO_EARLY
        assert await refused(served, "c", match_id="m-1", entry="c") == UNKNOWN


async def test_records_that_were_written_are_not_counted_as_unwritten(open_desk: Open, setup: Setup) -> None:
    async with open_desk() as served:
        over = served.referee.play(setup())
        served.referee.cancel("m-1")
        assert served.referee.being_written.keys() == {("m-1", 1)}
        await over
        assert served.referee.being_written == {}


@pytest.mark.parametrize(
    ("known", "playing", "is_open"),
    [
        (None, "", True),  # nobody knows of these decks
        (NO_TOURNAMENT, "", True),
        (Sets("m.1"), "", True),
        (Sets("m.2"), "", False),
        (Sets(), "m.1", True),  # a last turn, whose set is dealt anew
        (Sets(), "m.2", False),
    ],
)
async def test_of_shared_decks_a_seat_knows_what_it_knew_until_nobody_is_to_play_them(
    open_desk: Open, setup: Setup, known: Any, playing: str, is_open: bool
) -> None:
    async with open_desk(known) as served:
        whole = await cancelled(served, replace(setup(match_id="m~1"), epoch="m.1"))
        if playing:
            served.referee.play(replace(setup(match_id="m~2"), epoch=playing))
        for token in ("a", "boss"):
            answers = await parts(served, token, match_id="m~1", entry="a")
            assert {each.view for each in answers} == {is_open}
            data = b"".join(each.data for each in answers)
            if is_open:
                view = seen_by(past(whole), 0)
                assert list(map(json.loads, gzip.decompress(data).splitlines())) == [view.header, *view.lines]
                assert view.lines[-1]["type"] == "outcome"
            else:
                assert data == whole
        if is_open:
            assert await refused(served, "boss", match_id="m~1") == OPEN
        else:
            assert (await parts(served, "boss", match_id="m~1"))[0].data == whole
        assert await refused(served, "c", match_id="m~1", entry="c") == UNKNOWN


async def test_each_seat_gets_its_own_view_in_parts(
    open_desk: Open, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(played, "PART", 100)
    async with open_desk(Sets("m.1")) as served:
        await cancelled(served, replace(setup(match_id="m~1", entries="ac"), epoch="m.1"))
        for seat, entry in enumerate("ac"):
            answers = await parts(served, entry, match_id="m~1", entry=entry)
            assert max(len(each.data) for each in answers) == 100
            header, *_ = gzip.decompress(b"".join(each.data for each in answers)).splitlines()
            assert json.loads(header)["seat"] == seat


async def test_a_match_of_other_rules_is_not_played_again_for_a_view(
    open_desk: Open, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_desk(Sets("m.1")) as served:
        await cancelled(served, replace(setup(match_id="m~1"), epoch="m.1"))
        monkeypatch.setattr(type(GAMES[setup().game]), "rules_version", 99)
        reason, text = await refused(served, "a", match_id="m~1", entry="a")
    assert reason == "WRONG_STATE"
    assert text.startswith("the match was played by other rules than this referee has")


# What


async def test_the_last_attempt_is_meant_unless_another_one_is_named(open_desk: Open, setup: Setup) -> None:
    async with open_desk() as served:
        for attempt in (1, 2, 4):
            keep(served.referee.records, replace(setup(), attempt=attempt))
        for asked, sent in ((0, 4), (1, 1), (2, 2), (4, 4)):
            answers = await parts(served, "a", match_id="m-1", attempt=asked, entry="a")
            assert {each.attempt for each in answers} == {sent}
        assert await refused(served, "a", match_id="m-1", attempt=3, entry="a") == UNKNOWN
        assert await refused(served, "a", match_id="m-1", attempt=2**32 - 1, entry="a") == UNKNOWN


NOT_IDS: Final = ("", ".", "..", "m-1/", "m-1.1", "m-1\0", "m-1\n", "m*", "é", "m" * 300)
PATHS: Final = ("../m-1", "x/../m-1", "/m-1", "../outside", "../records/m-1", ".hidden")


@pytest.mark.parametrize("match_id", [*NOT_IDS, *PATHS])
async def test_an_id_is_never_a_path(open_desk: Open, setup: Setup, match_id: str) -> None:
    async with open_desk(Sets()) as served:
        records = served.referee.records
        keep(records, setup())
        # such a file would be taken for the record of a match with such an id
        for name in PATHS[3:]:
            keep(records, replace(setup(match_id=name), epoch="e"), file=records / f"{name}.1.jsonl.gz")
        for attempt in (0, 1):
            assert await refused(served, "boss", match_id=match_id, attempt=attempt) == UNKNOWN
            assert await refused(served, "a", match_id=match_id, attempt=attempt, entry="a") == UNKNOWN


@pytest.mark.parametrize("damage", ["cut", "text", "empty", "another"])
async def test_what_is_no_record_of_the_match_is_not_sent(open_desk: Open, setup: Setup, damage: str) -> None:
    async with open_desk() as served:
        path = record_files.path_of(served.referee.records, "m-1", 1)
        data = keep(served.referee.records, setup(match_id="m-2"), file=path)
        if damage != "another":
            path.write_bytes({"cut": data[:30], "text": b"{}\n", "empty": b""}[damage])
        for token, entry in (("a", "a"), ("boss", "")):
            assert await refused(served, token, match_id="m-1", entry=entry) == UNKNOWN


# Listing


async def test_a_bot_sees_the_matches_of_its_entry(open_desk: Open, setup: Setup) -> None:
    async with open_desk() as served:
        served.referee.play(setup(entries="ab"))
        served.referee.play(setup(match_id="m-2", entries="bc"))
        for token, entry, ids in (
            ("a", "a", ["m-1"]),
            ("boss", "b", ["m-1", "m-2"]),
            ("boss", "", ["m-1", "m-2"]),
        ):
            found = await listed(served, token, entry=entry)
            assert [match.match_id for match in found.matches] == ids
        for entry in ("", "b"):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await listed(served, "a", entry=entry)
            assert caught.value.code() is grpc.StatusCode.PERMISSION_DENIED


async def test_matches_that_are_over_are_listed_as_tournaments_know_them(
    open_desk: Open, setup: Setup
) -> None:
    MATCH[:] = [setup(deals=3)]
    async with open_desk(Sets()) as served:
        for size in (0, 1_000):
            found = await listed(served, "a", entry="a", over=True, page_size=size, page_token="on")
            (match,) = found.matches
            assert (match.match_id, match.deals, found.next_page_token) == ("a:50:on", 3, "next")


async def test_without_tournaments_what_is_over_is_not_listed(open_desk: Open) -> None:
    async with open_desk() as served:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await listed(served, "a", entry="a", over=True)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert (caught.value.details() or "").startswith("over: this referee keeps no list")
