"""The values that a store takes and returns."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from referee.match.effects import Outcome
from tournaments.plan.plan import Entry
from tournaments.plan.states import EntryState
from tournaments.schedule.pairing import Pairing


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued(Pairing):
    """A pairing that was issued; ``attempt`` is the one to be made, or the one that is spoken of.

    ``versions`` are those that its entries had when it was issued.
    """

    serial: int
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


class Added(Enum):
    """What became of an attempt that was to be stored; only `KNOWN` is false."""

    KNOWN = 0  # it was stored before, or its match is decided
    DECIDED = 1  # it is stored, and its match is decided
    OPEN = 2  # it is stored, and its match is to be played

    def __bool__(self) -> bool:
        return self is not Added.KNOWN


@dataclass(frozen=True, slots=True)
class Attempted:
    """An attempt at a match with its ``result``, also a void or cancelled one.

    Without a result the match was left out (``is_skipped``), where one ``is_annulled`` for that, or is to be
    played; attempt 0 is that it was left out by a ruling on an entry. It ``stands`` unless its result was
    withdrawn.
    """

    issued: Issued
    result: MatchResult | None = None
    is_skipped: bool = False
    stands: bool = True
    is_annulled: bool = False


class PlayedScores(NamedTuple):
    """The scores by side of a match that has a result, None where a seat forfeited.

    ``entries`` and ``versions`` are by seat, ``record`` is the path of the record within the folder
    and ``record_sha256`` the digest of that file.
    """

    match_id: str
    attempt: int
    entries: tuple[str, ...]
    versions: tuple[str | None, ...]
    scores: tuple[int, ...] | None
    record: str
    record_sha256: str


@dataclass(frozen=True, slots=True)
class Registered:
    """An entry of the roster in its newest version.

    ``from_file`` tells whether the file of the tournament names it, ``since`` from when on it has played as
    it does now: a date and time in ISO 8601.
    """

    entry: Entry
    state: EntryState
    from_file: bool
    since: str


@dataclass(frozen=True, slots=True)
class Extent:
    """The progress of a tournament at one moment: how many matches were issued, and how many are decided.

    Those that were skipped are decided. ``taken_back`` counts withdrawn results. ``roster_version`` is higher
    after each change of the roster.
    """

    issued: int
    decided: int
    taken_back: int
    roster_version: int


@dataclass(frozen=True, slots=True)
class NoShow:
    """A result that entries forfeited without having been there."""

    issued: Issued
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Adjudication:
    """A ruling on an attempt, or on an entry.

    By ``replay`` the result of the attempt is withdrawn and its match is played again, by ``annul`` it is
    withdrawn and the match left out, by ``void`` it was ended without a result. By ``withdraw`` and
    ``disqualify`` the ``entry`` plays no more and its results are struck or not, by ``reinstate`` it is
    back. ``at`` is a date and time in ISO 8601.
    """

    kind: str
    match_id: str | None
    attempt: int | None
    who: str
    at: str
    why: str
    entry: str | None = None
    struck: bool | None = None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A summary of the results up to serial ``through``.

    ``fingerprint`` covers everything else that it was computed from; ``data`` is a text that is stored as it
    is.
    """

    through: int
    fingerprint: str
    data: str
