"""A bot at the level of frames, without the SDK's care, that is wrong in one way: bad.py VICE [GAME...].

But for its vice it does all that the protocol asks of it; `good` has none.
"""

import os
import queue
import signal
import subprocess
import sys
import time
from typing import Any

import grpc

from fairdeal.v1 import actions_pb2 as actions
from fairdeal.v1 import play_service_pb2 as pb

FINAL = {
    "REPLACED",
    "SHUTTING_DOWN",
    "MISSING_TOKEN",
    "WRONG_SEAT",
    "UNSUPPORTED_VERSION",
    "PROTOCOL_VIOLATION",
}
UNUSED_FIELD = b"\xfa\x7c"  # field 1999, bytes


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


def stay() -> None:
    while True:
        signal.pause()


# It does not come, or greets wrongly


class Mute(Good):
    def run(self) -> None:
        stay()


class Dies(Good):
    def run(self) -> None:
        sys.stderr.write("no idea how to begin\n")
        sys.exit(3)


class Garbage(Good):
    def run(self) -> None:
        sys.stdout.buffer.write(b"\x00\xff\x1b[2J\x07garbage\n" * 1000)
        sys.exit(1)


class HelloTwice(Good):
    def say(self, request: pb.PlayRequest) -> None:
        if self.sent == 1:
            request.hello.CopyFrom(self.hello())
        super().say(request)


class NoHello(Good):
    def open(self) -> None:
        self.say(pb.PlayRequest(ready=[pb.Ready(match_id="any")]))


class Silent(Good):
    def open(self) -> None:
        pass


class WrongEntry(Good):
    def hello(self) -> pb.Hello:
        hello = super().hello()
        hello.entry = "somebody"
        return hello


class WrongVersion(Good):
    def hello(self) -> pb.Hello:
        hello = super().hello()
        hello.versions[:] = [2]
        return hello


class WrongGame(Good):
    def hello(self) -> pb.Hello:
        hello = super().hello()
        hello.games[:] = ["chess"]
        return hello


class NoToken(Good):
    def token(self) -> str:
        return ""


# Seats


class Declines(Good):
    """Refuses its first seat."""

    def take(self, request: pb.PlayRequest, seated: pb.Seated) -> None:
        if self.seats.keys() == {"first"}:
            request.declines.add(match_id=seated.match_id)
        else:
            super().take(request, seated)


class NeverReady(Good):
    def take(self, request: pb.PlayRequest, seated: pb.Seated) -> None:
        pass


class MixesTables(Good):
    """With more than one table it answers at the one that it got last."""

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        return super().answer(decision) if decision.match_id == list(self.seats)[-1] else None


# Frames


class NoAcknowledgements(Good):
    def acknowledge(self) -> int:
        return 0


class CountsTooMany(Good):
    def acknowledge(self) -> int:
        return self.frames + 1


class DeafToHeartbeats(Good):
    is_heartbeat = False

    def hear(self, frame: pb.PlayResponse) -> None:
        self.is_heartbeat = [u.notice.kind for u in frame.updates] == [pb.NOTICE_KIND_HEARTBEAT]
        super().hear(frame)

    def say(self, request: pb.PlayRequest) -> None:
        if not self.is_heartbeat:
            super().say(request)


class Fat(Good):
    """Sends one frame that is too large."""

    def say(self, request: pb.PlayRequest) -> None:
        if self.sent == 10:
            request.MergeFromString(UNUSED_FIELD + b"\xc0\xb8\x02" + 40_000 * b"x")
        super().say(request)


class Phantom(Good):
    """Answers, once, what it was never asked."""

    has_done = False

    def hear_update(self, request: pb.PlayRequest, update: pb.Update) -> None:
        super().hear_update(request, update)
        if request.answers and not self.has_done:
            self.has_done = True
            request.answers.add(match_id="elsewhere", decision_id=1, index=0)


# Decisions


def illegal_at(kind: str) -> type[Good]:
    """Return a bot that answers decisions of a kind by an action that is not there."""

    class Illegal(Good):
        def answer(self, decision: pb.Decision) -> pb.Answer | None:
            return to(decision, index=1000) if phase(decision) == kind else super().answer(decision)

    return Illegal


class NoAnswers(Good):
    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        return None


class Malformed(Good):
    """Bids without saying what."""

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        return to(decision) if phase(decision).endswith("_BID") else super().answer(decision)


class OmitsEmpty(Good):
    """Leaves out what is empty."""

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        answer = super().answer(decision)
        assert answer
        if answer.action.WhichOneof("kind") == "choose_combinations":
            return to(decision, action=actions.Action())
        return answer


class ChoosesTwice(Good):
    """Passes one card three times."""

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        answer = super().answer(decision)
        assert answer
        if len(answer.action.choose_cards.cards) == 3:
            answer.action.choose_cards.cards[:] = 3 * answer.action.choose_cards.cards[:1]
        return answer


class ShortMemory(Good):
    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        return super().answer(decision) if decision.decision_id <= 200 else None


class Slow(Good):
    """Thinks too long once, where there is little time."""

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        if decision.decision_id == 5 and decision.move_time.ToMilliseconds() < 500:
            time.sleep(3)
        return super().answer(decision)


