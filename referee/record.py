"""Records of finished matches: a gzip file of JSON lines each, enough to replay one without the referee.

The lines, each an object with a ``type``, are: a ``header``; then, in the order in which they happened,
inputs (``input``), events in full (each by its own name) and defaults played (``substituted``); the
``outcome``; and the ``reveal`` of the secret. ``docs/records.md`` describes every field.
"""

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from referee.effects import Faulted, Input, MatchSetup, Owner, Substituted
from referee.games.base import Game
from referee.games.options import OptionValue
from referee.plain import plain, tagged
from referee.updates import Commitment

FORMAT: Final = "fairdeal-record/1"


class RecordError(Exception):
    """A file that is no whole record; the text names it and says what is wrong."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record as read: its header, and every line after it."""

    header: dict[str, Any]
    lines: tuple[dict[str, Any], ...]


def header_line(
    setup: MatchSetup,
    owners: Iterable[Owner],
    game: Game[Any],
    commitment: Commitment,
    *,
    software: str,
    started: str,
) -> dict[str, Any]:
    """Return the first line of a record; ``started`` is a date and time, for people."""
    return {
        "type": "header",
        "format": FORMAT,
        "software": software,
        "started": started,
        "match_id": setup.match_id,
        "attempt": setup.attempt,
        "game": setup.game,
        "rules_version": game.rules_version,
        "options": _options(setup.options.items()),
        "deals": setup.deals,
        "entries": list(setup.entries),
        "instances": [instance for _entry, instance in owners],
        "clock": plain(setup.clock),
        "faults": plain(setup.faults),
        "commitment": plain(commitment),
    }


def _options(options: Iterable[tuple[str, OptionValue]]) -> dict[str, OptionValue]:
    return dict(sorted(options))


def input_line(given: Input) -> dict[str, Any]:
    """Return the line of an input; an answer stands as a tagged action, index or malformed text."""
    line: dict[str, Any] = {"type": "input", "kind": given.kind, "at": given.at}
    if given.seat is not None:
        line["seat"] = given.seat
    if given.decision_id is not None:
        line["decision_id"] = given.decision_id
    if given.given is not None:
        line["answer"] = tagged(given.given)
    if given.grace is not None:
        line["grace"] = given.grace
    return line


def _entry_line(entry: Any) -> dict[str, Any]:
    if isinstance(entry, Input):
        return input_line(entry)
    if isinstance(entry, Substituted):
        line = {"type": "substituted", "seat": entry.seat, "action": tagged(entry.action)}
        if entry.decision_id is not None:
            line["decision_id"] = entry.decision_id
        if entry.fault is not None:
            line["fault"] = entry.fault.name.lower()
        return line
    if isinstance(entry, Faulted):
        line = {"type": "faulted", "seat": entry.seat, "fault": entry.fault.name.lower()}
        if entry.decision_id is not None:
            line["decision_id"] = entry.decision_id
        return line
    return tagged(entry)


def encode(header: dict[str, Any], log: Iterable[Any], secret: bytes) -> bytes:
    """Return a whole record as the bytes of its file; the same record always gives the same bytes."""
    lines = [header, *map(_entry_line, log), {"type": "reveal", "secret": secret.hex()}]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    return gzip.compress(text.encode(), compresslevel=6, mtime=0)


def path_of(folder: Path, match_id: str, attempt: int) -> Path:
    """Return where the record of an attempt at a match stands."""
    return folder / f"{match_id}.{attempt}.jsonl.gz"


def write(path: Path, data: bytes) -> str:
    """Write an encoded record, whole or not at all, and return its SHA-256 in hexadecimal.

    Raises:
        OSError: the file cannot be written; the error names it.
    """
    unfinished = path.with_name(f".{path.name}")
    try:
        with unfinished.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    return hashlib.sha256(data).hexdigest()


def read(path: Path) -> Record:
    """Read a record.

    Raises:
        RecordError: the file is missing, unreadable, truncated or no record.
    """
    try:
        text = gzip.decompress(path.read_bytes()).decode()
    except EOFError:
        raise RecordError(f"{path}: the record is truncated; get a whole copy of the file") from None
    except (gzip.BadGzipFile, zlib.error, UnicodeDecodeError):
        raise RecordError(f"{path}: not a record (records are gzip files of JSON lines)") from None
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from None
    lines = [_parsed(path, number, line) for number, line in enumerate(text.splitlines(), 1)]
    if not lines or lines[0].get("type") != "header":
        raise RecordError(f"{path}: not a record: its first line is no header")
    if (found := lines[0].get("format")) != FORMAT:
        raise RecordError(f"{path}: the format is {found!r}; this version reads {FORMAT!r}")
    if lines[-1].get("type") != "reveal":
        raise RecordError(f"{path}: the record is truncated: its last line is no reveal")
    return Record(lines[0], tuple(lines[1:]))


def _parsed(path: Path, number: int, text: str) -> dict[str, Any]:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        line = None
    if not isinstance(line, dict) or not isinstance(line.get("type"), str):
        raise RecordError(f"{path}: line {number} is no object with a type; the record is damaged")
    return line
