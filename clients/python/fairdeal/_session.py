"""A session as pure logic: frames in, updates out; answers in, requests out. No I/O and no clock."""

from collections.abc import Iterator
from typing import Final

from fairdeal import _decode, _encode, _updates
from fairdeal.errors import ProtocolError, Replaced
from fairdeal.updates import Decision, NoticeKind, Seated, Termination, Update
from fairdeal.v1 import play_service_pb2 as play

VERSION: Final = 1
MAX_FRAME_BYTES: Final = 32 * 1024

# A frame received is acknowledged with the next request; without one, after so many frames or bytes, which is
# a quarter of what the referee bears.
_ACKNOWLEDGE_FRAMES: Final = 16
_ACKNOWLEDGE_BYTES: Final = 64 * 1024

_ITEM_OVERHEAD: Final = 4  # bytes around an item of a frame: its tag and its length, below 32 KiB
_FRAME_OVERHEAD: Final = 16  # bytes of a frame besides its items


class _Match:
    """What is known of a match that the bot has a seat in."""

    __slots__ = ("open", "seated", "sequence")

    def __init__(self, seated: Seated) -> None:
        self.seated = seated
        self.open: set[int] = set()  # decisions that are neither answered nor closed
        self.sequence = 0  # the last event received


class Session:
    """One session with a referee; the first request that it gives is the hello.

    It takes every seat that it is given, and leaves by itself after the hello's number of matches and when a
    referee that is about to leave has no match for it left. ``seed`` is what the decisions' generators are
    made from.
    """

    def __init__(self, hello: play.Hello, *, seed: str = "") -> None:
        self._hello: play.Hello | None = hello
        self._limit = hello.matches
        self._seed = seed
        self._matches: dict[str, _Match] = {}
        self._pending = play.PlayRequest()
        self._acknowledged = 0
        self._unacknowledged_bytes = 0
        self._max_frame_bytes = MAX_FRAME_BYTES
        self._acknowledge_frames = _ACKNOWLEDGE_FRAMES
        self._acknowledge_bytes = _ACKNOWLEDGE_BYTES
        self.frames = 0
        """How many frames were received."""
        self.heartbeat = 0.0
        """How often the referee sends something, in seconds; 0: only when there is something to send."""
        self.finished = 0
        """How many matches are over, void ones not counted."""
        self.draining = False
        """Whether the referee has said that it is about to leave."""
        self.leaving = False
        """Whether the bot says goodbye with the next requests."""
        self.left = False
        """Whether all requests were given, goodbye the last."""

    def receive(self, frame: play.PlayResponse) -> list[Update]:
        """Take a frame in and return what it tells the bot, in order.

        Raises:
            Replaced: a newer session took over.
            ProtocolError: the frame makes no sense.
        """
        self.frames += 1
        self._unacknowledged_bytes += frame.ByteSize()
        told: list[Update] = []
        for update in frame.updates:
            if self.leaving:
                break  # it has said goodbye, nothing that is told now concerns it
            if (typed := self._take(update)) is not None:
                told.append(typed)
        return told

    def answer(self, decision: Decision, given: object) -> None:
        """Answer a decision; of one that is closed by now, nothing is sent.

        Raises:
            BadAnswer: the answer is not legal.
        """
        reply = _encode.answer(decision, given)
        if self._close(decision):
            self._pending.answers.append(reply)

    def give_up(self, decision: Decision) -> None:
        """Leave a decision to the referee's default action, which counts as a fault."""
        if self._close(decision):
            self._pending.answers.append(_encode.no_answer(decision))

    def leave(self) -> None:
        """Leave with the next requests."""
        self.leaving = True

    def take_requests(self) -> list[play.PlayRequest]:
        """Return what is to be sent now, each a frame of a size that the referee takes."""
        if self.left:
            return []
        requests: list[play.PlayRequest] = []
        if self._hello:
            requests.append(play.PlayRequest(hello=self._hello))
            self._hello = None
        pending = self._pending
        if self.leaving:
            pending.bye.SetInParent()
            self.left = True
        if pending.ByteSize() or self._owes_acknowledgement():
            self._pending = play.PlayRequest()
            requests.extend(_split(pending, self._max_frame_bytes))
        for request in requests:
            request.frames_received = self.frames
        if requests:
            self._acknowledged = self.frames
            self._unacknowledged_bytes = 0
        return requests

    def resume_points(self) -> list[play.ResumePoint]:
        """Return where the bot is in the matches that it plays, for the hello of a session that goes on."""
        return [
            play.ResumePoint(match_id=match_id, sequence=match.sequence)
            for match_id, match in self._matches.items()
        ]

    def _take(self, update: play.Update) -> Update | None:
        match update.WhichOneof("kind"):
            case "welcome":
                self._welcome(update.welcome)
            case "seated":
                return self._seated(update.seated)
            case "happened":
                match = self._match(update.happened.match_id)
                match.sequence = update.happened.event.sequence
                return _updates.happened(match.seated, update.happened)
            case "decision":
                match = self._match(update.decision.match_id)
                match.open.add(update.decision.decision_id)
                return Decision(match.seated, update.decision, self._seed)
            case "closed":
                return self._closed(update.closed)
            case "refused":
                known = self._matches.get(update.refused.match_id)
                return _updates.refused(known.seated if known else None, update.refused)
            case "finished":
                return self._finished(update.finished)
            case "notice":
                return self._notice(update.notice)
        return None  # a kind that this version does not know

    def _welcome(self, welcome: play.Welcome) -> None:
        if welcome.version != VERSION:
            raise ProtocolError(
                f"the referee speaks version {welcome.version} of the protocol, not {VERSION}"
            )
        self.heartbeat = _decode.seconds(welcome.heartbeat)
        self._max_frame_bytes = welcome.max_frame_bytes or MAX_FRAME_BYTES
        if welcome.max_unacknowledged_frames:
            self._acknowledge_frames = max(1, welcome.max_unacknowledged_frames // 4)
        if welcome.max_unacknowledged_bytes:
            self._acknowledge_bytes = max(1, welcome.max_unacknowledged_bytes // 4)

    def _seated(self, message: play.Seated) -> Seated:
        seated = _updates.seated(message)
        self._matches[seated.id] = _Match(seated)
        self._pending.ready.add(match_id=seated.id)
        return seated

    def _closed(self, message: play.Closed) -> Update | None:
        match = self._matches.get(message.match_id)
        if match is None:
            return None  # it travels with the next frame, and the match may be over by then
        match.open.discard(message.decision_id)
        return _updates.closed(match.seated, message)

    def _finished(self, message: play.Finished) -> Update:
        finished = _updates.finished(self._match(message.match_id).seated, message)
        del self._matches[message.match_id]
        if finished.termination is not Termination.VOID:  # a void match is played again
            self.finished += 1
        self._leave_if_done()
        return finished

    def _notice(self, message: play.Notice) -> Update:
        notice = _updates.notice(message)
        if notice.kind is NoticeKind.REPLACED:
            text = notice.text or "a newer session of the same entry and instance took over"
            raise Replaced(f"this session was replaced: {text}", "REPLACED")
        if notice.kind is NoticeKind.DRAINING:
            self.draining = True
            self._leave_if_done()
        return notice

    def _leave_if_done(self) -> None:
        if (self._limit and self.finished >= self._limit) or (self.draining and not self._matches):
            self.leaving = True

    def _match(self, match_id: str) -> _Match:
        try:
            return self._matches[match_id]
        except KeyError:
            raise ProtocolError(
                f"the referee spoke of match {match_id!r}, where the bot has no seat"
            ) from None

    def _close(self, decision: Decision) -> bool:
        """Take a decision from the open ones; False when it is not among them."""
        match = self._matches.get(decision.match.id)
        if match is None or decision.id not in match.open:
            return False
        match.open.remove(decision.id)
        return True

    def _owes_acknowledgement(self) -> bool:
        return (
            self.frames - self._acknowledged >= self._acknowledge_frames
            or self._unacknowledged_bytes >= self._acknowledge_bytes
        )


def _split(request: play.PlayRequest, limit: int) -> Iterator[play.PlayRequest]:
    """Yield a request in parts of at most ``limit`` bytes, goodbye in the last."""
    if request.ByteSize() + _FRAME_OVERHEAD <= limit:
        yield request
        return
    part, size = play.PlayRequest(), _FRAME_OVERHEAD
    items: list[play.Ready | play.Answer] = [*request.ready, *request.answers]
    for item in items:
        added = item.ByteSize() + _ITEM_OVERHEAD
        if size + added > limit and size > _FRAME_OVERHEAD:
            yield part
            part, size = play.PlayRequest(), _FRAME_OVERHEAD
        size += added
        if isinstance(item, play.Ready):
            part.ready.append(item)
        else:
            part.answers.append(item)
    if request.HasField("bye"):
        part.bye.SetInParent()
    yield part
