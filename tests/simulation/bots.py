"""Bots of the simulation: one whose every frame is made here, and one that is the Python SDK's session."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from fairdeal._session import Session as SdkSession
from fairdeal._session import ends_match
from fairdeal.updates import Decision
from fairdeal.updates import Update as SdkUpdate
from fairdeal.v1 import play_service_pb2 as pb
from referee.match.clock import SECOND
from referee.match.effects import Owner
from referee.match.messages import Reason
from tests.choices import Choices
from tests.simulation.conduct import HONEST, Conduct, Misconduct, Start, answer, wrong_answer
from tests.simulation.host import Stream
from tests.simulation.witness import Ear, Violation, Witness, split

if TYPE_CHECKING:
    from tests.simulation.world import World

_ACKNOWLEDGE: Final = 8  # frames


@dataclass(slots=True)
class BotPlan:
    """What one bot is like; ``conducts`` by match, in which it is honest if there is none."""

    owner: Owner
    is_sdk: bool = False
    wants_events: bool = True
    matches: int = 0
    ponders: int = 0  # how often it thinks longer than its move time
    is_frail: bool = False  # whether it will have used up its bank, so that a lost stream would cost it more
    forgets: bool = False  # whether it starts anew, without its memory, when it has lost its stream
    repeats: int = 0  # how often it says something twice, in 100
    is_noisy: bool = False
    conducts: dict[str, Conduct] = field(default_factory=dict)


class SimulatedBot(ABC):
    """One bot: its streams one after another, and what it does with what it is told."""

    def __init__(self, world: "World", plan: BotPlan) -> None:
        self.world = world
        self.plan = plan
        self.witness = Witness()
        self.stream: Stream | None = None
        self.gone = False
        self.gone_early = False
        self.ended = 0
        """How many of its matches are over, or unknown to the referee."""
        self.thinks: dict[tuple[str, int, int], int] = {}
        """How long it thinks about each decision, by match, attempt and number."""
        self.chance = Choices(world.seed, "bot", plan.owner)
        self.ponders = plan.ponders
        self._ears: dict[int, Ear] = {}
        self._streams = 0

    @property
    def name(self) -> str:
        return "/".join(self.plan.owner)

    @property
    def is_sound(self) -> bool:
        """Return whether it never does anything wrong."""
        return not self.plan.is_noisy and all(
            conduct == HONEST or (conduct.start is Start.READY and not conduct.wrongs)
            for conduct in self.plan.conducts.values()
        )

    # Streams

    def connect(self) -> None:
        """Dial; while nobody answers, try again, ever more slowly."""
        if self.gone or self.stream:
            return
        host = self.world.host
        if host is None or not host.alive:
            self.world.timeline.after(self.chance.between(50_000, 400_000), self.connect)
            return
        self._streams += 1
        self.stream = stream = Stream(host, self, self._streams)
        self.world.note(f"{self.name} dials, stream {stream.number}")
        stream.to_host.then(lambda: host.do(lambda: host.connect(stream)), self.world.delay())
        hello = self.opening()
        self._ears[stream.number] = self.witness.ear(hello)
        self.send(pb.PlayRequest(hello=hello))

    def send(self, request: pb.PlayRequest, stream: Stream | None = None) -> None:
        """Send a frame over the stream of now, or over another one."""
        if over := stream or self.stream:
            self.world.trace_request(self, over, request)
            over.to_host.put(request.SerializeToString(), self.world.delay())

    def lost(self, stream: Stream, reason: Reason | None) -> None:
        """Learn that a stream is over, with the referee's reason if it told one."""
        if stream is not self.stream:
            return
        if reason not in (None, Reason.SHUTTING_DOWN):
            raise Violation(f"{self.name} is put out for {reason!r}")
        self.world.note(f"{self.name} loses stream {stream.number}")
        self.stream = None
        self._ears[stream.number].is_old = True
        if not self.gone:
            self.world.timeline.after(self.chance.between(5_000, 150_000), self.connect)

    def hear(self, stream: Stream, frame: bytes) -> None:
        """Take a frame; one of an older stream is still a witness of what was told."""
        ear = self._ears[stream.number]
        now = self.world.timeline.now
        parsed = []
        for data in split(frame):
            update = pb.Update.FromString(data)
            self.world.trace_update(self, stream, update)
            try:
                self.witness.hear(ear, data, update, now)
            except Violation as violation:
                raise Violation(f"{self.name}, stream {stream.number}: {violation}") from None
            parsed.append(update)
        if stream is self.stream and not self.gone:
            self.take(stream, ear, frame, parsed)

    def is_welcome(self, stream: Stream) -> bool:
        """Return whether the referee has opened its session over a stream."""
        return self._ears[stream.number].is_welcome

    def leave(self) -> None:
        """Say goodbye, or just go."""
        self.gone = True
        if self.stream and self.chance.odds(70):
            self.send(pb.PlayRequest(bye=pb.Bye()))
        elif self.stream:
            self.world.cut(self.stream)

    def think(self, match_id: str, attempt: int, decision_id: int) -> int:
        """Return how long it thinks about a decision."""
        time = self.chance.between(500, 30_000)
        if self.ponders and self.chance.odds(10):
            self.ponders -= 1
            time = SECOND + self.chance.between(100_000, 400_000)
        return self.thinks.setdefault((match_id, attempt, decision_id), time)

    @property
    @abstractmethod
    def waits(self) -> bool:
        """Return whether it plays matches of which it does not know the end."""

    @abstractmethod
    def opening(self) -> pb.Hello:
        """Return the hello of a new stream."""

    @abstractmethod
    def poison(self, stream: Stream) -> None:
        """Let an older stream, which is fenced off, say what must concern nobody any more."""

    @abstractmethod
    def take(self, stream: Stream, ear: Ear, frame: bytes, updates: list[pb.Update]) -> None:
        """Take what the stream of now tells."""


