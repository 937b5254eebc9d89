"""A gRPC stream over bare HTTP/2, so cheap that what is measured is the server.

It speaks what one streaming call of a loopback server needs. The windows are opened as far as they go, and
what is on the way to the server is always far below its own.
"""

import asyncio
import ssl
import struct
from collections.abc import Callable, Iterable
from typing import Final

# what comes in, as whole messages, to what goes out
Hear = Callable[[list[bytes]], Iterable[bytes]]

_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RESET, _SETTINGS, _PING, _GO_AWAY, _WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
_ACK: Final = 1
_END_STREAM: Final = 1
_END_HEADERS: Final = 4
_INITIAL_WINDOW_SIZE: Final = 4  # a setting
_STREAM: Final = 1
_WIDEST: Final = 2**31 - 1
_FIRST_WINDOW: Final = 65_535  # of a connection
_REFILL: Final = 2**30
_FRAME_HEAD: Final = 9
_MESSAGE_HEAD: Final = 5
_LONGEST_FRAME: Final = 16_384


class HttpCall(asyncio.Protocol):
    """One call on a connection of its own; ``hear`` is given messages and returns those to send.

    ``ended`` is set when the server ends the call or the connection.
    """

    def __init__(self, method: str, first: Iterable[bytes], hear: Hear) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._method = method
        self._first = first
        self._hear = hear
        self._transport: asyncio.Transport
        self._rest = b""
        self._body = b""
        self._received = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Open the call and send the first messages."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        settings = struct.pack(">HI", _INITIAL_WINDOW_SIZE, _WIDEST)
        opening = [
            _PREFACE,
            _frame(_SETTINGS, 0, 0, settings),
            _frame(_WINDOW_UPDATE, 0, 0, struct.pack(">I", _WIDEST - _FIRST_WINDOW)),
            _frame(_HEADERS, _END_HEADERS, _STREAM, _headers(self._method)),
        ]
        transport.write(b"".join([*opening, *map(_message, self._first)]))

    def data_received(self, data: bytes) -> None:
        """Take what came in, and answer it at once."""
        data = self._rest + data
        at, end, out = 0, len(data), []
        while end - at >= _FRAME_HEAD:
            size = int.from_bytes(data[at : at + 3], "big")
            begin, after = at + _FRAME_HEAD, at + _FRAME_HEAD + size
            if after > end:
                break
            kind, flags = data[at + 3], data[at + 4]
            if kind == _DATA:
                self._body += data[begin:after]
                self._received += size
            else:
                out.append(self._control(kind, flags, data[begin:after]))
            at = after
        self._rest = data[at:]
        if self._received >= _REFILL:
            update = struct.pack(">I", self._received)
            out += [_frame(_WINDOW_UPDATE, 0, stream, update) for stream in (0, _STREAM)]
            self._received = 0
        if messages := self._messages():
            out += map(_message, self._hear(messages))
        if out:
            self._transport.write(b"".join(out))

    def connection_lost(self, exc: Exception | None) -> None:
        """Note the end."""
        self._end()

    def _control(self, kind: int, flags: int, payload: bytes) -> bytes:
        if kind == _SETTINGS and not flags & _ACK:
            return _frame(_SETTINGS, _ACK, 0, b"")
        if kind == _PING and not flags & _ACK:
            return _frame(_PING, _ACK, 0, payload)
        if kind in (_RESET, _GO_AWAY) or (kind == _HEADERS and flags & _END_STREAM):
            self._end()
        return b""

    def _messages(self) -> list[bytes]:
        """Return the messages that are whole, and keep the rest."""
        body, at, messages = self._body, 0, []
        while len(body) - at >= _MESSAGE_HEAD:
            after = at + _MESSAGE_HEAD + int.from_bytes(body[at + 1 : at + _MESSAGE_HEAD], "big")
            if after > len(body):
                break
            messages.append(body[at + _MESSAGE_HEAD : after])
            at = after
        self._body = body[at:]
        return messages

    def _end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


async def open_stream(
    address: str, method: str, first: Iterable[bytes], hear: Hear, trusted: str | None = None
) -> HttpCall:
    """Open a call of a ``method`` at ``host:port``; ``trusted`` is the CA's file where the server has TLS."""
    host, _, port = address.rpartition(":")
    context = None
    if trusted:
        context = ssl.create_default_context(cafile=trusted)
        context.set_alpn_protocols(["h2"])
    _, stream = await asyncio.get_running_loop().create_connection(
        lambda: HttpCall(method, first, hear), host, int(port), ssl=context
    )
    return stream


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">BHBBI", len(payload) >> 16, len(payload) & 0xFFFF, kind, flags, stream) + payload


def _message(message: bytes) -> bytes:
    framed = struct.pack(">BI", 0, len(message)) + message
    parts = range(0, len(framed), _LONGEST_FRAME)
    return b"".join([_frame(_DATA, 0, _STREAM, framed[at : at + _LONGEST_FRAME]) for at in parts])


def _headers(method: str) -> bytes:
    """Return the header block, without the compression that HPACK allows."""
    fields = (
        (":method", "POST"),
        (":scheme", "http"),
        (":path", method),
        (":authority", "bench"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
    )
    texts = [(name.encode(), value.encode()) for name, value in fields]
    return b"".join(
        [b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in texts]
    )
