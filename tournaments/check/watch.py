"""Watches one bot: keeps what it was asked and said, and books whatever is wrong with it where it belongs."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from fairdeal.v1 import play_service_pb2 as pb
from referee.effects import MatchSetup
from referee.faults import Fault
from tournaments.check.asked import Asked
from tournaments.check.catalogue import (
    ACKNOWLEDGES,
    ANSWERS,
    CHOICES,
    FRAMES,
    GAME_CHECKS,
    GREETS,
    PLAY,
    TAKES_SEATS,
)
from tournaments.check.line import MAX_FRAME_BYTES, Line
from tournaments.check.results import Failure, Ledger
from tournaments.check.shorten import shown

Told = Callable[[Line, pb.PlayResponse], None]
Heard = Callable[[Line, pb.PlayRequest], None]
Expected = Callable[[Asked, Fault], bool]

_SAID_WRONG: Final = (Fault.MALFORMED, Fault.ILLEGAL)
_SLICE: Final = 0.1  # seconds for which is waited at a time


class Watch:
    """Watches the bot of one entry.

    ``scene`` is the check that is going on: what is wrong is booked there unless it belongs to another one.
    ``line`` is the newest stream on which the bot has said hello.
    """

    def __init__(self, entry: str, instance: str, ledger: Ledger) -> None:
        self.entry = entry
        self.instance = instance
        self.ledger = ledger
        self.scene = 0
        self.line: Line | None = None
        self.newest: Line | None = None
        """The newest stream, hello or not."""
        self.streams = 0
        self.acknowledges_itself = False
        """Whether the referee is told that the bot receives all frames, since it does not say so itself."""
        self.asked: dict[tuple[str, int], Asked] = {}
        self.open: dict[str, Asked] = {}
        """The decision that is open, by match."""
        self.kinds: Counter[tuple[str, str]] = Counter()
        """How many decisions of each game and kind were answered."""
        self.ready: set[tuple[str, int]] = set()
        """The attempts at matches whose seat the bot has taken."""
        self.faulty: set[tuple[str, str]] = set()
        """The games and kinds of decision in which something was wrong."""
        self.error: Exception | None = None
        self.on_fault: Callable[[MatchSetup, Fault], None] = lambda setup, fault: None
        self._played: set[str] = set()  # the games of this scene
        self._answered: set[str] = set()  # those in which anything was answered in it
        self._spoilt: dict[str, int] = {}  # those in which it came upon what is booked in another check
        self._seated: dict[str, pb.Seated] = {}
        self._former: set[tuple[str, int]] = set()  # decisions of attempts that are void
        self._told: Told | None = None
        self._heard: Heard | None = None
        self._expected: Expected | None = None
        self._waiting: set[asyncio.Future[None]] = set()

    # What a check may do

    def begin(self, scene: int) -> None:
        """Take note that another check begins."""
        self.scene = scene
        self._played.clear()
        self._answered.clear()
        self._spoilt.clear()

    def spoil(self, game: str, by: int) -> None:
        """Take note that of a game nothing more is to be seen in this check, for what is wrong in another."""
        self._spoilt.setdefault(game, by)

    @property
    def spoilt(self) -> dict[str, int]:
        """Return the games of which this check could not see all, each with the check that tells why."""
        return dict(self._spoilt)

    @property
    def is_spoilt(self) -> bool:
        """Tell whether that is so in all games that were played."""
        return bool(self._spoilt) and self._played <= self._spoilt.keys()

    @contextmanager
    def meddling(
        self, *, told: Told | None = None, heard: Heard | None = None, expected: Expected | None = None
    ) -> Iterator[None]:
        """Let every frame, to the bot and from it, pass through these functions, which may alter it.

        ``expected`` tells of a fault whether it is our own doing.
        """
        self._told, self._heard, self._expected = told, heard, expected
        try:
            yield
        finally:
            self._told = self._heard = self._expected = None

    async def until(self, is_so: Callable[[], bool], seconds: float) -> bool:
        """Wait until something is so, at most so many seconds, and tell whether it is.

        The time stands while this process is late itself, twice as long at most: what the bot has said
        meanwhile is read first.
        """
        loop = asyncio.get_running_loop()
        left, was_late = seconds, False
        while not is_so():
            if self.error:
                raise self.error
            if left <= 0:
                return False
            began = loop.time()
            waiting = loop.create_future()
            self._waiting.add(waiting)
            try:
                await asyncio.wait({waiting}, timeout=min(left, _SLICE))
            finally:
                self._waiting.discard(waiting)
            took = loop.time() - began
            was_late = took > 2 * _SLICE and not was_late
            if not was_late:
                left -= min(took, _SLICE)
        return True

    def changed(self) -> None:
        """Have all who wait look again."""
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)

    # Streams

    def opened(self, line: Line) -> None:
        """Take note of a new stream."""
        self.streams += 1
        self.newest = line
        line.acknowledges_itself = self.acknowledges_itself
        self.changed()

    def ended(self, line: Line) -> None:
        """Take note that a stream is over."""
        self.changed()

    def broke(self, error: Exception) -> None:
        """Take note of an error of our own, which ends everything."""
        self.error = error
        self.changed()

    # Frames to the bot

    def told(self, line: Line, frame: pb.PlayResponse) -> None:
        """Take note of what the bot is told, and let the check alter it."""
        for update in frame.updates:
            if update.HasField("seated"):
                self._seat(update.seated)
            elif update.HasField("decision"):
                decision = update.decision
                key = decision.match_id, decision.decision_id
                if key not in self.asked:
                    self.asked[key] = Asked(self._seated[decision.match_id].game, decision)
                self.open[decision.match_id] = self.asked[key]
        if self._told:
            self._told(line, frame)
        self.changed()

    def _seat(self, seated: pb.Seated) -> None:
        earlier = self._seated.get(seated.match_id)
        self._seated[seated.match_id] = seated
        self._played.add(seated.game)
        if earlier and earlier.attempt != seated.attempt:
            for key in [key for key in self.asked if key[0] == seated.match_id]:
                del self.asked[key]
                self._former.add(key)

    # Frames from the bot

    def heard(self, line: Line, frame: pb.PlayRequest, size: int) -> None:
        """Take note of what the bot says, and let the check alter it."""
        if size > MAX_FRAME_BYTES:
            failure = Failure(
                what=f"a frame has {size} bytes",
                place=f"{PLAY}: PlayRequest",
                came=shown(frame),
                expected=f"at most {MAX_FRAME_BYTES} bytes; what is more goes into further frames",
            )
            self.ledger.fail(FRAMES, failure, once="size")
        if frame.HasField("hello"):
            self._hear_hello(line, frame)
        for ready in frame.ready:
            if seated := self._seated.get(ready.match_id):
                self.ready.add((ready.match_id, seated.attempt))
        for decline in frame.declines:
            self._hear_decline(decline)
        for answer in frame.answers:
            self._hear_answer(answer)
        if self._heard:
            self._heard(line, frame)
        self.changed()

    def miscounted(self, line: Line, frame: pb.PlayRequest) -> None:
        """Take note that the bot acknowledges more frames than it was sent."""
        failure = Failure(
            what="the bot acknowledges more frames than it was sent",
            place=f"{PLAY}: PlayRequest.frames_received",
            sent=f"{line.frames} frames over this stream",
            came=shown(pb.PlayRequest(frames_received=frame.frames_received)),
            expected=f"at most {line.frames}: the count begins anew with each stream",
        )
        self.ledger.fail(ACKNOWLEDGES, failure, once="miscounted")

    def _hear_hello(self, line: Line, frame: pb.PlayRequest) -> None:
        if line.hello is None:
            line.hello = pb.Hello()
            line.hello.CopyFrom(frame.hello)
            self.line = line
            return
        failure = Failure(
            what="the bot says hello again over the same stream",
            place=f"{PLAY}: PlayRequest.hello",
            came=shown(frame.hello, "hello"),
            expected="a hello in the first frame, and in no other",
        )
        self.ledger.fail(GREETS, failure, once="hello again")
        frame.ClearField("hello")

    def _hear_decline(self, decline: pb.Decline) -> None:
        seated = self._seated.get(decline.match_id)
        failure = Failure(
            what="the bot refuses a seat in a game that it plays",
            place=f"{PLAY}: Ready",
            sent=shown(seated, "seated") if seated else "",
            came=shown(decline, "declines"),
            expected="a ready of this match",
        )
        self.ledger.fail(TAKES_SEATS, failure, once="declines")

    def _hear_answer(self, answer: pb.Answer) -> None:
        asked = self.asked.get((answer.match_id, answer.decision_id))
        if asked is None:
            if (answer.match_id, answer.decision_id) in self._former:
                return
            failure = Failure(
                what="an answer names a decision that the bot was never asked",
                place=f"{PLAY}: Answer.decision_id",
                came=shown(answer, "answer"),
                expected="match and decision as they stand in a decision that the bot was sent",
            )
            self.ledger.fail(ANSWERS, failure, once="never asked")
            return
        self._answered.add(asked.game)
        if asked.answer is None:
            self.kinds[asked.game, asked.kind] += 1
        asked.answer = answer
        if self.open.get(answer.match_id) is asked:
            del self.open[answer.match_id]

    # Faults

    def fault(self, setup: MatchSetup, fault: Fault) -> None:
        """Take note that the referee counted a fault of the bot."""
        asked = self.open.get(setup.match_id) or self._last_of(setup.match_id)
        if (setup.match_id, setup.attempt) not in self.ready or asked is None:
            failure = Failure(
                what=f"the bot did not take its seat in {setup.game}",
                place=f"{PLAY}: Ready",
                sent=shown(self._seated[setup.match_id], "seated") if setup.match_id in self._seated else "",
                came="no ready",
                expected=f"a ready of this match within {setup.clock.start / 1_000_000:g} s (Clock.start)",
            )
            self.ledger.fail(TAKES_SEATS, failure, once="ready")
            self.spoil(setup.game, TAKES_SEATS)
        elif self._expected and self._expected(asked, fault):
            self.changed()
            return
        else:
            self.faulty.add((asked.game, asked.kind))
            own = CHOICES if asked.is_choice and fault in _SAID_WRONG else GAME_CHECKS[asked.game]
            is_elsewhere = self._book(own, asked.failure(fault), self._key(asked, fault))
            if is_elsewhere and (fault not in _SAID_WRONG or self._is_all_wrong(asked.game)):
                self.spoil(asked.game, own)
        self.on_fault(setup, fault)

    def _key(self, asked: Asked, fault: Fault) -> object:
        """Return what a fault is known by: one that answers nothing any more is late whatever it is asked."""
        kinds = [asked.kind]
        if fault is Fault.LATE and asked.game not in self._answered:
            kinds += [kind for game, kind in self.faulty if game == asked.game]
        keys = [(asked.game, kind, fault) for kind in kinds]
        return next((key for key in keys if self.ledger.knows(key)), keys[0])

    def went(self, game: str, failure: Failure) -> None:
        """Take note that the bot, which had taken its seat, went away in the midst of a match."""
        self.faulty.add((game, ""))
        if self._book(GAME_CHECKS[game], failure, self._went(game)):
            self.spoil(game, GAME_CHECKS[game])

    def goes(self, game: str) -> bool:
        """Tell whether the bot goes away in matches of a game though nothing happens to it."""
        return self.ledger.knows(self._went(game))

    def _went(self, game: str) -> object:
        return game, "went"

    def _book(self, own: int, failure: Failure, key: object) -> bool:
        """Book what is wrong in playing, and tell whether that is another check's than the one going on.

        It belongs to its own check, unless it is not found before a later one: then to each that finds it.
        """
        if self.scene > CHOICES and not self.ledger.knows(key):
            self.ledger.fail(self.scene, failure, once=(self.scene, key))
            return False
        self.ledger.fail(own, failure, once=key)
        return own != self.scene

    def _is_all_wrong(self, game: str) -> bool:
        """Tell whether the bot gives wrong answers to decisions of each kind that a game has asked it."""
        return all((game, kind) in self.faulty for other, kind in self.kinds if other == game)

    def _last_of(self, match_id: str) -> Asked | None:
        """Return what the bot was asked last in a match."""
        return next((self.asked[key] for key in reversed(self.asked) if key[0] == match_id), None)
