"""A gRPC server around a referee: address, services, limits."""

import asyncio
import errno
import os
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Protocol

import grpc
from grpc_reflection.v1alpha import reflection

from referee.limits import Limits
from referee.server.credentials import Tls, server_credentials
from referee.server.driver import Referee
from referee.server.guard import interceptors
from referee.server.health import HealthService
from referee.server.matches import MatchService
from referee.server.play import PlayService

# a host, one of IPv6 in brackets, and a port
_HOST_AND_PORT: Final = re.compile(r"(\[[^][\s]+\]|[^][:\s]+):([0-9]{1,5})")


class Service(Protocol):
    """Some RPCs under one name."""

    @property
    def NAME(self) -> str:
        """Return the service's full name, as in the .proto file."""

    def handler(self) -> grpc.GenericRpcHandler:
        """Return what a server registers."""


@dataclass(frozen=True, slots=True)
class Listening:
    """A server that listens: the address bound, and ``drain``, by which its health turns NOT_SERVING."""

    address: str
    drain: Callable[[], Awaitable[None]]


class CannotListen(Exception):
    """The address cannot be listened on; the text names it and the remedy."""


@asynccontextmanager
async def listening(
    referee: Referee, address: str, *, tls: Tls | None = None, services: Sequence[Service] | None = None
) -> AsyncIterator[Listening]:
    """Serve a referee at an address while the context lasts.

    ``address`` is ``host:port``, port 0 for a free one, or ``unix:/path``, which takes no TLS. ``services``
    are by default those of bots and organisers. At the end all sessions are ended.

    Raises:
        CannotListen: the address is none, is taken, or cannot be had.
        CertificateError: the files of ``tls`` cannot be used.
    """
    await _check(address)
    credentials = server_credentials(tls, datetime.now(UTC)) if tls else None
    if credentials and address.startswith("unix:"):
        text = "a Unix socket takes no TLS, since nothing leaves this machine; leave the certificate out"
        raise CannotListen(f"cannot listen on {address}: {text}")
    server = grpc.aio.server(
        options=server_options(referee.limits),
        compression=grpc.Compression.NoCompression,
        interceptors=interceptors(referee.access, referee.limits, referee.observer),
    )
    if services is None:
        services = (PlayService(referee), MatchService(referee))
    for service in services:
        server.add_generic_rpc_handlers((service.handler(),))
    names = [service.NAME for service in services]
    health = HealthService(names)
    health.add_to(server)
    reflection.enable_server_reflection([*names, health.NAME, reflection.SERVICE_NAME], server)
    await health.serve()
    bound = _bind(server, address, credentials)
    await server.start()
    try:
        yield Listening(bound, health.drain)
    finally:
        await health.drain()
        referee.end_sessions()
        await server.stop(grace=0.5)


def server_options(limits: Limits) -> tuple[tuple[str, int], ...]:
    """Return the limits as gRPC wants them."""
    ping_timeout = limits.keepalive_timeout_seconds * 1000
    return (
        ("grpc.so_reuseport", 0),  # a second server on the port must fail, not share it
        # what is somewhat too large reaches the session, which says so with its reason
        ("grpc.max_receive_message_length", 2 * limits.frame_bytes),
        ("grpc.max_concurrent_streams", limits.streams_per_connection),
        # a host name with several addresses has so many connections at each
        ("grpc.max_allowed_incoming_connections", limits.connections),
        ("grpc.server_handshake_timeout_ms", limits.handshake_seconds * 1000),
        # one without a call: as long as a session without a frame
        ("grpc.max_connection_idle_ms", limits.idle_seconds * 1000),
        # between the first and the second of these gRPC refuses at random
        ("grpc.max_metadata_size", limits.metadata_bytes),
        ("grpc.absolute_max_metadata_size", limits.metadata_bytes),
        ("grpc.keepalive_time_ms", limits.keepalive_seconds * 1000),
        # documented is the first of these two, but it is the second that finds a frozen peer
        ("grpc.keepalive_timeout_ms", ping_timeout),
        ("grpc.http2.ping_timeout_ms", ping_timeout),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 1_000),
    )


def _bind(server: Any, address: str, credentials: grpc.ServerCredentials | None) -> str:
    try:
        if credentials:
            port = server.add_secure_port(address, credentials)
        else:
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
