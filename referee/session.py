"""A bot's session as a pure object: frames in, frames out.

What is told becomes visible in two steps: `tell` queues, `release` lets it go once the journal holds what it
tells of. The writer takes frames with `next_frame`, as many as flow control allows.
"""

from collections import deque
from typing import Final

from referee import wire
from referee.cards import Seat
from referee.updates import Closed, Happened, Hello, Reason, Update, Welcome

PROTOCOL_VERSION: Final = 1
MAX_FRAME_BYTES: Final = 32 * 1024
MAX_UNACKNOWLEDGED_FRAMES: Final = 64
MAX_UNACKNOWLEDGED_BYTES: Final = 256 * 1024
MAX_QUEUED_BYTES: Final = 256 * 1024
MAX_TABLES: Final = 256
_TAG_BYTES: Final = 4  # of an update in a frame: the field's tag and a length below 2**21


class Ended(Exception):
    """The session must end, for a reason that its bot is told."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text


class Session:
    """One stream of one bot, from its first frame to its end.

    ``hello`` is None until the first frame; ``seats`` are the seats it plays by match id.
    """

    def __init__(self) -> None:
        self.hello: Hello | None = None
        self.epoch = 0
        self.tables = 0
        self.matches_left: int | None = None  # None: no limit
        self.seats: dict[str, Seat] = {}
        self.leaving = False
        self.ended: Ended | None = None
        self._queued: list[bytes] = []
        self._released: deque[bytes] = deque()
        self._urgent = False
        self._queued_bytes = 0
        self._sent: deque[int] = deque()  # sizes of the frames that are not acknowledged
        self._sent_bytes = 0
        self._acknowledged = 0

    @property
    def identity(self) -> tuple[str, str]:
        """Return entry and instance: a newer session of the same pair replaces this one."""
        assert self.hello is not None
        return self.hello.entry, self.hello.instance

    def open(self, hello: Hello, epoch: int, server: str) -> None:
        """Take the first frame's hello and queue the welcome.

        Raises:
            Ended: no version of the protocol is spoken by both sides.
        """
        if PROTOCOL_VERSION not in hello.versions:
            spoken = ", ".join(map(str, hello.versions)) or "none"
            text = f"this referee speaks version {PROTOCOL_VERSION} of the protocol, the bot: {spoken}"
            raise Ended(Reason.UNSUPPORTED_VERSION, text)
        self.hello = hello
        self.epoch = epoch
        self.tables = min(hello.tables, MAX_TABLES)
        self.matches_left = hello.matches or None
        self.tell(
            Welcome(
                version=PROTOCOL_VERSION,
                epoch=epoch,
                max_frame_bytes=MAX_FRAME_BYTES,
                max_unacknowledged_frames=MAX_UNACKNOWLEDGED_FRAMES,
                max_unacknowledged_bytes=MAX_UNACKNOWLEDGED_BYTES,
                max_tables=self.tables,
                server=server,
            )
        )

    @property
    def free_tables(self) -> int:
        """Return how many more tables the bot can be given now."""
        if self.leaving or self.ended:
            return 0
        free = self.tables - len(self.seats)
        return max(0, free if self.matches_left is None else min(free, self.matches_left))

    def tell(self, update: Update) -> None:
        """Queue an update; events only go to a bot that wants them."""
        if self.ended or (isinstance(update, Happened) and not (self.hello and self.hello.events)):
            return
        data = wire.encode(update)
        self._queued.append(data)
        self._queued_bytes += len(data) + _TAG_BYTES
        # that a decision is closed can wait for the next frame, which saves one an answer
        if not isinstance(update, Closed):
            self._urgent = True

    def release(self) -> None:
        """Let go what is queued; a bot that does not read what it is sent is cut off."""
        self._released.extend(self._queued)
        self._queued.clear()
        if self._queued_bytes > MAX_QUEUED_BYTES:
            self.end(Reason.SLOW_READER, "the bot does not acknowledge what it is sent (frames_received)")

    def next_frame(self) -> bytes | None:
        """Return the next frame, or None when there is nothing to send or the bot must read first."""
        if not self._urgent or not self._released or self._is_full():
            return None
        updates = [self._released.popleft()]
        size = len(updates[0]) + _TAG_BYTES
        while self._released and size + len(self._released[0]) + _TAG_BYTES <= MAX_FRAME_BYTES:
            updates.append(self._released.popleft())
            size += len(updates[-1]) + _TAG_BYTES
        self._queued_bytes -= size
        self._urgent = bool(self._released or self._queued)
        frame = wire.frame(updates)
        self._sent.append(len(frame))
        self._sent_bytes += len(frame)
        return frame

    def _is_full(self) -> bool:
        return len(self._sent) >= MAX_UNACKNOWLEDGED_FRAMES or self._sent_bytes >= MAX_UNACKNOWLEDGED_BYTES

    def acknowledge(self, frames_received: int) -> None:
        """Take note of how many frames the bot has received in all.

        Raises:
            Ended: the bot acknowledges frames that were never sent.
        """
        if frames_received > self._acknowledged + len(self._sent):
            raise Ended(Reason.PROTOCOL_VIOLATION, "frames_received counts more frames than were sent")
        while self._acknowledged < frames_received:
            self._sent_bytes -= self._sent.popleft()
            self._acknowledged += 1

    def end(self, reason: Reason, text: str) -> None:
        """End the session; what is released already is still sent as far as flow control allows."""
        if self.ended is None:
            self.ended = Ended(reason, text)
