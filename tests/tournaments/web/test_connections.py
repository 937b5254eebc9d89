"""Which connections the pages take, and which they close."""

import asyncio
import errno
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import uvicorn
from uvicorn.server import ServerState

from referee.server import shares
from referee.server.tls import Tls
from tests.tournaments.web.site import site
from tests.workspace import PATIENCE
from tournaments.cli.certs import run_certs
from tournaments.web import serving as web_serving
from tournaments.web.address import WebAddress
from tournaments.web.connections import Connection, WebListener
from tournaments.web.serving import pages_served

pytestmark = pytest.mark.asyncio

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
GET = b"GET /tables HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"


@asynccontextmanager
async def served(
    folder: Path, most: int, tls: Tls | None = None, host: str = "127.0.0.1"
) -> AsyncIterator[Callable[..., Any]]:
    """Serve pages for so many connections, and yield a function that opens one."""
    async with (
        asyncio.timeout(PATIENCE),
        site(folder) as pages,
        pages_served(WebAddress(f"{host}:0", tls), pages.pages, most) as address,
    ):
        port = int(address.rpartition(":")[2])
        writers = []

        async def connected(**options: Any) -> Streams:
            reader, writer = await asyncio.open_connection(host.strip("[]"), port, **options)
            writers.append(writer)
            return reader, writer

        yield connected
        for writer in writers:
            writer.close()


async def answered(streams: Streams, request: bytes = GET) -> bytes:
    """Return the first line that a request is answered with; none where the connection is closed."""
    reader, writer = streams
    writer.write(request)
    try:
        return await reader.readline()
    except ConnectionResetError:
        return b""


async def test_one_too_many_is_closed_at_once_and_another_is_taken_when_one_has_gone(tmp_path: Path) -> None:
    async with served(tmp_path, most=2) as connected:
        first, second, third = [await connected() for _ in range(3)]
        assert await answered(third) == b""
        assert await answered(second) == b"HTTP/1.1 200 OK\r\n"
        first[1].close()
        while not await answered(await connected()):
            pass  # until it has heard that the first has gone


async def test_connections_leave_most_files_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_serving, "files_allowed", lambda: 16)
    async with served(tmp_path, most=512) as connected:
        taken = [await connected() for _ in range(3)]
        assert [await answered(each) for each in taken] == [b"HTTP/1.1 200 OK\r\n"] * 2 + [b""]


async def test_one_address_has_no_more_than_its_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "holder", lambda address: address)  # as if it were of another machine
    async with served(tmp_path, most=8) as connected:
        taken = [await connected() for _ in range(3)]
        assert [await answered(each) for each in taken] == [b"HTTP/1.1 200 OK\r\n"] * 2 + [b""]


async def test_who_says_nothing_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "request_seconds", 0)
    async with served(tmp_path, most=2) as connected:
        reader, _writer = await connected()
        assert await answered((reader, _writer), b"") == b""


@pytest.fixture
def tls(tmp_path: Path) -> Tls:
    run_certs(tmp_path / "certs", [], [], 1, False)
    return Tls(tmp_path / "certs/server.pem", tmp_path / "certs/server.key")


async def test_who_says_nothing_counts_before_tls_too(tmp_path: Path, tls: Tls) -> None:
    async with served(tmp_path, 2, tls) as connected:
        first, _second, third = [await connected() for _ in range(3)]
        assert await answered(third, b"") == b""
        first[1].close()
        trusting = ssl.create_default_context(cafile=tls.certificate.parent / "ca.pem")
        while True:
            try:
                streams = await connected(ssl=trusting)
            except OSError:
                continue  # until it has heard that the first has gone
            assert await answered(streams) == b"HTTP/1.1 200 OK\r\n"
            break


async def test_tls_must_be_made_in_time(tmp_path: Path, tls: Tls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_serving, "_HANDSHAKE_SECONDS", 0.01)
    async with served(tmp_path, 2, tls) as connected:
        assert await answered(await connected(), b"") == b""


async def test_addresses_of_ipv6_are_served(tmp_path: Path) -> None:
    async with served(tmp_path, 2, host="[::1]") as connected:
        assert await answered(await connected()) == b"HTTP/1.1 200 OK\r\n"


async def test_pages_that_cannot_be_served_say_so_at_once(tmp_path: Path, tls: Tls) -> None:
    tls.key.write_text("nonsense")
    with pytest.raises(ssl.SSLError):
        async with served(tmp_path, 2, tls):
            pytest.fail("they are not served")


@pytest.fixture
def listener() -> Iterator[WebListener]:
    with WebListener() as made:
        made.bind(("127.0.0.1", 0))
        made.listen()
        made.most = 2
        yield made


async def test_a_connection_for_which_there_is_no_file_is_closed(
    listener: WebListener, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept = socket.socket.accept
    failures = [OSError(errno.EMFILE, "no more files")]

    def accepted(of: socket.socket) -> Any:
        if failures:
            raise failures.pop()
        return accept(of)

    monkeypatch.setattr(socket.socket, "accept", accepted)
    place = listener.getsockname()
    with socket.create_connection(place) as one, socket.create_connection(place) as other:
        taken, client = listener.accept()
        assert client == other.getsockname()
        assert one.recv(1) == b""
        assert listener.shares.total == 1
        for _ in range(2):
            taken.close()
        assert listener.shares.total == 0


class Held:
    """A connection on a loop whose timers are called by the test."""

    def __init__(self) -> None:
        self.timers: dict[float, Callable[[], None]] = {}
        self.transport = Mock()
        self.transport.is_closing = lambda: False
        config = uvicorn.Config(Mock(), lifespan="off", ws="none", log_config=None)
        self.connection = Connection(config, ServerState(), {}, self)  # type: ignore[arg-type]
        self.connection.connection_made(self.transport)

    def call_later(self, seconds: float, call: Callable[[], None]) -> Any:
        self.timers[seconds] = call
        return Mock(cancel=lambda: self.timers.pop(seconds))

    def create_task(self, answering: Any, **_options: Any) -> Any:
        answering.close()
        return Mock()

    def hear(self, data: bytes) -> None:
        self.connection.data_received(data)


async def test_a_request_must_be_whole_in_time_however_often_something_comes() -> None:
    held = Held()
    ((_seconds, close),) = held.timers.items()
    for part in (b"POST /play/answer HTTP/1.1\r\n", b"host: a\r\ncontent-length: 2\r\n", b"\r\n", b"{"):
        held.hear(part)
        assert [*held.timers.values()] == [close]
    held.hear(b"}")
    assert not held.timers, "it is answered, which may take as long as it does"
    held.connection.cycle.response_complete = True
    held.connection.on_response_complete()
    held.hear(b"GET ")  # which ends uvicorn's own wait for the next request
    ((_seconds, close),) = held.timers.items()
    close()
    held.transport.abort.assert_called_once_with()
    held.connection.connection_lost(ConnectionResetError())
    assert not held.timers


async def test_who_reads_nothing_is_closed() -> None:
    held = Held()
    held.hear(GET)
    for _ in range(2):
        held.connection.pause_writing()
    held.connection.resume_writing()
    assert not held.timers
    held.connection.pause_writing()
    held.timers.popitem()[1]()
    held.transport.abort.assert_called_once_with()
