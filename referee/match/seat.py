"""One seat's side of a match: its clock, its open decision, its answers, events and faults."""

from dataclasses import dataclass
from typing import Any

from referee.match.clock import ClockSettings, Micros, SeatClock
from referee.match.faults import Fault, FaultCounts, SeatTime
from referee.match.messages import Decision, Given


@dataclass(slots=True)
class OpenDecision:
    """A decision that a seat has not answered yet."""

    decision: Decision
    asked: int
    deadline: int
    note_dropped: bool = False


class SeatState:
    """What a match keeps for a seat; only the match changes it."""

    __slots__ = (
        "answered",
        "answers",
        "clock",
        "connected",
        "decisions",
        "faults",
        "forfeited",
        "longest",
        "note_bytes",
        "open",
        "ready",
        "sessions_lost",
        "stands_until",
        "thought",
        "told",
        "wants_events",
    )

    def __init__(self, clock: ClockSettings) -> None:
        self.clock = SeatClock(clock)
        self.connected = False
        self.ready = False
        self.forfeited = False
        self.decisions = 0
        self.open: OpenDecision | None = None
        self.answers: dict[int, Given] = {}  # as given, so that a repetition is recognised
        self.told: list[Any] = []  # this seat's events: number k is at k - 1
        self.wants_events = True
        self.faults = dict.fromkeys(Fault, 0)
        self.sessions_lost = 0
        self.stands_until = 0  # after a restart of the referee: until the bot is back, at most until then
        self.answered = 0
        self.thought = 0
        self.longest = 0
        self.note_bytes = 0  # of the notes that were kept

    def charge(self, elapsed: int) -> None:
        """Charge an answer that took ``elapsed``."""
        self.clock.charge(elapsed)
        self.answered += 1
        self.thought += elapsed
        if elapsed > self.longest:
            self.longest = elapsed

    def stand(self, now: int, until: int) -> None:
        """Stop the clock until the bot, whose session is gone, is back, at most until a time."""
        if self.open:
            # a clock that is stopped already counts as if it were stopped only now
            self._put_off(until - max(now, self.stands_until))
        self.connected = False
        self.stands_until = until

    def go_on(self, now: int) -> None:
        """Start a stopped clock again: the bot is back."""
        if self.open and now < self.stands_until:
            self._put_off(now - self.stands_until)
        self.stands_until = min(self.stands_until, now)

    def _put_off(self, time: int) -> None:
        assert self.open is not None
        self.open.asked += time
        self.open.deadline += time

    def counts(self) -> FaultCounts:
        """Return the seat's faults by kind."""
        faults = {fault.name.lower(): n for fault, n in self.faults.items()}
        return FaultCounts(**faults, sessions_lost=self.sessions_lost)

    def time(self) -> SeatTime:
        """Return how long the seat thought."""
        return SeatTime(self.answered, Micros(self.thought), Micros(self.longest))
