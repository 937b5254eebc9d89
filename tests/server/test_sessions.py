"""How organisers get rid of somebody: a session ended, an entry blocked, a token revoked; over a socket."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairdeal.v1 import play_service_pb2 as play_pb
from fairdeal.v1 import session_service_pb2 as pb
from fairdeal.v1 import session_service_pb2_grpc as pb_grpc
from referee.core.access import Role
from referee.match.effects import MatchSetup
from referee.server.blocked import BlockedFile
from referee.server.play_service import PlayService
from referee.server.session_service import SessionService
from referee.server.tokens import TokenFile
from tests.server.conftest import Caller, RunningServer, Serve
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

REASON = "ENDED_BY_ORGANISER"


class SessionServer:
    """A referee with an organiser and two bots, all by tokens."""

    def __init__(self, served: RunningServer, tokens: dict[str, str]) -> None:
        self.served = served
        self.tokens = tokens

    def caller(self, name: str) -> Caller:
        return self.served.caller(f"Bearer {self.tokens[name]}")

    async def guest(self, name: str, **hello: Any) -> Caller:
        caller = self.caller(name)
        await caller.hello(name, **hello)
        return caller

    async def call(self, rpc: str, request: Any) -> Any:
        """Call as the organiser."""
        metadata = grpc.aio.Metadata(("authorization", f"Bearer {self.tokens['boss']}"))
        async with grpc.aio.insecure_channel(self.served.address) as channel, asyncio.timeout(PATIENCE):
            stub: Any = pb_grpc.SessionServiceStub(channel)
            return await getattr(stub, rpc)(request, metadata=metadata)

    async def refused(self, rpc: str, request: Any) -> tuple[grpc.StatusCode, str]:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await self.call(rpc, request)
        trailing = dict(tuple(caught.value.trailing_metadata() or ()))
        return caught.value.code(), str(trailing["fairdeal-reason"])


@pytest.fixture
def open_server(serve: Serve, tmp_path: Path) -> Callable[..., Any]:
    """Return a function that opens a `SessionServer`, each time a new referee on the same files."""
    roles = {"boss": Role.ORGANISER, "a": Role.BOT, "b": Role.BOT}
    tokens = {name: TokenFile(tmp_path / "tokens.json").add(name, role) for name, role in roles.items()}

    @asynccontextmanager
    async def opened() -> AsyncIterator[SessionServer]:
        blocked = BlockedFile(tmp_path / "blocked.json")
        async with serve(
            access=TokenFile(tmp_path / "tokens.json"),
            blocked=blocked.names,
            services=lambda referee: (PlayService(referee), SessionService(referee, blocked)),
        ) as served:
            yield SessionServer(served, tokens)

    return opened


async def test_an_organiser_sees_who_is_there(open_server: Callable[..., Any]) -> None:
    async with open_server() as running:
        await running.guest("a", instance="left", agent="kit/1")
        await running.caller("b").send(b"")  # no hello: it is over
        silent = running.caller("b")
        await running.served.referee.come(3)
        first, last = (await running.call("ListSessions", pb.ListSessionsRequest())).sessions
        assert first.age.ToMicroseconds() >= last.age.ToMicroseconds() >= 0
        for session in (first, last):
            session.ClearField("age")
        assert first == pb.Session(
            number=1,
            entry="a",
            instance="left",
            peer="127.0.0.1",
            agent="kit/1",
            has_token=True,
            welcomed=True,
        )
        assert last == pb.Session(number=3, entry="b", peer="127.0.0.1", has_token=True)
        page = await running.call("ListSessions", pb.ListSessionsRequest(page_size=1))
        assert [session.number for session in page.sessions] == [1]
        rest = pb.ListSessionsRequest(page_token=page.next_page_token)
        assert [session.number for session in (await running.call("ListSessions", rest)).sessions] == [3]
        silent.call.cancel()


async def test_an_organiser_ends_one_session(
    open_server: Callable[..., Any], setup: Callable[..., MatchSetup]
) -> None:
    async with open_server() as running:
        running.served.referee.play(setup(entries="ab"))
        a, b = await running.guest("a"), await running.guest("b")
        await a.ready()
        await b.ready()
        sessions = (await running.call("ListSessions", pb.ListSessionsRequest())).sessions
        assert {session.entry: session.matches for session in sessions} == {"a": 1, "b": 1}
        number = next(session.number for session in sessions if session.entry == "a")
        await running.call("EndSession", pb.EndSessionRequest(number=number))
        ending = await a.end()
        assert (ending.code, ending.reason) == (grpc.StatusCode.PERMISSION_DENIED, REASON)
        assert ending.text == "an organiser has ended the session"
        again = await running.guest("a")  # and takes its seat again
        await again.until("seated")
        await b.taken()
        assert await running.refused("EndSession", pb.EndSessionRequest(number=number)) == (
            grpc.StatusCode.NOT_FOUND,
            "SESSION_NOT_FOUND",
        )


async def test_a_blocked_entry_is_out_at_once_and_after_a_restart(
    open_server: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.server.runtime._REVIEW", 1 << 62)  # nothing but the call sends anybody away
    async with open_server() as running:
        a, other, b = (
            await running.guest("a"),
            await running.guest("a", instance="2"),
            await running.guest("b"),
        )
        answer = await running.call("BlockEntry", pb.BlockEntryRequest(entry="a"))
        assert answer.ended == 2
        assert [session.entry for session in running.served.referee.core.sessions.present] == ["b"]
        for ended in (await a.end(), await other.end(), await running.caller("a").end()):
            assert (ended.code, ended.reason) == (grpc.StatusCode.PERMISSION_DENIED, REASON)
            assert ended.text == "an organiser has blocked the entry a; ask them why"
        assert (await running.call("BlockEntry", pb.BlockEntryRequest(entry="a"))).ended == 0
        await b.taken()
    async with open_server() as running:
        assert (await running.caller("a").end()).reason == REASON
        await running.guest("b")
        listed = await running.call("ListBlockedEntries", pb.ListBlockedEntriesRequest())
        assert listed.entries == ["a"]
        await running.call("UnblockEntry", pb.UnblockEntryRequest(entry="a"))
        await running.guest("a")
        assert await running.refused("UnblockEntry", pb.UnblockEntryRequest(entry="a")) == (
            grpc.StatusCode.NOT_FOUND,
            "ENTRY_NOT_FOUND",
        )


@pytest.mark.parametrize("name", ["", "x" * 201, "a\n"])
async def test_what_no_entry_is_called_is_not_blocked(open_server: Callable[..., Any], name: str) -> None:
    async with open_server() as running:
        assert await running.refused("BlockEntry", pb.BlockEntryRequest(entry=name)) == (
            grpc.StatusCode.INVALID_ARGUMENT,
            "BAD_REQUEST",
        )


async def test_what_another_process_blocks_is_out_within_a_second(
    open_server: Callable[..., Any], tmp_path: Path
) -> None:
    async with open_server() as running:
        a, b = await running.guest("a"), await running.guest("b")
        BlockedFile(tmp_path / "blocked.json").add("a")
        assert (await a.end()).reason == REASON
        await b.taken()
        BlockedFile(tmp_path / "blocked.json").remove("a")
        await running.guest("a")


async def test_a_blocked_name_is_out_where_nobody_has_a_token(serve: Serve, tmp_path: Path) -> None:
    blocked = BlockedFile(tmp_path / "blocked.json")
    async with serve(blocked=blocked.names) as served:
        guest = await served.guest("a")
        blocked.add("a")
        assert (await guest.end()).reason == REASON
        late = served.caller()
        await late.say(hello=play_pb.Hello(versions=[1], entry="a"))
        assert (await late.end()).reason == REASON
        await served.guest("b")


@pytest.mark.parametrize("change", [TokenFile.revoke, TokenFile.renew])
async def test_a_token_that_is_taken_back_ends_its_sessions(
    open_server: Callable[..., Any], tmp_path: Path, change: Callable[[TokenFile, str], Any]
) -> None:
    async with open_server() as running:
        silent, a, b = running.caller("a"), await running.guest("a"), await running.guest("b")
        change(TokenFile(tmp_path / "tokens.json"), "a")  # in another process
        for ended in (await a.end(), await silent.end()):
            assert (ended.code, ended.reason) == (grpc.StatusCode.UNAUTHENTICATED, "MISSING_TOKEN")
            assert ended.text == "the token is not valid any more: it was revoked, or renewed"
        await b.taken()


async def test_a_broken_file_blocks_whom_it_blocked_before(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "blocked.json"
    blocked = BlockedFile(path)
    blocked.add("a")
    assert blocked.names() == {"a"}
    path.write_text("[]")
    assert [blocked.names() for _ in range(3)] == [{"a"}] * 3
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}: is not a file of blocked entries; put back a copy, or remove it and block them again;"
        " until then the earlier list stays in force"
    ]
