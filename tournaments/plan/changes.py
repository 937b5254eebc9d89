"""What has changed in a plan since its tournament began, in the terms of its file and with the place."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from referee.games.registry import GAMES
from referee.match.clock import PROFILES, SECOND, ClockSettings
from referee.match.faults import FaultPolicy
from tournaments.plan.plan import WITHOUT_EFFECT, Entry, Format, Partners, Stage
from tournaments.plan.toml_lines import KeyPath, key_lines, line_of

_MAY_GROW: Final = {Format.ROUND_ROBIN, Format.GAUNTLET, Format.SWISS}  # in rounds
_WITHOUT_EFFECT_OF_ENTRY: Final = frozenset({"hosting"})

# the defaults for plans of earlier versions, which lack these keys
_LACKING: Final[Mapping[str, Any]] = {
    "format": Format.ROUND_ROBIN,
    "partners": Partners.MIXED,
    "teams": [],
    "challenger": None,
    "event_grid": 0,
    "matches_each": None,
    "par": None,
    "best_of": 1,
    "third_place": False,
    "season": 1,
    "stages": [],
}


def _defaults(kind: Any) -> Mapping[str, Any]:
    """Return the defaults of a dataclass as JSON data, as in a description."""
    found = {field.name: field.default for field in fields(kind) if field.default is not MISSING}
    plain: dict[str, Any] = json.loads(json.dumps(found))
    return plain


_OF_ENTRY: Final = _defaults(Entry)
_OF_STAGE: Final = _defaults(Stage)
_OF_CLOCK: Final = _defaults(ClockSettings)
_OF_FAULTS: Final = _defaults(FaultPolicy)

_SETTINGS: Final = {name: asdict(profile) for name, profile in PROFILES.items()}


@dataclass(frozen=True, slots=True)
class PlanChange:
    """One change: at which key of the file, and how, in plain words."""

    at: KeyPath
    text: str

    def __str__(self) -> str:
        return self.text


def changes(before: Mapping[str, Any], after: Mapping[str, Any], rounds: int = 0) -> tuple[PlanChange, ...]:
    """Return the changes of a plan that a tournament does not accept once it has begun.

    ``rounds`` is how many have been drawn up.

    It takes results of `Plan.describe`, also of an earlier version: what is missing has its default. More
    rounds are no such change where there are rounds, nor are another concurrency or durability, other limits
    or rating parameters, other rules for hosting and for remote entries: the matches that were played stay as
    they are. A ladder takes any entry, and a Swiss those that join in a later round; who rests then may
    change, too. A par may be named later, but not changed.
    """
    return tuple(_changes(before, after, rounds))


def with_places(found: Sequence[PlanChange], source: Path | None) -> str:
    """Return changes as one line, each with its place in the file of the plan, if there is one."""
    lines = _lines(source) if source else {}
    if source is None or not lines:
        return ", ".join(map(str, found))
    return ", ".join(f"{change} [{source.name}:{line_of(lines, change.at)}]" for change in found)


def _lines(source: Path) -> Mapping[KeyPath, int]:
    """Return the lines of a file's keys; none when the file is gone or not TOML any more."""
    try:
        text = source.read_text(encoding="utf-8")
        tomllib.loads(text)
        return key_lines(text)
    except (OSError, ValueError, RecursionError):
        return {}


