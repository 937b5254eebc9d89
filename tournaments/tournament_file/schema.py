"""The shape of a tournament file: which keys there are, and which values each may have.

Every value is checked by a validator that says in plain words what is allowed; pydantic finds all that is
wrong at once and tells where.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationInfo
from pydantic_core import PydanticCustomError

from fairdeal.bots import NAMES
from fairdeal.llm.settings import DEFAULT_REPLY_TOKENS, FORMS, wrong_address, wrong_request, wrong_variable
from fairdeal.words import PROFILES as OF_WORDS
from referee.core.access import ENTRY_NAME
from referee.games.errors import no_such
from referee.games.registry import GAMES
from referee.match.clock import PROFILES, SECOND
from referee.server.addresses import FORM, is_address
from tournaments.par import lineup
from tournaments.plan.cluster import Needs, RayCluster
from tournaments.plan.models import LLM, Models
from tournaments.plan.plan import Format, Hosting, NoShowPolicy, Partners, RankBy, Remote, TieBreak
from tournaments.ratings import RatingParameters
from tournaments.tournament_file.validators import (
    Surroundings,
    as_command,
    as_file,
    as_flag,
    as_texts,
    in_bounds,
    in_whole_bounds,
    matching,
    must_be,
    number,
    one_of,
    seconds,
    shown,
    whole,
    whole_or_none,
    wrong,
)

NAME: Final = re.compile(r"[a-z0-9_-]{1,60}")  # of a tournament

_DAY: Final = 86_400.0
_STANDARD: Final = PROFILES["standard"]
_RATING: Final = RatingParameters()
_HOSTING: Final = Hosting()
_REMOTE: Final = Remote()
_MODELS: Final = Models()
_RAY: Final = RayCluster()
EXECUTORS: Final = ("local", "ray")
_MEGABYTE: Final = 1 << 20
_MOST_GROUPS: Final = 26  # as there are letters
_VERSION: Final = r"[ -~]{1,40}"
_VERSIONS: Final = "a text of 1 to 40 ASCII characters"
_ENTRY_NAMES: Final = "1 to 40 letters (a-z, A-Z), digits, _ . or -"


def _seed(value: object) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not re.fullmatch(r"[ -~]{1,200}", text):
        raise must_be("a whole number or a text of 1 to 200 ASCII characters", value)
    return text


def _match(value: object) -> object:
    if value == "game":
        return None
    if not isinstance(value, Mapping):
        raise must_be('"game", { deals = NUMBER } or { deals = NUMBER, duplicate = true }', value)
    return value


def _clock(value: object) -> object:
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, str) or value not in PROFILES:
        names = ", ".join(f'"{name}"' for name in PROFILES)
        raise must_be(f"one of {names}, or a table [clock]", value)
    profile = PROFILES[value]
    return {key: getattr(profile, key) / SECOND for key in ClockShape.model_fields}


def _draws(value: object) -> float | None:
    if value == "estimated":
        return None
    try:
        return in_bounds(value, 0.0001, 0.99, "a number")
    except PydanticCustomError:
        raise must_be('"estimated" or a number from 0.0001 to 0.99', value) from None


def _tie_breaks(value: object) -> tuple[TieBreak, ...]:
    names = tuple(map(str, TieBreak))
    if not isinstance(value, list) or not value or any(value.count(each) > 1 for each in value):
        raise must_be(f"a list of some of {', '.join(names)}, each once", value)
    for each in value:
        if not isinstance(each, str) or each not in names:
            raise wrong(f"{shown(each)}: {no_such('tie-break', str(each), sorted(names))}")
    return tuple(map(TieBreak, value))


def _rounds(value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) != len({*map(str, value)}):
        raise must_be("a list of different rounds, such as [2]", value)
    return tuple(sorted(in_whole_bounds(each, 1, 10_000) for each in value))


def _pair(value: object) -> tuple[str, str]:
    words = as_texts(value)
    if len(words) != 2 or words[0] == words[1]:
        raise must_be("a list of two different entries, since a team holds the two seats of a side", value)
    return words[0], words[1]


def _address(value: object) -> str:
    if not isinstance(value, str) or "\0" in value or not is_address(value):
        raise must_be(FORM, value)
    return value


def _cluster_address(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"local|auto|(ray://)?[!-~]+:[0-9]{1,5}", value):
        raise must_be('"local", "auto", "ray://HOST:PORT" or "HOST:PORT"', value)
    return value


def _labels(value: object) -> dict[str, float]:
    if not isinstance(value, dict) or not value:
        raise must_be("a table of amounts by label, such as { big_disk = 1 }", value)
    for label, amount in value.items():
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,59}", label) or label in ("CPU", "GPU", "memory"):
            raise wrong(
                f"{shown(label)} cannot be a label: take letters, digits, _ and -, but not CPU or GPU"
            )
        in_bounds(amount, 0.001, 1_000_000, "a number")
    return {label: float(amount) for label, amount in value.items()}


def _model_address(value: object) -> str:
    if not isinstance(value, str):
        raise must_be("a URL, such as http://127.0.0.1:8000/v1", value)
    if why := wrong_address(value):
        raise wrong(why)  # without the value, in which a key may stand
    return value


def _variable(value: object) -> str:
    why = wrong_variable(value) if isinstance(value, str) else wrong_variable("")
    if why or not isinstance(value, str):
        raise wrong(str(why))  # without the value, which may be the key itself
    return value


def _prompt(value: object, info: ValidationInfo[Surroundings]) -> str:
    if not isinstance(value, str) or not value:
        raise must_be("the path of a file", value)
    path = info.context.folder / value
    if info.context.must_be_there and not path.is_file():
        raise wrong(f"there is no file {str(path)!r}")
    return value


def _request(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise must_be("a table of fields, such as { temperature = 0 }", value)
    if why := wrong_request(value):
        raise wrong(why)
    return value


def check_entry_name(name: str) -> str | None:
    """Return what is wrong with the name of an entry, None if nothing is."""
    return None if ENTRY_NAME.fullmatch(name) else f"the name must be {_ENTRY_NAMES}, is {shown(name)}"


def check_version(version: str) -> str | None:
    """Return what is wrong with the version of an entry, None if nothing is."""
    if re.fullmatch(_VERSION, version):
        return None
    return f"the version must be {_VERSIONS}, is {shown(version)}"


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MatchShape(_Shape):
    """A match of a fixed number of deals, or a duplicate set of such matches."""

    deals: Annotated[int, whole(1, 1000)]
    duplicate: Annotated[bool, BeforeValidator(as_flag)] = False
    shared_decks: Annotated[bool, BeforeValidator(as_flag)] = False


class ClockShape(_Shape):
    """``[clock]``: seconds in the file, microseconds here; what is left out is as in the standard profile."""

    move: Annotated[int, seconds(0.01, _DAY)] = _STANDARD.move
    bank: Annotated[int, seconds(0, _DAY)] = _STANDARD.bank
    increment: Annotated[int, seconds(0, _DAY)] = _STANDARD.increment
    lag: Annotated[int, seconds(0, 60)] = _STANDARD.lag
    lag_cap: Annotated[int, seconds(0, _DAY)] = _STANDARD.lag_cap
    start: Annotated[int, seconds(0.1, _DAY)] = _STANDARD.start


class FaultsShape(_Shape):
    """``[faults]``."""

    policy: Annotated[str, one_of("policy", ("substitute", "forfeit"))] = "substitute"
    max_faults: Annotated[int, whole(1, 1000)] = 3


class RatingShape(_Shape):
    """``[rating]``."""

    mu: Annotated[float, number(-10_000, 10_000)] = _RATING.mu
    sigma: Annotated[float, number(0.01, 1000)] = _RATING.sigma
    beta: Annotated[float, number(0.01, 1000)] = _RATING.beta
    tau: Annotated[float | None, number(0, 1000)] = None
    draw_probability: Annotated[float | None, BeforeValidator(_draws)] = _RATING.draw_probability
    rank_by: Annotated[RankBy | None, one_of("ranking", tuple(RankBy))] = None


class EntryHostingShape(_Shape):
    """``hosting`` of an entry; ``memory_mb`` in megabytes."""

    restarts: Annotated[int, whole(0, 1000)] = _HOSTING.restarts
    restart_window: Annotated[int, seconds(1, _DAY)] = _HOSTING.restart_window
    log_bytes: Annotated[int, whole(1024, 1 << 32)] = _HOSTING.log_bytes
    memory_mb: Annotated[int | None, whole_or_none(16, 1 << 22)] = None
    cpu_seconds: Annotated[int | None, whole_or_none(1, 10_000_000)] = None
    open_files: Annotated[int | None, whole_or_none(16, 1 << 20)] = None
    processes: Annotated[int | None, whole_or_none(1, 1 << 20)] = None
    sandbox: Annotated[str, one_of("sandbox", ("none", "bubblewrap"))] = _HOSTING.sandbox

    def over(self, common: Hosting) -> Hosting:
        """Return the common rules, replaced by what is given here."""
        given = self.model_dump(exclude_unset=True)
        if "memory_mb" in given:
            megabytes = given.pop("memory_mb")
            given["memory"] = None if megabytes is None else megabytes * _MEGABYTE
        return replace(common, **given)


class ParShape(_Shape):
    """``[par]``."""

    bot: Annotated[str, one_of("house bot that gives a par", lineup.BOTS)] = "greedy"


class PaceShape(_Shape):
    """``[pace]``."""

    matches_per_day: Annotated[int | None, whole(1, 1_000_000)] = None
    meetings_per_day: Annotated[int | None, whole(1, 1_000_000)] = None
    matches: Annotated[int | None, whole(1, 1_000_000)] = None


class HostingShape(EntryHostingShape):
    """``[hosting]``: also what holds for all bots together."""

    keep: Annotated[int, seconds(0, _DAY)] = _HOSTING.keep
    max_live: Annotated[int, whole(4, 100_000)] = _HOSTING.max_live


class NeedsShape(_Shape):
    """``resources`` of an entry; ``memory_mb`` in megabytes."""

    cpus: Annotated[float, number(0.01, 1000)] = Needs().cpus
    gpus: Annotated[float, number(0, 1000)] = 0.0
    memory_mb: Annotated[int, whole(0, 1 << 22)] = 0
    labels: Annotated[dict[str, float], BeforeValidator(_labels)] = {}

    def as_needs(self) -> Needs:
        """Return it as a plan has it."""
        return Needs(
            cpus=self.cpus, gpus=self.gpus, memory=self.memory_mb * _MEGABYTE, labels=dict(self.labels)
        )


class RayShape(_Shape):
    """``[ray]``."""

    address: Annotated[str, BeforeValidator(_cluster_address)] = _RAY.address
    batch: Annotated[int, whole(1, 10_000)] = _RAY.batch
    processors: Annotated[int | None, whole(1, 1024)] = None
    folders: Annotated[str, one_of("way to have the folders of bots", ("shared", "sent"))] = _RAY.folders


class RemoteShape(_Shape):
    """``[remote]``."""

    wait: Annotated[int, seconds(0, 30 * _DAY)] = _REMOTE.wait
    no_show: Annotated[NoShowPolicy, one_of("rule for no-shows", tuple(NoShowPolicy))] = _REMOTE.no_show


class ServerShape(_Shape):
    """``[server]``."""

    listen: Annotated[str, BeforeValidator(_address)] = "127.0.0.1:0"
    certificate: Annotated[Path | None, BeforeValidator(as_file)] = None
    key: Annotated[Path | None, BeforeValidator(as_file)] = None
    client_ca: Annotated[Path | None, BeforeValidator(as_file)] = None
    insecure: Annotated[bool, BeforeValidator(as_flag)] = False


class StageShape(_Shape):
    """One ``[[stages]]``."""

    name: Annotated[str, matching(NAME, "1 to 60 of a-z, 0-9, _ and -")]
    format: Annotated[Format, one_of("format", tuple(Format))]
    rounds: Annotated[int | None, whole(1, 10_000)] = None
    groups: Annotated[int, whole(1, _MOST_GROUPS)] = 1
    advance: Annotated[int, whole(1, 10_000)] | None = None
    best_of: Annotated[int, whole(1, 99)] = 1
    third_place: Annotated[bool, BeforeValidator(as_flag)] = False
    tie_breaks: Annotated[tuple[TieBreak, ...], BeforeValidator(_tie_breaks)] = ()
    clock: Annotated[ClockShape | None, BeforeValidator(_clock)] = None


class PricesShape(_Shape):
    """``prices`` of a language model: of a million tokens."""

    tokens_in: Annotated[float, number(0, 10**6)]
    tokens_out: Annotated[float, number(0, 10**6)]


class ModelsShape(_Shape):
    """``[models]``: the language models together."""

    max_tokens: Annotated[int | None, whole(1, 10**15)] = None
    max_cost: Annotated[float | None, number(0.000001, 10**9)] = None
    calls: Annotated[int, whole(1, 1000)] = _MODELS.calls
    on_provider_failure: Annotated[str, one_of("way to take an outage", ("fault", "void"))] = "fault"
    transcripts: Annotated[bool, BeforeValidator(as_flag)] = _MODELS.transcripts


class TeamShape(_Shape):
    """One ``[[teams]]``."""

    name: Annotated[str, matching(ENTRY_NAME, _ENTRY_NAMES)]
    entries: Annotated[tuple[str, str], BeforeValidator(_pair)]


class EntryShape(_Shape):
    """One ``[[entries]]``."""

    name: Annotated[str, matching(ENTRY_NAME, _ENTRY_NAMES)]
    version: Annotated[str | None, matching(_VERSION, _VERSIONS)] = None
    bot: Annotated[str | None, one_of("house bot", (*NAMES, LLM))] = None
    arguments: Annotated[tuple[str, ...], BeforeValidator(as_texts)] = ()
    model: Annotated[str | None, matching(r"[ -~]{1,200}", "the name of a model")] = None
    base_url: Annotated[str | None, BeforeValidator(_model_address)] = None
    key_from: Annotated[str | None, BeforeValidator(_variable)] = None
    words: Annotated[str, one_of("profile", OF_WORDS)] = "full"
    prompt: Annotated[str | None, BeforeValidator(_prompt)] = None
    reply: Annotated[str, one_of("form of a reply", FORMS)] = "json"
    reply_tokens: Annotated[int, whole(1, 10_000_000)] = DEFAULT_REPLY_TOKENS
    request: Annotated[dict[str, Any] | None, BeforeValidator(_request)] = None
    prices: PricesShape | None = None
    max_tokens: Annotated[int | None, whole(1, 10**15)] = None
    max_cost: Annotated[float | None, number(0.000001, 10**9)] = None
    command: Annotated[tuple[str, ...] | None, BeforeValidator(as_command)] = None
    remote: Annotated[bool, BeforeValidator(as_flag)] = False
    strength: Annotated[float | None, number(-1_000_000, 1_000_000)] = None
    byes: Annotated[tuple[int, ...], BeforeValidator(_rounds)] = ()
    joins: Annotated[int, whole(1, 10_000)] = 1
    hosting: EntryHostingShape | None = None
    resources: NeedsShape | None = None


class FileShape(_Shape):
    """A whole file."""

    name: Annotated[str | None, matching(NAME, "1 to 60 of a-z, 0-9, _ and -")] = None
    game: Annotated[str, one_of("game", GAMES)]
    format: Annotated[Format, one_of("format", tuple(Format))] = Format.ROUND_ROBIN
    partners: Annotated[Partners, one_of("way to be partners", tuple(Partners))] = Partners.MIXED
    challenger: Annotated[str | None, matching(ENTRY_NAME, "the name of an entry or team")] = None
    registration: Annotated[str, one_of("kind of registration", ("closed", "open"))] = "closed"
    rounds: Annotated[int | None, whole(1, 10_000)] = None
    matches_each: Annotated[int | None, whole(1, 10_000)] = None
    best_of: Annotated[int, whole(1, 99)] = 1
    third_place: Annotated[bool, BeforeValidator(as_flag)] = False
    tie_breaks: Annotated[tuple[TieBreak, ...], BeforeValidator(_tie_breaks)] = ()
    match: Annotated[MatchShape | None, BeforeValidator(_match)] = None
    concurrency: Annotated[int, whole(1, 1000)] = 8
    event_grid: Annotated[int, whole(0, 10_000)] = 0
    seed: Annotated[str | None, BeforeValidator(_seed)] = None
    folder: Annotated[str | None, matching(r"[^\0]+", "the path of a folder")] = None
    options: dict[str, Any] = {}
    clock: Annotated[ClockShape, BeforeValidator(_clock)] = ClockShape()
    faults: FaultsShape = FaultsShape()
    rating: RatingShape = RatingShape()
    limits: dict[str, Any] = {}
    durability: Annotated[str, one_of("durability", ("process", "disk"))] = "process"
    store: Annotated[str | None, matching(r"[!-~]+", "the URL of a database")] = None
    store_patience: Annotated[int, whole(0, 86_400)] = 300
    pace: PaceShape | None = None
    par: ParShape | None = None
    models: ModelsShape = ModelsShape()
    hosting: HostingShape = HostingShape()
    executor: Annotated[str, one_of("executor", EXECUTORS)] = "local"
    ray: RayShape = RayShape()
    remote: RemoteShape = RemoteShape()
    server: ServerShape = ServerShape()
    stages: list[StageShape] = []
    teams: list[TeamShape] = []
    entries: list[EntryShape] = []
