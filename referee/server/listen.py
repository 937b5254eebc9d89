"""A gRPC server around a referee: address, services, limits."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Protocol

import grpc
from grpc_reflection.v1alpha import reflection

from referee.core.limits import MOST_CONNECTIONS, Limits
from referee.match.messages import Reason
from referee.server.addresses import CannotListen, cannot_listen, check_address
from referee.server.caller import address_of
from referee.server.connections import watch
from referee.server.health import HealthService
from referee.server.interceptors import interceptors
from referee.server.match_service import MatchService
from referee.server.permissions import RULES, Rule
from referee.server.play_service import PlayService
from referee.server.runtime import Referee
from referee.server.status import refuse
from referee.server.tls import Tls, server_credentials

_FAREWELL: Final = 5.0  # seconds for the streams of sessions to end; only a stuck one takes this long
_CONNECTIONS_OF_ONE: Final = 4  # of a bot with an address of its own, which needs one or two
_CALLS_OVER_SECONDS: Final = 2.0  # for the last turns of calls that are over on the wire
_CALL: Final = "_schedule_rpc_coro"  # gRPC's name for a call from its beginning to its end


class Service(Protocol):
    """A gRPC service: some RPCs under one name."""

    @property
    def NAME(self) -> str:
        """Return the service's full name, as in the .proto file."""

    @property
    def RULES(self) -> Mapping[str, Rule]:
        """Return the rule of each of its RPCs, by the RPC's name."""

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handlers that a server registers."""


@dataclass(frozen=True, slots=True)
class Listening:
    """A server that listens: the address bound, and ``drain``, by which its health turns NOT_SERVING."""

    address: str
    drain: Callable[[], Awaitable[None]]


@asynccontextmanager
async def listening(
    referee: Referee,
    address: str,
    *,
    tls: Tls | None = None,
    services: Sequence[Service] | None = None,
    connections: int = 0,
    watched: bool = True,
    for_one: bool = False,
) -> AsyncIterator[Listening]:
    """Serve a referee at an address while the context lasts.

    ``address`` is ``host:port``, port 0 for a free one, or ``unix:/path``, which takes no TLS. ``services``
    are by default those of bots and organisers. There are at most ``connections`` at once, by default as many
    as the referee's limits allow; those that are ``watched`` are reported to the observer now and then. At
    the end all sessions are ended. With ``for_one``, at the address of a single bot, there are few
    connections, and only the sessions that were opened there are ended.

    Raises:
        CannotListen: the text is not an address, or the address is taken or not available.
        CertificateError: the files of ``tls`` cannot be used.
    """
    places = await check_address(address)
    credentials = server_credentials(tls, datetime.now(UTC)) if tls else None
    if credentials and address.startswith("unix:"):
        text = "a Unix socket takes no TLS, since nothing leaves this machine; leave the certificate out"
        raise CannotListen(f"cannot listen on {address}: {text}")
    if services is None:
        services = (PlayService(referee), MatchService(referee))
    most = connections or referee.core.limits.most_connections
    if for_one:
        most = _CONNECTIONS_OF_ONE
    standing = _Standing(referee, services, max(1, most // places), for_one=for_one)
    bound = await standing.begin(address, credentials)
    watching = None
    if watched and not address.startswith("unix:"):
        port = int(bound.rpartition(":")[2])
        watching = asyncio.create_task(watch(port, most, referee.core.observer))
    try:
        yield Listening(bound, standing.health.drain)
    finally:
        if watching:
            watching.cancel()
        await standing.end()


class _Standing:
    """Run a server with its services until its sessions are ended."""

    def __init__(
        self, referee: Referee, services: Sequence[Service], connections: int, *, for_one: bool
    ) -> None:
        self._referee = referee
        self._for_one = for_one
        names = [service.NAME for service in services]
        self.health = HealthService(names)
        self._server = self._new_server(
            server_options(referee.core.limits, connections),
            interceptors(
                _rules_of(services), referee.core.access, referee.core.limits, referee.core.observer
            ),
        )
        for service in services:
            self._server.add_generic_rpc_handlers((service.handler(),))
        self.health.add_to(self._server)
        reflection.enable_server_reflection([*names, self.health.NAME, reflection.SERVICE_NAME], self._server)

    def _new_server(
        self, options: Sequence[tuple[str, int]], interceptors: Sequence[grpc.aio.ServerInterceptor]
    ) -> Any:
        try:
            # imported on demand: it uses private parts of gRPC, which another version may not have
            from referee.server.lasting_server import LastingServer

            return LastingServer(
                options, interceptors, on_unreadable=self._refuse_unreadable, on_failed=self._failed
            )
        except (ImportError, AttributeError, TypeError) as error:
            self._failed(error)
            server: Any = grpc.aio.server(options=options, interceptors=interceptors)
            # for a method that is registered by name, too, gRPC writes to a call that it has freed when the
            # server fails (as of 1.85)
            server.add_registered_method_handlers = lambda _service, _handlers: None
            return server

    def _failed(self, error: BaseException) -> None:
        self._referee.core.observer.failed("a server that no call can end", error)

    async def begin(self, address: str, credentials: grpc.ServerCredentials | None) -> str:
        """Listen on an address, and return it with the port that it has."""
        try:
            if credentials:
                port = self._server.add_secure_port(address, credentials)
            else:
                port = self._server.add_insecure_port(address)
        except RuntimeError:
            raise cannot_listen(address, "another process took it first") from None
        await self.health.serve()
        await self._server.start()
        return address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"

    async def end(self) -> None:
        await self.health.drain()
        if not self._for_one:
            await self._say_farewell()
        await self._server.stop(grace=0.5)

    async def _say_farewell(self) -> None:
        # gRPC cuts off calls after its grace, and bots would not learn why their sessions end
        with suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL):
                await self._referee.sessions_over()

    async def _refuse_unreadable(self, context: Any) -> None:
        self._referee.core.observer.unreadable(address_of(context))
        # the observer tells it: a line for each of these calls would fill the disk
        await refuse(context, Reason.PROTOCOL_VIOLATION, "the path of this call is not text", quiet=True)


async def calls_over() -> None:
    """Wait for the tasks that gRPC's servers, stopped by now, have left in this loop, for a limited time.

    A server has stopped when its calls are over on the wire. Their tasks need some more turns of the loop;
    for tasks that the end of the loop cancels instead, gRPC prints a traceback (as of 1.85).
    """
    tasks = {task for task in asyncio.all_tasks() if getattr(task.get_coro(), "__name__", "") == _CALL}
    if tasks:
        await asyncio.wait(tasks, timeout=_CALLS_OVER_SECONDS)


def _rules_of(services: Sequence[Service]) -> dict[str, Rule]:
    """Return the rule of every RPC, by its full name."""
    found = dict(RULES)
    for service in services:
        found |= {f"/{service.NAME}/{name}": rule for name, rule in service.RULES.items()}
    return found


def server_options(limits: Limits, connections: int = MOST_CONNECTIONS) -> tuple[tuple[str, int], ...]:
    """Return the limits as options of gRPC, which counts ``connections`` separately for each address."""
    ping_timeout = limits.keepalive_timeout_seconds * 1000
    return (
        ("grpc.so_reuseport", 0),  # a second server on the port must fail, not share it
        # a frame that is a little too large reaches the session, which ends with a reason
        ("grpc.max_receive_message_length", 2 * limits.frame_bytes),
        ("grpc.max_concurrent_streams", limits.streams_per_connection),
        ("grpc.max_allowed_incoming_connections", connections),
        ("grpc.server_handshake_timeout_ms", limits.handshake_seconds * 1000),
        # a connection without a call may stay as long as a session without a frame
        ("grpc.max_connection_idle_ms", limits.idle_seconds * 1000),
        # between the first and the second number gRPC refuses at random
        ("grpc.max_metadata_size", limits.metadata_bytes),
        ("grpc.absolute_max_metadata_size", limits.metadata_bytes),
        ("grpc.keepalive_time_ms", limits.keepalive_seconds * 1000),
        # the first of these two is documented, but the second is what detects a frozen peer
        ("grpc.keepalive_timeout_ms", ping_timeout),
        ("grpc.http2.ping_timeout_ms", ping_timeout),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 1_000),
    )
