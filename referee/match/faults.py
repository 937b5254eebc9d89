"""Faults: what a bot did wrong, how they are counted, and what follows."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum

from referee.match.clock import Micros


class Fault(IntEnum):
    """What was wrong with a bot, numbered as on the wire and in the order of `leading`."""

    MALFORMED = 1
    ILLEGAL = 2
    DISCONNECTED = 3
    LATE = 4


class Termination(IntEnum):
    """Why a match ended."""

    COMPLETED = 1
    FORFEIT = 2
    CANCELLED = 3
    VOID = 4


def leading(causes: Collection[Fault]) -> Fault:
    """Return which of several causes counts when they coincide, since a decision costs at most one fault.

    The order is that of the numbers: what a bot said comes before what it did not say, so that an answer that
    was read in time is judged as an answer; and a bot that is gone was not slow. What is no fault of the bot
    goes before all of them: a step in which the referee itself fails makes the match void, whatever the bot
    did in it. An answer that is read exactly at the deadline is in time.
    """
    return min(causes)


@dataclass(frozen=True, slots=True)
class FaultPolicy:
    """What follows a fault.

    With ``substitute`` the default action is played, and a seat forfeits at its ``max_faults``-th fault;
    without, it forfeits at once.
    """

    substitute: bool = True
    max_faults: int = 3

    @property
    def limit(self) -> int:
        """Return the number of faults at which a seat forfeits."""
        return self.max_faults if self.substitute else 1


@dataclass(frozen=True, slots=True)
class FaultCounts:
    """Faults of one seat in one match by kind, and how often its session was lost."""

    malformed: int = 0
    illegal: int = 0
    disconnected: int = 0
    late: int = 0
    sessions_lost: int = 0

    @property
    def total(self) -> int:
        """Return the number of faults; a lost session alone is not a fault."""
        return self.malformed + self.illegal + self.disconnected + self.late


def faults_text(counts: FaultCounts) -> str:
    """Say which faults a seat has made, as ``2 late, 1 illegal``; nothing when there are none."""
    kinds = {kind.name.lower(): getattr(counts, kind.name.lower()) for kind in Fault}
    return ", ".join(f"{number} {name}" for name, number in kinds.items() if number)


@dataclass(frozen=True, slots=True)
class SeatTime:
    """How long one seat thought in one match: for all its answers together, and for the slowest decision."""

    answered: int
    total: Micros
    longest: Micros
