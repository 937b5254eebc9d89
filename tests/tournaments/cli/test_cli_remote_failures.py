"""What the commands that work on a server say that refuses, fails or is not there."""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from fairdeal.v1 import tournament_service_pb2 as pb
from referee.server.tls import Tls
from tests.tournaments.conftest import Run
from tests.tournaments.manager_server import ServedManager, serving
from tournaments.cli import server_calls

pytestmark = pytest.mark.asyncio

STATUS: Final = "cup (hearts, ladder): created; 7 of 12 matches played, 2 being played\n"


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["tournament", "status", "x"], 1, "no such tournament; there is only cup (TOURNAMENT_NOT_FOUND)"),
        (["tournament", "watch", "x"], 1, "no such tournament; there is only cup (TOURNAMENT_NOT_FOUND)"),
        (["tournament", "pause", "cup"], 1, "it is created (WRONG_STATE)"),
        (["entry", "pause", "cup", "x"], 1, "no such entry; there are a, b, c, d (ENTRY_NOT_FOUND)"),
        (
            ["entry", "add", "cup", "!"],
            2,
            "the name must be 1 to 40 letters (a-z, A-Z), digits, _ . or -, is",
        ),
    ],
)
async def test_a_refusal_is_one_line(
    run: Run, served: ServedManager, words: list[str], status: int, told: str
) -> None:
    served.cup()
    done = await run(*words)
    assert done.status == status
    assert done.line.startswith(f"fairdeal: {served.address} refuses: {told}")


@pytest.mark.parametrize(
    ("token", "told"),
    [
        (
            None,
            "this referee requires a token: give it in FAIRDEAL_TOKEN (authorization: Bearer TOKEN)"
            " (MISSING_TOKEN)",
        ),
        (
            "tok-x",
            "this referee does not know the token; give one that it knows in FAIRDEAL_TOKEN (MISSING_TOKEN)",
        ),
        ("a bot's", "the token is a bot's, and this is for organisers (WRONG_ROLE)"),
    ],
)
async def test_who_may_not(
    run: Run, served: ServedManager, monkeypatch: pytest.MonkeyPatch, token: str | None, told: str
) -> None:
    made = served.cup()
    monkeypatch.delenv("FAIRDEAL_TOKEN")
    if token:
        if token == "a bot's":
            token = (await served.manager.entries.register("cup", "a", None)).token
        monkeypatch.setenv("FAIRDEAL_TOKEN", token)
    done = await run("tournament", "start", "cup")
    assert (done.status, done.line) == (1, f"fairdeal: {served.address} refuses: {told}")
    assert made.calls == []
    assert (await run("tournament", "status", "cup")).out == STATUS


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("127.0.0.1:1", "no server answers at 127.0.0.1:1: "),
        ("unix:/no/such/socket", "no server answers at unix:/no/such/socket: "),
        ("nonsense", "--server: address 'nonsense': must be HOST:PORT or unix:/PATH"),
        ("", "--server: the address is empty: give one"),
    ],
)
@pytest.mark.parametrize("command", ["list", "watch"])
async def test_no_server(fairdeal: Callable[..., Any], command: str, address: str, told: str) -> None:
    words = ["cup"] if command == "watch" else []
    done = fairdeal("tournament", command, *words, "--server", address)
    assert done.status == (2 if "--server" in told else 1)
    assert done.line.startswith(f"fairdeal: {told}")


async def test_a_host_that_nobody_knows() -> None:
    class Unresolved(grpc.RpcError):
        def code(self) -> grpc.StatusCode:
            return grpc.StatusCode.UNAVAILABLE

        def details(self) -> str:
            return "errors resolving nosuch.invalid:1: [address lookup failed: Domain name not found]"

        def trailing_metadata(self) -> tuple[()]:
            return ()

    with server_calls.dialled("nosuch.invalid:1") as calls:
        failure = calls._failure(Unresolved())
    told = "no host has this name; check the address, or start again once the name is known"
    assert str(failure) == f"fairdeal: no server answers at nosuch.invalid:1: {told}"


