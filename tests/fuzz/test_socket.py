"""Random bytes, wrong HTTP/2 and wrong gRPC on a real socket: the server goes on, and so do the others."""

import gc
import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Final

import pytest

from fairdeal.testing import ServedReferee
from fairdeal.v1 import play_service_pb2 as pb
from tests.choices import Choices
from tests.fuzz import http2
from tests.fuzz.http2 import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    HEADERS,
    PING,
    PREFACE,
    PRIORITY,
    PUSH,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    frame,
    headers,
    message,
)
from tests.fuzz.mutate import BYTES
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
DIALS: Final = 4_000 if LONG else 100
RESETS: Final = 50_000 if LONG else 2_000

LIST_GAMES: Final = "/fairdeal.v1.MatchService/ListGames"
HELLO: Final = pb.PlayRequest(hello=pb.Hello(versions=[1], entry="mallory")).SerializeToString()
OPENING: Final = PREFACE + frame(SETTINGS, 0, 0)

TOP: Final = 2**31 - 1
MANY: Final = 200

WRONG: Final = {
    "nothing": b"",
    "half a preface": PREFACE[:11],
    "HTTP/1.1": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "TLS": bytes.fromhex("16030100c8010000c40303") + bytes(200),
    "no settings": PREFACE + headers(1),
    "a frame longer than it is": OPENING + frame(DATA, 0, 1, b"x", length=2**24 - 1),
    "a frame shorter than it is": OPENING + frame(SETTINGS, 0, 0, bytes(18), length=6),
    "data of no stream": OPENING + message(1, HELLO),
    "data of stream 0": OPENING + message(0, HELLO),
    "a call on stream 0": OPENING + headers(0),
    "a call on an even stream": OPENING + headers(2) + message(2, HELLO),
    "streams that go back": OPENING + headers(7) + headers(3) + headers(5),
    "the last stream there is": OPENING + headers(TOP) + message(TOP, HELLO) + headers(TOP),
    "the same stream twice": OPENING + headers(1) + headers(1) + message(1, HELLO),
    "settings of a wrong size": OPENING + frame(SETTINGS, 0, 0, bytes(5)),
    "settings at their ends": OPENING
    + b"".join(
        frame(SETTINGS, 0, 0, bytes((0, number)) + value.to_bytes(4))
        for number in range(9)
        for value in (0, 2**32 - 1)
    ),
    "settings over and over": OPENING + frame(SETTINGS, 0, 0) * 5_000,
    "pings over and over": OPENING + frame(PING, 0, 0, bytes(8)) * 5_000,
    "a ping of a wrong size": OPENING + frame(PING, 0, 0, bytes(3)),
    "a window of 0": OPENING + headers(1) + frame(WINDOW_UPDATE, 0, 1, bytes(4)),
    "a window beyond all": OPENING + frame(WINDOW_UPDATE, 0, 0, TOP.to_bytes(4)) * 3,
    "a stream that waits for itself": OPENING + headers(1) + frame(PRIORITY, 0, 1, (1).to_bytes(4) + b"\xff"),
    "a push to the server": OPENING + headers(1) + frame(PUSH, END_HEADERS, 1, (2).to_bytes(4)),
    "headers without end": OPENING
    + headers(1, flags=0)
    + frame(CONTINUATION, 0, 1, http2.field("x", "y" * 100)) * 2_000,
    "headers that are cut off by others": OPENING + headers(1, flags=0) + headers(3),
    "headers of nonsense": OPENING + frame(HEADERS, END_HEADERS, 1, bytes(range(256))),
    "a table of headers beyond all": OPENING
    + frame(HEADERS, END_HEADERS, 1, b"\x3f\xff\xff\xff\xff\xff\x0f"),
    "goodbye and yet a call": OPENING + frame(GOAWAY, 0, 0, bytes(8)) + headers(1) + message(1, HELLO),
    "frames of kinds there are none of": OPENING
    + b"".join(frame(kind, 255, 1, b"?") for kind in range(10, 256)),
    "a path of no service": OPENING + headers(1, "/no/such", flags=END_HEADERS | END_STREAM),
    "a path with line ends": OPENING + headers(1, "/\x00\n", flags=END_HEADERS | END_STREAM),
    "an empty path": OPENING + headers(1, "", flags=END_HEADERS | END_STREAM),
    "a token of bytes": OPENING
    + headers(1, more=[("authorization", "Bearer \xff\xfe\x80")])
    + message(1, HELLO),
    "a token with line ends": OPENING
    + headers(1, more=[("authorization", "Bearer a\r\nb")])
    + message(1, HELLO),
    "tokens over and over": OPENING + headers(1, more=[("authorization", "Bearer " + "t" * 100)] * 50),
    "a time limit of nonsense": OPENING
    + headers(1, more=[("grpc-timeout", "99999999999999H")])
    + message(1, HELLO),
    "no time at all": OPENING + headers(1, more=[("grpc-timeout", "0n")]) + message(1, HELLO),
    "an unknown compression": OPENING
    + headers(1, more=[("grpc-encoding", "?")])
    + message(1, HELLO, compressed=1),
    "a bomb": OPENING
    + headers(1, more=[("grpc-encoding", "gzip")])
    + message(1, b"\x1f\x8b" * 99, compressed=1),
    "a message that is compressed and not": OPENING + headers(1) + message(1, HELLO, compressed=1),
    "a message of a kind there is none of": OPENING + headers(1) + message(1, HELLO, compressed=255),
    "a message beyond all": OPENING + headers(1) + message(1, HELLO, length=2**32 - 1),
    "a message without its end": OPENING + headers(1) + message(1, HELLO, length=10_000, flags=END_STREAM),
    "a message with too much": OPENING + headers(1) + message(1, HELLO, length=3, flags=END_STREAM),
    "a message in single bytes": OPENING
    + headers(1)
    + b"".join(frame(DATA, 0, 1, bytes((byte,))) for byte in b"\0\0\0\0" + bytes((len(HELLO),)) + HELLO),
    "half a message's head": OPENING + headers(1) + frame(DATA, END_STREAM, 1, b"\0\0"),
    "empty data over and over": OPENING + headers(1) + frame(DATA, 0, 1) * 20_000,
    "messages over and over": OPENING + headers(1) + message(1, b"") * 5_000,
    "data after the end": OPENING + headers(1) + message(1, HELLO, flags=END_STREAM) + message(1, HELLO),
    "streams and no more": OPENING + b"".join(headers(2 * n + 1) for n in range(MANY)),
    "an end that never began": OPENING + frame(RST_STREAM, 0, 1, bytes(4)),
    "a stream that ends twice": OPENING + headers(1) + frame(RST_STREAM, 0, 1, bytes(4)) * 2,
}


