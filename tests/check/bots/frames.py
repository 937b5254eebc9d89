"""A bot at the level of frames, without the SDK's care, that does all that the protocol asks of it."""

import os
import queue
import signal
import time
from typing import Any

import grpc

from fairdeal.v1 import actions_pb2 as actions
from fairdeal.v1 import play_service_pb2 as pb

FINAL = {
    "REPLACED",
    "SHUTTING_DOWN",
    "MESSAGE_TOO_LARGE",
    "MISSING_TOKEN",
    "WRONG_SEAT",
    "UNSUPPORTED_VERSION",
    "PROTOCOL_VIOLATION",
}


class Good:
    """Answers with a legal action, chooses as few as possible, comes back, and leaves when told to."""

    tables = 8

    def __init__(self, games: list[str]) -> None:
        self.games = games
        self.seats: dict[str, pb.Seated] = {}  # of the matches that it plays
        self.sequences: dict[str, int] = {}
        self.asked: dict[str, pb.Decision] = {}  # the last one by match
        self.frames = 0
        self.sent = 0
        self.is_draining = False
        self.has_left = False
        self.requests: queue.SimpleQueue[pb.PlayRequest | None]

    # What vices change

    def hello(self) -> pb.Hello:
        return pb.Hello(
            versions=[1],
            entry=os.environ["FAIRDEAL_ENTRY"],
            instance=os.environ["FAIRDEAL_INSTANCE"],
            games=self.games,
            tables=self.tables,
            events=True,
            resume=[
                pb.ResumePoint(match_id=m, sequence=n, attempt=self.seats[m].attempt)
                for m, n in self.sequences.items()
            ],
            agent="bad.py",
        )

    def token(self) -> str:
        return os.environ["FAIRDEAL_TOKEN"]

    def take(self, request: pb.PlayRequest, seated: pb.Seated) -> None:
        request.ready.add(match_id=seated.match_id)

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        return first_legal(decision)

    def acknowledge(self) -> int:
        return self.frames

    def hear_unknown(self, update: pb.Update) -> None:
        pass

    def hear_notice(self, notice: pb.Notice) -> None:
        self.is_draining |= notice.kind == pb.NOTICE_KIND_DRAINING

    def hear_refused(self, refused: pb.Refused) -> None:
        pass

    def hear_closed(self, closed: pb.Closed) -> None:
        pass

    def lost(self) -> None:
        """Be told that the stream broke; what returns dials again."""
        time.sleep(0.02)

    def ended(self, reason: str) -> None:
        """Be told that the referee has ended the session for good."""

    def last(self) -> None:
        """Do the last thing before the process ends."""

    # The course of a session

    def run(self) -> None:
        while True:
            reason = self.play()
            if self.has_left:
                break
            if reason in FINAL:
                self.ended(reason)
                break
            self.lost()
        self.last()

    def play(self) -> str:
        """Play over one stream and return the reason for which it ended."""
        self.frames = 0
        self.is_draining = False
        self.requests = queue.SimpleQueue()
        with grpc.insecure_channel(os.environ["FAIRDEAL_ADDRESS"]) as channel:
            method = channel.stream_stream(
                "/fairdeal.v1.PlayService/Play", pb.PlayRequest.SerializeToString, pb.PlayResponse.FromString
            )
            token = self.token()
            metadata = (("authorization", f"Bearer {token}"),) if token else ()
            call = method(iter(self.requests.get, None), metadata=metadata)
            self.open()
            try:
                for frame in call:
                    self.hear(frame)
                return ""
            except grpc.RpcError as error:
                return str(dict(error.trailing_metadata() or ()).get("fairdeal-reason", ""))  # type: ignore[attr-defined]
            finally:
                self.requests.put(None)

    def open(self) -> None:
        self.say(pb.PlayRequest(hello=self.hello()))

    def say(self, request: pb.PlayRequest) -> None:
        self.sent += 1
        self.requests.put(request)

    def hear(self, frame: pb.PlayResponse) -> None:
        self.frames += 1
        request = pb.PlayRequest()
        for update in frame.updates:
            self.hear_update(request, update)
        request.frames_received = self.acknowledge()
        if self.is_draining and not self.seats:
            request.bye.SetInParent()
            self.has_left = True
        self.say(request)

    def hear_update(self, request: pb.PlayRequest, update: pb.Update) -> None:
        match update.WhichOneof("kind"):
            case "seated":
                self.seats[update.seated.match_id] = update.seated
                self.sequences.setdefault(update.seated.match_id, 0)
                self.take(request, update.seated)
            case "happened":
                self.sequences[update.happened.match_id] = update.happened.event.sequence
            case "decision":
                if answer := self.answer(update.decision):
                    request.answers.append(answer)
                self.asked[update.decision.match_id] = update.decision
            case "closed":
                self.hear_closed(update.closed)
            case "refused":
                self.hear_refused(update.refused)
            case "finished":
                self.seats.pop(update.finished.match_id, None)
                self.sequences.pop(update.finished.match_id, None)
            case "notice":
                self.hear_notice(update.notice)
            case "welcome":
                pass
            case _:
                self.hear_unknown(update)


def stay() -> None:
    """Do nothing until a signal ends the process."""
    while True:
        signal.pause()


def to(decision: pb.Decision, **fields: Any) -> pb.Answer:
    return pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id, **fields)


def first_legal(decision: pb.Decision) -> pb.Answer:
    legal = decision.legal
    if legal.WhichOneof("kind") == "actions":
        # the last declaration is a sequence or a set, so that there may be further ones
        declares = phase(decision) == "PIQUET_PHASE_DECLARE"
        return to(decision, index=len(legal.actions.actions) - 1 if declares else 0)
    if legal.WhichOneof("kind") == "choose_cards":
        few = legal.choose_cards.cards[len(legal.choose_cards.cards) - legal.choose_cards.minimum :]
        return to(decision, action=actions.Action(choose_cards=actions.CardList(cards=few)))
    return to(decision, action=actions.Action(choose_combinations=actions.CombinationList()))


def phase(decision: pb.Decision) -> str:
    """Return the game and the kind of a decision, such as HEARTS_PHASE_MOON."""
    view = getattr(decision.view, str(decision.view.WhichOneof("game")))
    name: str = view.DESCRIPTOR.fields_by_name["phase"].enum_type.values_by_number[view.phase].name
    return name
