"""The referee's updates to a bot: a seat, a decision, an event, the end of a match, and so on.

Seats count from 0 and times are in seconds. Each has its message of the protocol as ``message``. Reasons are
texts, the protocol's names without their prefix, such as ``STALE_DECISION``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fairdeal import _decode
from fairdeal._wire_enum import WireEnum
from fairdeal.actions import Legal
from fairdeal.chance import Chance
from fairdeal.events import Event
from fairdeal.v1 import play_service_pb2 as play
from fairdeal.views import View

OptionValue = int | bool | str


class Fault(WireEnum):
    """What a bot did wrong."""

    UNKNOWN = 0
    MALFORMED = 1
    ILLEGAL = 2
    DISCONNECTED = 3
    LATE = 4


class CloseReason(WireEnum):
    """Why a decision is closed."""

    UNKNOWN = 0
    ANSWERED = 1
    DEFAULTED = 2
    CANCELLED = 3


class Termination(WireEnum):
    """Why a match ended."""

    UNKNOWN = 0
    COMPLETED = 1
    FORFEIT = 2
    CANCELLED = 3
    VOID = 4


class NoticeKind(WireEnum):
    """What a notice is about."""

    UNKNOWN = 0
    DRAINING = 1
    REPLACED = 2
    HEARTBEAT = 3


@dataclass(frozen=True, slots=True)
class Clock:
    """How long a bot may think, in seconds.

    ``move`` for each decision, ``bank`` on top for the match, to which ``increment`` is added after each
    answer in time; ``lag`` of each decision, ``lag_cap`` of the match, are put down to the network;
    ``start`` is how soon a bot must be ready.
    """

    move: float
    bank: float
    increment: float
    lag: float
    lag_cap: float
    start: float


@dataclass(frozen=True, slots=True)
class Commitment:
    """What commits the referee to the deals before the first card; ``commit`` and ``manifest`` are digests.

    ``repeatable`` says that the deals follow from a published seed.
    """

    scheme: str
    epoch_id: str
    commit: bytes
    manifest: bytes
    repeatable: bool


@dataclass(frozen=True, slots=True)
class Seated:
    """A seat in a match.

    ``attempt`` is more than 1 when earlier ones were void; ``options`` holds every option's value by name;
    ``deals`` is the fixed number of deals, None for a whole game; ``entries`` are by seat, empty when names
    are not told; at ``max_faults`` faults the seat forfeits; ``sides`` are the seats that win and lose
    together, in the order of all lists by side.
    """

    id: str
    attempt: int
    game: str
    rules_version: int
    options: Mapping[str, OptionValue]
    deals: int | None
    seat: int
    entries: tuple[str, ...]
    commitment: Commitment
    clock: Clock
    max_faults: int
    sides: tuple[tuple[int, ...], ...]
    message: play.Seated = field(repr=False, compare=False)

    @property
    def side(self) -> int | None:
        """Return the place of the bot's own side, None if the referee does not tell the sides."""
        return next((place for place, seats in enumerate(self.sides) if self.seat in seats), None)


class Decision:
    """A decision of the bot's seat; its parts are decoded when they are first used."""

    __slots__ = ("_chance", "_legal", "_seed", "_view", "id", "match", "message")

    match: Seated
    id: int
    message: play.Decision

    def __init__(self, match: Seated, message: play.Decision, seed: str) -> None:
        self.match = match
        self.id = message.decision_id
        self.message = message
        self._seed = seed
        self._legal: Legal | None = None
        self._view: View | None = None
        self._chance: Chance | None = None

    @property
    def seat(self) -> int:
        """Return the seat that decides."""
        return self.match.seat

    @property
    def move_time(self) -> float:
        """Return the time for this decision, in seconds."""
        return _decode.seconds(self.message.move_time)

    @property
    def bank(self) -> float:
        """Return what is left in the bank, in seconds."""
        return _decode.seconds(self.message.bank)

    @property
    def legal(self) -> Legal:
        """Return the legal answers: a list, or a choice of several cards or of several combinations."""
        if self._legal is None:
            self._legal = _decode.legal(self.message.legal)
        return self._legal

    @property
    def view(self) -> View | None:
        """Return all that the seat knows, None for a game that this version has no view type for."""
        if self._view is None:
            self._view = _decode.view(self.message.view)
        return self._view

    @property
    def chance(self) -> Chance:
        """Return the generator of this decision: with the same seed it draws the same in every run."""
        if self._chance is None:
            self._chance = Chance(self._seed, self.match.id, self.seat, self.id)
        return self._chance

    def __repr__(self) -> str:
        return f"Decision(match={self.match.id!r}, id={self.id}, seat={self.seat}, legal={self.legal!r})"


@dataclass(frozen=True, slots=True)
class Happened:
    """An event; None for one that this version has no type for.

    ``sequence`` numbers the events that this seat is told in this match, from 1.
    """

    match: Seated
    sequence: int
    event: Event | None
    message: play.Happened = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Closed:
    """A decision is closed; ``fault`` is None unless the default action was played after one.

    ``note_dropped`` says that the referee did not keep the note of the answer, which is no fault.
    """

    match: Seated
    decision_id: int
    reason: CloseReason
    fault: Fault | None
    note_dropped: bool
    message: play.Closed = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer was refused; ``still_open`` says whether the decision is still open."""

    match: Seated | None
    decision_id: int
    reason: str
    still_open: bool
    text: str
    message: play.Refused = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class FaultCounts:
    """The faults of one seat in a match, and how often its session was lost, which is not a fault."""

    malformed: int
    illegal: int
    disconnected: int
    late: int
    sessions_lost: int


@dataclass(frozen=True, slots=True)
class SeatTime:
    """How long one seat thought in a match, in seconds, as the referee measured it."""

    answered: int
    total: float
    longest: float


@dataclass(frozen=True, slots=True)
class Finished:
    """A match is over.

    ``ranks`` and ``scores`` are by side, rank 1 being best and shared by equals; ranks are empty when nobody
    won or lost. ``capped`` says that the cap on the number of deals ended it. ``faults`` and ``times`` are by
    seat, ``forfeited`` are seats. ``secret`` opens the commitment, empty when it is revealed later or never.
    """

    match: Seated
    termination: Termination
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    capped: bool
    faults: tuple[FaultCounts, ...]
    forfeited: tuple[int, ...]
    secret: bytes
    times: tuple[SeatTime, ...]
    message: play.Finished = field(repr=False, compare=False)

    @property
    def rank(self) -> int | None:
        """Return the rank of the bot's own side, None when nobody won or lost."""
        side = self.match.side
        return self.ranks[side] if side is not None and self.ranks else None

    @property
    def score(self) -> int | None:
        """Return the score of the bot's own side, None when there are no scores."""
        side = self.match.side
        return self.scores[side] if side is not None and self.scores else None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about the session itself."""

    kind: NoticeKind
    text: str
    message: play.Notice = field(repr=False, compare=False)


Update = Seated | Decision | Happened | Closed | Refused | Finished | Notice
