"""Serves the pages over HTTP in the loop of the referee, with limits on what a client may hold."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

import uvicorn

from referee.files.open_files import files_allowed
from referee.server.addresses import cannot_listen
from referee.server.exposure import is_local
from tournaments.web.address import WebAddress
from tournaments.web.app import Pages, application
from tournaments.web.connections import REQUEST_SECONDS, Connection, WebListener

__all__ = ["Pages", "pages_served"]

CONNECTIONS: Final = 512
"""How many connections there may be at once, where the open files allow it."""

_FILES: Final = 8  # the part of the open files that may be connections
_HANDSHAKE_SECONDS: Final = 10.0
_BACKLOG: Final = 128
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_EVERYWHERE: Final = ("0.0.0.0", "::")


class _WebServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_ready = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the program."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen; uvicorn by itself gives each TLS handshake a minute."""
        config = self.config
        tls: dict[str, Any] = {}
        if config.ssl:
            tls = {"ssl_handshake_timeout": _HANDSHAKE_SECONDS, "ssl_shutdown_timeout": _HANDSHAKE_SECONDS}
        made = partial(Connection, config=config, server_state=self.server_state, app_state={})
        loop = asyncio.get_running_loop()
        self.servers = [
            await loop.create_server(made, sock=each, ssl=config.ssl, backlog=config.backlog, **tls)
            for each in sockets or ()
        ]
        self.started = True
        self.is_ready.set()


@asynccontextmanager
async def pages_served(web: WebAddress, pages: Pages, most: int = CONNECTIONS) -> AsyncIterator[str]:
    """Serve pages while the context lasts, and yield where they are found, such as http://127.0.0.1:8080.

    There are ``most`` connections at once, and fewer where the open files do not allow them.

    Raises:
        CannotListen: the address is taken or not available.
    """
    listener = _listening(web.listen, min(most, files_allowed() // _FILES))
    host, _colon, _port = web.listen.rpartition(":")
    host = host.strip("[]").lower()  # as browsers write it
    hosts: tuple[str, ...] = () if host in _EVERYWHERE else (host,)
    if is_local(f"{host}:0"):
        hosts += _LOOPBACK
    if hosts and web.url:
        hosts += (urlsplit(web.url).hostname or "",)
    config = uvicorn.Config(
        application(pages, hosts),
        log_config=None,
        log_level="critical",  # errors of pages go where those of the referee go
        access_log=False,
        ws="none",
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        timeout_keep_alive=int(REQUEST_SECONDS),
        timeout_graceful_shutdown=1,
        ssl_certfile=web.tls.certificate if web.tls else None,
        ssl_keyfile=web.tls.key if web.tls else None,
    )
    server = _WebServer(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    ready = asyncio.create_task(server.is_ready.wait())
    scheme = "https" if web.tls else "http"
    shown = f"[{host}]" if ":" in host else host
    try:
        await asyncio.wait({serving, ready}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
        yield web.url or f"{scheme}://{shown}:{listener.getsockname()[1]}"
    finally:
        ready.cancel()
        server.should_exit = True
        try:
            await serving
        finally:
            listener.close()


def _listening(address: str, most: int) -> WebListener:
    host, _colon, port = address.rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
        family, kind, protocol, _name, place = found[0]
        listener = WebListener(family, kind, protocol)
        listener.most = most
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise cannot_listen(address, error.strerror or str(error)) from None
    listener.setblocking(False)
    return listener
