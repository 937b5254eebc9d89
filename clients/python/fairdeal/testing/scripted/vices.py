"""The scripts: each has one vice and otherwise plays like the good one."""

import os
import signal
from abc import ABC, abstractmethod
from typing import Any, Final

from fairdeal.testing.scripted.bot import Good, HangUp, first_legal
from fairdeal.testing.scripted.stream import Stream
from fairdeal.v1 import play_service_pb2 as pb

IN_MID_DEAL: Final = 3  # the decision at which it happens: the passing or bidding is over, the play is not
DROP_EVERY: Final = 3  # decisions
OFFICIOUS: Final = 6  # decisions of each match
FLOOD_FRAMES: Final = 20_000  # then it stops; no referee should accept so many


def _to(decision: pb.Decision, **fields: Any) -> pb.Answer:
    """Return an answer to a decision with some wrong fields."""
    return pb.Answer(
        **{"match_id": decision.match_id, "decision_id": decision.decision_id, "index": 0, **fields}
    )


class Illegal(Good):
    """Answer every decision with an illegal action."""

    def answers(self, decision: pb.Decision) -> list[pb.Answer]:
        """Return a position that no list has."""
        return [_to(decision, index=1000)]


class MalformedAnswers(Good):
    """Answer every decision with nothing in the answer."""

    def answers(self, decision: pb.Decision) -> list[pb.Answer]:
        """Return an answer without an action."""
        return [pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id)]


class Silent(Good):
    """Take every seat, read on, and never answer."""

    def answers(self, decision: pb.Decision) -> list[pb.Answer]:
        """Return nothing."""
        return []


class Slow(Silent):
    """Answer every decision after its time."""

    def closed(self, closed: pb.Closed) -> list[pb.Answer]:
        """Answer now: the closing of the decision shows more reliably than a sleep that its time is over."""
        return [first_legal(self.decisions[closed.match_id, closed.decision_id])]


class _Officious(Good, ABC):
    """Send more than one answer to the first decisions of each match; to all, it would be a flood."""

    def answers(self, decision: pb.Decision) -> list[pb.Answer]:
        """Return the right answer, at first with others."""
        right = [first_legal(decision)]
        return self.say_more(decision, right) if decision.decision_id <= OFFICIOUS else right

    @abstractmethod
    def say_more(self, decision: pb.Decision, right: list[pb.Answer]) -> list[pb.Answer]:
        """Return all answers to a decision."""


class Twice(_Officious):
    """Answer the first decisions of a match, answer the same again, and then something else."""

    def say_more(self, decision: pb.Decision, right: list[pb.Answer]) -> list[pb.Answer]:
        """Return three answers."""
        return [*right, *right, _to(decision, index=1000)]


class Stale(_Officious):
    """Let the first decision of a match run out, and answer it again with each of the next ones."""

    def say_more(self, decision: pb.Decision, right: list[pb.Answer]) -> list[pb.Answer]:
        """Return nothing, and later an answer to the first decision and the right one."""
        if decision.decision_id == 1:
            return []
        return [first_legal(self.decisions[decision.match_id, 1]), *right]


class OutOfTurn(_Officious):
    """Before each of the first decisions of a match, answer the next one, which was never asked."""

    def say_more(self, decision: pb.Decision, right: list[pb.Answer]) -> list[pb.Answer]:
        """Return an answer to the next decision and the right one."""
        return [_to(decision, decision_id=decision.decision_id + 1), *right]


class WrongSeat(_Officious):
    """With each of the first decisions of a match, answer one of another match, where it has no seat."""

    elsewhere = "elsewhere"
    """The id of that match."""

    def say_more(self, decision: pb.Decision, right: list[pb.Answer]) -> list[pb.Answer]:
        """Return an answer to the same decision of the other match and the right one."""
        return [_to(decision, match_id=self.elsewhere), *right]


class WrongName(Good):
    """Say hello in mid-deal, with its own token, as the entry next to it."""

    async def asked(self, stream: Stream, decision: pb.Decision) -> None:
        """Open a second stream and wait until it is refused; without tokens it would not be."""
        if len(self.decisions) != IN_MID_DEAL:
            return
        seated = next(s for s in self.transcript.of("seated") if s.match_id == decision.match_id)
        other = await self.dial(seated.entries[seated.seat % len(seated.entries)])
        async for _frame in other.frames():
            pass
        self.transcript.endings.append(await other.ending())


class WrongToken(Good):
    """Show an unknown token."""

    def token(self) -> str:
        """Return a wrong token."""
        return f"{self._token}-wrong"


class Crash(Good):
    """Die in mid-deal, without a goodbye, and never come back."""

    takes_process = False
    """Whether its whole process is killed, and not only its stream cut."""

    async def asked(self, stream: Stream, decision: pb.Decision) -> None:
        """Hang up for good."""
        if len(self.decisions) == IN_MID_DEAL:
            if self.takes_process:
                os.kill(os.getpid(), signal.SIGKILL)
            raise HangUp(and_return=False)


class Reconnecting(Good):
    """Lose the stream, and frames in flight, at every third decision; come back with resume points."""

    _dropped_at = 0

    def loses(self, frame: pb.PlayResponse) -> bool:
        """Lose a frame with a decision now and then, and never the same twice."""
        number = len(self.decisions) + 1
        if number == self._dropped_at or number % DROP_EVERY:
            return False
        if any(update.HasField("decision") for update in frame.updates):
            self._dropped_at = number
            return True
        return False


class HalfOpen(Good):
    """Close its sending side in mid-deal, and read on."""

    async def asked(self, stream: Stream, decision: pb.Decision) -> None:
        """Close one half of the stream."""
        if len(self.decisions) == IN_MID_DEAL:
            await stream.half_close()


class Deaf(Good):
    """Stop reading in mid-deal, and keep the stream open."""

    async def asked(self, stream: Stream, decision: pb.Decision) -> None:
        """Wait until the stream has ended, without reading."""
        if len(self.decisions) == IN_MID_DEAL:
            await stream.ended()
            raise HangUp(and_return=False)


class Flood(Good):
    """Send, from the first decision on, frames with answers as fast as it can."""

    async def asked(self, stream: Stream, decision: pb.Decision) -> None:
        """Send frames until the stream ends, or there were very many."""
        if len(self.decisions) > 1:
            return
        frame = pb.PlayRequest(answers=[_to(decision, decision_id=decision.decision_id + 1)])
        for _ in range(FLOOD_FRAMES):
            if not await stream.send(frame):
                return
