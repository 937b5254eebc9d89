"""What is printed about a server's tournament: a line for people, or JSON for programs."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from fairdeal.v1 import tournament_service_pb2 as pb
from tournaments.cli.wording import also, of_total, status_data
from tournaments.running.watch import (
    Change,
    EntryChanged,
    EntrySnapshot,
    MatchBegun,
    MatchFinished,
    Snapshot,
    StateChanged,
)
from tournaments.schedule.length import may_grow
from tournaments.service import codec


def status(now: Snapshot) -> str:
    """Return the state of a tournament."""
    matches = of_total(now.played, now.planned, grows=may_grow(now.format, now.state), turns=now.turns)
    what = f"{now.game}, {now.format.replace('_', ' ')}"
    line = f"{now.name} ({what}): {now.state}; {matches} played"
    line += also(now.skipped, "left out", now.turns)
    line += also(now.playing or 0, "being played", now.turns)
    return f"{line}; belongs to {now.owner}" if now.owner else line


def entry(now: EntrySnapshot, width: int = 0) -> str:
    """Return the state of an entry."""
    here = "here" if now.present else "away"
    return f"{now.name:<{width}}  {now.kind:<8}  {now.state:<7}  {here}  {now.version or '-'}"


def entry_data(now: EntrySnapshot) -> dict[str, Any]:
    """Return the state of an entry."""
    return asdict(now)


def told(response: pb.WatchTournamentResponse, as_json: bool) -> Iterator[str]:
    """Yield the lines for an update to a watcher; a heartbeat has none.

    Raises:
        UnknownMessage: this version does not know the update.
    """
    if response.missed:
        number = {"missed": response.missed}
        yield json.dumps(number) if as_json else f"{response.missed} changes were missed"
    if response.HasField("tournament"):
        now = codec.snapshot_of(response.tournament)
        yield json.dumps({"tournament": status_data(now)}) if as_json else status(now)
    elif change := codec.change_of(response):
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
