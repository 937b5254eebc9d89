"""The address and the services around the games: what is told, what is refused, what happens at the end."""

import asyncio
import socket
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from fairdeal.v1 import match_service_pb2 as match_pb
from fairdeal.v1 import play_service_pb2 as pb
from referee.games.registry import GAMES
from referee.server import listen, match_service
from referee.server.addresses import CannotListen
from referee.server.play_service import PlayService
from referee.server.status import refuse
from tests.server.conftest import Serve, Setup

pytestmark = pytest.mark.asyncio
Health = health_pb2.HealthCheckResponse

# Addresses


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_port_0_is_a_free_port(serve: Serve, host: str) -> None:
    async with serve(address=f"{host}:0") as served:
        bound_host, _, port = served.address.rpartition(":")
        assert bound_host == host
        assert 0 < int(port) < 65536
        await served.guest("a")


async def test_a_unix_socket_is_an_address(serve: Serve, tmp_path: Path) -> None:
    async with serve(address=f"unix:{tmp_path}/s") as served:
        assert served.address == f"unix:{tmp_path}/s"
        await served.guest("a")


async def test_a_socket_that_a_dead_server_left_is_replaced(serve: Serve, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(f"{tmp_path}/s")
    async with serve(address=f"unix:{tmp_path}/s") as served:
        await served.guest("a")


@pytest.mark.parametrize("address", ["127.0.0.1:0", "localhost:0", "unix:{}/s"])
async def test_an_address_is_never_shared(
    serve: Serve, tmp_path: Path, capfd: pytest.CaptureFixture[str], address: str
) -> None:
    async with serve(address=address.format(tmp_path)) as served:
        with pytest.raises(CannotListen) as caught:
            async with serve(address=served.address):
                pass
        assert str(caught.value).startswith(f"cannot listen on {served.address}: Address already in use; ")
        await served.guest("a")  # the first server is still the one that answers
    assert capfd.readouterr().err == ""


async def test_a_name_with_one_address_that_is_taken_is_taken(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def both(_host: str, port: int, *_hints: Any) -> Any:
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (f"127.0.0.{n}", port)) for n in (1, 2)]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    text = "Address already in use; choose another address, or port 0 for a free one"
    with socket.create_server(("127.0.0.2", 0)) as other, pytest.raises(CannotListen, match=text):
        async with serve(address=f"two.example:{other.getsockname()[1]}"):
            pass


async def test_of_two_that_want_an_address_at_once_one_gets_it(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_check(_address: str) -> int:
        return 1

    async with serve() as served:
        monkeypatch.setattr(listen, "check_address", no_check)
        with pytest.raises(
            CannotListen, match="another process took it first; choose another address, or port 0"
        ):
            async with serve(address=served.address):
                pass


LONG = "unix:{}/" + 108 * "x"
BAD = {
    "nonsense": "cannot listen on 'nonsense': write HOST:PORT, the port 0 to 65535, or unix:/PATH",
    "": "cannot listen on '': write HOST:PORT, the port 0 to 65535, or unix:/PATH",
    "127.0.0.1": "cannot listen on '127.0.0.1': write HOST:PORT, ",
    "127.0.0.1:65536": "cannot listen on '127.0.0.1:65536': write HOST:PORT, ",
    "127.0.0.1:99999": "cannot listen on '127.0.0.1:99999': write HOST:PORT, ",
    "127.0.0.1:http": "cannot listen on '127.0.0.1:http': write HOST:PORT, ",
    ":0": "cannot listen on ':0': write HOST:PORT, ",
    "::1:0": "cannot listen on '::1:0': write HOST:PORT, ",
    "unix:": "cannot listen on 'unix:': write HOST:PORT, ",
    "unix-abstract:s": "cannot listen on 'unix-abstract:s': write HOST:PORT, ",
    "a..b:0": "cannot listen on a..b:0: no host can have this name; choose another address, or port 0",
    "192.0.2.1:0": "cannot listen on 192.0.2.1:0: Cannot assign requested address; choose another address",
    "unix:{}/no/s": "cannot listen on unix:{}/no/s: No such file or directory; choose another path",
    "unix:{}/file": "cannot listen on unix:{}/file: Address already in use; choose another path",
    LONG: f"cannot listen on {LONG}: AF_UNIX path too long; choose another path",
}


def files_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if not path.is_dir()]


