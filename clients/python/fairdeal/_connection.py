"""A session over gRPC: one reader, one writer, and an end to every wait."""

import asyncio
from collections.abc import Callable
from typing import Final

import grpc
from grpc import aio

from fairdeal._player import Player, play
from fairdeal._session import Session
from fairdeal._settings import Settings
from fairdeal._tasks import Tasks
from fairdeal.errors import CannotConnect, ConnectionLost, FairdealError, Rejected, Replaced
from fairdeal.v1.play_service_pb2 import PlayRequest, PlayResponse

_GOODBYE_SECONDS: Final = 3.0  # how long the end of a session may take
_SILENT_HEARTBEATS: Final = 3  # after so many heartbeats without a frame the referee counts as gone

_CHANNEL_OPTIONS: Final = (
    # a referee that is just starting is to be found soon
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    # servers end connections that ping more often than every five minutes, unless set otherwise
    ("grpc.keepalive_time_ms", 310_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", 1 << 20),
)

_Call = aio.StreamStreamCall[PlayRequest, PlayResponse]


class Connection:
    """Plays one session of a bot from its hello to its end.

    ``stop`` may be called, in the loop's thread, at any time: the bot then says goodbye.
    """

    def __init__(self, settings: Settings, player: Player) -> None:
        self._settings = settings
        self._player = player
        self._session = Session(settings.hello(events=player.wants_events), seed=settings.seed)
        self._stop = asyncio.Event()
        self._wake = asyncio.Event()
        self._tasks = Tasks(self._session, player, self._wake.set) if player.is_async else None

    def stop(self) -> None:
        """Leave the referee."""
        self._stop.set()

    async def run(self) -> int:
        """Connect and play; the number of matches finished.

        Raises:
            CannotConnect, ConnectionLost, Rejected, ProtocolError: the session failed.
            Exception: the bot's own, unless they cost a fault.
        """
        channel = self._channel()
        try:
            if await self._connect(channel):
                method: aio.StreamStreamMultiCallable[PlayRequest, PlayResponse] = channel.stream_stream(
                    "/fairdeal.v1.PlayService/Play",
                    request_serializer=PlayRequest.SerializeToString,
                    response_deserializer=PlayResponse.FromString,
                )
                token = self._settings.token
                metadata = (("authorization", f"Bearer {token}"),) if token else ()
                await self._converse(method(metadata=aio.Metadata(*metadata)))
        finally:
            await channel.close()
        return self._session.finished
