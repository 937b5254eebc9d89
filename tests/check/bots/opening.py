"""Bots that do not come, greet wrongly, or are wrong in their seats or in every frame."""

import os
import signal
import sys

from frames import Good, stay

from fairdeal.v1 import play_service_pb2 as pb

UNUSED_FIELD = b"\xfa\x7c"  # field 1999, bytes

# It does not come, or greets wrongly


class Mute(Good):
    def run(self) -> None:
        stay()


class Dies(Good):
    def run(self) -> None:
        sys.stderr.write("no idea how to begin\n")
        sys.exit(3)


class KillsItself(Good):
    def run(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


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


VICES: dict[str, type[Good]] = {
    "mute": Mute,
    "dies": Dies,
    "kills_itself": KillsItself,
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
    "mixes_tables": MixesTables,
    "fat": Fat,
    "phantom": Phantom,
}
