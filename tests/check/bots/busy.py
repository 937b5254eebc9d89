"""Good bots on a machine that is busy: what they do takes its time, or comes at an awkward moment."""

import subprocess
import time

from frames import Good

from fairdeal.v1 import play_service_pb2 as pb

ONE = 1_000  # milliseconds, the time of a decision of which the answer is to be late


class LeavesLate(Good):
    """Plays one match, and is still there some time after it."""

    def hello(self) -> pb.Hello:
        hello = super().hello()
        hello.matches = 1
        return hello

    def hear_update(self, request: pb.PlayRequest, update: pb.Update) -> None:
        super().hear_update(request, update)
        if update.HasField("finished"):
            time.sleep(0.5)
            self.is_draining = True


class Overstays(Good):
    """Wants one match, and does not leave after it; nothing says that it has to."""

    def hello(self) -> pb.Hello:
        hello = super().hello()
        hello.matches = 1
        return hello


class LeavesUnannounced(Good):
    """Says goodbye after its first match, which crosses with the next seat."""

    played = 0

    def take(self, request: pb.PlayRequest, seated: pb.Seated) -> None:
        self.played += 1
        if self.played == 1:
            super().take(request, seated)
        else:
            self.is_draining = True
            self.seats.clear()


class ThinksLong(Good):
    """Thinks for four tenths of its time, in the match in which answers are refused."""

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        if decision.match_id == "refused" and decision.decision_id <= 3:
            time.sleep(0.4 * decision.move_time.ToMilliseconds() / 1_000)
        return super().answer(decision)


class StallsOnce(Good):
    """Stands still for a while once, where a decision has so little time that it runs out."""

    has_stalled = False

    def answer(self, decision: pb.Decision) -> pb.Answer | None:
        if decision.move_time.ToMilliseconds() <= ONE and not self.has_stalled:
            self.has_stalled = True
            time.sleep(4.5)
        return super().answer(decision)


class ChildEndsLate(Good):
    """Its process leaves another one that ends a little later."""

    def last(self) -> None:
        if self.has_left:
            subprocess.Popen(["sleep", "1.5"], stdin=subprocess.DEVNULL, start_new_session=True)


BOTS: dict[str, type[Good]] = {
    "leaves_late": LeavesLate,
    "overstays": Overstays,
    "leaves_unannounced": LeavesUnannounced,
    "thinks_long": ThinksLong,
    "stalls_once": StallsOnce,
    "child_ends_late": ChildEndsLate,
}
