"""Reports by gRPC's health protocol whether the server and each of its services can be used."""

from collections.abc import Iterable
from typing import Any, Final

from grpc_health.v1 import health, health_pb2, health_pb2_grpc


class HealthService:
    """The health service: that of grpcio, with the RPC ``List``, which it lacks."""

    NAME: Final = health.SERVICE_NAME

    def __init__(self, services: Iterable[str]) -> None:
        self._services = tuple(services)
        self._states = health.aio.HealthServicer()
        self.Check = self._states.Check
        self.Watch = self._states.Watch

    def add_to(self, server: Any) -> None:
        """Register the service at a server."""
        health_pb2_grpc.add_HealthServicer_to_server(self, server)

    async def serve(self) -> None:
        """Report from now on that everything can be used."""
        for name in self._services:
            await self._states.set(name, health_pb2.HealthCheckResponse.SERVING)

    async def drain(self) -> None:
        """Report from now on that nothing can be used."""
        await self._states.enter_graceful_shutdown()

    async def List(self, _request: Any, context: Any) -> Any:
        """Return the state of the server (under an empty name) and of each service."""
        statuses = {
            name: await self.Check(health_pb2.HealthCheckRequest(service=name), context)
            for name in ("", *self._services)
        }
        return health_pb2.HealthListResponse(statuses=statuses)
