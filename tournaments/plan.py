"""What a tournament is: its game, its entries, and how they play."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from referee.clock import ClockSettings
from referee.faults import FaultPolicy
from referee.games.options import OptionValue
from referee.limits import Limits
from tournaments.ratings import RatingParameters

# on which matches are played and how they end
_WITHOUT_EFFECT = frozenset({"concurrency", "durability", "limits", "rating"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A bot that takes part: a house bot with its arguments, or the words of a command; the other is None."""

    name: str
    version: str | None = None
    bot: str | None = None
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A checked tournament.

    ``options`` holds every option of the game, ``deals`` the number of deals of a match (None: a whole game),
    ``concurrency`` how many matches are played at once. ``folder`` is where the tournament keeps its files;
    commands run in ``base``. With ``seed`` the deals can be repeated, and so are not secret. With ``durable``
    what running matches took in outlives the machine, without it the process.
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
        }
        # through JSON, so that it equals what comes back from a file: lists for tuples
        plain: dict[str, Any] = json.loads(json.dumps(data))
        return plain

    def fingerprint(self) -> str:
        """Return a SHA-256, in hexadecimal, of all that decides the schedule and the results."""
        deciding = {key: value for key, value in self.describe().items() if key not in _WITHOUT_EFFECT}
        canonical = json.dumps(deciding, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """Say what of a plan has changed that a tournament cannot take once it has begun.

    Takes what `Plan.describe` gave. More rounds are no such change, nor are another concurrency or durability
    and other limits or rating parameters: the matches that were played stay as they are.
    """
    found: list[str] = []
    for key in sorted((before.keys() | after.keys()) - _WITHOUT_EFFECT):
        old: Any = before.get(key)
        new: Any = after.get(key)
        if old == new or (key == "rounds" and new > old):
            continue
        if key == "entries":
            found += _entry_changes(old, new)
        elif isinstance(old, dict) and isinstance(new, dict):
            differing = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
            found += [f"{key}.{name} {_was(old.get(name), new.get(name))}" for name in differing]
        else:
            found.append(f"{key} {_was(old, new)}")
    return tuple(found)


def _entry_changes(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[str]:
    old, new = ({entry["name"]: entry for entry in entries} for entries in (before, after))
    found = [f"entry {name} is new" for name in new if name not in old]
    found += [f"entry {name} is missing" for name in old if name not in new]
    for name in (name for name in new if name in old):
        keys = [key for key in new[name] if new[name][key] != old[name].get(key)]
        found += [f"{key} of entry {name} {_was(old[name].get(key), new[name][key])}" for key in keys]
    return found or ["the entries are in another order"]


def _was(old: object, new: object) -> str:
    return f"is {json.dumps(new)}, was {json.dumps(old)}"
