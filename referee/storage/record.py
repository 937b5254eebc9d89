"""Records of finished matches, each a gzip file of JSON lines, enough to replay it without the referee.

The lines, each an object with a ``type``, are: a ``header``; then, in the order in which they happened,
inputs (``input``), events in full (each by its own name) and defaults played (``substituted``); the
``outcome``; and the ``reveal`` of the secret. ``docs/records.md`` describes every field.
"""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast, get_args

from referee.cards import Seat
from referee.codec.json import PlainError, from_plain, from_tagged, plain, tagged
from referee.codec.json_text import string, tagged_text, tagged_writer
from referee.dealing import binding
from referee.files import atomic
from referee.games.base import Game
from referee.games.events import CARDS_PLAYED, TRICKS_TAKEN
from referee.games.registry import GAMES
from referee.match.clock import ClockSettings, Micros
from referee.match.effects import Faulted, Input, MatchSetup, Owner, Substituted, instances_of
from referee.match.faults import FaultPolicy
from referee.match.messages import Commitment, Given, Index
from referee.match.replay import Header, ReplayError
from referee.storage import record_files

FORMAT: Final = "fairdeal-record/1"

_JSON: Final = json.JSONEncoder(separators=(",", ":"))  # once, and not for each line

_ANSWERS: Final = get_args(Given)

OFTEN: Final = {id(event): tagged_text(event) for events in (*CARDS_PLAYED, TRICKS_TAKEN) for event in events}
"""The lines of events of which there is one object each, for good."""


class RecordError(Exception):
    """A file that is not a complete record; the text names it and says what is wrong."""


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
    rules_version: int | None = None,
) -> dict[str, Any]:
    """Return the first line of a record; ``started`` is a date and time, for people.

    ``rules_version`` is that of the match, by default that of its game.
    """
    played_by = game.rules_version if rules_version is None else rules_version
    line = {
        "type": "header",
        "format": FORMAT,
        "software": software,
        "started": started,
        "match_id": setup.match_id,
        "attempt": setup.attempt,
        "game": setup.game,
        "rules_version": played_by,
        "options": dict(game.listed(setup.options)),
        "deals": setup.deals,
        "entries": list(setup.entries),
        "instances": [instance for _entry, instance in owners],
        "clock": plain(setup.clock),
        "faults": plain(setup.faults),
        "commitment": plain(commitment),
        **({"event_grid": setup.event_grid} if setup.event_grid else {}),
        **({"epoch": setup.epoch} if setup.epoch else {}),
    }
    if commitment.scheme != binding.PLAIN_SCHEME:
        line["bound"] = binding.prints(setup, game, rules_version=played_by, repeatable=commitment.repeatable)
    return line


def input_line(given: Input) -> dict[str, Any]:
    """Return the line of an input; an answer is a tagged action, an index or a malformed text."""
    line: dict[str, Any] = {"type": "input", "kind": given.kind, "at": given.at}
    if given.seat is not None:
        line["seat"] = given.seat
    if given.decision_id is not None:
        line["decision_id"] = given.decision_id
    if given.given is not None:
        line["answer"] = tagged(given.given)
    if given.grace is not None:
        line["grace"] = given.grace
    if given.note is not None:
        line["note"] = given.note
    return line


def input_text(given: Input) -> str:
    """Return the line of an input as JSON text, without a line end; see `input_line`."""
    seat, number, answer = given.seat, given.decision_id, given.given
    is_plain = None not in (seat, number) and given.grace is None and given.note is None
    if is_plain and type(answer) is Index:
        # what most bots answer
        return (
            f'{{"type":"input","kind":"{given.kind}","at":{given.at},"seat":{seat},"decision_id":{number},'
            f'"answer":{{"type":"index","index":{answer.index}}}}}'
        )
    text = f'{{"type":"input","kind":"{given.kind}","at":{given.at}'
    if given.seat is not None:
        text += f',"seat":{given.seat}'
    if given.decision_id is not None:
        text += f',"decision_id":{given.decision_id}'
    if given.given is not None:
        text += f',"answer":{tagged_text(given.given)}'
    if given.grace is not None:
        text += f',"grace":{given.grace}'
    if given.note is not None:
        text += f',"note":{string(given.note)}'
    return text + "}"


def read_header(line: Mapping[str, Any]) -> Header:
    """Return the header in a line that `header_line` gave; what it lacks has its default.

    Raises:
        ReplayError: it is none.
    """
    try:
        rules = GAMES.get(line["game"])
        entries = tuple(map(str, line["entries"]))
        owners = tuple(zip(entries, map(str, line["instances"]), strict=True))
        commitment = from_plain(Commitment, line["commitment"])
        setup = MatchSetup(
            match_id=line["match_id"],
            attempt=line["attempt"],
            game=line["game"],
            options=rules.complete(line["options"]) if rules else line["options"],
            deals=line["deals"],
            entries=entries,
            clock=ClockSettings(**line["clock"]),
            faults=FaultPolicy(**line["faults"]),
            event_grid=_whole(line.get("event_grid", 0)),
            epoch=_text(line.get("epoch", "")),
            instances=instances_of(owners),
            scheme="" if commitment.scheme == binding.SCHEME else commitment.scheme,
        )
        return Header(setup, owners, line["rules_version"], commitment)
    except (KeyError, TypeError, ValueError) as error:
        raise ReplayError(f"the header is damaged ({type(error).__name__})") from None


