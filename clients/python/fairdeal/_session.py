"""A session as pure logic: frames in, updates out; answers in, requests out. No I/O and no clock."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from google.protobuf.message import DecodeError

from fairdeal import _decode, _encode, _updates
from fairdeal._keeper import Keeper, KeptMatch
from fairdeal.errors import ProtocolError, Replaced
from fairdeal.updates import Decision, Finished, NoticeKind, Refused, Seated, Termination, Update
from fairdeal.v1 import play_service_pb2 as play

VERSION: Final = 1
MAX_FRAME_BYTES: Final = 32 * 1024

# Frames are acknowledged with the next request; without one, after this many frames or bytes, a quarter of
# what the referee allows.
_ACKNOWLEDGE_FRAMES: Final = 16
_ACKNOWLEDGE_BYTES: Final = 64 * 1024

_FRAME_OVERHEAD: Final = 16  # bytes of a frame besides its items


def ends_match(update: Update) -> bool:
    """Return whether an update ends its match: the match is over, or the referee does not know it."""
    # decisions count from 1: with 0 it is the resume point of the match that is refused
    return isinstance(update, Finished) or (isinstance(update, Refused) and not update.decision_id)


class _Match:
    """The state of a match in which the bot has a seat."""

    __slots__ = ("answer", "asked", "is_asked_here", "is_open", "kept", "seated", "sequence")

    def __init__(self, seated: Seated, kept: KeptMatch | None) -> None:
        self.seated = seated
        self.kept = kept  # None where nothing is kept
        self.sequence = 0  # the last event received
        self.asked = 0  # the last decision, one at a time
        self.is_open = False  # whether it is neither answered nor closed
        self.is_asked_here = False  # whether it came over the present stream
        self.answer: bytes | None = None  # its answer, until it is closed


class Session:
    """One session with a referee, over one stream or, by `rejoin`, several; its first request is the hello.

    It takes every seat that it is given. It leaves by itself after the hello's number of matches, and when it
    has no match and no more come, because the referee is shutting down or was asked for no more.
    ``seed`` is the seed of the decisions' generators; ``keeper`` keeps what is told and answered. Without
    ``wants_closed`` no update says that a decision was closed by its answer and no more.
    """

    def __init__(
        self, hello: play.Hello, *, seed: str = "", keeper: Keeper | None = None, wants_closed: bool = True
    ) -> None:
        self._opening = hello
        self._hello: play.Hello | None = hello
        self._limit = hello.matches
        self._seed = seed
        self._wants_closed = wants_closed
        self._keeper = keeper or Keeper()
        self._matches: dict[str, _Match] = {}
        self._pending: list[bytes] = []  # the items of the next request
        self._acknowledged = 0
        self._unacknowledged_bytes = 0
        self._must_acknowledge = False
        self._max_frame_bytes = MAX_FRAME_BYTES
        self._acknowledge_frames = _ACKNOWLEDGE_FRAMES
        self._acknowledge_bytes = _ACKNOWLEDGE_BYTES
        self.frames = 0
        """How many frames were received over the present stream."""
        self.welcomed = False
        """Whether the referee has opened the session over the present stream."""
        self.heartbeat = 0.0
        """How often, in seconds, the referee sends at least a heartbeat; 0: never without an update."""
        self.finished = 0
        """How many matches are over, without void ones, and with those that the referee has forgotten."""
        self.draining = False
        """Whether the referee has said that no more matches come."""
        self.retiring = False
        """Whether the bot wants no more matches; each stream tells the referee so."""
        self._must_retire = False
        self.leaving = False
        """Whether the bot says goodbye with the next requests."""
        self.left = False
        """Whether all requests were given, including the goodbye."""
        self.sent_to: str | None = None
        """Where the referee has sent the bot, whose next stream goes there; empty: where it began."""

    def receive(self, data: bytes) -> list[Update]:
        """Take the bytes of a frame and return its updates, in order.

        Raises:
            Replaced: a newer session took over.
            ProtocolError: the frame is invalid.
        """
        self.frames += 1
        self._unacknowledged_bytes += len(data)
        try:
            frame = play.PlayResponse.FromString(data)
        except DecodeError:
            raise ProtocolError("the referee sent a frame that is not a message") from None
        if not (self.welcomed or self.leaving or _begins_with_welcome(frame)):
            raise ProtocolError("the referee sent a message before its welcome")
        told: list[Update] = []
        for update in frame.updates:
            if self.leaving:
                break  # after the goodbye nothing concerns the bot any more
            told += self._take(update)
        return told

    def rejoin(self) -> None:
        """Go on over a new stream: the next request is a hello with the bot's positions in its matches.

        Requests that were not sent yet are dropped. An answer that the bot has given, or gives meanwhile, is
        sent when the decision comes again.
        """
        self._hello = play.Hello()
        self._hello.CopyFrom(self._opening)
        self._hello.resume.extend(self.resume_points())
        if self._limit:
            self._hello.matches = self._limit - self.finished
        self._pending = []
        self._must_retire = False
        self.frames = self._unacknowledged_bytes = 0
        self._must_acknowledge = False
        self.welcomed = False
        self.sent_to = None
        self.draining = self.draining and self.retiring
        for match in self._matches.values():
            match.is_asked_here = False

    def answer(self, decision: Decision, given: object) -> None:
        """Answer a decision; if it is closed by now, nothing is sent.

        Raises:
            BadAnswer: the answer is not legal.
        """
        self._reply(decision, _encode.answer_bytes(decision, given))

    def give_up(self, decision: Decision) -> None:
        """Leave a decision to the referee's default action, which counts as a fault."""
        self._reply(decision, _encode.no_answer(decision).SerializeToString())

    def retire(self) -> None:
        """Take no more matches: leave when the running ones are over and the referee has confirmed it."""
        self.retiring = self._must_retire = True

    def drain(self) -> None:
        """Expect no more matches: leave when the running ones are over."""
        self.draining = True
        self._leave_if_done()

    def leave(self) -> None:
        """Say goodbye with the next requests."""
        self.leaving = True

    def take_frames(self) -> list[bytes]:
        """Return the frames to send now, each the bytes of a request of a size that the referee accepts."""
        if self.left:
            return []
        items, self._pending = self._pending, []
        frames: list[bytes] = []
        if self._hello:
            frames.append(_request(hello=self._hello, no_more_matches=self.retiring))
            self._hello = None
        if self._must_retire:
            items.append(_NO_MORE_MATCHES)
            self._must_retire = False
        if self.leaving:
            items.append(_BYE)
            self.left = True
        if items or self._owes_acknowledgement():
            frames += _joined(items, self._max_frame_bytes)
        if not frames:
            return []
        self._acknowledged = self.frames
        self._unacknowledged_bytes = 0
        self._must_acknowledge = False
        acknowledgement = _encode.acknowledgement(self.frames)
        return [acknowledgement + frame for frame in frames]

    @property
    def playing(self) -> int:
        """Return how many matches are being played."""
        return len(self._matches)

    def resume_points(self) -> list[play.ResumePoint]:
        """Return the bot's positions in its matches, for the hello of a session that goes on."""
        return [
            play.ResumePoint(match_id=match_id, sequence=match.sequence, attempt=match.seated.attempt)
            for match_id, match in self._matches.items()
        ]

    def _take(self, update: play.Update) -> Iterable[Update]:
        match update.WhichOneof("kind"):
            case "decision":
                return self._asked(update.decision)
            case "closed":
                return self._closed(update.closed)
            case "happened":
                return self._happened(update.happened)
            case "welcome":
                self._welcome(update.welcome)
            case "seated":
                return self._seated(update.seated)
            case "refused":
                return (self._refused(update.refused),)
            case "finished":
                return (self._finished(update.finished),)
            case "notice":
                return self._notice(update.notice)
            case "redirect":
                self.sent_to = update.redirect.address
        return ()

    def _welcome(self, welcome: play.Welcome) -> None:
        if welcome.version != VERSION:
            raise ProtocolError(
                f"the referee speaks version {welcome.version} of the protocol, not {VERSION}"
            )
        self.welcomed = True
        self.heartbeat = _decode.seconds(welcome.heartbeat)
        self._max_frame_bytes = welcome.max_frame_bytes or MAX_FRAME_BYTES
        if welcome.max_unacknowledged_frames:
            self._acknowledge_frames = max(1, welcome.max_unacknowledged_frames // 4)
        if welcome.max_unacknowledged_bytes:
            self._acknowledge_bytes = max(1, welcome.max_unacknowledged_bytes // 4)

    def _seated(self, message: play.Seated) -> Iterator[Update]:
        # a new stream announces the seat again, and the bot takes it again: seats need a session to be ready
        self._pending.append(_request(ready=[play.Ready(match_id=message.match_id)]))
        known = self._matches.get(message.match_id)
        if known and known.seated.attempt == message.attempt:
            self._keeper.seated(_updates.seated(message))
            return
        if known:
            # a new attempt comes only after the earlier one is void
            void = play.Finished(match_id=message.match_id, termination=play.TERMINATION_VOID)
            over = _updates.finished(known.seated, void)
            self._keeper.finished(over)
            yield over
        seated = _updates.seated(message)
        self._matches[seated.id] = _Match(seated, self._keeper.seated(seated))
        yield seated

    def _happened(self, message: play.Happened) -> Iterable[Update]:
        match = self._match(message.match_id)
        sequence = message.event.sequence
        if sequence <= match.sequence:
            return ()  # the bot has it already
        if sequence > match.sequence + 1:
            text = f"event {sequence} of match {message.match_id!r} follows event {match.sequence}"
            raise ProtocolError(f"{text}: the referee left some out")
        match.sequence = sequence
        return (_updates.happened(match.seated, message),)

    def _asked(self, message: play.Decision) -> Iterable[Update]:
        match = self._match(message.match_id)
        number = message.decision_id
        if number > match.asked:
            match.asked, match.is_open, match.is_asked_here = number, True, True
            match.answer = None
            if match.kept:
                match.kept.asked(number, message.SerializeToString())
            return (Decision(match.seated, message, self._seed),)
        if number == match.asked:
            match.is_asked_here = True
            if match.answer:
                self._pending.append(_encode.item(match.answer))
        return ()

    def _closed(self, message: play.Closed) -> Iterable[Update]:
        match = self._matches.get(message.match_id)
        if match is None:
            return ()  # it goes with the next frame, and the match may be over by then
        if message.decision_id == match.asked:
            if match.kept:
                match.kept.closed(message, match.answer)
            match.is_open, match.answer = False, None
        says_no_more = message.reason == play.CLOSE_REASON_ANSWERED and not message.note_dropped
        if says_no_more and not self._wants_closed:
            return ()
        return (_updates.closed(match.seated, message),)

    def _refused(self, message: play.Refused) -> Update:
        known = self._matches.get(message.match_id)
        refused = _updates.refused(known.seated if known else None, message)
        if known and ends_match(refused):
            del self._matches[message.match_id]
            self._keeper.forgotten(message.match_id)
            self.finished += 1  # it is over, one way or another
            self._leave_if_done()
        return refused

    def _finished(self, message: play.Finished) -> Update:
        finished = _updates.finished(self._match(message.match_id).seated, message)
        del self._matches[message.match_id]
        self._keeper.finished(finished)
        if finished.termination is not Termination.VOID:  # a void match is played again
            self.finished += 1
        self._leave_if_done()
        return finished

    def _notice(self, message: play.Notice) -> Iterator[Update]:
        notice = _updates.notice(message)
        if notice.kind is NoticeKind.HEARTBEAT:
            self._must_acknowledge = True
            return
        if notice.kind is NoticeKind.REPLACED:
            text = notice.text or "a newer session of the same entry and instance took over"
            raise Replaced(
                f"this session was replaced: {text}; to run both, give one another entry= or instance="
                " (FAIRDEAL_ENTRY, FAIRDEAL_INSTANCE)",
                "REPLACED",
            )
        if notice.kind is NoticeKind.DRAINING:
            self.drain()
        yield notice

    def _leave_if_done(self) -> None:
        if (self._limit and self.finished >= self._limit) or (self.draining and not self._matches):
            self.leaving = True

    def _match(self, match_id: str) -> _Match:
        try:
            return self._matches[match_id]
        except KeyError:
            raise ProtocolError(
                f"the referee sent a message about match {match_id!r}, in which the bot has no seat"
            ) from None

    def _reply(self, decision: Decision, reply: bytes) -> None:
        """Keep the answer to the open decision, and send it unless the decision must come again first."""
        match = self._matches.get(decision.match.id)
        if match is None or match.seated is not decision.match:
            return
        if decision.id == match.asked and match.is_open:
            match.is_open, match.answer = False, reply
            if match.is_asked_here:
                self._pending.append(_encode.item(reply))

    def _owes_acknowledgement(self) -> bool:
        return (
            self._must_acknowledge
            or self.frames - self._acknowledged >= self._acknowledge_frames
            or self._unacknowledged_bytes >= self._acknowledge_bytes
        )


def _begins_with_welcome(frame: play.PlayResponse) -> bool:
    return bool(frame.updates) and frame.updates[0].HasField("welcome")


def _request(**fields: Any) -> bytes:
    return play.PlayRequest(**fields).SerializeToString()


_NO_MORE_MATCHES: Final = _request(no_more_matches=True)
_BYE: Final = _request(bye=play.Bye())


def _joined(items: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """Yield the items of a request in parts of at most ``limit`` bytes; requests join like their bytes."""
    part: list[bytes] = []
    size = _FRAME_OVERHEAD
    for item in items:
        if part and size + len(item) > limit:
            yield b"".join(part)
            part, size = [], _FRAME_OVERHEAD
        part.append(item)
        size += len(item)
    yield b"".join(part)
