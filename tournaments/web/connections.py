"""Which connections the pages take, and for how long one may keep them waiting.

Sockets are counted where they are accepted, before TLS, so that one which says nothing counts, too.
"""

import asyncio
import errno
import socket
from collections.abc import Callable
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from referee.files.open_files import from_reserve
from referee.server.shares import Shares

REQUEST_SECONDS: Final = 10.0
"""How long a client may take for a whole request, and be silent before its next one."""
READ_SECONDS: Final = 30.0
"""How long a client may read nothing of what is sent to it."""

_AT_ONCE: Final = 64  # connections that are closed in one turn of the loop
_UNACKNOWLEDGED: Final = 60_000  # milliseconds after which a client that acknowledges nothing is gone


class WebListener(socket.socket):
    """A listening socket with ``most`` connections at once, of one address at most its share.

    Any more are closed at once.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.most = 0
        self.shares = Shares()

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection that is taken.

        Raises:
            BlockingIOError: there is none at present.
            OSError: it cannot be accepted.
        """
        for _ in range(_AT_ONCE):
            try:
                connection, place = super().accept()
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE):
                    raise
                from_reserve(super().accept)[0].close()  # else it would wake the loop on and on
                continue
            address: str = place[0]
            if self.shares.total < self.most and self.shares.is_left(address, self.most):
                return _Taken(connection, address, self.shares), place
            connection.close()
        raise BlockingIOError


class _Taken(socket.socket):
    """A connection that counts until it is closed."""

    def __init__(self, connection: socket.socket, address: str, shares: Shares) -> None:
        super().__init__(connection.family, connection.type, connection.proto, connection.detach())
        self._give_back: Callable[[], None] | None = lambda: shares.give_back(address)
        shares.take(address)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            self.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNACKNOWLEDGED)

    def close(self) -> None:
        """Close it."""
        super().close()
        if self._give_back:
            self._give_back()
            self._give_back = None


class _Timer:
    """Calls something when it was started so many seconds ago and not stopped."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float, call: Callable[[], None]) -> None:
        self._loop, self._seconds, self._call = loop, seconds, call
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start it, if it was not started before."""
        if self._handle is None:
            self._handle = self._loop.call_later(self._seconds, self._call)

    def stop(self) -> None:
        """Stop it."""
        if self._handle:
            self._handle.cancel()
            self._handle = None


class Connection(H11Protocol):
    """A connection of a client who must send whole requests in time, and read what is sent."""

    request_seconds = REQUEST_SECONDS
    read_seconds = READ_SECONDS
    _asking: _Timer
    _reading: _Timer

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._asking = _Timer(self.loop, self.request_seconds, transport.abort)
        self._reading = _Timer(self.loop, self.read_seconds, transport.abort)
        self._asking.start()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Wait until the client reads."""
        super().pause_writing()
        self._reading.start()

    def resume_writing(self) -> None:
        """Go on writing."""
        super().resume_writing()
        self._reading.stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        super().connection_lost(exc)
        self._asking.stop()
        self._reading.stop()

    def _look(self) -> None:
        """Let the time for a request run unless a whole one is being answered."""
        cycle = self.cycle
        if cycle is not None and not (cycle.more_body or cycle.response_complete):
            self._asking.stop()
        elif not self.transport.is_closing():
            self._asking.start()