@pytest.mark.parametrize("address", BAD)
async def test_a_bad_address_is_one_clear_line(
    serve: Serve, tmp_path: Path, capfd: pytest.CaptureFixture[str], address: str
) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CannotListen) as caught:
        async with serve(address=address.format(tmp_path)):
            pass
    text = str(caught.value)
    assert text.startswith(BAD[address].format(tmp_path))
    assert "\n" not in text
    assert capfd.readouterr().err == ""
    assert files_in(tmp_path) == ["file"]


# Games


async def test_the_games_are_listed_with_all_that_they_are(serve: Serve) -> None:
    async with serve() as served:
        response = await served.list_games()
    assert response.next_page_token == ""
    assert [game.name for game in response.games] == sorted(GAMES)
    hearts = next(game for game in response.games if game.name == "hearts")
    rules = GAMES["hearts"]
    assert (hearts.title, hearts.summary, hearts.low_wins) == (rules.title, rules.summary, True)
    assert hearts.rules_version == rules.rules_version
    assert [[seat - 1 for seat in side.seats] for side in hearts.sides] == [[0], [1], [2], [3]]
    options = {option.default_value.name: option for option in hearts.options}
    assert set(options) == {option.name for option in rules.options}
    assert options["target"].default_value.number == 100
    assert options["target"].minimum < 100 < options["target"].maximum
    assert options["jack_of_diamonds"].default_value.WhichOneof("value") == "flag"
    assert list(options["moon"].choices) == ["choose", "add", "subtract"]
    assert {d.name: d.default_action for d in hearts.decisions} == dict(rules.phases)
    for game in response.games:
        assert all(option.help for option in game.options)


async def test_another_version_of_grpc_is_served_with_as_it_is(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "referee.server.lasting_server", None)
    async with serve() as served:
        assert len((await served.list_games()).games) == len(GAMES)
    assert "a server that no call can end failed: ModuleNotFoundError" in caplog.text