@dataclass(slots=True)
class _PlayedMatch:
    """What the bot knows of a match that it plays."""

    attempt: int
    seat: int
    sequence: int = 0
    open: pb.Decision | None = None
    thought: pb.Answer | None = None


class RawBot(SimulatedBot):
    """A bot whose every frame is made here, so that it can also do what no SDK would do."""

    def __init__(self, world: "World", plan: BotPlan) -> None:
        super().__init__(world, plan)
        self._seats: dict[str, _PlayedMatch] = {}
        self._received = 0
        self._acknowledged = 0
        self._played = 0

    @property
    def waits(self) -> bool:
        return bool(self._seats)

    def opening(self) -> pb.Hello:
        self._received = self._acknowledged = 0
        if self.plan.forgets:
            self._seats.clear()
        hello = pb.Hello(
            versions=[1],
            entry=self.plan.owner[0],
            instance=self.plan.owner[1],
            tables=4,
            matches=max(0, self.plan.matches - self._played),
            events=self.plan.wants_events,
        )
        for match_id, seat in self._seats.items():
            sequence = seat.sequence
            if self.chance.odds(20):
                sequence = self.chance.between(0, sequence)
            hello.resume.add(match_id=match_id, sequence=sequence)
        return hello

    def take(self, stream: Stream, ear: Ear, frame: bytes, updates: list[pb.Update]) -> None:
        self._received += 1
        reply = pb.PlayRequest()
        for update in updates:
            kind = update.WhichOneof("kind")
            if step := getattr(self, f"_{kind}", None):
                step(getattr(update, kind), reply)
        if self.gone or self.stream is not stream:
            return
        if reply.ByteSize() or self._received - self._acknowledged >= _ACKNOWLEDGE:
            self._say(reply)

    def _say(self, request: pb.PlayRequest) -> None:
        request.frames_received = self._acknowledged = self._received
        self.send(request)
        if self.chance.odds(self.plan.repeats):
            self.send(request)

    def _welcome(self, welcome: Any, reply: pb.PlayRequest) -> None:
        if self.chance.odds(self.plan.repeats):  # at once, without waiting to be asked again
            reply.answers.extend(seat.thought for seat in self._seats.values() if seat.thought)

    def _notice(self, notice: Any, reply: pb.PlayRequest) -> None:
        if notice.kind == pb.NOTICE_KIND_REPLACED:
            raise Violation(f"{self.name} is replaced, but there is no newer stream of it")
        if notice.kind == pb.NOTICE_KIND_HEARTBEAT:
            self.world.timeline.after(1_000, self._acknowledge)

    def _acknowledge(self) -> None:
        if self.stream and self._received > self._acknowledged:
            self._say(pb.PlayRequest())

    def _conduct(self, match_id: str) -> Conduct:
        return self.plan.conducts.get(match_id, HONEST)

    def _seated(self, seated: Any, reply: pb.PlayRequest) -> None:
        known = self._seats.get(seated.match_id)
        if known is None or known.attempt != seated.attempt:
            self._seats[seated.match_id] = _PlayedMatch(seated.attempt, seated.seat - 1)
        if self._conduct(seated.match_id).start is Start.DECLINES:
            reply.declines.add(match_id=seated.match_id)
        else:
            reply.ready.add(match_id=seated.match_id)

    def _happened(self, happened: Any, reply: pb.PlayRequest) -> None:
        seat = self._seats[happened.match_id]
        seat.sequence = max(seat.sequence, happened.event.sequence)

    def _decision(self, decision: Any, reply: pb.PlayRequest) -> None:
        match_id, number = decision.match_id, decision.decision_id
        seat = self._seats[match_id]
        if self._conduct(match_id).quits == number:
            self.gone_early = True
            self.leave()
            return
        if seat.open and seat.open.decision_id == number:
            if seat.thought:
                reply.answers.append(seat.thought)
            return
        seat.open, seat.thought = decision, None
        attempt = seat.attempt
        time = self.think(match_id, attempt, number)
        self.world.timeline.after(time, lambda: self._thought(match_id, attempt, number))
        if self.plan.is_noisy and self.chance.odds(20):
            reply.answers.append(self._noise(match_id, number))

    def _noise(self, match_id: str, number: int) -> pb.Answer:
        """Return an answer that is refused and is no fault: of no match, or of no open decision."""
        return pb.Answer(match_id=self.chance.one([match_id, "nothing-1"]), decision_id=number + 5, index=0)

    def _thought(self, match_id: str, attempt: int, number: int) -> None:
        seat = self._seats.get(match_id)
        if self.gone or not seat or seat.attempt != attempt or not seat.open:
            return
        if seat.open.decision_id != number or seat.thought:
            return
        wrong = self._conduct(match_id).wrong(number)
        if wrong is Misconduct.SILENT:
            return
        seat.thought = wrong_answer(seat.open, wrong) if wrong else answer(seat.open, seat.seat)
        ear = self._ears[self.stream.number] if self.stream else None
        if ear and (here := ear.here.get(match_id)) and here.open == number:
            self._say(pb.PlayRequest(answers=[seat.thought]))

    def _closed(self, closed: Any, reply: pb.PlayRequest) -> None:
        seat = self._seats.get(closed.match_id)
        if seat and seat.open and seat.open.decision_id == closed.decision_id:
            late = seat.thought
            seat.open = seat.thought = None
            if late and self.chance.odds(self.plan.repeats):
                reply.answers.append(late)

    def _finished(self, finished: Any, reply: pb.PlayRequest) -> None:
        self._seats.pop(finished.match_id, None)
        if finished.termination != pb.TERMINATION_VOID:
            self.ended += 1
            self._played += 1
            if self._played == self.plan.matches:
                self.leave()

    def _refused(self, refused: Any, reply: pb.PlayRequest) -> None:
        if refused.decision_id == 0 and self._seats.pop(refused.match_id, None):
            self.ended += 1

    def poison(self, stream: Stream) -> None:
        """Let an older stream, which is fenced off, say what would do harm if anybody listened."""
        for match_id, seat in self._seats.items():
            if seat.open:
                number = seat.open.decision_id
                bad = [
                    pb.PlayRequest(answers=[pb.Answer(match_id=match_id, decision_id=number, index=77)]),
                    pb.PlayRequest(declines=[pb.Decline(match_id=match_id)]),
                    pb.PlayRequest(bye=pb.Bye()),
                ]
                self.send(self.chance.one(bad), stream)


