"""Calls any RPC of a server, by its name, with credentials of every kind."""

import asyncio
from dataclasses import dataclass
from typing import Any, Final

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from tests.workspace import PATIENCE

CREDENTIALS: Final = {
    "none": None,
    "no scheme": "tok-boss",
    "unknown": "Bearer tok-x",
    "the bot's": "Bearer tok-a",
    "another bot's": "Bearer tok-b",
    "an organiser's": "Bearer tok-boss",
}


async def offered(channel: grpc.aio.Channel) -> set[str]:
    """Ask a server by reflection for its services, and for the RPCs of each."""
    found: set[str] = set()
    async with asyncio.timeout(PATIENCE):
        call = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        for listed in (await call.read()).list_services_response.service:
            await call.write(reflection_pb2.ServerReflectionRequest(file_containing_symbol=listed.name))
            for data in (await call.read()).file_descriptor_response.file_descriptor_proto:
                file = FileDescriptorProto.FromString(data)  # the service's, or one that it imports
                services = [s for s in file.service if f"{file.package}.{s.name}" == listed.name]
                found |= {f"/{listed.name}/{method.name}" for s in services for method in s.method}
        await call.done_writing()
    return found


def kind_of(rpc: str) -> str:
    _, service, name = rpc.split("/")
    method = descriptor_pool.Default().FindServiceByName(service).methods_by_name[name]
    return "_".join(
        "stream" if way else "unary" for way in (method.client_streaming, method.server_streaming)
    )


@dataclass(frozen=True, slots=True)
class Came:
    """What came of a call: its first answer, or why there was none."""

    code: grpc.StatusCode
    answer: bytes = b""
    text: str = ""
    reason: str = ""
    incident: str = ""


class Client:
    """Calls RPCs of any kind; its streams stay open."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel
        self._open: list[Any] = []

    def leave(self) -> None:
        """Cancel all calls."""
        for call in self._open:
            call.cancel()

    async def call(self, rpc: str, request: bytes, credentials: str = "none") -> Came:
        """Send a request and return what came of it."""
        kind = kind_of(rpc)
        authorization = CREDENTIALS[credentials]
        metadata = grpc.aio.Metadata(("authorization", authorization)) if authorization else None
        start: Any = getattr(self._channel, kind)(rpc)
        call = start(metadata=metadata) if kind == "stream_stream" else start(request, metadata=metadata)
        self._open.append(call)
        async with asyncio.timeout(PATIENCE):
            try:
                if (answer := await self._first_of(call, kind, request)) is not None:
                    return Came(grpc.StatusCode.OK, answer)
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                pass  # what it says stands in the call too
            trailing = dict(tuple(await call.trailing_metadata() or ()))
            reason, incident = trailing.get("fairdeal-reason", ""), trailing.get("fairdeal-incident", "")
            return Came(await call.code(), b"", await call.details(), reason, incident)

    async def _first_of(self, call: Any, kind: str, request: bytes) -> bytes | None:
        if kind == "stream_stream":
            await call.write(request)
        answer = await (call if kind == "unary_unary" else call.read())
        return None if answer is grpc.aio.EOF else answer
