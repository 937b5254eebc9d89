"""Bots that are wrong in one way: bad.py VICE [GAME...].

But for its vice each does all that the protocol asks of it; `good` has none.
"""

import signal
import subprocess
import sys
import time

from frames import Good, phase, to

from fairdeal.v1 import actions_pb2 as actions
from fairdeal.v1 import play_service_pb2 as pb

UNUSED_FIELD = b"\xfa\x7c"  # field 1999, bytes


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

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        known = pb.Decision()
        known.CopyFrom(decision)
        known.DiscardUnknownFields()
        assert known.ByteSize() == decision.ByteSize(), "what is that?"
        return super().answer(decision)


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


class ExitsWithFive(Good):
    def last(self) -> None:
        if self.has_left:
            sys.exit(5)


class DiesAfterMatch(Good):
    def hear_update(self, request: pb.PlayRequest, update: pb.Update) -> None:
        if update.HasField("finished"):
            raise SystemExit("what now?")
        super().hear_update(request, update)


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
    "exits_with_five": ExitsWithFive,
    "dies_after_match": DiesAfterMatch,
    "lingers": Lingers,
    "ignores_sigterm": IgnoresSigterm,
    "leaves_child": LeavesChild,
    "fat": Fat,
    "phantom": Phantom,
}

if __name__ == "__main__":
    VICES[sys.argv[1]](sys.argv[2:]).run()
