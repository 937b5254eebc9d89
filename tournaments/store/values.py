"""The values that a store takes and returns."""

from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True)
class Attempted:
    """An attempt at a match with its ``result``, also a void or cancelled one.

    Without a result the match was left out (``is_skipped``) or is to be played. It ``stands`` unless its
    result was withdrawn.
    """

    issued: Issued
    result: MatchResult | None = None
    is_skipped: bool = False
    stands: bool = True


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
    """A decision on an attempt.

    By ``replay`` its result is withdrawn and its match is played again, by ``annul`` it is withdrawn and the
    match left out, by ``void`` it was ended without a result; ``at`` is a date and time in ISO
    8601.
    """

    kind: str
    match_id: str
    attempt: int
    who: str
    at: str
    why: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A summary of the results up to serial ``through``.

    ``fingerprint`` covers everything else that it was computed from; ``data`` is a text that is stored as it
    is.
    """

    through: int
    fingerprint: str
    data: str
