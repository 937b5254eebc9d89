"""Serves the pages over HTTP in the loop of the referee, with limits on what a client may hold."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import uvicorn

from referee.server.addresses import cannot_listen
from referee.server.exposure import is_local
from tournaments.web.address import WebAddress
from tournaments.web.app import Pages, application

__all__ = ["Pages", "pages_served"]

_CONNECTIONS: Final = 512
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_EVERYWHERE: Final = ("0.0.0.0", "::")


class _WebServer(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the program."""
        yield


@asynccontextmanager
async def pages_served(web: WebAddress, pages: Pages) -> AsyncIterator[str]:
    """Serve pages while the context lasts, and yield their address, such as http://127.0.0.1:8080.

    Raises:
        CannotListen: the address is taken or not available.
    """
    listener = _listening(web.listen)
    host, _colon, _port = web.listen.rpartition(":")
    host = host.strip("[]")
    hosts = _LOOPBACK if is_local(web.listen) else () if host in _EVERYWHERE else (host,)
    config = uvicorn.Config(
        application(pages, hosts),
        log_config=None,
        log_level="critical",  # errors of pages go where those of the referee go
        access_log=False,
        ws="none",
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=1,
        ssl_certfile=web.tls.certificate if web.tls else None,
        ssl_keyfile=web.tls.key if web.tls else None,
    )
    server = _WebServer(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    scheme = "https" if web.tls else "http"
    shown = f"[{host}]" if ":" in host else host
    try:
        yield f"{scheme}://{shown}:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving
        listener.close()


def _listening(address: str) -> socket.socket:
    host, _colon, port = address.rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
        family, kind, protocol, _name, place = found[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen(128)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise cannot_listen(address, error.strerror or str(error)) from None
    listener.setblocking(False)
    return listener
