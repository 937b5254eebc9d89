"""One stream of the bot: its frames are watched as they pass, and altered where a check wants that."""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from typing import Final, Protocol

from google.protobuf.message import DecodeError

from fairdeal.v1 import play_service_pb2 as pb
from referee.session import Session

MAX_FRAME_BYTES: Final = 32 * 1024


class Ears(Protocol):
    """Who is told of every frame that passes, and may alter it."""

    def told(self, line: "Line", frame: pb.PlayResponse) -> None:
        """Take note of a frame to the bot, before it is sent."""

    def heard(self, line: "Line", frame: pb.PlayRequest, size: int) -> None:
        """Take note of a frame from the bot of so many bytes, before the referee has it."""

    def miscounted(self, line: "Line", frame: pb.PlayRequest) -> None:
        """Take note of a frame that acknowledges more frames than were sent."""


class Line:
    """One stream between the bot and the referee.

    Frames of our own that are put in between (`inject`) are left out of what the bot acknowledges before the
    referee hears of it.
    """

    def __init__(self, session: Session, ears: Ears) -> None:
        self.session = session
        self.hello: pb.Hello | None = None
        self.frames = 0
        """How many frames the bot was sent."""
        self.acknowledged = 0
        """How many of them it says that it has received."""
        self.has_left = False
        """Whether the bot has said goodbye."""
        self.is_cut = False
        """Whether the stream is to break, or did, by our own doing."""
        self.is_over = False
        """Whether the stream has ended."""
        self.acknowledges_itself = False
        """Whether the referee is told that all frames are received, whatever the bot says."""
        self._ears = ears
        self._extra: deque[pb.PlayResponse] = deque()
        self._injected: list[int] = []  # the numbers of our own frames

    @property
    def is_open(self) -> bool:
        """Tell whether a bot plays here: it was welcomed, and neither side has ended it."""
        return not (
            self.frames == 0  # nothing of ours may go before the welcome
            or self.session.ended
            or self.session.leaving
            or self.is_cut
            or self.is_over
        )

    def inject(self, *updates: pb.Update) -> None:
        """Put a frame of our own in between; who calls it lets the stream be looked at."""
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
        self._ears.told(self, frame)
        return frame.SerializeToString()

    def hear(self, data: bytes) -> Iterator[bytes]:
        """Yield what the referee is to hear of a frame from the bot."""
        try:
            request = pb.PlayRequest.FromString(data)
        except DecodeError:
            yield data  # the referee says what it is
            return
        self.acknowledged = max(self.acknowledged, min(request.frames_received, self.frames))
        if request.frames_received > self.frames:
            self._ears.miscounted(self, request)
        if request.HasField("bye"):
            self.has_left = True
        self._ears.heard(self, request, len(data))
        if self.is_cut:
            return
        received = self.frames if self.acknowledges_itself else min(request.frames_received, self.frames)
        request.frames_received = received - bisect_right(self._injected, received)
        if len(data) > MAX_FRAME_BYTES:
            yield from _split(request)
        else:
            yield request.SerializeToString()


def _split(request: pb.PlayRequest) -> Iterator[bytes]:
    """Yield a frame in small ones, so that what is too large once does not end the session."""
    received = request.frames_received
    for ready in request.ready:
        yield pb.PlayRequest(frames_received=received, ready=[ready]).SerializeToString()
    for answer in request.answers:
        yield pb.PlayRequest(frames_received=received, answers=[answer]).SerializeToString()
    del request.ready[:], request.answers[:]
    request.DiscardUnknownFields()
    yield request.SerializeToString()
