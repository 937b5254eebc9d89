"""What goes into a match and what comes out of it."""

from collections.abc import Iterable, Mapping
from itertools import repeat, starmap
from typing import Any, Literal, Protocol

from referee.cards import Card, Seat
from referee.games.actions import Action
from referee.games.options import OptionValue
from referee.match.clock import ClockSettings, Micros
from referee.match.faults import Fault, FaultCounts, FaultPolicy, SeatTime, Termination
from referee.match.messages import Closed, CloseReason, Commitment, Decision, Given, Happened, Update
from referee.values import value_class

Owner = tuple[str, str]  # the owner of a seat: an entry and one of its instances


@value_class(kw_only=True)
class MatchSetup:
    """What a match is before it begins; ``entries`` by seat, ``deals`` None for a whole game.

    Updates about actions are sent at multiples of ``event_grid`` microseconds since the start; 0: at once.
    ``epoch`` names the duplicate set whose turns share their decks, unlike the epoch id of any match by
    itself. Empty: the decks are this match's alone, and what opens them is told at its end.
    ``instances`` are by seat, empty if no entry has several. ``scheme`` is that of dealing, of a match that
    was begun by an earlier version; empty: the newest.
    """

    match_id: str
    attempt: int = 1
    game: str
    options: Mapping[str, OptionValue]
    deals: int | None
    entries: tuple[str, ...]
    clock: ClockSettings
    faults: FaultPolicy
    event_grid: int = 0
    epoch: str = ""
    instances: tuple[str, ...] = ()
    scheme: str = ""

    @property
    def instance_by_seat(self) -> tuple[str, ...]:
        """Return the instances of all entries, which may be empty."""
        return self.instances or ("",) * len(self.entries)


def instances_of(owners: Iterable[Owner]) -> tuple[str, ...]:
    """Return the instances of owners as a setup has them."""
    instances = tuple(instance for _entry, instance in owners)
    return instances if any(instances) else ()


class Deals(Protocol):
    """Where a match's chance comes from."""

    @property
    def commitment(self) -> Commitment:
        """What is published before the first card."""

    @property
    def secret(self) -> bytes:
        """What opens the commitment once the match is over."""

    def deck(self, deal: int) -> tuple[Card, ...]:
        """Return the shuffled deck of a deal, from 0."""

    def first(self, seats: int) -> Seat:
        """Return the seat that begins."""


InputKind = Literal[
    "start",
    "back",
    "lost",
    "restarted",
    "ready",
    "decline",
    "abandon",
    "resign",
    "answer",
    "tick",
    "cancel",
    "void",
]
"""The kinds of inputs, each a step of `referee.match.match.Match` of the same name."""


@value_class
class Input:
    """An input that changed the match: all that a replay needs besides the setup and the decks."""

    kind: InputKind
    at: Micros
    seat: Seat | None = None
    decision_id: int | None = None
    given: Given | None = None
    grace: Micros | None = None
    note: str | None = None


@value_class
class Faulted:
    """A fault of a seat, on an open decision or (without one) at the start or for leaving for good."""

    seat: Seat
    fault: Fault
    decision_id: int | None = None


@value_class
class Substituted:
    """The default action was played for a seat: after a fault, or (without one) since it has forfeited."""

    seat: Seat
    action: Action
    decision_id: int | None = None
    fault: Fault | None = None


@value_class
class Outcome:
    """How a match ended; ranks and scores by side, faults and times by seat.

    Ranks are empty when it does not count.
    """

    termination: Termination
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    capped: bool
    faults: tuple[FaultCounts, ...]
    forfeited: tuple[Seat, ...]
    times: tuple[SeatTime, ...] = ()


@value_class
class Tell:
    """Send an update to a seat's session, if it has one."""

    seat: Seat
    update: Update


@value_class
class Append:
    """Append to the record: an input, an event in full, or the outcome."""

    entry: Any


@value_class
class Wake:
    """Call `Match.tick` at this time, instead of any time given before."""

    at: int


@value_class
class Answered:
    """An answer closed a seat's decision, after this many microseconds on its clock."""

    seat: Seat
    elapsed: int


@value_class
class Finish:
    """The match is over."""

    outcome: Outcome


Effect = Tell | Append | Wake | Answered | Finish


@value_class
class Moved:
    """The effects of a legal answer after which the deal goes on and all seats play.

    Most answers are such, and none of them has a note. ``given`` is the answer, ``entry`` what the record
    holds of it. ``events`` are in full; ``told`` holds for each of them which seats are told what of it, and
    is empty where no seat wants events; ``asked`` are the decisions that follow, by seat; ``wake`` is as in
    `Wake`, None where it stays the same.
    """

    seat: Seat
    decision_id: int
    given: Given
    entry: Input
    elapsed: int
    events: list[Any]
    told: list[list[tuple[Seat, Happened]]]
    asked: list[tuple[Seat, Decision]]
    wake: int | None

    def closed(self, match_id: str) -> Closed:
        """Return what the seat is told of its decision, given the match."""
        return Closed(match_id, self.decision_id, CloseReason.ANSWERED)

    def effects(self, match_id: str) -> list[Effect]:
        """Return the effects one by one, given the match."""
        seat, closed = self.seat, self.closed(match_id)
        effects: list[Effect] = [Append(self.entry), Answered(seat, self.elapsed), Tell(seat, closed)]
        for event, told in zip(self.events, self.told or repeat(()), strict=False):
            effects += [Append(event), *starmap(Tell, told)]
        effects += starmap(Tell, self.asked)
        return effects if self.wake is None else [*effects, Wake(self.wake)]
