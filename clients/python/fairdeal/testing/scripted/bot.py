"""A bot at the level of frames that behaves well; the other scripts differ from it in one vice each."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final

from grpc import aio

from fairdeal.testing.scripted.stream import Ending, Stream, channel
from fairdeal.v1 import play_service_pb2 as pb

_TABLES: Final = 64


@dataclass(slots=True)
class Transcript:
    """The updates that a bot got, in order, over all its streams; and how each stream ended."""

    updates: list[pb.Update] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)

    def of(self, kind: str) -> list[Any]:
        """Return the updates of one kind, such as ``decision``, without their wrapping."""
        return [getattr(update, kind) for update in self.updates if update.HasField(kind)]


class HangUp(Exception):
    """Raised by a script to cut its stream without a goodbye."""

    def __init__(self, *, and_return: bool) -> None:
        super().__init__("the bot hangs up")
        self.and_return = and_return


class Good:
    """Play the first legal action, choose as little as possible."""

    def __init__(
        self,
        address: str,
        entry: str,
        *,
        token: str = "",
        instance: str = "",
        matches: int = 1,
        ca: bytes | None = None,
    ) -> None:
        """Make a bot that leaves after ``matches`` matches (0: never), or when the referee shuts down.

        ``address`` is ``host:port`` or ``unix:/path``, ``ca`` holds the certificates to trust, for TLS.
        """
        self.transcript = Transcript()
        self.decisions: dict[tuple[str, int], pb.Decision] = {}
        """All decisions so far, by match and number."""
        self._address = address
        self._channel: aio.Channel
        self._entry = entry
        self._token = token
        self._instance = instance
        self._matches = matches
        self._ca = ca
        self._sequences: dict[str, int] = {}  # the last event of each match that is being played
        self._over = 0
        self._is_draining = False
        self._news = asyncio.Event()

    async def run(self) -> Transcript:
        """Play until the matches are over or the stream has ended for good, and return the transcript.

        When cancelled, the stream is cut; ``transcript`` has what came before.
        """
        self._channel = channel(self._address, self._ca)
        try:
            while await self._play():
                pass
        finally:
            await self._channel.close()
        return self.transcript

    async def heard(self, kind: str, count: int = 1) -> None:
        """Wait until this many updates of a kind came; forever if they never come."""
        while len(self.transcript.of(kind)) < count:
            self._news.clear()
            await self._news.wait()

    # What scripts change

    def token(self) -> str:
        """Return the token to show."""
        return self._token

    def loses(self, frame: pb.PlayResponse) -> bool:
        """Return whether the connection breaks before this frame is read, for the bot to come back."""
        return False

    async def asked(self, stream: Stream, decision: pb.Decision) -> None:
        """Do something to the stream before a new decision is answered.

        Raises:
            HangUp: to have the stream cut.
        """

    def answers(self, decision: pb.Decision) -> list[pb.Answer]:
        """Return the requests in answer to a decision."""
        return [first_legal(decision)]

    def closed(self, closed: pb.Closed) -> list[pb.Answer]:
        """Return the requests when a decision is closed."""
        return []

    # The course of a session

    async def dial(self, entry: str) -> Stream:
        """Open a stream and say hello as an entry."""
        stream = Stream(self._channel, self.token())
        hello = pb.Hello(
            versions=[1],
            entry=entry,
            instance=self._instance,
            tables=_TABLES,
            events=True,
            resume=[pb.ResumePoint(match_id=m, sequence=s) for m, s in self._sequences.items()],
            agent="fairdeal-scripted",
        )
        await stream.send(pb.PlayRequest(hello=hello))
        return stream

    async def _play(self) -> bool:
        """Play over one stream; return whether another one follows."""
        stream = await self.dial(self._entry)
        try:
            await self._read(stream)
        except HangUp as hang_up:
            return hang_up.and_return
        finally:
            stream.cut()
            self.transcript.endings.append(await stream.ending())
        return False

    async def _read(self, stream: Stream) -> None:
        frames = 0
        has_left = False
        async with aclosing(stream.frames()) as told:
            async for frame in told:
                if self.loses(frame):
                    raise HangUp(and_return=True)
                frames += 1
                self.transcript.updates.extend(frame.updates)
                self._news.set()
                request = pb.PlayRequest(frames_received=frames)
                for update in frame.updates:
                    await self._hear(stream, update, request)
                if has_left:
                    continue
                if has_left := self._is_done():
                    request.bye.SetInParent()
                await stream.send(request)

    async def _hear(self, stream: Stream, update: pb.Update, request: pb.PlayRequest) -> None:
        """Take an update, and add the requests in answer to it."""
        kind = update.WhichOneof("kind")
        if kind == "seated":
            self._sequences.setdefault(update.seated.match_id, 0)
            request.ready.add(match_id=update.seated.match_id)
        elif kind == "happened":
            self._sequences[update.happened.match_id] = update.happened.event.sequence
        elif kind == "decision":
            decision = update.decision
            key = (decision.match_id, decision.decision_id)
            if key not in self.decisions:
                self.decisions[key] = decision
                await self.asked(stream, decision)
            request.answers.extend(self.answers(decision))
        elif kind == "closed":
            request.answers.extend(self.closed(update.closed))
        elif kind == "finished":
            self._end(update.finished.match_id)
        elif kind == "refused" and not update.refused.decision_id:
            self._end(update.refused.match_id)  # the resume point of a match that was over long ago
        elif kind == "notice":
            self._is_draining |= update.notice.kind == pb.NOTICE_KIND_DRAINING

    def _end(self, match_id: str) -> None:
        self._over += self._sequences.pop(match_id, None) is not None

    def _is_done(self) -> bool:
        return not self._sequences and (self._is_draining or self._over == self._matches > 0)


def first_legal(decision: pb.Decision) -> pb.Answer:
    """Return the first legal action as an answer, or a choice of as few of the first items as possible."""
    answer = pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id)
    legal = decision.legal
    kind = legal.WhichOneof("kind")
    if kind == "actions":
        answer.index = 0
    elif kind == "choose_cards":
        chosen = legal.choose_cards.cards[: legal.choose_cards.minimum]
        answer.action.choose_cards.cards.extend(chosen)
        answer.action.choose_cards.SetInParent()
    else:
        few = legal.choose_combinations.combinations[: legal.choose_combinations.minimum]
        answer.action.choose_combinations.combinations.extend(few)
        answer.action.choose_combinations.SetInParent()
    return answer