@pytest.mark.parametrize("limit", ["asked for", "the referee's own"])
async def test_games_come_in_pages(serve: Serve, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    size = 1 if limit == "asked for" else 0
    monkeypatch.setattr(match_service, "PAGE_SIZE", 50 if size else 1)
    names: list[str] = []
    pages = 0
    async with serve() as served:
        request = match_pb.ListGamesRequest(page_size=size)
        while pages == 0 or request.page_token:
            response = await served.list_games(request.SerializeToString())
            assert len(response.games) == 1
            names += [game.name for game in response.games]
            request.page_token = response.next_page_token
            pages += 1
    assert names == sorted(GAMES)


async def test_no_page_is_larger_than_the_referee_bears(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_service, "PAGE_SIZE", 1)
    async with serve() as served:
        request = match_pb.ListGamesRequest(page_size=1_000)
        assert len((await served.list_games(request.SerializeToString())).games) == 1


async def test_after_the_last_page_there_is_nothing(serve: Serve) -> None:
    async with serve() as served:
        request = match_pb.ListGamesRequest(page_token="zzz")
        assert await served.list_games(request.SerializeToString()) == match_pb.ListGamesResponse()


async def test_a_broken_request_is_refused_with_a_reason(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    async with serve() as served:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await served.list_games(b"\xff")
    error = caught.value
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert error.details() == "this is not a request to /fairdeal.v1.MatchService/ListGames"
    trailing = dict(tuple(error.trailing_metadata()))
    assert trailing["fairdeal-reason"] == "PROTOCOL_VIOLATION"
    assert len(trailing["fairdeal-incident"]) == 8
    assert caplog.text == ""  # nobody can fill the log with what is not the referee's fault


# Health and reflection

SERVICES = ["", "fairdeal.v1.PlayService", "fairdeal.v1.MatchService"]


async def test_health_is_serving_until_the_end(serve: Serve) -> None:
    async with AsyncExitStack() as stack:
        async with serve() as served:
            channel = await stack.enter_async_context(grpc.aio.insecure_channel(served.address))
            stub = health_pb2_grpc.HealthStub(channel)
            watches = [stub.Watch(health_pb2.HealthCheckRequest(service=service)) for service in SERVICES]
            assert [(await watch.read()).status for watch in watches] == 3 * [Health.SERVING]
        # the last that is heard before the calls are closed
        assert [(await watch.read()).status for watch in watches] == 3 * [Health.NOT_SERVING]


async def test_health_turns_before_the_end_when_it_is_told_to(serve: Serve) -> None:
    async with serve() as served, grpc.aio.insecure_channel(served.address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        watches = [stub.Watch(health_pb2.HealthCheckRequest(service=service)) for service in SERVICES]
        for watch in watches:
            await watch.read()
        guest = await served.guest("a")
        for _ in range(2):  # once is enough, and twice does no harm
            await served.drain()
            for service in SERVICES:
                checked = await stub.Check(health_pb2.HealthCheckRequest(service=service))
                assert checked.status == Health.NOT_SERVING
        assert [(await watch.read()).status for watch in watches] == 3 * [Health.NOT_SERVING]
        await guest.say(bye=pb.Bye())
        assert (await guest.end()).code is grpc.StatusCode.OK  # what goes on is left alone


async def test_health_of_another_service_is_unknown(serve: Serve) -> None:
    async with serve() as served, grpc.aio.insecure_channel(served.address) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service="x"))
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


async def test_reflection_lists_the_services(serve: Serve) -> None:
    async with serve() as served, grpc.aio.insecure_channel(served.address) as channel:
        call = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        listed = (await call.read()).list_services_response
        await call.write(
            reflection_pb2.ServerReflectionRequest(file_containing_symbol="fairdeal.v1.PlayService")
        )
        described = (await call.read()).file_descriptor_response
        await call.done_writing()
    assert sorted(service.name for service in listed.service) == [
        "fairdeal.v1.MatchService",
        "fairdeal.v1.PlayService",
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
    ]
    assert described.file_descriptor_proto


class Echo:
    """A service that says what it hears."""

    NAME = PlayService.NAME
    RULES = PlayService.RULES

    def handler(self) -> grpc.GenericRpcHandler:
        play: Any = grpc.stream_stream_rpc_method_handler(self.play)
        return grpc.method_handlers_generic_handler(self.NAME, {"Play": play})

    async def play(self, requests: Any, _context: Any) -> Any:
        async for request in requests:
            yield request


async def test_other_services_take_the_place_of_the_usual_ones(serve: Serve) -> None:
    async with (
        serve(services=lambda _referee: [Echo()]) as served,
        grpc.aio.insecure_channel(served.address) as channel,
    ):
        call: Any = channel.stream_stream("/fairdeal.v1.PlayService/Play")()
        await call.write(b"who?")
        assert await call.read() == b"who?"
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await served.list_games()
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
        stub = health_pb2_grpc.HealthStub(channel)
        checked = await stub.Check(health_pb2.HealthCheckRequest(service=Echo.NAME))
        assert checked.status == Health.SERVING
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Check(health_pb2.HealthCheckRequest(service="fairdeal.v1.MatchService"))
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND


# The end


async def test_bots_are_told_that_the_referee_is_about_to_leave(serve: Serve) -> None:
    async with serve() as served:
        guest = await served.guest("a")
        served.referee.drain()
        assert (await guest.until("notice")).kind == pb.NOTICE_KIND_DRAINING
        late = served.caller()
        await late.say(hello=pb.Hello(versions=[1], entry="b"))
        ending = await late.end()
        assert (ending.code, ending.reason) == (grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN")
        await guest.say(bye=pb.Bye())
        assert (await guest.end()).code is grpc.StatusCode.OK


async def test_at_the_end_every_session_is_ended_with_a_reason(
    serve: Serve, setup: Setup, open_caller: Callable[[str], Any]
) -> None:
    async with serve() as served:
        playing, silent = open_caller(served.address), open_caller(served.address)
        await playing.hello("a")
        waiting = served.referee.play(setup())
        await playing.until("seated")
        await served.referee.come(2)
    for caller in (playing, silent):
        ending = await caller.end()
        assert (ending.code, ending.reason) == (grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN")
        assert ending.incident
    assert waiting.cancelled()
    assert not served.referee.core.sessions.is_here(("a", ""))


async def test_however_busy_the_referee_is_every_session_ends_with_a_reason(
    serve: Serve, open_caller: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def late(*args: Any, **options: Any) -> None:
        await asyncio.sleep(1)  # longer than gRPC's server waits for its calls
        await refuse(*args, **options)

    monkeypatch.setattr("referee.server.play_service.refuse", late)
    async with serve() as served:
        callers = [open_caller(served.address) for _ in "ab"]
        for caller, entry in zip(callers, "ab", strict=True):
            await caller.hello(entry)
    for caller in callers:
        ending = await caller.end()
        assert (ending.code, ending.reason) == (grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN")
