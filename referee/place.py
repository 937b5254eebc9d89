"""One seat's side of a match: its clock, its open decision, its answers, events and faults."""

from dataclasses import dataclass
from typing import Any

from referee.clock import ClockSettings, SeatClock
from referee.faults import Fault, FaultCounts
from referee.updates import Decision, Given


@dataclass(slots=True)
class OpenDecision:
    """A decision that a seat has not answered yet."""

    decision: Decision
    asked: int
    deadline: int


class Place:
    """What a match keeps for a seat; only the match changes it."""

    __slots__ = (
        "answers",
        "clock",
        "connected",
        "decisions",
        "faults",
        "forfeited",
        "open",
        "ready",
        "sessions_lost",
        "told",
    )

    def __init__(self, clock: ClockSettings) -> None:
        self.clock = SeatClock(clock)
        self.connected = False
        self.ready = False
        self.forfeited = False
        self.decisions = 0
        self.open: OpenDecision | None = None
        self.answers: dict[int, Given] = {}  # as given, so that a repetition is known as one
        self.told: list[Any] = []  # this seat's events: number k is at k - 1
        self.faults = dict.fromkeys(Fault, 0)
        self.sessions_lost = 0

    def counts(self) -> FaultCounts:
        """Return the seat's faults by kind."""
        faults = {fault.name.lower(): n for fault, n in self.faults.items()}
        return FaultCounts(**faults, sessions_lost=self.sessions_lost)
