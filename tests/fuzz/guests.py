"""Bots at the level of frames: what they say next, and what they were told."""

from collections.abc import Callable, Sequence
from typing import Any

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.core import Core
from referee.core.session import Session
from tests.draws import draw, shuffled


def answer(decision: Any, *key: object) -> pb.Answer:
    """Return a legal answer to a decision that is a function of the key, by position or in full."""
    made = pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id)
    if decision.legal.HasField("choose_cards"):
        choice = decision.legal.choose_cards
        chosen: Sequence[Any] = shuffled(choice.cards, *key)[: choice.minimum]
        made.action.choose_cards.SetInParent()
        made.action.choose_cards.cards.extend(chosen)
    elif decision.legal.HasField("choose_combinations"):
        choice = decision.legal.choose_combinations
        made.action.choose_combinations.SetInParent()
        made.action.choose_combinations.combinations.extend(choice.combinations[: choice.maximum])
    else:
        actions = decision.legal.actions.actions
        number = draw(len(actions), *key)
        if draw(2, "how", *key):
            made.index = number
        else:
            made.action.CopyFrom(actions[number])
    return made


class FrameBot:
    """One session of a bot in a core; ``told`` are the updates that it heard, as bytes on end."""

    def __init__(
        self, core: Core, session: Session, hello: pb.Hello, check: Callable[[pb.Update], None]
    ) -> None:
        self.session = session
        self.hello: pb.Hello | None = hello
        self.told = bytearray()
        self._core = core
        self._check = check
        self._frames = 0
        self._ready: list[str] = []
        self._open: dict[tuple[str, int], Any] = {}
        self._sequences: dict[str, int] = {}  # of the last event, by match

    @property
    def asked(self) -> bool:
        """Whether there is anything to say."""
        return bool(self.hello or self._ready or self._open)

    def listen(self) -> None:
        """Take in the frames so far; each update is checked."""
        while (frame := self.session.next_frame()) is not None:
            self._frames += 1
            heard = pb.PlayResponse.FromString(frame)
            assert heard.SerializeToString() == frame, "the frame reads as another one"
            for update in heard.updates:
                self._check(update)
                self._take(update)
            self.told += frame

    def says(self, *key: object) -> bytes:
        """Return the frame that a good bot would send now."""
        request = pb.PlayRequest(frames_received=self._frames, hello=self.hello)
        request.ready.extend([pb.Ready(match_id=match_id) for match_id in self._ready])
        request.answers.extend([answer(decision, *key, place) for place, decision in self._open.items()])
        return request.SerializeToString()

    def acknowledges(self) -> bytes:
        """Return a frame that says how many frames have come, and no more."""
        return pb.PlayRequest(frames_received=self._frames).SerializeToString()

    def said(self) -> None:
        """Take it that this was sent."""
        self.hello = None
        self._ready.clear()
        self._open.clear()

    def send(self, now: int, *key: object) -> bytes:
        """Send what a good bot would send now, and return it."""
        frame = self.says(*key)
        self.said()
        self._core.receive(self.session, frame, now)
        return frame

    def _take(self, update: pb.Update) -> None:
        if update.HasField("welcome"):
            self.hello = None
        elif update.HasField("seated"):
            self._ready.append(update.seated.match_id)
            self._sequences.pop(update.seated.match_id, None)
        elif update.HasField("happened"):
            match_id, number = update.happened.match_id, update.happened.event.sequence
            assert self._sequences.get(match_id, number - 1) == number - 1, "an event is missing or doubled"
            self._sequences[match_id] = number
        elif update.HasField("decision"):
            asked = update.decision
            self._ready = [match_id for match_id in self._ready if match_id != asked.match_id]
            self._open[asked.match_id, asked.decision_id] = asked
        elif update.HasField("closed"):
            self._open.pop((update.closed.match_id, update.closed.decision_id), None)
        elif update.HasField("finished"):
            self._open.clear()
