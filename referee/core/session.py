"""A bot's session as a pure object: frames in, frames out.

Updates leave in two steps: `tell` queues them, and `release` lets them go once the journal holds what they
report. The writer takes frames with `next_frame`, as many as flow control allows.
"""

from typing import Final

from referee.cards import Seat
from referee.codec import proto
from referee.codec.proto import answered_in_frame, decision_in_frame
from referee.core.access import Bearer
from referee.core.limits import DEFAULT, Granted, Limits
from referee.match.clock import SECOND, ClockSettings, Micros
from referee.match.effects import Owner
from referee.match.messages import (
    Closed,
    Decision,
    Finished,
    Happened,
    Hello,
    Reason,
    Seated,
    Update,
    Welcome,
)
from referee.match.notes import NOTE_BYTES

PROTOCOL_VERSION: Final = 1
# the largest frames that hold one answer, or nothing but an acknowledgement
_ANSWER_BYTES: Final = 1024 + NOTE_BYTES  # a note must never cost what it comes with
_ACKNOWLEDGEMENT_BYTES: Final = 16


class Ended(Exception):
    """The session must end; its bot is told the reason."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text


def check_versions(hello: Hello) -> None:
    """Check that bot and referee have a version of the protocol in common.

    Raises:
        Ended: they do not.
    """
    if PROTOCOL_VERSION not in hello.versions:
        spoken = ", ".join(map(str, hello.versions)) or "none"
        text = f"this referee speaks version {PROTOCOL_VERSION} of the protocol, the bot: {spoken}"
        raise Ended(Reason.UNSUPPORTED_VERSION, text)


class Session:
    """One stream of one bot, from its first frame to its end.

    ``bearer`` is whose token it was opened with, None without one. ``hello`` is None until the first frame;
    ``seats`` are the seats it plays by match id. ``asked`` are the decisions that it has not answered;
    ``heard_at`` and ``told_at`` are when it last sent a frame and was last told something. ``frames``,
    ``answers`` and ``bytes`` were granted by what it was asked: none of it is charged to its entry.
    ``clock`` is the one that it needs at an open table, None for that of the table. ``retired`` says that the
    bot wants no more matches and leaves after those that it plays; ``sent_on`` that it was told to go on at
    another address, which is the last that it is told.
    """

    def __init__(
        self,
        limits: Limits = DEFAULT,
        now: int = 0,
        *,
        token: str | None = None,
        bearer: Bearer | None = None,
        peer: str = "",
    ) -> None:
        self.number = 0  # identifies a session of the referee; 0 before it is let in
        self.token = token
        self.bearer = bearer
        self.peer = peer
        self.hello: Hello | None = None
        self.epoch = 0
        self.tables = 0
        self.matches_left: int | None = None  # None: no limit
        self.seats: dict[str, Seat] = {}
        self.clock: ClockSettings | None = None
        self.retired = False
        self.leaving = False
        self.sent_on = False
        self.ended: Ended | None = None
        self.asked: dict[bytes, Decision] = {}  # the open decisions by question
        self.opened_at = self.heard_at = self.told_at = now
        self._limits = limits
        # a bot may owe an answer and a seat for each table, and an acknowledgement for each frame
        most = 2 * limits.tables_per_session + limits.unacknowledged_frames
        self.frames = Granted(most)
        self.answers = Granted(most)
        self.bytes = Granted(most * _ANSWER_BYTES)
        self._questions = 0  # asked since the last frame came
        self._queued: list[bytes] = []
        self._released: list[bytes] = []  # small ones: an empty deque takes 0.7 KiB
        self._urgent = False
        self._queued_bytes = 0
        self._past_bytes = 0  # of them what a bot is told at once that has come back
        self._sent: list[int] = []  # sizes of the frames that are not acknowledged
        self._sent_bytes = 0
        self._acknowledged = 0

    @property
    def entry(self) -> str:
        """Return whose session it is, by its hello or before that by its token; empty when neither says."""
        if self.hello:
            return self.hello.entry
        return self.bearer.entry if self.bearer else ""

    @property
    def identity(self) -> Owner:
        """Return entry and instance: a newer session of the same pair replaces this one."""
        assert self.hello is not None
        return self.hello.entry, self.hello.instance

    def open(self, hello: Hello, epoch: int, server: str) -> None:
        """Take the first frame's hello and queue the welcome."""
        self.hello = hello
        self.epoch = epoch
        limits = self._limits
        self.tables = min(hello.tables, limits.tables_per_session)
        self.matches_left = hello.matches or None
        self.tell(
            Welcome(
                version=PROTOCOL_VERSION,
                epoch=epoch,
                max_frame_bytes=limits.frame_bytes,
                max_unacknowledged_frames=limits.unacknowledged_frames,
                max_unacknowledged_bytes=limits.unacknowledged_bytes,
                max_tables=self.tables,
                heartbeat=Micros(limits.heartbeat_seconds * SECOND) or None,
                server=server,
            )
        )

    @property
    def free_tables(self) -> int:
        """Return how many more tables the bot can be given now."""
        if self.retired or self.leaving or self.ended:
            return 0
        free = self.tables - len(self.seats)
        return max(0, free if self.matches_left is None else min(free, self.matches_left))

    def plays(self, game: str) -> bool:
        """Return whether the bot plays a game."""
        return self.hello is not None and (not self.hello.games or game in self.hello.games)

    def hear(self, frame: bytes, now: int) -> None:
        """Record a frame before it is read.

        Raises:
            Ended: it is too large.
        """
        self.heard_at = now
        # each question grants its answer, so that a bot that only answers is never too fast
        questions, self._questions = self._questions, 0
        self.frames.grant(questions)
        self.answers.grant(questions)
        self.bytes.grant(questions * _ANSWER_BYTES)
        most = self._limits.frame_bytes
        if len(frame) > most:
            text = f"the frame has {len(frame)} bytes, at most {most} are allowed"
            raise Ended(Reason.MESSAGE_TOO_LARGE, text)

    def tell(self, update: Update) -> None:
        """Queue an update; events only go to a bot that wants them."""
        if isinstance(update, Decision):
            question = proto.question_bytes(update.match_id, update.decision_id)
            self.ask(update, question, proto.decision_behind(question, update))
        elif isinstance(update, Closed):
            self.close(update)
        elif not (isinstance(update, Happened) and not (self.hello and self.hello.events)):
            self.inform(proto.in_frame(proto.encode(update)))
            if isinstance(update, Seated):
                self._questions += 1
            elif isinstance(update, Finished):
                for question in [q for q, each in self.asked.items() if each.match_id == update.match_id]:
                    del self.asked[question]

    def inform(self, update: bytes) -> None:
        """Queue an update that leaves with the next frame, as it stands there."""
        self._queue(update)
        self._urgent = True

    def ask(self, decision: Decision, question: bytes, data: bytes) -> None:
        """Queue a decision, given its bytes and those of its question (see `codec.proto.answers`), too."""
        if self.ended is None:
            update = decision_in_frame(data)
            self._queued.append(update)
            self._queued_bytes += len(update)
            self._urgent = True
            self.asked[question] = decision
            self._questions += 1

    def close(self, closed: Closed) -> None:
        """Queue that a decision is closed, which can wait for the next frame: that saves one an answer."""
        self._queue(proto.in_frame(proto.encode(closed)))
        self.asked.pop(proto.question_bytes(closed.match_id, closed.decision_id), None)

    def answered(self, question: bytes) -> None:
        """Do the same for a decision that was answered, as most are."""
        self.asked.pop(question, None)
        if self.ended is None:
            update = answered_in_frame(question)
            self._queued.append(update)
            self._queued_bytes += len(update)

    def _queue(self, update: bytes) -> None:
        if not self.ended:
            self._queued.append(update)
            self._queued_bytes += len(update)

    def excuse(self) -> None:
        """Exempt what is queued now from the limits: the bot had no chance to read it yet."""
        self._past_bytes = self._queued_bytes

    def release(self, now: int) -> None:
        """Release what is queued."""
        if self._queued:
            self.told_at = now
            self._released.extend(self._queued)
            self._queued.clear()

    @property
    def is_behind(self) -> bool:
        """Return whether more waits for the bot than is kept for one that does not read."""
        return self.ended is None and self._queued_bytes - self._past_bytes > self._limits.queued_bytes

    @property
    def is_through(self) -> bool:
        """Return whether a bot was sent on, and its stream ends once `next_frame` has nothing to give."""
        return self.sent_on and not self._queued

    @property
    def may_send(self) -> bool:
        """Return whether `next_frame` has a frame to give."""
        return self._urgent and bool(self._released) and not self._is_full()

    def next_frame(self) -> bytes | None:
        """Return the next frame, or None when there is nothing to send or the bot must read first."""
        if not self.may_send:
            return None
        most, released = self._limits.frame_bytes, self._released
        if self._queued_bytes <= most:
            frame = b"".join(released)
            released.clear()
        else:
            count, size = 1, len(released[0])
            while count < len(released) and size + len(released[count]) <= most:
                size += len(released[count])
                count += 1
            frame = b"".join(released[:count])
            del released[:count]
        size = len(frame)
        self._queued_bytes -= size
        self._past_bytes = max(0, self._past_bytes - size)
        self._urgent = bool(self._released or self._queued)
        self._sent.append(size)
        self._sent_bytes += size
        self.frames.grant()  # for its acknowledgement
        self.bytes.grant(_ACKNOWLEDGEMENT_BYTES)
        return frame

    def _is_full(self) -> bool:
        limits = self._limits
        return (
            len(self._sent) >= limits.unacknowledged_frames or self._sent_bytes >= limits.unacknowledged_bytes
        )

    def acknowledge(self, frames_received: int) -> None:
        """Record how many frames the bot has received in all.

        Raises:
            Ended: the bot acknowledges frames that were never sent.
        """
        if frames_received > self._acknowledged + len(self._sent):
            raise Ended(Reason.PROTOCOL_VIOLATION, "frames_received counts more frames than were sent")
        if count := max(0, frames_received - self._acknowledged):
            self._sent_bytes -= sum(self._sent[:count])
            del self._sent[:count]
            self._acknowledged = frames_received

    def end(self, reason: Reason, text: str) -> None:
        """End the session; what was released before is still sent as far as flow control allows."""
        if self.ended is None:
            self.ended = Ended(reason, text)
