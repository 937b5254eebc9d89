"""Faults: what a bot did wrong, how they are counted, and what follows."""

from dataclasses import dataclass
from enum import IntEnum


class Fault(IntEnum):
    """What was wrong; when two causes coincide the one numbered lower is the one that counts."""

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
        """Return the number of faults; a lost session is none by itself."""
        return self.malformed + self.illegal + self.disconnected + self.late