class SdkBot(SimulatedBot):
    """The Python SDK's own session, with its own way to go on over a new stream."""

    def __init__(self, world: "World", plan: BotPlan) -> None:
        super().__init__(world, plan)
        self._session = self._new()

    def _new(self) -> SdkSession:
        entry, instance = self.plan.owner
        matches = self.plan.matches
        hello = pb.Hello(versions=[1], entry=entry, instance=instance, tables=4, matches=matches, events=True)
        self._dialled = False
        return SdkSession(hello)

    @property
    def waits(self) -> bool:
        return bool(self._session.resume_points())

    def opening(self) -> pb.Hello:
        if self._session.left:
            self._session = self._new()  # it left a referee that was about to leave, and is started again
        if self._dialled:
            self._session.rejoin()
        self._dialled = True
        (frame,) = self._session.take_frames()
        return pb.PlayRequest.FromString(frame).hello

    def take(self, stream: Stream, ear: Ear, frame: bytes, updates: list[pb.Update]) -> None:
        for update in self._session.receive(frame):
            self._hear(update)
        self._flush()

    def _hear(self, update: SdkUpdate) -> None:
        if isinstance(update, Decision):
            time = self.think(update.match.id, update.match.attempt, update.id)
            self.world.timeline.after(time, lambda: self._answer(update))
        elif ends_match(update):
            self.ended += 1

    def _answer(self, decision: Decision) -> None:
        if self.gone:
            return
        reply = answer(decision.message, decision.match.seat)
        if reply.WhichOneof("answer") == "index":
            reply.action.CopyFrom(decision.message.legal.actions.actions[reply.index])
        self._session.answer(decision, reply.action)
        if self.stream:
            self._flush()

    def _flush(self) -> None:
        for frame in self._session.take_frames():
            self.send(pb.PlayRequest.FromString(frame))
        self.gone = self.gone or 0 < self.plan.matches <= self._session.finished

    def poison(self, stream: Stream) -> None:
        """Let an older stream say goodbye, which concerns nobody any more."""
        self.send(pb.PlayRequest(bye=pb.Bye()), stream)
