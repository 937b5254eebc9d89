"""A gRPC server around a referee: address, services, limits."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Protocol

import grpc
from grpc_reflection.v1alpha import reflection

from referee.limits import Limits
from referee.server.addresses import CannotListen, cannot_listen, check_address
from referee.server.credentials import Tls, server_credentials
from referee.server.driver import Referee
from referee.server.guard import interceptors
from referee.server.health import HealthService
from referee.server.matches import MatchService
from referee.server.play import PlayService
from referee.server.rules import RULES, Rule

_WATCH: Final = 0.25  # seconds between looks at whether gRPC's server still takes calls
_FAREWELL: Final = 5.0  # seconds for the streams of sessions to end; only one that is stuck takes so long
_CALL: Final = "_schedule_rpc_coro"  # gRPC's name for a call from its beginning to its end
_MOST_FAILED: Final = 4096  # servers of some 8 KB; to fail so often takes a quarter of an hour


class Service(Protocol):
    """Some RPCs under one name."""

    @property
    def NAME(self) -> str:
        """Return the service's full name, as in the .proto file."""

    @property
    def RULES(self) -> Mapping[str, Rule]:
        """Return the rule of each of its RPCs, by the RPC's name."""

    def handler(self) -> grpc.GenericRpcHandler:
        """Return what a server registers."""


@dataclass(frozen=True, slots=True)
class Listening:
    """A server that listens: the address bound, and ``drain``, by which its health turns NOT_SERVING."""

    address: str
    drain: Callable[[], Awaitable[None]]


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
    await check_address(address)
    credentials = server_credentials(tls, datetime.now(UTC)) if tls else None
    if credentials and address.startswith("unix:"):
        text = "a Unix socket takes no TLS, since nothing leaves this machine; leave the certificate out"
        raise CannotListen(f"cannot listen on {address}: {text}")
    if services is None:
        services = (PlayService(referee), MatchService(referee))
    standing = _Standing(referee, services, credentials)
    await standing.begin(address)
    try:
        yield Listening(standing.address, standing.health.drain)
    finally:
        await standing.end()


class _Standing:
    """A server that goes on when gRPC's own gives up.

    A call whose path is no UTF-8, which anybody can make, ends the loop of grpc.aio's server (as of 1.85): it
    takes no more calls. Then another one listens at the same address; calls that are under way go on at the
    old one, which is kept for them: gRPC would end them with it.
    """

    def __init__(
        self, referee: Referee, services: Sequence[Service], credentials: grpc.ServerCredentials | None
    ) -> None:
        self.address = ""
        self.health = HealthService([service.NAME for service in services])
        self._referee = referee
        self._services = services
        self._credentials = credentials
        self._server: Any = None
        self._failed: deque[Any] = deque(maxlen=_MOST_FAILED)
        self._keeper: asyncio.Task[None]

    async def begin(self, address: str) -> None:
        await self.health.serve()
        await self._listen(address)
        self._keeper = asyncio.create_task(self._keep())

    async def end(self) -> None:
        self._keeper.cancel()
        await asyncio.wait({self._keeper})
        await self.health.drain()
        # gRPC cuts off what takes longer than its grace, and no bot would hear why its session ends
        with suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL):
                await self._referee.sessions_over()
        await asyncio.gather(*(server.stop(grace=0.5) for server in (*self._failed, self._server)))

    async def _listen(self, address: str) -> None:
        server = self._new_server()
        try:
            if self._credentials:
                port = server.add_secure_port(address, self._credentials)
            else:
                port = server.add_insecure_port(address)
        except RuntimeError:
            raise cannot_listen(address, "somebody was faster") from None
        await server.start()
        if self._server is not None:
            self._failed.append(self._server)
        self._server = server
        is_path = address.startswith("unix:")
        self.address = address if is_path else f"{address.rpartition(':')[0]}:{port}"

    async def _keep(self) -> None:
        while True:
            # looked at now and then: one that has just failed still holds what the next one needs
            await asyncio.sleep(_WATCH)
            try:
                await self._server.wait_for_termination(timeout=0)
            except Exception as error:  # noqa: BLE001 - whatever ended it, bots are to find a referee here
                self._referee.observer.failed("gRPC's server", error)
                try:
                    await self._listen(self.address)
                except CannotListen:
                    pass  # then the next time
                except Exception as another:  # noqa: BLE001 - nor may this end who looks after it
                    self._referee.observer.failed("gRPC's server", another)

    def _new_server(self) -> Any:
        referee = self._referee
        server: Any = grpc.aio.server(
            options=server_options(referee.limits),
            compression=grpc.Compression.NoCompression,
            interceptors=interceptors(
                _rules_of(self._services), referee.access, referee.limits, referee.observer
            ),
        )
        for service in self._services:
            server.add_generic_rpc_handlers((service.handler(),))
        # generated code registers its methods by name, too; for each of them gRPC awaits a call, which its
        # server frees when it fails, and to which its core writes all the same (as of 1.85)
        server.add_registered_method_handlers = lambda _service, _handlers: None
        self.health.add_to(server)
        names = [service.NAME for service in self._services]
        reflection.enable_server_reflection([*names, self.health.NAME, reflection.SERVICE_NAME], server)
        return server


async def calls_over(seconds: float = 2.0) -> None:
    """Wait for what gRPC's servers, stopped by now, have left in this loop; for so long at the most.

    A server has stopped when its calls are over on the wire. Their tasks take some turns of the loop more;
    of those that the end of the loop cancels instead, gRPC prints a traceback (as of 1.85).
    """
    tasks = {task for task in asyncio.all_tasks() if getattr(task.get_coro(), "__name__", "") == _CALL}
    if tasks:
        await asyncio.wait(tasks, timeout=seconds)


def _rules_of(services: Sequence[Service]) -> dict[str, Rule]:
    """Return the rule of every RPC, by its full name."""
    found = dict(RULES)
    for service in services:
        found |= {f"/{service.NAME}/{name}": rule for name, rule in service.RULES.items()}
    return found


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
