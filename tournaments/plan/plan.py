"""What a tournament is: its game, its entries, and how they play."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from referee.core.limits import Limits
from referee.games.options import OptionValue
from referee.games.registry import GAMES
from referee.match.clock import SECOND, ClockSettings
from referee.match.faults import FaultPolicy
from tournaments.plan.cluster import RayCluster
from tournaments.plan.models import Models
from tournaments.ratings import Rating, RatingParameters

WITHOUT_EFFECT: Final = frozenset(
    {
        *("concurrency", "durability", "hosting", "limits", "pace", "rating", "registration", "remote"),
        *("server", "tie_breaks"),
    }
)
"""The keys that do not affect which matches are played and how they end."""


_LATER: Final[Mapping[str, object]] = {"byes": (), "joins": 1}  # of an entry


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
        """Return whether the whole schedule is known from the start."""
        return self in (Format.ROUND_ROBIN, Format.GAUNTLET)

    @property
    def is_knockout(self) -> bool:
        """Return whether a competitor is out after losing once or twice."""
        return self in (Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT)


class RankBy(StrEnum):
    """What decides the order of a round robin, a gauntlet or a ladder."""

    TRUESKILL = "trueskill"  # the fit of all matches at once
    POINTS = "points"  # those of matches, as in a Swiss; not on a ladder, whose entries play as they come
    RUNNING = "running"  # mu - 3 sigma of the ratings that follow match by match


class TieBreak(StrEnum):
    """What separates competitors with equal points; see `tournaments.schedule.tie_breaks`."""

    BUCHHOLZ = "buchholz"
    DIRECT = "direct"
    SONNEBORN_BERGER = "sonneborn_berger"
    FIT = "fit"  # the skill by all matches at once


class Partners(StrEnum):
    """In games of partners: every two play together in turn, or the same two for the whole tournament."""

    MIXED = "mixed"
    FIXED = "fixed"


class NoShowPolicy(StrEnum):
    """What happens to a match when a remote entry is away for too long."""

    FORFEIT = "forfeit"  # it begins, and entries that are not there when its start clock runs out forfeit
    SKIP = "skip"  # it is skipped, and does not count


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosting:
    """How bots are hosted.

    A bot that ends is started again at most ``restarts`` times in any ``restart_window`` microseconds; of its
    output ``log_bytes`` are kept. ``memory`` is in bytes, ``cpu_seconds`` of processor time, ``open_files``
    and ``processes`` are numbers; None: no limit. ``sandbox`` is "none" or "bubblewrap".

    For all bots of a tournament: one that is idle is ended after ``keep`` microseconds, and at most
    ``max_live`` live at a time.
    """

    restarts: int = 3
    restart_window: int = 600 * SECOND
    log_bytes: int = 1 << 20
    memory: int | None = None
    cpu_seconds: int | None = None
    open_files: int | None = None
    processes: int | None = None
    sandbox: str = "none"
    keep: int = 60 * SECOND
    max_live: int = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """How long a match waits for a remote entry that is away, in microseconds, and what happens then."""

    wait: int = 60 * SECOND
    no_show: NoShowPolicy = NoShowPolicy.FORFEIT


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where remote bots connect: an address, with TLS when there is a certificate and its key."""

    listen: str = "127.0.0.1:0"
    certificate: Path | None = None
    key: Path | None = None
    client_ca: Path | None = None
    insecure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The most that a ladder plays: matches of a competitor, and meetings of two, in a day and in all."""

    matches_per_day: int | None = None
    meetings_per_day: int | None = None
    matches: int | None = None


@dataclass(frozen=True, slots=True)
class ParBot:
    """The house bot whose play of the same decks takes the luck of the deal out of results.

    ``signature`` is a hash of how it plays, so that another version of it is told apart.
    """

    bot: str
    signature: str

    def __str__(self) -> str:
        return f"{self.bot}-{self.signature}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A bot that takes part.

    It is a house bot or a language model with its arguments, the words of a command, or ``remote``: it
    connects by itself.
    ``strength`` is a rating by which knockouts and the first round of a Swiss are seeded, best first; entries
    without one come after those with one, in the order of the file. ``hosting`` is how this one is hosted
    when it differs from the others. In a Swiss it rests in the rounds of ``byes``, and plays from the round
    on in which it ``joins``.
    """

    name: str
    version: str | None = None
    bot: str | None = None
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] | None = None
    remote: bool = False
    strength: float | None = None
    hosting: Hosting | None = None
    byes: tuple[int, ...] = ()
    joins: int = 1

    def describe(self) -> dict[str, Any]:
        """Return it as data; what a later version added is left out where it has its default."""
        data = asdict(self)
        return {key: value for key, value in data.items() if key not in _LATER or value != _LATER[key]}

    @property
    def command_line(self) -> tuple[str, ...]:
        """Return the command that plays for it, unless it is remote."""
        if self.command:
            return self.command
        assert self.bot is not None
        return ("{python}", "-m", "fairdeal.bots", self.bot, *self.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A part of a tournament whose best go on to the next one; all but the last play in groups.

    Of each of the ``groups`` so many ``advance``, by points and then by ``tie_breaks``, or without any by
    what is usual. ``clock`` is that of its matches where it is not that of the plan. The rest is as there.
    """

    name: str
    format: Format
    rounds: int = 1
    groups: int = 1
    advance: int = 0
    best_of: int = 1
    third_place: bool = False
    tie_breaks: tuple[TieBreak, ...] = ()
    clock: ClockSettings | None = None


@dataclass(frozen=True, slots=True)
class Team:
    """Two entries that sit opposite each other for the whole tournament."""

    name: str
    entries: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Competitor:
    """A competitor, paired and rated as one: an entry, or a fixed pair of seats of one entry or a team.

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
    a Swiss; the other formats do not look at it. With ``matches_each`` a round robin has so many matches for
    everybody instead, whatever the rounds. ``partners`` and ``teams`` matter in games of partners
    alone. ``challenger`` is the competitor of a gauntlet that meets all others. With ``open`` entries may
    register until it begins; in a ladder they always may. ``store`` is the URL of a database, None for one
    in the folder; one that is gone is waited for ``store_patience`` seconds. ``instance`` tells hosted bots
    from those of other tournaments at the same referee. ``rank_by`` decides the order where the format has
    no points or places. With ``duplicate`` every match of the schedule is a set: the same deals are played
    once for each side of the game, with the seats turned. With ``shared_decks`` all sets of a round have
    the same deals. ``pace`` limits what a ladder plays in a day. ``par`` is shown beside results and
    changes none. In a knockout two competitors play a series that is the ``best_of`` so many matches; with
    ``third_place`` the losers of the semi-finals meet, too. Equal points in a Swiss, or in a round robin
    that is ranked by them, are separated by ``tie_breaks``; if there are none, by what is usual there.
    Where there are ``stages``, they say all this in place of the plan, whose format is that of the last one;
    ``rounds_before`` is how many rounds the stages before have, in the plan of a stage.
    ``season`` counts the tournaments of this name, so that matches have ids of their own; ``priors`` are
    the ratings by rated name that it begins with. ``source`` is the file that describes it, None without
    one. Events are told at multiples of ``event_grid`` microseconds; 0: at once. ``models`` says of language
    models what does not concern how they play. With ``ray`` a cluster plays the matches of entries that are
    not remote.
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
    store_patience: int = 300
    instance: str = ""
    source: Path | None = None
    event_grid: int = 0
    matches_each: int | None = None
    rank_by: RankBy = RankBy.TRUESKILL
    duplicate: bool = False
    shared_decks: bool = False
    par: ParBot | None = None
    best_of: int = 1
    third_place: bool = False
    pace: Pace | None = None
    season: int = 1
    priors: Mapping[str, Rating] = field(default_factory=dict)
    tie_breaks: tuple[TieBreak, ...] = ()
    stages: tuple[Stage, ...] = ()
    rounds_before: int = 0
    models: Models = field(default_factory=Models)
    ray: RayCluster | None = None
    remotes: frozenset[str] = field(init=False, repr=False, compare=False)
    """The entries that are remote."""

    def __post_init__(self) -> None:
        # cached: with hundreds of entries, each connection looks it up
        object.__setattr__(self, "remotes", frozenset(entry.name for entry in self.entries if entry.remote))

    @property
    def unique_name(self) -> str:
        """Return the name with the season, from which the ids of matches follow; no other name is like it."""
        return self.name if self.season == 1 else f"{self.name}~{self.season}"

    @property
    def has_fixed_pairs(self) -> bool:
        """Return whether a side of two seats is one competitor."""
        return GAMES[self.game].has_partners and self.partners is Partners.FIXED

    @property
    def at_table(self) -> int:
        """Return how many competitors a match is for."""
        return 2 if self.has_fixed_pairs else GAMES[self.game].seats

    @property
    def turns(self) -> int:
        """Return how often the deals of a match of the schedule are played: in turns, or once."""
        return len(GAMES[self.game].sides) if self.duplicate else 1

    @property
    def competitors(self) -> tuple[Competitor, ...]:
        """Return the competitors; a team stands in the place of its first entry."""
        if not self.has_fixed_pairs:
            return tuple(Competitor(entry.name, (entry.name,)) for entry in self.entries)
        names = dict.fromkeys(self.competitor_of(entry.name) for entry in self.entries)
        return tuple(Competitor(name, self.entries_of(name)) for name in names)

    def stage_of(self, round_number: int) -> Stage | None:
        """Return the stage that a round belongs to; None without stages. The last one has all that follow."""
        left = round_number
        for stage in self.stages[:-1]:
            if left <= stage.rounds:
                return stage
            left -= stage.rounds
        return self.stages[-1] if self.stages else None

    def clock_of(self, round_number: int) -> ClockSettings:
        """Return the clock of the matches of a round."""
        stage = self.stage_of(round_number)
        return (stage and stage.clock) or self.clock

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

    def describe(self) -> dict[str, Any]:
        """Return the plan as JSON data, times in microseconds; without the folders, which may be moved.

        Options that a later version added are left out where they have their defaults.
        """
        data: dict[str, Any] = {
            "name": self.name,
            "game": self.game,
            "options": dict(GAMES[self.game].listed(self.options)),
            "match": self._match(),
            "rounds": self.rounds,
            "concurrency": self.concurrency,
            "seed": self.seed,
            "clock": asdict(self.clock),
            "faults": asdict(self.faults),
            "rating": asdict(self.rating),
            "entries": [entry.describe() for entry in self.entries],
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
        # plans without these are described as in earlier versions
        if self.matches_each is not None:
            data["matches_each"] = self.matches_each
        if self.best_of != 1:
            data["best_of"] = self.best_of
        if self.third_place:
            data["third_place"] = True
        if self.tie_breaks:
            data["tie_breaks"] = self.tie_breaks
        if self.stages:
            data["stages"] = [asdict(stage) for stage in self.stages]
        if self.event_grid:
            data["event_grid"] = self.event_grid // 1000  # milliseconds, as in the file
        if self.pace is not None:
            data["pace"] = asdict(self.pace)
        if self.season > 1:
            data["season"] = self.season
        if self.par is not None:
            data["par"] = asdict(self.par)
        # through JSON, so that it equals what a file gives back: lists for tuples, texts for paths
        plain: dict[str, Any] = json.loads(json.dumps(data, default=str))
        return plain

    def _match(self) -> str | dict[str, Any]:
        """Return what a match is, as in a file."""
        if self.deals is None:
            return "game"
        flags = {"duplicate": self.duplicate, "shared_decks": self.shared_decks}
        return {"deals": self.deals, **{name: True for name, is_set in flags.items() if is_set}}
