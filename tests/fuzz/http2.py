"""HTTP/2 by hand, right and wrong: frames that no client library would send."""

import asyncio
import struct
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from tests.workspace import PATIENCE

SWALLOWED: Final = 0.05  # seconds until a ping without an answer is taken to be part of something else

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS = 0x1, 0x4
_ACK: Final = 0x1
_MOST_LENGTH: Final = 126  # of a header's part, so that its length is one byte

PLAY: Final = "/fairdeal.v1.PlayService/Play"


def frame(kind: int, flags: int, stream: int, payload: bytes = b"", *, length: int | None = None) -> bytes:
    """Return a frame, which may lie about its length."""
    size = len(payload) if length is None else length
    return struct.pack(">I", size)[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def headers(
    stream: int, path: str = PLAY, *, flags: int = END_HEADERS, more: Sequence[tuple[str, str]] = ()
) -> bytes:
    """Return the opening of a call."""
    fields = (
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "localhost"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
        *more,
    )
    return frame(HEADERS, flags, stream, b"".join(field(name, value) for name, value in fields))


_OPAQUE: Final = b"fairdeal"
_PING: Final = frame(PING, 0, 0, _OPAQUE)
PONG: Final = frame(PING, _ACK, 0, _OPAQUE)


def field(name: str, value: str) -> bytes:
    """Return a header that no table has to be kept for."""
    parts = (name.encode("latin-1"), value.encode("latin-1"))
    assert all(len(part) <= _MOST_LENGTH for part in parts)
    return b"\x00" + b"".join(bytes((len(part),)) + part for part in parts)


def message(
    stream: int, data: bytes, *, flags: int = 0, compressed: int = 0, length: int | None = None
) -> bytes:
    """Return a gRPC message in a frame of its own, which may lie about its length."""
    size = len(data) if length is None else length
    return frame(DATA, flags, stream, struct.pack(">BI", compressed, size) + data)


def call(data: bytes, path: str = PLAY) -> bytes:
    """Return all that a client sends which makes one call with one message."""
    return PREFACE + frame(SETTINGS, 0, 0) + headers(1, path) + message(1, data, flags=END_STREAM)


async def send(address: str, data: bytes, *, until: bytes = PONG, patience: float = SWALLOWED) -> bytes:
    """Dial, send bytes and a ping, and return what comes: until this is there, or the other side hangs up.

    A ping after bytes that end within a frame is part of it: then nothing comes, and this side hangs up.
    """
    answered = bytearray()
    async with asyncio.timeout(PATIENCE):
        with suppress(OSError):  # nobody is there
            reader, writer = await _dial(address)
            # who is sent nonsense may hang up at any moment; a timeout is an OSError too
            with suppress(OSError):
                writer.write(data + _PING)
                async with asyncio.timeout(patience):
                    while until not in answered and (part := await reader.read(1 << 16)):
                        answered += part
            with suppress(OSError):
                writer.write_eof()
                while part := await reader.read(1 << 16):
                    answered += part
            writer.close()
            await writer.wait_closed()
    return bytes(answered)


async def _dial(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if address.startswith("unix:"):
        return await asyncio.open_unix_connection(address.removeprefix("unix:"))
    host, _, port = address.rpartition(":")
    return await asyncio.open_connection(host, int(port))
