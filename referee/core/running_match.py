"""A match in the core with what surrounds it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.core.session import Session
from referee.core.told import Told
from referee.games.base import Game
from referee.games.options import OptionValue
from referee.match.clock import ClockSettings
from referee.match.effects import Deals, MatchSetup, Owner
from referee.match.faults import FaultPolicy
from referee.match.match import Match

Key = tuple[str, int]  # match id and attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTable:
    """A table whose seats go to bots in order of arrival."""

    game: str
    options: Mapping[str, OptionValue]
    deals: int | None
    clock: ClockSettings
    faults: FaultPolicy


@dataclass(slots=True)
class RunningMatch:
    """One attempt at a match: who sits there, its record so far, when it wants to be woken.

    ``key`` identifies this attempt by the match's id and its number. ``header`` is the first line of its
    record, once it has one, and ``lines`` are those that follow, as text; ``log`` holds the entries of which
    no lines were made so far: all of them where nobody writes a record. ``told`` makes the digests of what
    its seats are told. ``retold`` tells by seat how many events its sessions were given when they took it;
    -1 as long as there was none.
    """

    setup: MatchSetup
    game: Game[Any]
    deals: Deals
    match: Match
    owners: tuple[Owner, ...]
    told: Told
    sessions: list[Session | None]
    retold: list[int]
    header: dict[str, Any] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    log: list[Any] = field(default_factory=list)
    wake: int | None = None  # when the match wants to be woken
    timer: int | None = None  # when it is looked at: then, or before
    key: Key = field(init=False)

    def __post_init__(self) -> None:
        self.key = self.setup.match_id, self.setup.attempt