def _complete(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return a plan with the default for every key that it lacks."""
    game, options = GAMES.get(plan["game"]), plan["options"]
    return {
        **_LACKING,
        **plan,
        "options": game.complete(options) if game else options,
        "clock": {**_OF_CLOCK, **plan["clock"]},
        "faults": {**_OF_FAULTS, **plan["faults"]},
        "entries": [{**_OF_ENTRY, **entry} for entry in plan["entries"]],
        "stages": [{**_OF_STAGE, **stage} for stage in plan.get("stages", [])],
    }


def _changes(before: Mapping[str, Any], after: Mapping[str, Any], rounds: int) -> Iterator[PlanChange]:
    if "format" not in before and GAMES[after["game"]].seats == 4:
        text = "games for four have other schedules now: finish it with the version that began it"
        yield PlanChange(("game",), text)
    before, after = _complete(before), _complete(after)
    for key in sorted(after.keys() - WITHOUT_EFFECT):
        new: Any = after[key]
        old: Any = before.get(key)
        may_grow = key == "rounds" and after["format"] in _MAY_GROW
        if old == new or (may_grow and new > old):
            continue
        match key:
            case "rounds" | "entries" if after["format"] == Format.LADDER:
                continue
            case "par":  # it may be named later, and the store remembers; our version of it may be newer
                was, now = (each and each["bot"] for each in (old, new))
                if was not in (None, now):
                    yield PlanChange((key, "bot"), f"par.bot {_was(was, now)}")
            case "options" if before["game"] != after["game"]:
                continue  # another game has other options
            case "entries":
                drawn = rounds if after["format"] == Format.SWISS else None
                yield from _of_tables("entries", "entry", old, new, drawn)
            case "stages":
                yield from _of_tables("stages", "stage", old, new)
            case "teams":
                yield from _of_tables("teams", "team", old, new)
            case "clock":
                yield from _of_clock(old, new)
            case _ if isinstance(old, dict) and isinstance(new, dict):
                yield from _of_table(key, old, new)
            case _:
                yield PlanChange((key,), f"{key} {_was(old, new)}")


def _of_clock(old: Mapping[str, int], new: Mapping[str, int]) -> Iterator[PlanChange]:
    """Yield the changes of a clock in seconds, or of profiles by their names."""
    was, now = (next((name for name, each in _SETTINGS.items() if each == clock), "") for clock in (old, new))
    if was and now:
        yield PlanChange(("clock",), f"clock {_was(was, now)}")
    else:
        yield from _of_table("clock", _in_seconds(old), _in_seconds(new))


def _in_seconds(clock: Mapping[str, int]) -> Mapping[str, float]:
    return {name: time / SECOND if time % SECOND else time // SECOND for name, time in clock.items()}


def _of_table(key: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[PlanChange]:
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            yield PlanChange((key, name), f"{key}.{name} {_was(old.get(name), new.get(name))}")


def _of_tables(
    key: str,
    kind: str,
    before: Sequence[Mapping[str, Any]],
    after: Sequence[Mapping[str, Any]],
    drawn: int | None = None,
) -> Iterator[PlanChange]:
    """Yield the changes of named tables; ``drawn`` are the rounds of a Swiss, which takes some later."""
    old, new = ({table["name"]: table for table in tables} for tables in (before, after))
    indices = {name: index for index, name in enumerate(new)}
    changed = False
    for name in (name for name in new if name not in old):
        changed = True
        if drawn is None:
            yield PlanChange((key, indices[name]), f"{kind} {name} is new")
        elif new[name]["joins"] <= drawn:
            text = f"{kind} {name} is new, and {drawn} of the rounds are drawn: write joins = {drawn + 1}"
            yield PlanChange((key, indices[name]), text)
    for name in (name for name in old if name not in new):
        changed = True
        yield PlanChange((key,), f"{kind} {name} is missing")
    for name in (name for name in new if name in old):
        for each, is_now in new[name].items():
            was = old[name].get(each)
            if drawn is not None and _is_of_later_rounds(each, was, is_now, drawn):
                continue
            if was != is_now and each not in _WITHOUT_EFFECT_OF_ENTRY:
                changed = True
                yield PlanChange((key, indices[name], each), f"{each} of {kind} {name} {_was(was, is_now)}")
    if not changed and list(old) != list(new):
        yield PlanChange((key,), f"the {key} are in another order")


def _is_of_later_rounds(key: str, was: Any, is_now: Any, drawn: int) -> bool:
    """Return whether a change of an entry of a Swiss concerns only rounds after those drawn up."""
    if key == "byes":
        return min({*was} ^ {*is_now}, default=drawn + 1) > drawn
    return key == "joins" and min(was, is_now) > drawn


def _was(old: object, new: object) -> str:
    return f"is {_written(new)}, was {_written(old)}"


def _written(value: object) -> str:
    """Return a value as it is written in a file."""
    if value is None:
        return "left out"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_written(each)}" for key, each in value.items()) + " }"
    return json.dumps(value)
