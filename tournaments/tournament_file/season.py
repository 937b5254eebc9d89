"""Which season of its name a tournament is, as its folder says, and with which ratings it begins."""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from math import isfinite
from pathlib import Path
from typing import Any, Final

from referee.files import atomic
from tournaments.plan.plan import Plan
from tournaments.ratings import Rating

FILE: Final = "season.json"
"""The file in a tournament's folder that says which season it is; without it, it is the first one."""


ENDED: Final = "season-end.json"
"""The file in the folder of a season that is over: its standings and the digest of its records."""


class SeasonError(Exception):
    """What a folder says of its season cannot be used; ``place`` names the file or folder."""

    def __init__(self, place: Path, text: str) -> None:
        super().__init__(text)
        self.place = place


def with_season(plan: Plan) -> Plan:
    """Return a plan with the season, and the ratings it begins with, that its folder names.

    Raises:
        SeasonError: what its folder says of that cannot be read.
    """
    path = plan.folder / FILE
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        if next_of(plan.folder).exists() and not plan.folder.exists():
            text = "a new season was begun here and not completed: run fairdeal ladder season again"
            raise SeasonError(plan.folder, text) from None
        return plan
    except (OSError, ValueError, RecursionError):
        raise _broken(path) from None
    try:
        season = data["season"]
        told = data["priors"].items()
        priors = {str(name): Rating(float(each["mu"]), float(each["sigma"])) for name, each in told}
        if type(season) is not int or season < 2 or not all(_is_sound(each) for each in priors.values()):
            raise ValueError
    except (ValueError, TypeError, KeyError, AttributeError):
        raise _broken(path) from None
    return replace(plan, season=season, priors=priors)


def write(folder: Path, season: int, priors: Mapping[str, Rating], more: Mapping[str, Any]) -> None:
    """Write which season a tournament is, with ``more`` about the one before, into its folder.

    Raises:
        OSError: it cannot be written.
    """
    data = {"season": season, "priors": {name: asdict(each) for name, each in priors.items()}, **more}
    atomic.write(folder / FILE, json.dumps(data, indent=1).encode())


def next_of(folder: Path) -> Path:
    """Return the folder in which the next season of a tournament is prepared."""
    return folder.with_name(f".{folder.name}.next")


def _is_sound(rating: Rating) -> bool:
    return isfinite(rating.mu) and isfinite(rating.sigma) and rating.sigma > 0


def _broken(path: Path) -> SeasonError:
    return SeasonError(path, "is not a file of a season: put back a copy of it")