def read_input(line: Mapping[str, Any]) -> Input:
    """Return the input in a line that `input_line` gave.

    Raises:
        ReplayError: it is none.
    """
    try:
        seat, decision_id = line.get("seat"), line.get("decision_id")
        given, grace = line.get("answer"), line.get("grace")
        return Input(
            kind=line["kind"],
            at=Micros(_whole(line["at"])),
            seat=None if seat is None else Seat(_whole(seat)),
            decision_id=None if decision_id is None else _whole(decision_id),
            given=None if given is None else cast("Given", from_tagged(_ANSWERS, given)),
            grace=None if grace is None else Micros(_whole(grace)),
            note=_note(line["note"]) if "note" in line else None,
        )
    except (KeyError, TypeError, PlainError, UnicodeEncodeError) as error:
        raise ReplayError(f"an input is damaged ({type(error).__name__})") from None


def _whole(value: object) -> int:
    if type(value) is not int:
        raise TypeError("a whole number is expected")
    return value


def _note(value: object) -> str:
    note = _text(value)
    note.encode()  # a lone surrogate is no text
    return note


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is expected")
    return value


def entry_line(entry: Any) -> dict[str, Any]:
    """Return the line of an entry of a match's log: an input, a fault, a default, an event or the outcome."""
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


def entry_text(entry: Any) -> str:
    """Return the line of an entry of a match's log as JSON text, without a line end; see `entry_line`."""
    kind: type = type(entry)
    if kind is Input:
        return input_text(entry)
    if kind is Substituted or kind is Faulted:  # they are rare
        return _JSON.encode(entry_line(entry))
    return tagged_writer(kind)(entry)


def encode(header: dict[str, Any], log: Iterable[Any], secret: bytes, told: Sequence[str] = ()) -> bytes:
    """Return a whole record as the bytes of its file; the same record always gives the same bytes."""
    return packed(lines(header, map(entry_text, log), secret, told))


def lines(
    header: dict[str, Any], entries: Iterable[str], secret: bytes, told: Sequence[str] = ()
) -> list[str]:
    """Return the lines of a whole record, given those of its entries.

    ``told`` are the digests of what the seats were told and answered, if they are known.
    """
    texts = [_JSON.encode(header), *entries]
    reveal: dict[str, Any] = {"type": "reveal", "secret": secret.hex()}
    if told:
        reveal["told"] = list(told)
    texts.append(_JSON.encode(reveal))
    return texts


def packed(texts: Iterable[str]) -> bytes:
    """Return the lines of a record as the bytes of its file."""
    data = "\n".join([*texts, ""]).encode()
    return gzip.compress(data, compresslevel=6, mtime=0)


def write(path: Path, data: bytes) -> str:
    """Write an encoded record, whole or not at all, and return its SHA-256 in hexadecimal.

    Raises:
        OSError: the file cannot be written; the error names it.
    """
    try:
        atomic.write(path, data, durable_name=False)
    except FileNotFoundError:  # it is the first one in its folder
        record_files.make_folder(path)
        atomic.write(path, data, durable_name=False)
    return hashlib.sha256(data).hexdigest()


def read(path: Path) -> Record:
    """Read a record, or what one seat knew of a match: then the header has a ``seat``.

    Raises:
        RecordError: the file is missing, unreadable, truncated or no record.
    """
    try:
        text = gzip.decompress(path.read_bytes()).decode()
    except EOFError:
        raise RecordError(f"{path}: the record is truncated; get a whole copy of the file") from None
    except (gzip.BadGzipFile, zlib.error, UnicodeDecodeError):
        raise RecordError(f"{path}: not a record (records are gzip files of JSON lines)") from None
    except FileNotFoundError:
        raise RecordError(f"{path}: there is no such file; name a record (ID.N.jsonl.gz)") from None
    except IsADirectoryError:
        raise RecordError(f"{path}: is a folder; name one of the records in it (ID.N.jsonl.gz)") from None
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from None
    lines = [_parsed(path, number, line) for number, line in enumerate(text.splitlines(), 1)]
    if not lines or lines[0].get("type") != "header":
        raise RecordError(f"{path}: not a record: its first line is not a header")
    if (found := lines[0].get("format")) != FORMAT:
        raise RecordError(f"{path}: the format is {found!r}; this version reads {FORMAT!r}")
    last = "outcome" if "seat" in lines[0] else "reveal"
    if lines[-1].get("type") != last:
        raise RecordError(f"{path}: the record is truncated: its last line is not of the type {last}")
    return Record(lines[0], tuple(lines[1:]))


def _parsed(path: Path, number: int, text: str) -> dict[str, Any]:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        line = None
    if not isinstance(line, dict) or not isinstance(line.get("type"), str):
        raise RecordError(f"{path}: line {number} is not an object with a type; the record is damaged")
    return line
