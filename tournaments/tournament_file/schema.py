"""The shape of a tournament file: which keys there are, and which values each may have.

Every value is checked by a validator that says in plain words what is allowed; pydantic finds all that is
wrong at once and tells where.
"""

import json
import re
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationInfo
from pydantic_core import PydanticCustomError

from fairdeal.bots import NAMES
from referee.core.access import ENTRY_NAME
from referee.games.errors import no_such
from referee.games.registry import GAMES
from referee.match.clock import PROFILES, SECOND
from referee.server.addresses import FORM, is_address
from tournaments.hosting.bot_process import PYTHON, check_command
from tournaments.par import lineup
from tournaments.plan.plan import Format, Hosting, NoShowPolicy, Partners, RankBy, Remote, TieBreak
from tournaments.ratings import RatingParameters

NAME: Final = re.compile(r"[a-z0-9_-]{1,60}")  # of a tournament

_DAY: Final = 86_400.0
_LONGEST_SHOWN: Final = 60
_STANDARD: Final = PROFILES["standard"]
_RATING: Final = RatingParameters()
_HOSTING: Final = Hosting()
_REMOTE: Final = Remote()
_MEGABYTE: Final = 1 << 20
_MOST_GROUPS: Final = 26  # as there are letters
_VERSION: Final = r"[ -~]{1,40}"
_VERSIONS: Final = "a text of 1 to 40 ASCII characters"
_ENTRY_NAMES: Final = "1 to 40 letters (a-z, A-Z), digits, _ . or -"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is around a file: the folder that its paths are seen from; whether what it names must be there.

    Only who runs a tournament needs its programs and certificates; who reads it does not.
    """

    folder: Path
    must_be_there: bool


def shown(value: object) -> str:
    """Return a value as a file would write it, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def _wrong(text: str) -> PydanticCustomError:
    return PydanticCustomError("refused", "{text}", {"text": text})


def _must_be(allowed: str, value: object) -> PydanticCustomError:
    return _wrong(f"must be {allowed}, is {shown(value)}")


