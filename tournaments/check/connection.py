"""One stream of the bot: its frames are watched as they pass, and altered where a check wants that."""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from typing import Final, Protocol

from google.protobuf.message import DecodeError

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.session import Session

MAX_FRAME_BYTES: Final = 32 * 1024


class Listener(Protocol):
    """Sees every frame that passes, and may alter it."""

    def told(self, connection: "BotStream", frame: pb.PlayResponse) -> None:
        """Record a frame to the bot, before it is sent."""

    def heard(self, connection: "BotStream", frame: pb.PlayRequest, size: int) -> None:
        """Record a frame from the bot, of ``size`` bytes, before the referee has it."""

    def miscounted(self, connection: "BotStream", frame: pb.PlayRequest) -> None:
        """Record a frame that acknowledges more frames than were sent."""


class BotStream:
    """One stream between the bot and the referee.

    Frames of our own that are put in between (`inject`) are left out of what the bot acknowledges before the
    referee hears of it.
    """

    def __init__(self, session: Session, listener: Listener) -> None:
        self.session = session
        self.hello: pb.Hello | None = None
        self.frames = 0
        """How many frames the bot was sent."""
        self.acknowledged = 0
        """How many of them it has acknowledged."""
        self.has_left = False
        """Whether the bot has said goodbye."""
        self.is_cut = False
        """Whether we break, or broke, the stream."""
        self.is_over = False
        """Whether the stream has ended."""
        self.acknowledges_itself = False
        """Whether the referee is told that all frames are received, whatever the bot says."""
        self._listener = listener
        self._extra: deque[pb.PlayResponse] = deque()
        self._injected: list[int] = []  # the numbers of our own frames

    @property
    def is_open(self) -> bool:
        """Return whether a bot is playing here: it was welcomed, and neither side has ended the session."""
        return not (
            self.frames == 0  # our own frames must not precede the welcome
            or self.session.ended
            or self.session.leaving
            or self.is_cut
            or self.is_over
        )

    def inject(self, *updates: pb.Update) -> None:
        """Insert a frame of our own; the caller then has the stream checked for frames to send."""
        self._extra.append(pb.PlayResponse(updates=updates))

    def next_frame(self) -> bytes | None:
        """Return the next frame for the bot, None when there is none now."""
        if self.is_cut:
            return None
        if self._extra:
            frame = self._extra.popleft()
            self._injected.append(self.frames + 1)
        elif (data := self.session.next_frame()) is not None:
            frame = pb.PlayResponse.FromString(data)
        else:
            return None
        self.frames += 1
        self._listener.told(self, frame)
        return frame.SerializeToString()

    def hear(self, data: bytes) -> Iterator[bytes]:
        """Yield what the referee gets of a frame from the bot."""
        try:
            request = pb.PlayRequest.FromString(data)
        except DecodeError:
            yield data  # the referee reports what is wrong with it
            return
        self.acknowledged = max(self.acknowledged, min(request.frames_received, self.frames))
        if request.frames_received > self.frames:
            self._listener.miscounted(self, request)
        if request.HasField("bye"):
            self.has_left = True
        self._listener.heard(self, request, len(data))
        if self.is_cut:
            return
        received = self.frames if self.acknowledges_itself else min(request.frames_received, self.frames)
        request.frames_received = received - bisect_right(self._injected, received)
        if len(data) > MAX_FRAME_BYTES:
            yield from _split(request)
        else:
            yield request.SerializeToString()


def _split(request: pb.PlayRequest) -> Iterator[bytes]:
    """Yield a frame as smaller ones, so that one that is too large does not end the session."""
    received = request.frames_received
    for ready in request.ready:
        yield pb.PlayRequest(frames_received=received, ready=[ready]).SerializeToString()
    for answer in request.answers:
        yield pb.PlayRequest(frames_received=received, answers=[answer]).SerializeToString()
    del request.ready[:], request.answers[:]
    request.DiscardUnknownFields()
    yield request.SerializeToString()
