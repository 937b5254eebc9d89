"""What a tournament is: its game, its entries, and how they play."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from referee.clock import SECOND, ClockSettings
from referee.effects import Owner
from referee.faults import FaultPolicy
from referee.games.options import OptionValue
from referee.games.registry import GAMES
from referee.limits import Limits
from tournaments.ratings import RatingParameters

WITHOUT_EFFECT: Final = frozenset(
    {"concurrency", "durability", "hosting", "limits", "rating", "registration", "remote", "server"}
)
"""Of what decides which matches are played and how they end, these keys are no part."""


class Format(StrEnum):
    """Who meets whom."""

    ROUND_ROBIN = "round_robin"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    DOUBLE_KNOCKOUT = "double_knockout"
    GAUNTLET = "gauntlet"
    LADDER = "ladder"

    @property
    def is_fixed(self) -> bool:
        """Tell whether the whole schedule is known from the start."""
        return self in (Format.ROUND_ROBIN, Format.GAUNTLET)

    @property
    def is_knockout(self) -> bool:
        """Tell whether who loses is out, at once or the second time."""
        return self in (Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT)


class Partners(StrEnum):
    """In games of partners: everybody with everybody in turn, or the same two for the whole tournament."""

    MIXED = "mixed"
    FIXED = "fixed"


class NoShow(StrEnum):
    """What becomes of a match when a remote entry is away for too long."""

    FORFEIT = "forfeit"  # it begins, and who is not there when its start clock runs out forfeits it
    SKIP = "skip"  # it is left out, and counts for nobody


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosting:
    """How bots are hosted.

    A bot that ends is started again at most ``restarts`` times in any ``restart_window`` microseconds; of its
    output ``log_bytes`` are kept. ``memory`` is in bytes, ``cpu_seconds`` of processor time, ``open_files``
    and ``processes`` are numbers; None: no limit. ``sandbox`` is "none" or "bubblewrap".
    """

    restarts: int = 3
    restart_window: int = 600 * SECOND
    log_bytes: int = 1 << 20
    memory: int | None = None
    cpu_seconds: int | None = None
    open_files: int | None = None
    processes: int | None = None
    sandbox: str = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """What holds for remote entries: how long, in microseconds, one that is away is waited for, and then."""

    wait: int = 60 * SECOND
    no_show: NoShow = NoShow.FORFEIT


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where bots from elsewhere dial in: an address, with TLS when there is a certificate and its key."""

    listen: str = "127.0.0.1:0"
    certificate: Path | None = None
    key: Path | None = None
    client_ca: Path | None = None
    insecure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A bot that takes part.

    It is a house bot with its arguments, the words of a command, or ``remote``: it dials in by itself.
    ``strength`` is a rating by which knockouts and the first round of a Swiss are seeded, best first; entries
    without one come after those with one, in the order of the file. ``hosting`` is how this one is hosted
    when it differs from the others.
    """

    name: str
    version: str | None = None
    bot: str | None = None
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] | None = None
    remote: bool = False
    strength: float | None = None
    hosting: Hosting | None = None


@dataclass(frozen=True, slots=True)
class Team:
    """Two entries that sit opposite each other for the whole tournament."""

    name: str
    entries: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Competitor:
    """Who is paired and rated as one: an entry, or a fixed pair of seats, held by one entry or by a team.

    ``entries`` are those of its seats in a match: one, or two for a fixed pair, both the same without a team.
    """

    name: str
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A checked tournament.

    ``options`` holds every option of the game, ``deals`` the number of deals of a match (None: a whole game),
    ``concurrency`` how many matches are played at once. ``folder`` is where the tournament keeps its files;
    commands run in ``base``. With ``seed`` the deals can be repeated, and so are not secret. With ``durable``
    what running matches took in outlives the machine, without it the process.

    ``rounds`` is how often the schedule is played in round robins and gauntlets, and the number of rounds of
    a Swiss; the other formats do not look at it. ``partners`` and ``teams`` matter in games of partners
    alone. ``challenger`` is the competitor of a gauntlet that meets all others. With ``open`` entries may
    register until it begins; in a ladder they always may. ``store`` is the URL of a database, None for one
    in the folder. ``instance`` tells hosted bots from those of other tournaments at the same referee.
    ``source`` is the file that describes it, None without one.
    """

    name: str
    game: str
    options: Mapping[str, OptionValue]
    deals: int | None
    rounds: int
    concurrency: int
    seed: str | None
    base: Path
    folder: Path
    clock: ClockSettings
    faults: FaultPolicy
    rating: RatingParameters
    entries: tuple[Entry, ...]
    limits: Limits = field(default_factory=Limits)
    durable: bool = False
    format: Format = Format.ROUND_ROBIN
    partners: Partners = Partners.MIXED
    teams: tuple[Team, ...] = ()
    challenger: str | None = None
    open: bool = False
    hosting: Hosting = field(default_factory=Hosting)
    remote: Remote = field(default_factory=Remote)
    server: Server = field(default_factory=Server)
    store: str | None = None
    instance: str = ""
    source: Path | None = None

    @property
    def has_fixed_pairs(self) -> bool:
        """Tell whether a side of two seats is one competitor."""
        return GAMES[self.game].has_partners and self.partners is Partners.FIXED

    @property
    def at_table(self) -> int:
        """Return how many competitors a match is for."""
        return 2 if self.has_fixed_pairs else GAMES[self.game].seats

    @property
    def competitors(self) -> tuple[Competitor, ...]:
        """Return who is paired and rated; a team stands where its first entry does."""
        if not self.has_fixed_pairs:
            return tuple(Competitor(entry.name, (entry.name,)) for entry in self.entries)
        names = dict.fromkeys(self.competitor_of(entry.name) for entry in self.entries)
        return tuple(Competitor(name, self.entries_of(name)) for name in names)

    def entries_of(self, competitor: str) -> tuple[str, ...]:
        """Return the entries of a competitor's seats in a match."""
        if not self.has_fixed_pairs:
            return (competitor,)
        alone = (competitor, competitor)
        return next((team.entries for team in self.teams if team.name == competitor), alone)

    def competitor_of(self, entry: str) -> str:
        """Return the name under which an entry is paired and rated."""
        teams = self.teams if self.has_fixed_pairs else ()
        return next((team.name for team in teams if entry in team.entries), entry)

    def instances(self, entry: str) -> tuple[str, ...]:
        """Return the instances by which an entry plays: two for one that holds both seats of a side."""
        is_hosted = self.instance and not any(one.remote for one in self.entries if one.name == entry)
        own = self.instance if is_hosted else ""
        alone = self.has_fixed_pairs and self.competitor_of(entry) == entry
        return tuple(f"{own}.{seat}".lstrip(".") for seat in (1, 2)) if alone else (own,)

    def owners(self, seats: tuple[str, ...]) -> tuple[Owner, ...]:
        """Return whose each seat is, by entry and instance, from the entries by seat."""
        if not (self.instance or self.has_fixed_pairs):
            return tuple((entry, "") for entry in seats)
        return tuple(
            (entry, self.instances(entry)[seats[:seat].count(entry)]) for seat, entry in enumerate(seats)
        )

    def describe(self) -> dict[str, Any]:
        """Return the plan as JSON data, times in microseconds; without the folders, which may be moved."""
        data: dict[str, Any] = {
            "name": self.name,
            "game": self.game,
            "options": dict(self.options),
            "match": "game" if self.deals is None else {"deals": self.deals},
            "rounds": self.rounds,
            "concurrency": self.concurrency,
            "seed": self.seed,
            "clock": asdict(self.clock),
            "faults": asdict(self.faults),
            "rating": asdict(self.rating),
            "entries": [asdict(entry) for entry in self.entries],
            "limits": asdict(self.limits),
            "durability": "disk" if self.durable else "process",
            "format": self.format,
            "partners": self.partners,
            "teams": [asdict(team) for team in self.teams],
            "challenger": self.challenger,
            "registration": "open" if self.open else "closed",
            "hosting": asdict(self.hosting),
            "remote": asdict(self.remote),
            "server": asdict(self.server),
        }
        # through JSON, so that it equals what comes back from a file: lists for tuples, texts for paths
        plain: dict[str, Any] = json.loads(json.dumps(data, default=str))
        return plain

    def fingerprint(self) -> str:
        """Return a SHA-256, in hexadecimal, of all that decides the schedule and the results."""
        deciding = {key: value for key, value in self.describe().items() if key not in WITHOUT_EFFECT}
        canonical = json.dumps(deciding, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()