def in_whole_bounds(value: object, low: int, high: int) -> int:
    """Return a whole number within bounds.

    Raises:
        PydanticCustomError: it is none; the text says what is allowed.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise _must_be(f"a whole number from {low} to {high}", value)
    return value


def _whole(low: int, high: int) -> BeforeValidator:
    return BeforeValidator(lambda value: in_whole_bounds(value, low, high))


def _in_bounds(value: object, low: float, high: float, what: str) -> float:
    # a NaN is in no bounds
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise _must_be(f"{what} from {low:g} to {high:g}", value)
    return float(value)


def _number(low: float, high: float) -> BeforeValidator:
    return BeforeValidator(lambda value: _in_bounds(value, low, high, "a number"))


def _seconds(low: float, high: float) -> BeforeValidator:
    """Return seconds as integer microseconds."""
    return BeforeValidator(lambda value: round(_in_bounds(value, low, high, "a number of seconds") * SECOND))


def _text(pattern: str | re.Pattern[str], allowed: str) -> BeforeValidator:
    def check(value: object) -> str:
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise _must_be(allowed, value)
        return value

    return BeforeValidator(check)


def _one_of(kind: str, names: Collection[str]) -> BeforeValidator:
    def check(value: object) -> str:
        if not isinstance(value, str):
            raise _must_be(f"the name of a {kind}", value)
        if value not in names:
            raise _wrong(f"{shown(value)}: {no_such(kind, value, sorted(names))}")
        return value

    return BeforeValidator(check)


def _seed(value: object) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not re.fullmatch(r"[ -~]{1,200}", text):
        raise _must_be("a whole number or a text of 1 to 200 ASCII characters", value)
    return text


def _match(value: object) -> object:
    if value == "game":
        return None
    if not isinstance(value, Mapping):
        raise _must_be('"game", { deals = NUMBER } or { deals = NUMBER, duplicate = true }', value)
    return value


def _clock(value: object) -> object:
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, str) or value not in PROFILES:
        names = ", ".join(f'"{name}"' for name in PROFILES)
        raise _must_be(f"one of {names}, or a table [clock]", value)
    profile = PROFILES[value]
    return {key: getattr(profile, key) / SECOND for key in ClockShape.model_fields}


def _words(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise _must_be("a list of texts", value)
    return tuple(value)


def _command(value: object, info: ValidationInfo[Surroundings]) -> tuple[str, ...]:
    """Return a command given as a list of words or as one text; it runs in the folder of the surroundings."""
    if isinstance(value, str):
        try:
            words = tuple(shlex.split(value))
        except ValueError as error:
            raise _wrong(f"cannot be split into words ({error}): write it as a list of words") from None
    else:
        words = _words(value)
    if not info.context.must_be_there:
        return words
    folder = info.context.folder
    if text := check_command(words, folder):
        raise _wrong(text)
    script = words[1] if words[0] == PYTHON and len(words) > 1 else "-"
    if not script.startswith("-") and not (folder / script).exists():
        raise _wrong(f"the script {script!r} is not there: {str(folder / script)!r} does not exist")
    return words


def _limit(low: int, high: int) -> BeforeValidator:
    """Take a whole number within bounds, or "none"."""

    def check(value: object) -> int | None:
        if value == "none":
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise _must_be(f'a whole number from {low} to {high}, or "none"', value)
        return value

    return BeforeValidator(check)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _must_be("true or false", value)
    return value


def _draws(value: object) -> float | None:
    if value == "estimated":
        return None
    try:
        return _in_bounds(value, 0.0001, 0.99, "a number")
    except PydanticCustomError:
        raise _must_be('"estimated" or a number from 0.0001 to 0.99', value) from None


def _tie_breaks(value: object) -> tuple[TieBreak, ...]:
    names = tuple(map(str, TieBreak))
    if not isinstance(value, list) or not value or any(value.count(each) > 1 for each in value):
        raise _must_be(f"a list of some of {', '.join(names)}, each once", value)
    for each in value:
        if not isinstance(each, str) or each not in names:
            raise _wrong(f"{shown(each)}: {no_such('tie-break', str(each), sorted(names))}")
    return tuple(map(TieBreak, value))


def _rounds(value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) != len({*map(str, value)}):
        raise _must_be("a list of different rounds, such as [2]", value)
    return tuple(sorted(in_whole_bounds(each, 1, 10_000) for each in value))


def _pair(value: object) -> tuple[str, str]:
    words = _words(value)
    if len(words) != 2 or words[0] == words[1]:
        raise _must_be("a list of two different entries, since a team holds the two seats of a side", value)
    return words[0], words[1]


def _address(value: object) -> str:
    if not isinstance(value, str) or "\0" in value or not is_address(value):
        raise _must_be(FORM, value)
    return value


def _readable(value: object, info: ValidationInfo[Surroundings]) -> Path:
    if not isinstance(value, str) or not value:
        raise _must_be("the path of a file", value)
    path = info.context.folder / value
    if info.context.must_be_there and not path.is_file():
        raise _wrong(f"there is no file {str(path)!r}: fairdeal certs makes what TLS takes")
    return path


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

    deals: Annotated[int, _whole(1, 1000)]
    duplicate: Annotated[bool, BeforeValidator(_flag)] = False
    shared_decks: Annotated[bool, BeforeValidator(_flag)] = False


class ClockShape(_Shape):
    """``[clock]``: seconds in the file, microseconds here; what is left out is as in the standard profile."""

    move: Annotated[int, _seconds(0.01, _DAY)] = _STANDARD.move
    bank: Annotated[int, _seconds(0, _DAY)] = _STANDARD.bank
    increment: Annotated[int, _seconds(0, _DAY)] = _STANDARD.increment
    lag: Annotated[int, _seconds(0, 60)] = _STANDARD.lag
    lag_cap: Annotated[int, _seconds(0, _DAY)] = _STANDARD.lag_cap
    start: Annotated[int, _seconds(0.1, _DAY)] = _STANDARD.start


class FaultsShape(_Shape):
    """``[faults]``."""

    policy: Annotated[str, _one_of("policy", ("substitute", "forfeit"))] = "substitute"
    max_faults: Annotated[int, _whole(1, 1000)] = 3


class RatingShape(_Shape):
    """``[rating]``."""

    mu: Annotated[float, _number(-10_000, 10_000)] = _RATING.mu
    sigma: Annotated[float, _number(0.01, 1000)] = _RATING.sigma
    beta: Annotated[float, _number(0.01, 1000)] = _RATING.beta
    tau: Annotated[float | None, _number(0, 1000)] = None
    draw_probability: Annotated[float | None, BeforeValidator(_draws)] = _RATING.draw_probability
    rank_by: Annotated[RankBy | None, _one_of("ranking", tuple(RankBy))] = None


class EntryHostingShape(_Shape):
    """``hosting`` of an entry; ``memory_mb`` in megabytes."""

    restarts: Annotated[int, _whole(0, 1000)] = _HOSTING.restarts
    restart_window: Annotated[int, _seconds(1, _DAY)] = _HOSTING.restart_window
    log_bytes: Annotated[int, _whole(1024, 1 << 32)] = _HOSTING.log_bytes
    memory_mb: Annotated[int | None, _limit(16, 1 << 22)] = None
    cpu_seconds: Annotated[int | None, _limit(1, 10_000_000)] = None
    open_files: Annotated[int | None, _limit(16, 1 << 20)] = None
    processes: Annotated[int | None, _limit(1, 1 << 20)] = None
    sandbox: Annotated[str, _one_of("sandbox", ("none", "bubblewrap"))] = _HOSTING.sandbox

    def over(self, common: Hosting) -> Hosting:
        """Return the common rules, replaced by what is given here."""
        given = self.model_dump(exclude_unset=True)
        if "memory_mb" in given:
            megabytes = given.pop("memory_mb")
            given["memory"] = None if megabytes is None else megabytes * _MEGABYTE
        return replace(common, **given)


class ParShape(_Shape):
    """``[par]``."""

    bot: Annotated[str, _one_of("house bot that gives a par", lineup.BOTS)] = "greedy"


class PaceShape(_Shape):
    """``[pace]``."""

    matches_per_day: Annotated[int | None, _whole(1, 1_000_000)] = None
    meetings_per_day: Annotated[int | None, _whole(1, 1_000_000)] = None
    matches: Annotated[int | None, _whole(1, 1_000_000)] = None


class HostingShape(EntryHostingShape):
    """``[hosting]``: also what holds for all bots together."""

    keep: Annotated[int, _seconds(0, _DAY)] = _HOSTING.keep
    max_live: Annotated[int, _whole(4, 100_000)] = _HOSTING.max_live


class RemoteShape(_Shape):
    """``[remote]``."""

    wait: Annotated[int, _seconds(0, 30 * _DAY)] = _REMOTE.wait
    no_show: Annotated[NoShowPolicy, _one_of("rule for no-shows", tuple(NoShowPolicy))] = _REMOTE.no_show


class ServerShape(_Shape):
    """``[server]``."""

    listen: Annotated[str, BeforeValidator(_address)] = "127.0.0.1:0"
    certificate: Annotated[Path | None, BeforeValidator(_readable)] = None
    key: Annotated[Path | None, BeforeValidator(_readable)] = None
    client_ca: Annotated[Path | None, BeforeValidator(_readable)] = None
    insecure: Annotated[bool, BeforeValidator(_flag)] = False


class StageShape(_Shape):
    """One ``[[stages]]``."""

    name: Annotated[str, _text(NAME, "1 to 60 of a-z, 0-9, _ and -")]
    format: Annotated[Format, _one_of("format", tuple(Format))]
    rounds: Annotated[int | None, _whole(1, 10_000)] = None
    groups: Annotated[int, _whole(1, _MOST_GROUPS)] = 1
    advance: Annotated[int, _whole(1, 10_000)] | None = None
    best_of: Annotated[int, _whole(1, 99)] = 1
    third_place: Annotated[bool, BeforeValidator(_flag)] = False
    tie_breaks: Annotated[tuple[TieBreak, ...], BeforeValidator(_tie_breaks)] = ()
    clock: Annotated[ClockShape | None, BeforeValidator(_clock)] = None


class TeamShape(_Shape):
    """One ``[[teams]]``."""

    name: Annotated[str, _text(ENTRY_NAME, _ENTRY_NAMES)]
    entries: Annotated[tuple[str, str], BeforeValidator(_pair)]


class EntryShape(_Shape):
    """One ``[[entries]]``."""

    name: Annotated[str, _text(ENTRY_NAME, _ENTRY_NAMES)]
    version: Annotated[str | None, _text(_VERSION, _VERSIONS)] = None
    bot: Annotated[str | None, _one_of("house bot", NAMES)] = None
    arguments: Annotated[tuple[str, ...], BeforeValidator(_words)] = ()
    command: Annotated[tuple[str, ...] | None, BeforeValidator(_command)] = None
    remote: Annotated[bool, BeforeValidator(_flag)] = False
    strength: Annotated[float | None, _number(-1_000_000, 1_000_000)] = None
    byes: Annotated[tuple[int, ...], BeforeValidator(_rounds)] = ()
    joins: Annotated[int, _whole(1, 10_000)] = 1
    hosting: EntryHostingShape | None = None


class FileShape(_Shape):
    """A whole file."""

    name: Annotated[str | None, _text(NAME, "1 to 60 of a-z, 0-9, _ and -")] = None
    game: Annotated[str, _one_of("game", GAMES)]
    format: Annotated[Format, _one_of("format", tuple(Format))] = Format.ROUND_ROBIN
    partners: Annotated[Partners, _one_of("way to be partners", tuple(Partners))] = Partners.MIXED
    challenger: Annotated[str | None, _text(ENTRY_NAME, "the name of an entry or team")] = None
    registration: Annotated[str, _one_of("kind of registration", ("closed", "open"))] = "closed"
    rounds: Annotated[int | None, _whole(1, 10_000)] = None
    matches_each: Annotated[int | None, _whole(1, 10_000)] = None
    best_of: Annotated[int, _whole(1, 99)] = 1
    third_place: Annotated[bool, BeforeValidator(_flag)] = False
    tie_breaks: Annotated[tuple[TieBreak, ...], BeforeValidator(_tie_breaks)] = ()
    match: Annotated[MatchShape | None, BeforeValidator(_match)] = None
    concurrency: Annotated[int, _whole(1, 1000)] = 8
    event_grid: Annotated[int, _whole(0, 10_000)] = 0
    seed: Annotated[str | None, BeforeValidator(_seed)] = None
    folder: Annotated[str | None, _text(r"[^\0]+", "the path of a folder")] = None
    options: dict[str, Any] = {}
    clock: Annotated[ClockShape, BeforeValidator(_clock)] = ClockShape()
    faults: FaultsShape = FaultsShape()
    rating: RatingShape = RatingShape()
    limits: dict[str, Any] = {}
    durability: Annotated[str, _one_of("durability", ("process", "disk"))] = "process"
    store: Annotated[str | None, _text(r"[!-~]+", "the URL of a database")] = None
    store_patience: Annotated[int, _whole(0, 86_400)] = 300
    pace: PaceShape | None = None
    par: ParShape | None = None
    hosting: HostingShape = HostingShape()
    remote: RemoteShape = RemoteShape()
    server: ServerShape = ServerShape()
    stages: list[StageShape] = []
    teams: list[TeamShape] = []
    entries: list[EntryShape] = []
