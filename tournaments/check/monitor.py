"""Watches one bot: keeps what it was asked and answered, and records each failure under its check."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from fairdeal.v1 import play_service_pb2 as pb
from referee.match.effects import MatchSetup
from referee.match.faults import Fault
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
    UP_TO_CHOICES,
)
from tournaments.check.connection import MAX_FRAME_BYTES, BotStream
from tournaments.check.results import CheckResults, Finding
from tournaments.check.shorten import shown

Told = Callable[[BotStream, pb.PlayResponse], None]
Heard = Callable[[BotStream, pb.PlayRequest], None]
Expected = Callable[[Asked, Fault], bool]

_SAID_WRONG: Final = (Fault.MALFORMED, Fault.ILLEGAL)
_SLICE: Final = 0.1  # seconds per wait


class Monitor:
    """Watches the bot of one entry.

    ``current`` is the running check: failures are recorded there unless they belong to another one.
    ``connection`` is the newest stream on which the bot has said hello.
    """

    def __init__(self, entry: str, instance: str, results: CheckResults) -> None:
        self.entry = entry
        self.instance = instance
        self.results = results
        self.current = 0
        self.connection: BotStream | None = None
        self.newest: BotStream | None = None
        """The newest stream, hello or not."""
        self.streams = 0
        self.acknowledges_itself = False
        """Whether we acknowledge all frames in the bot's place, since it does not."""
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
        self._played: set[str] = set()  # the games of this check
        self._answered: set[str] = set()  # the games in which this check saw an answer
        self._spoilt: dict[str, int] = {}  # the games in which it found what is recorded in another check
        self._seated: dict[str, pb.Seated] = {}
        self._former: set[tuple[str, int]] = set()  # decisions of void attempts
        self._told: Told | None = None
        self._heard: Heard | None = None
        self._expected: Expected | None = None
        self._waiting: set[asyncio.Future[None]] = set()

    # What a check may do

    def begin(self, current: int) -> None:
        """Record that another check begins."""
        self.current = current
        self._played.clear()
        self._answered.clear()
        self._spoilt.clear()

    def spoil(self, game: str, by: int) -> None:
        """Record that this check shows nothing more about a game, because of a failure in another check."""
        self._spoilt.setdefault(game, by)

    @property
    def spoilt(self) -> dict[str, int]:
        """Return the games that this check could not see completely, each with the check that says why."""
        return dict(self._spoilt)

    @property
    def is_spoilt(self) -> bool:
        """Return whether that holds for all games that were played."""
        return bool(self._spoilt) and self._played <= self._spoilt.keys()

    @contextmanager
    def meddling(
        self, *, told: Told | None = None, heard: Heard | None = None, expected: Expected | None = None
    ) -> Iterator[None]:
        """Pass every frame to and from the bot through these functions, which may alter it.

        ``expected`` returns whether we caused a fault ourselves.
        """
        self._told, self._heard, self._expected = told, heard, expected
        try:
            yield
        finally:
            self._told = self._heard = self._expected = None

    async def until(self, is_so: Callable[[], bool], seconds: float) -> bool:
        """Wait until a condition holds, at most this many seconds, and return whether it does.

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
        """Have all waiting tasks look again."""
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)

    # Streams

    def opened(self, connection: BotStream) -> None:
        """Record a new stream."""
        self.streams += 1
        self.newest = connection
        connection.acknowledges_itself = self.acknowledges_itself
        self.changed()

    def ended(self, connection: BotStream) -> None:
        """Record that a stream is over."""
        self.changed()

    def broke(self, error: Exception) -> None:
        """Record an error of our own, which ends all checks."""
        self.error = error
        self.changed()

    # Frames to the bot

    def told(self, connection: BotStream, frame: pb.PlayResponse) -> None:
        """Record a frame to the bot, and let the check alter it."""
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
            self._told(connection, frame)
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

    def heard(self, connection: BotStream, frame: pb.PlayRequest, size: int) -> None:
        """Record a frame from the bot, and let the check alter it."""
        if size > MAX_FRAME_BYTES:
            finding = Finding(
                what=f"a frame has {size} bytes",
                place=f"{PLAY}: PlayRequest",
                came=shown(frame),
                expected=f"at most {MAX_FRAME_BYTES} bytes; what is more goes into further frames",
            )
            self.results.fail(FRAMES, finding, once="size")
        if frame.HasField("hello"):
            self._hear_hello(connection, frame)
        for ready in frame.ready:
            if seated := self._seated.get(ready.match_id):
                self.ready.add((ready.match_id, seated.attempt))
        for decline in frame.declines:
            self._hear_decline(decline)
        for answer in frame.answers:
            self._hear_answer(answer)
        if self._heard:
            self._heard(connection, frame)
        self.changed()

    def miscounted(self, connection: BotStream, frame: pb.PlayRequest) -> None:
        """Record that the bot acknowledges more frames than it was sent."""
        finding = Finding(
            what="the bot acknowledges more frames than it was sent",
            place=f"{PLAY}: PlayRequest.frames_received",
            sent=f"{connection.frames} frames over this stream",
            came=shown(pb.PlayRequest(frames_received=frame.frames_received)),
            expected=f"at most {connection.frames}: the count starts again with each stream",
        )
        self.results.fail(ACKNOWLEDGES, finding, once="miscounted")

    def _hear_hello(self, connection: BotStream, frame: pb.PlayRequest) -> None:
        if connection.hello is None:
            connection.hello = pb.Hello()
            connection.hello.CopyFrom(frame.hello)
            self.connection = connection
            return
        finding = Finding(
            what="the bot says hello again over the same stream",
            place=f"{PLAY}: PlayRequest.hello",
            came=shown(frame.hello, "hello"),
            expected="a hello in the first frame only",
        )
        self.results.fail(GREETS, finding, once="hello again")
        frame.ClearField("hello")

    def _hear_decline(self, decline: pb.Decline) -> None:
        seated = self._seated.get(decline.match_id)
        finding = Finding(
            what="the bot refuses a seat in a game that it plays",
            place=f"{PLAY}: Ready",
            sent=shown(seated, "seated") if seated else "",
            came=shown(decline, "declines"),
            expected="a ready of this match",
        )
        self.results.fail(TAKES_SEATS, finding, once="declines")

    def _hear_answer(self, answer: pb.Answer) -> None:
        asked = self.asked.get((answer.match_id, answer.decision_id))
        if asked is None:
            if (answer.match_id, answer.decision_id) in self._former:
                return
            finding = Finding(
                what="an answer names a decision that the bot was never asked",
                place=f"{PLAY}: Answer.decision_id",
                came=shown(answer, "answer"),
                expected="match and decision as they stand in a decision that the bot was sent",
            )
            self.results.fail(ANSWERS, finding, once="never asked")
            return
        self._answered.add(asked.game)
        if asked.answer is None:
            self.kinds[asked.game, asked.kind] += 1
        asked.answer = answer
        if self.open.get(answer.match_id) is asked:
            del self.open[answer.match_id]

    # Faults

    def fault(self, setup: MatchSetup, fault: Fault) -> None:
        """Record that the referee counted a fault of the bot."""
        asked = self.open.get(setup.match_id) or self._last_of(setup.match_id)
        if (setup.match_id, setup.attempt) not in self.ready or asked is None:
            finding = Finding(
                what=f"the bot did not take its seat in {setup.game}",
                place=f"{PLAY}: Ready",
                sent=shown(self._seated[setup.match_id], "seated") if setup.match_id in self._seated else "",
                came="no ready",
                expected=f"a ready of this match within {setup.clock.start / 1_000_000:g} s (Clock.start)",
            )
            self.results.fail(TAKES_SEATS, finding, once="ready")
            self.spoil(setup.game, TAKES_SEATS)
        elif self._expected and self._expected(asked, fault):
            self.changed()
            return
        else:
            self.faulty.add((asked.game, asked.kind))
            own = CHOICES if asked.is_choice and fault in _SAID_WRONG else GAME_CHECKS[asked.game]
            is_elsewhere = self._record(own, asked.finding(fault), self._key(asked, fault))
            if is_elsewhere and (fault not in _SAID_WRONG or self._is_all_wrong(asked.game)):
                self.spoil(asked.game, own)
        self.on_fault(setup, fault)

    def _key(self, asked: Asked, fault: Fault) -> object:
        """Return the key of a fault; a bot that no longer answers is late for all kinds of decisions."""
        kinds = [asked.kind]
        if fault is Fault.LATE and asked.game not in self._answered:
            kinds += [kind for game, kind in self.faulty if game == asked.game]
        keys = [(asked.game, kind, fault) for kind in kinds]
        return next((key for key in keys if self.results.knows(key)), keys[0])

    def went(self, game: str, finding: Finding) -> None:
        """Record that the bot, which had taken its seat, left during a match."""
        self.faulty.add((game, ""))
        if self._record(GAME_CHECKS[game], finding, self._went(game)):
            self.spoil(game, GAME_CHECKS[game])

    def goes(self, game: str) -> bool:
        """Return whether the bot leaves during matches of a game although nothing happens to it."""
        return self.results.knows(self._went(game))

    def _went(self, game: str) -> object:
        return game, "went"

    def _record(self, own: int, finding: Finding, key: object) -> bool:
        """Record a failure in playing, and return whether it belongs to another check than the running one.

        It belongs to its own check, unless it is not found before a later one: then to each that finds it.
        """
        if self.current not in UP_TO_CHOICES and not self.results.knows(key):
            self.results.fail(self.current, finding, once=(self.current, key))
            return False
        self.results.fail(own, finding, once=key)
        return own != self.current

    def _is_all_wrong(self, game: str) -> bool:
        """Return whether the bot gives wrong answers to every kind of decision that a game has asked it."""
        return all((game, kind) in self.faulty for other, kind in self.kinds if other == game)

    def _last_of(self, match_id: str) -> Asked | None:
        """Return the last decision of the bot in a match."""
        return next((self.asked[key] for key in reversed(self.asked) if key[0] == match_id), None)
