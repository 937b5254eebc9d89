"""Tells other processes on this machine what a run is doing, by a file in the tournament's folder."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from referee.files import atomic
from tournaments.running.activity import Activity, Awaited, Playing

FILE: Final = "activity.json"
SECONDS: Final = 2.0
"""How often it is written."""

_FRESH: Final = timedelta(seconds=60)  # older ones are of a run that was killed


def write(folder: Path, activity: Activity, at: datetime) -> None:
    """Write what a run is doing ``at`` a time, with the offset from UTC.

    Raises:
        OSError: it cannot be written.
    """
    data = {
        "at": at.isoformat(),
        "per_hour": activity.per_hour,
        "playing": [[each.match_id, each.attempt, each.entries, each.elapsed] for each in activity.playing],
        "awaited": [[each.entry, each.elapsed] for each in activity.awaited],
    }
    atomic.write(folder / FILE, json.dumps(data).encode(), durable=False)


def read(folder: Path, at: datetime) -> Activity | None:
    """Return what a run is doing ``at`` a time, None when that is not known."""
    try:
        data: dict[str, Any] = json.loads((folder / FILE).read_bytes())
        age = at - datetime.fromisoformat(data["at"])
        since = age // timedelta(microseconds=1)
        if not -_FRESH < age < _FRESH:
            return None
        return Activity(
            tuple(
                Playing(match_id, attempt, tuple(entries), elapsed + since)
                for match_id, attempt, entries, elapsed in data["playing"]
            ),
            tuple(Awaited(entry, elapsed + since) for entry, elapsed in data["awaited"]),
            data["per_hour"],
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
