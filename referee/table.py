"""A match in the hall with what surrounds it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.clock import ClockSettings
from referee.effects import Deals, MatchSetup, Owner
from referee.faults import FaultPolicy
from referee.games.base import Game
from referee.games.options import OptionValue
from referee.match import Match
from referee.session import Session

Key = tuple[str, int]  # match id and attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTable:
    """A table that is given to whoever comes, in order of arrival."""

    game: str
    options: Mapping[str, OptionValue]
    deals: int | None
    clock: ClockSettings
    faults: FaultPolicy


@dataclass(slots=True)
class Table:
    """One attempt at a match: who sits there, its record so far, when it wants to be woken.

    ``header`` is the first line of its record, once it has one.
    """

    setup: MatchSetup
    game: Game[Any]
    deals: Deals
    match: Match
    owners: tuple[Owner, ...]
    sessions: list[Session | None]
    header: dict[str, Any] = field(default_factory=dict)
    log: list[Any] = field(default_factory=list)
    wake: int | None = None  # when the match wants to be woken
    alarm: int | None = None  # when it is looked at: then, or before

    @property
    def key(self) -> Key:
        """Return what names this attempt at the match."""
        return self.setup.match_id, self.setup.attempt
