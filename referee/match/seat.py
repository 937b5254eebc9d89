"""One seat's side of a match: its clock, its open decision, its answers, events and faults."""

from referee.match.clock import ClockSettings, Micros, SeatClock
from referee.match.faults import Fault, FaultCounts, SeatTime
from referee.match.messages import Decision, Given


class SeatState:
    """What a match keeps for a seat; only the match changes it.

    ``open`` is the decision that the seat has not answered yet; ``asked``, ``deadline`` and ``note_dropped``
    belong to it.
    """

    __slots__ = (
        "answers",
        "asked",
        "clock",
        "connected",
        "deadline",
        "decisions",
        "faults",
        "forfeited",
        "note_bytes",
        "note_dropped",
        "open",
        "ready",
        "sessions_lost",
        "stands_until",
        "unknown",
    )

    def __init__(self, clock: ClockSettings) -> None:
        self.clock = SeatClock(clock)
        self.connected = False
        self.ready = False
        self.forfeited = False
        self.decisions = 0
        self.open: Decision | None = None
        self.asked = 0
        self.deadline = 0
        self.note_dropped = False
        self.answers: dict[int, Given] = {}  # as given, so that a repetition is recognised
        self.unknown = 0  # how many events the seat may not know of
        self.faults = dict.fromkeys(Fault, 0)
        self.sessions_lost = 0
        self.stands_until = 0  # after a restart of the referee: until the bot is back, at most until then
        self.note_bytes = 0  # of the notes that were kept

    def ask(self, decision: Decision, at: int) -> None:
        """Open a decision that is put at a time."""
        self.open = decision
        self.asked = asked = at if at > self.stands_until else self.stands_until
        self.deadline = asked + self.clock.allowed
        self.note_dropped = False

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
        self.asked += time
        self.deadline += time

    def counts(self) -> FaultCounts:
        """Return the seat's faults by kind."""
        faults = {fault.name.lower(): n for fault, n in self.faults.items()}
        return FaultCounts(**faults, sessions_lost=self.sessions_lost)

    def time(self) -> SeatTime:
        """Return how long the seat thought."""
        clock = self.clock
        return SeatTime(clock.answered, Micros(clock.thought), Micros(clock.longest))
