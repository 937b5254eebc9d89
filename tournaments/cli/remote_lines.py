"""What is printed about a tournament of a server: a line for people, or JSON data for programs."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from fairdeal.v1 import tournament_service_pb2 as pb
from tournaments import wire
from tournaments.cli.wording import of_total
from tournaments.schedule.length import may_grow
from tournaments.watching import (
    Change,
    EntryChanged,
    EntrySnapshot,
    MatchBegun,
    MatchFinished,
    Snapshot,
    StateChanged,
)


def status(now: Snapshot) -> str:
    """Return how far a tournament is."""
    matches = of_total(now.played, now.planned, grows=may_grow(now.format, now.state))
    what = f"{now.game}, {now.format.replace('_', ' ')}"
    line = f"{now.name} ({what}): {now.state}; {matches} played"
    return f"{line}, {now.playing} being played" if now.playing else line


def status_data(now: Snapshot) -> dict[str, Any]:
    """Return how far a tournament is; ``matches`` is None when their number is not known beforehand."""
    return {
        "name": now.name,
        "game": now.game,
        "format": now.format,
        "state": now.state,
        "matches": now.planned,
        "issued": now.issued,
        "played": now.played,
        "playing": now.playing,
    }


def entry(now: EntrySnapshot, width: int = 0) -> str:
    """Return what an entry is."""
    here = "here" if now.present else "away"
    return f"{now.name:<{width}}  {now.kind:<8}  {now.state:<7}  {here}  {now.version or '-'}"


def entry_data(now: EntrySnapshot) -> dict[str, Any]:
    """Return what an entry is."""
    return asdict(now)


def told(response: pb.WatchTournamentResponse, as_json: bool) -> Iterator[str]:
    """Yield the lines for what a watcher is told; a heartbeat has none.

    Raises:
        WireError: this version does not know what is told.
    """
    if response.missed:
        number = {"missed": response.missed}
        yield json.dumps(number) if as_json else f"{response.missed} changes were missed"
    if response.HasField("tournament"):
        now = wire.snapshot_of(response.tournament)
        yield json.dumps({"tournament": status_data(now)}) if as_json else status(now)
    elif change := wire.change_of(response):
        yield json.dumps(_data(change)) if as_json else _line(change)


def _line(change: Change) -> str:
    match change:
        case MatchBegun():
            return f"{change.match_id}: {_attempt(change.attempt)}begins, {', '.join(change.entries)}"
        case MatchFinished():
            ended = change.termination.name.lower()
            parts = [f"{change.match_id}: {_attempt(change.attempt)}{ended}", ", ".join(change.entries)]
            parts += [f"ranks {' '.join(map(str, change.ranks))}"] if change.ranks else []
            parts += [f"scores {' '.join(map(str, change.scores))}"] if change.scores else []
            return "; ".join(parts)
        case EntryChanged():
            now = change.entry
            version = f" {now.version}" if now.version else ""
            return f"entry {now.name}{version}: {now.state}, {'here' if now.present else 'away'}"
        case StateChanged():
            return f"the tournament is {change.state}"


def _attempt(number: int) -> str:
    return f"attempt {number} " if number > 1 else ""


def _data(change: Change) -> dict[str, Any]:
    match change:
        case MatchBegun():
            return {"match_begun": asdict(change)}
        case MatchFinished():
            return {"match_finished": {**asdict(change), "termination": change.termination.name.lower()}}
        case EntryChanged():
            return {"entry_changed": entry_data(change.entry)}
        case StateChanged():
            return {"state_changed": change.state}