async def answers(served: ServedReferee, patience: float = PATIENCE) -> bool:
    """Return whether the server answers a right call made by hand."""
    name = b"two_handed_spades"
    call = http2.call(b"", LIST_GAMES)
    return name in await http2.send(served.address, call, until=name, patience=patience)


@pytest.mark.parametrize("kind", ["tcp", "unix"])
async def test_junk_on_the_socket_harms_nobody(
    attack: Callable[..., AbstractAsyncContextManager[ServedReferee]], kind: str, unix_address: str
) -> None:
    address = unix_address if kind == "unix" else "127.0.0.1:0"
    async with attack(address=address) as served:
        for number in range(DIALS):
            chance = Choices("socket", kind, number)
            opening = chance.one((b"", PREFACE, OPENING, OPENING + headers(1)))
            await http2.send(served.address, opening + chance.junk(chance.below(2_000)))
        assert await answers(served)


@pytest.mark.parametrize("kind", ["tcp", "unix"])
async def test_wrong_http2_harms_nobody(
    attack: Callable[..., AbstractAsyncContextManager[ServedReferee]], kind: str, unix_address: str
) -> None:
    address = unix_address if kind == "unix" else "127.0.0.1:0"
    async with attack(address=address) as served:
        for data in WRONG.values():
            await http2.send(served.address, data)
        assert await answers(served)


async def test_a_path_that_is_no_text_harms_nobody(
    attack: Callable[..., AbstractAsyncContextManager[ServedReferee]],
) -> None:
    # it ends the main loop of grpc.aio's own server (1.76 to 1.85), which then takes no more calls
    async with attack() as served:
        for path in (http2.PLAY + "\xff", "/\xff\xfe"):
            await http2.send(served.address, OPENING + headers(1, path, flags=END_HEADERS | END_STREAM))
            assert await answers(served)
            gc.collect()


async def test_calls_with_bytes_made_wrong_harm_nobody(
    attack: Callable[..., AbstractAsyncContextManager[ServedReferee]],
) -> None:
    right = [http2.call(HELLO), http2.call(b"", LIST_GAMES), *WRONG.values()]
    async with attack() as served:
        for number in range(DIALS):
            chance = Choices("calls", number)
            data = chance.one(right[:2])
            for _ in range(1 + chance.below(3)):
                data = BYTES[chance.one(tuple(BYTES))](data, chance.one(right)[:4_000], chance)
            # its beginning stays right, or else no more of it would be read
            await http2.send(served.address, OPENING + data[len(OPENING) :] if chance.below(4) else data)
        assert await answers(served)


async def test_streams_that_are_opened_and_reset_at_once_harm_nobody(
    attack: Callable[..., AbstractAsyncContextManager[ServedReferee]],
) -> None:
    async with attack() as served:
        for path in (http2.PLAY, LIST_GAMES):
            streams = range(1, 2 * RESETS, 2)
            resets = (
                headers(n, path) + message(n, HELLO) + frame(RST_STREAM, 0, n, (8).to_bytes(4))
                for n in streams
            )
            await http2.send(served.address, OPENING + b"".join(resets))
        assert await answers(served)
