"""A gRPC server around a referee: address, services, limits."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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


class CannotListen(Exception):
    """The address cannot be listened on; the text names it and the remedy."""


@asynccontextmanager
async def listening(referee: Referee, address: str) -> AsyncIterator[str]:
    """Serve a referee at an address while the context lasts, and yield the address bound.

    ``address`` is ``host:port``, port 0 for a free one, or ``unix:/path``. At the end the open streams are
    closed.

    Raises:
        CannotListen: the address is taken or cannot be had.
    """
    server = grpc.aio.server(options=OPTIONS, compression=grpc.Compression.NoCompression)
    services = (PlayService(referee), MatchService())
    for service in services:
        server.add_generic_rpc_handlers((service.handler(),))
    status = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(status, server)
    names = [service.NAME for service in services]
    reflection.enable_server_reflection([*names, health.SERVICE_NAME, reflection.SERVICE_NAME], server)
    for name in ("", *names):
        await status.set(name, health_pb2.HealthCheckResponse.SERVING)
    bound = _bind(server, address)
    await server.start()
    try:
        yield bound
    finally:
        await status.enter_graceful_shutdown()
        await server.stop(grace=0.5)


def _bind(server: Any, address: str) -> str:
    remedy = "is it taken? choose another address, or port 0 for a free one"
    try:
        port = server.add_insecure_port(address)
    except RuntimeError:
        raise CannotListen(f"cannot listen on {address}: {remedy}") from None
    if address.startswith("unix:"):
        return address
    if port == 0:
        raise CannotListen(f"cannot listen on {address}: {remedy}")
    return f"{address.rpartition(':')[0]}:{port}"