async def test_a_server_that_says_nothing_is_waited_for_in_vain(
    fairdeal: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_calls, "SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        host, port = silent.getsockname()
        done = await asyncio.to_thread(fairdeal, "tournament", "list", "--server", f"{host}:{port}")
    assert (done.status, done.line) == (1, f"fairdeal: {host}:{port} does not answer within 0.2 s")


async def test_a_referee_without_tournaments(fairdeal: Callable[..., Any]) -> None:
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    done = await asyncio.to_thread(fairdeal, "tournament", "list", "--server", f"127.0.0.1:{port}")
    await server.stop(None)
    assert done.status == 1
    assert done.line.startswith(f"fairdeal: 127.0.0.1:{port} answers, but does not offer this: ")


class Answering:
    """A server that answers as it is told."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[bytes] = []
        self.trailing: tuple[tuple[str, str], ...] = ()

    async def answer(self, request: bytes, context: Any) -> bytes:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, grpc.StatusCode):
            await context.abort(answer, "as told", self.trailing)
        data: bytes = answer.SerializeToString()
        return data

    async def run(self, fairdeal: Callable[..., Any], *words: str) -> Any:
        server = grpc.aio.server()
        names = ("RegisterEntry", "GetTournament")
        handlers: Any = {name: grpc.unary_unary_rpc_method_handler(self.answer) for name in names}
        handler = grpc.method_handlers_generic_handler("fairdeal.v1.TournamentService", handlers)
        server.add_generic_rpc_handlers((handler,))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            return await asyncio.to_thread(fairdeal, *words, "--server", f"127.0.0.1:{port}")
        finally:
            await server.stop(None)


async def test_a_call_that_breaks_is_made_again_as_the_same(fairdeal: Callable[..., Any]) -> None:
    server = Answering(grpc.StatusCode.UNAVAILABLE, pb.RegisterEntryResponse(token="tok"))
    done = await server.run(fairdeal, "entry", "add", "cup", "a")
    assert (done.status, done.out) == (0, "tok\n")
    assert server.requests[0] == server.requests[1]
    assert len(pb.RegisterEntryRequest.FromString(server.requests[0]).request_id) == 32


async def test_a_call_is_made_twice_at_most(fairdeal: Callable[..., Any]) -> None:
    server = Answering(*[grpc.StatusCode.UNAVAILABLE] * 3)
    done = await server.run(fairdeal, "entry", "add", "cup", "a")
    assert done.status == 1
    assert done.line.endswith(": as told")
    assert len(server.requests) == 2


async def test_a_server_that_refuses_is_not_asked_again(fairdeal: Callable[..., Any]) -> None:
    server = Answering(*[grpc.StatusCode.UNAVAILABLE] * 3)
    server.trailing = (("fairdeal-reason", "SHUTTING_DOWN"),)
    done = await server.run(fairdeal, "entry", "add", "cup", "a")
    assert done.line.endswith(" refuses: as told (SHUTTING_DOWN)")
    assert len(server.requests) == 1


@pytest.mark.parametrize("command", [("tournament", "status"), ("entry", "list")], ids=" ".join)
async def test_a_newer_server_is_not_understood(
    fairdeal: Callable[..., Any], command: tuple[str, str]
) -> None:
    tournament = pb.Tournament(name="cup", format=pb.TOURNAMENT_FORMAT_LADDER)
    tournament.state = 99  # type: ignore[assignment]
    done = await Answering(pb.GetTournamentResponse(tournament=tournament)).run(fairdeal, *command, "cup")
    assert done.status == 1
    assert "speaks a newer version of the protocol: tournament state 99 is not known" in done.line


# Addresses


async def test_a_unix_socket(tmp_path: Path, fairdeal: Callable[..., Any]) -> None:
    async with serving(tmp_path / "server", address=f"unix:{tmp_path}/s") as served:
        served.cup()
        done = await asyncio.to_thread(fairdeal, "tournament", "status", "cup", "--server", served.address)
    assert done.out == STATUS


@pytest.mark.parametrize(
    ("given", "hint"),
    [("CA CERT KEY", None), ("CA", "give FAIRDEAL_CERT and FAIRDEAL_KEY"), ("", "give FAIRDEAL_CA")],
)
async def test_mutual_tls(
    tmp_path: Path,
    fairdeal: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    given: str,
    hint: str | None,
) -> None:
    assert fairdeal("certs", "--client", "me").status == 0
    certs = tmp_path / "certs"
    tls = Tls(certs / "server.pem", certs / "server.key", certs / "ca.pem")
    async with serving(tmp_path / "server", tls=tls) as served:
        served.cup()
        files = {"CA": "ca.pem", "CERT": "client-me.pem", "KEY": "client-me.key"}
        for name in given.split():
            monkeypatch.setenv(f"FAIRDEAL_{name}", str(certs / files[name]))
        done = await asyncio.to_thread(fairdeal, "tournament", "status", "cup", "--server", served.address)
    if hint is None:
        assert done.out == STATUS
    else:
        assert done.line.startswith(f"fairdeal: no server answers at {served.address}: ")
        assert done.line.endswith(f"; if it {'wants a certificate' if given else 'speaks TLS'}, {hint}")


async def test_a_missing_certificate_is_told(
    fairdeal: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRDEAL_CA", "nowhere.pem")
    done = fairdeal("tournament", "list", "--server", "127.0.0.1:1")
    assert (done.status, done.line) == (
        2,
        "fairdeal: --server: CA file nowhere.pem: No such file or directory",
    )
