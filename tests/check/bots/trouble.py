"""Bots that are wrong when something happens to them, the end included."""

import signal
import subprocess
import sys

from frames import Good, stay

from fairdeal.v1 import play_service_pb2 as pb


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
    name = "sleep"

    def last(self) -> None:
        if self.has_left:
            words = [self.name, "1000"]
            subprocess.Popen(words, executable="sleep", stdin=subprocess.DEVNULL, start_new_session=True)


class LeavesOddName(LeavesChild):
    name = "\x1b[2J\nsleep"


VICES: dict[str, type[Good]] = {
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
    "leaves_odd_name": LeavesOddName,
}
