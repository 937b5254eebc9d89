"""The states of a tournament and of its entries, and rulings of organisers."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class TournamentState(StrEnum):
    """The state of a tournament."""

    CREATED = "created"  # nothing has begun
    RUNNING = "running"
    PAUSED = "paused"  # no more matches begin
    CANCELLED = "cancelled"  # for good
    FINISHED = "finished"  # all matches are over


OVER: Final = frozenset({TournamentState.CANCELLED, TournamentState.FINISHED})
"""The states after which nothing of a tournament changes but by a ruling."""


class EntryState(StrEnum):
    """Whether an entry is paired."""

    ACTIVE = "active"
    PAUSED = "paused"  # it keeps its place and its rating
    LEFT = "left"  # its results stay
    WITHDRAWN = "withdrawn"  # by a ruling of an organiser, and so is the next one
    DISQUALIFIED = "disqualified"


class RulingKind(StrEnum):
    """What becomes of a match, or of an entry, by a ruling of an organiser."""

    REPLAY = "replay"  # it is played again, with other decks
    ANNUL = "annul"  # it is left out and counts for nobody
    VOID = "void"  # while it is played: it ends without a result, and is played again
    WITHDRAW = "withdraw"  # an entry plays no more
    DISQUALIFY = "disqualify"  # it plays no more, and is ranked below all others
    REINSTATE = "reinstate"  # it is back


ON_ENTRIES: Final = frozenset({RulingKind.WITHDRAW, RulingKind.DISQUALIFY, RulingKind.REINSTATE})
"""The rulings on entries; all others are on matches."""

OUT: Final = frozenset({EntryState.WITHDRAWN, EntryState.DISQUALIFIED})
"""The states of entries that play no more by a ruling."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which matches a ruling is about: by name, or all that count of some ``entries``.

    The beginning of a name is enough where only one match has it. With ``only_forfeits`` it is those that
    these entries forfeited, or anybody if none is named; with ``only_no_shows`` without ever being there.
    """

    names: Collection[str] = ()
    entries: Collection[str] = ()
    only_forfeits: bool = False
    only_no_shows: bool = False

    @property
    def are_searched(self) -> bool:
        """Return whether they are not named."""
        return bool(self.entries) or self.only_forfeits or self.only_no_shows
