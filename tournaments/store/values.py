"""What a store takes and gives."""

from dataclasses import dataclass, replace
from typing import Any

from referee.effects import Outcome
from tournaments.plan import Entry
from tournaments.states import EntryState


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """A match that was issued; ``attempt`` is the one to be made, or the one that is spoken of.

    ``seats`` are entries by seat, ``versions`` those that they had when the match was issued.
    """

    serial: int
    match_id: str
    round: int
    seats: tuple[str, ...]
    versions: tuple[str | None, ...]
    attempt: int = 1

    def again(self) -> "Issued":
        """Return the next attempt at this match."""
        return replace(self, attempt=self.attempt + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """An attempt that is over.

    ``record`` is the path of the record within the folder, ``started`` a date and time in ISO 8601,
    ``duration`` in microseconds.
    """

    match_id: str
    attempt: int
    outcome: Outcome
    record: str
    record_sha256: str
    started: str
    duration: int


@dataclass(frozen=True, slots=True)
class Registered:
    """An entry as it stands in the roster, in its newest version.

    ``from_file`` tells whether the file of the tournament names it, ``since`` from when on it has played as
    it does now: a date and time in ISO 8601.
    """

    entry: Entry
    state: EntryState
    from_file: bool
    since: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What was computed from the results up to serial ``through``.

    ``fingerprint`` is of all else that it was computed from, ``data`` JSON that comes back exactly as it was.
    """

    through: int
    fingerprint: str
    data: dict[str, Any]
