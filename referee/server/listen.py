"""A gRPC server around a referee: address, services, limits."""

import asyncio
import errno
import os
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from referee.server.driver import Referee
from referee.server.matches import MatchService
from referee.server.play import PlayService
from referee.session import MAX_FRAME_BYTES

# docs of gRPC: a frozen peer is found only with keep-alive and the HTTP/2 ping timeout together
OPTIONS: Final = (
    ("grpc.so_reuseport", 0),  # a second server on the port must fail, not share it
    ("grpc.max_receive_message_length", 2 * MAX_FRAME_BYTES),
    ("grpc.max_concurrent_streams", 64),
    ("grpc.keepalive_time_ms", 5_000),
    ("grpc.keepalive_timeout_ms", 3_000),
    ("grpc.http2.ping_timeout_ms", 3_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", 1_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.server_handshake_timeout_ms", 10_000),
)


# a host, one of IPv6 in brackets, and a port
_HOST_AND_PORT: Final = re.compile(r"(\[[^][\s]+\]|[^][:\s]+):([0-9]{1,5})")


class CannotListen(Exception):
    """The address cannot be listened on; the text names it and the remedy."""


@asynccontextmanager
async def listening(referee: Referee, address: str) -> AsyncIterator[str]:
    """Serve a referee at an address while the context lasts, and yield the address bound.

    ``address`` is ``host:port``, port 0 for a free one, or ``unix:/path``. At the end all sessions are ended.

    Raises:
        CannotListen: the address is none, is taken, or cannot be had.
    """
    await _check(address)
    server = grpc.aio.server(options=OPTIONS, compression=grpc.Compression.NoCompression)
    services = (PlayService(referee), MatchService())
    for service in services:
        server.add_generic_rpc_handlers((service.handler(),))
    status = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(status, server)
    names = [service.NAME for service in services]
    reflection.enable_server_reflection([*names, health.SERVICE_NAME, reflection.SERVICE_NAME], server)
    for name in names:
        await status.set(name, health_pb2.HealthCheckResponse.SERVING)
    bound = _bind(server, address)
    await server.start()
    try:
        yield bound
    finally:
        await status.enter_graceful_shutdown()
        referee.end_sessions()
        await server.stop(grace=0.5)


def _bind(server: Any, address: str) -> str:
    try:
        port = server.add_insecure_port(address)
    except RuntimeError:
        raise _cannot(address, "somebody was faster") from None
    return address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"


async def _check(address: str) -> None:
    """Check that an address can be listened on, since gRPC gives no reasons and takes over Unix sockets.

    Raises:
        CannotListen: it cannot.
    """
    path = address.removeprefix("unix:")
    found = _HOST_AND_PORT.fullmatch(address)
    try:
        if path and path != address:
            _try_path(path)
        elif found and int(found[2]) < 1 << 16:
            await _try_port(found[1].strip("[]"), int(found[2]))
        else:
            wanted = "HOST:PORT, the port 0 to 65535, or unix:/PATH"
            raise CannotListen(f"cannot listen on {address!r}: write {wanted}")
    except UnicodeError:
        raise _cannot(address, "no host can have this name") from None
    except OSError as error:
        raise _cannot(address, error.strerror or str(error)) from None


def _try_path(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        if Path(path).is_socket():
            try:
                probe.connect(path)
            except ConnectionRefusedError:
                return  # its server is gone, so it can be replaced
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
        probe.bind(path)
        Path(path).unlink()


async def _try_port(host: str, port: int) -> None:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    errors = []
    for family, kind, protocol, _name, place in found:
        try:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(place)
        except OSError as error:
            errors.append(error)
    # a name can have addresses that this machine lacks, but none of them may be somebody else's
    taken = [error for error in errors if error.errno == errno.EADDRINUSE]
    if taken or len(errors) == len(found):
        raise (taken or errors)[0]


def _cannot(address: str, reason: str) -> CannotListen:
    other = "path" if address.startswith("unix:") else "address, or port 0 for a free one"
    return CannotListen(f"cannot listen on {address}: {reason}; choose another {other}")