# What happens to it


class Strict(Good):
    def hear_unknown(self, update: pb.Update) -> None:
        raise SystemExit(f"unknown update: {update}")


class StrictEnums(Good):
    def hear_notice(self, notice: pb.Notice) -> None:
        super().hear_notice(notice)
        pb.NoticeKind.Name(notice.kind)


class StrictReasons(Good):
    def hear_closed(self, closed: pb.Closed) -> None:
        pb.CloseReason.Name(closed.reason)


class StrictFields(Good):
    """Compares what it read with what it knows of it."""

    def hear(self, frame: pb.PlayResponse) -> None:
        known = pb.PlayResponse()
        known.CopyFrom(frame)
        known.DiscardUnknownFields()
        assert known.ByteSize() == frame.ByteSize(), "what is that?"
        super().hear(frame)


class SulksWhenStale(Good):
    sulks_at = ""

    def hear_refused(self, refused: pb.Refused) -> None:
        if refused.reason == pb.REASON_STALE_DECISION:
            self.sulks_at = refused.match_id

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        return None if decision.match_id == self.sulks_at else super().answer(decision)


class DiesWhenRefused(Good):
    def hear_refused(self, refused: pb.Refused) -> None:
        if refused.reason == pb.REASON_ILLEGAL_ACTION:
            raise SystemExit(f"refused: {refused.text}")


class DiesWhenStillOpen(Good):
    def hear_refused(self, refused: pb.Refused) -> None:
        if refused.still_open:
            raise SystemExit("and now?")


class ForgetsAttempts(Good):
    """Takes a decision for one that it has answered when match and number are the same."""

    def __init__(self, games: list[str]) -> None:
        super().__init__(games)
        self.answered: set[tuple[str, int]] = set()

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        key = decision.match_id, decision.decision_id
        if key in self.answered and self.seats[decision.match_id].attempt > 1:
            return None
        self.answered.add(key)
        return super().answer(decision)


class NeverReturns(Good):
    def lost(self) -> None:
        stay()


class AnswersOnce(Good):
    """Comes back, and does not answer what it has answered."""

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        earlier = self.asked.get(decision.match_id)
        is_same = earlier is not None and earlier.decision_id == decision.decision_id
        is_same = is_same and self.seats[decision.match_id].attempt == 1
        return None if is_same else super().answer(decision)


class Fights(Good):
    def run(self) -> None:
        while (reason := self.play()) != "SHUTTING_DOWN" and not self.has_left:
            if reason != "REPLACED":
                self.lost()


class Stays(Good):
    """Does not leave before it is thrown out."""

    def hear_notice(self, notice: pb.Notice) -> None:
        pass


class Deserts(Good):
    """Leaves at once when the referee is about to."""

    def hear_notice(self, notice: pb.Notice) -> None:
        super().hear_notice(notice)
        if self.is_draining:
            self.seats.clear()


class Lingers(Good):
    def last(self) -> None:
        if self.has_left:
            stay()


class IgnoresSigterm(Lingers):
    def run(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().run()


class LeavesChild(Good):
    def last(self) -> None:
        if self.has_left:
            subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL, start_new_session=True)


VICES: dict[str, type[Good]] = {
    "good": Good,
    "mute": Mute,
    "dies": Dies,
    "garbage": Garbage,
    "hello_twice": HelloTwice,
    "no_hello": NoHello,
    "silent": Silent,
    "wrong_entry": WrongEntry,
    "wrong_version": WrongVersion,
    "wrong_game": WrongGame,
    "no_token": NoToken,
    "declines": Declines,
    "never_ready": NeverReady,
    "no_acknowledgements": NoAcknowledgements,
    "counts_too_many": CountsTooMany,
    "deaf_to_heartbeats": DeafToHeartbeats,
    "moon": illegal_at("HEARTS_PHASE_MOON"),
    "blind": illegal_at("SPADES_PHASE_BLIND"),
    "alone": illegal_at("EUCHRE_PHASE_ALONE"),
    "leftovers": illegal_at("PIQUET_PHASE_LEFTOVERS"),
    "draft": illegal_at("TWO_HANDED_SPADES_PHASE_DRAFT"),
    "no_answers": NoAnswers,
    "malformed": Malformed,
    "omits_empty": OmitsEmpty,
    "chooses_twice": ChoosesTwice,
    "mixes_tables": MixesTables,
    "short_memory": ShortMemory,
    "slow": Slow,
    "strict": Strict,
    "strict_enums": StrictEnums,
    "strict_reasons": StrictReasons,
    "strict_fields": StrictFields,
    "sulks_when_stale": SulksWhenStale,
    "dies_when_refused": DiesWhenRefused,
    "dies_when_still_open": DiesWhenStillOpen,
    "forgets_attempts": ForgetsAttempts,
    "never_returns": NeverReturns,
    "answers_once": AnswersOnce,
    "fights": Fights,
    "stays": Stays,
    "deserts": Deserts,
    "lingers": Lingers,
    "ignores_sigterm": IgnoresSigterm,
    "leaves_child": LeavesChild,
    "fat": Fat,
    "phantom": Phantom,
}

if __name__ == "__main__":
    VICES[sys.argv[1]](sys.argv[2:]).run()
