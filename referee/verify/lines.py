"""The lines of a record, from the bytes of its file, without anything left over."""

import json
import zlib
from typing import Any, Final

from referee.match.notes import MATCH_BYTES
from referee.verify.values import Discrepancy, NotVerified, unknown

Line = dict[str, Any]

_HEADER: Final = 1 << 16  # bytes, of which a header has about a thousand
_LINE: Final = 128  # bytes of a line, in the mean at most; records that are measured have about 85
_NOTES: Final = 6 * MATCH_BYTES  # a byte of a note may be escaped, as \u0001
_GZIP: Final = 31  # what zlib calls gzip, with the largest window

_DAMAGED: Final = "the file is damaged: it is no gzip file, or its checksum is wrong"
_TRUNCATED: Final = "the file is truncated"


def header_of(data: bytes) -> Line:
    """Return the first line of a record; no more than that is unpacked and read.

    Raises:
        NotVerified: the file is no gzip file, or does not begin with a header.
    """
    unpacker = zlib.decompressobj(_GZIP)
    try:
        line, end, _ = unpacker.decompress(data, _HEADER).partition(b"\n")
    except zlib.error:
        raise _wrong(_DAMAGED) from None
    if not end and not unpacker.eof and not unpacker.unconsumed_tail:
        raise _wrong(_TRUNCATED)
    if not end or (header := _parsed(_text(line), 1))["type"] != "header":
        raise _wrong("the file is not a record: its first line is not a header", 1)
    return header


def lines_of(data: bytes, most: int) -> list[Line]:
    """Return the lines of a record, the header first; a match as its header tells of has at most ``most``.

    Raises:
        NotVerified: the file is not one gzip file of JSON objects with a type, or is longer.
    """
    unpacked = _unpacked(data, most * _LINE + _NOTES)
    if unpacked.count(b"\n") > most:
        raise _too_much(f"{most} lines")
    *lines, rest = _text(unpacked).split("\n")
    if rest:
        raise _wrong("the record is truncated: its last line has no end", len(lines) + 1)
    read = [_parsed(line, number) for number, line in enumerate(lines, 1)]
    if read[-1]["type"] != "reveal":
        raise _wrong("the record is truncated: its last line is not a reveal", len(read))
    return read


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise _wrong("the file is not a record: it is no text in UTF-8") from None


def _unpacked(data: bytes, most: int) -> bytes:
    unpacker = zlib.decompressobj(_GZIP)
    try:
        text = unpacker.decompress(data, most)
    except zlib.error:
        raise _wrong(_DAMAGED) from None
    if unpacker.unconsumed_tail:
        raise _too_much(f"{most} bytes without compression")
    if not unpacker.eof:
        raise _wrong(_TRUNCATED)
    if unpacker.unused_data:
        raise _wrong(f"{len(unpacker.unused_data)} bytes stand behind the end of the gzip file")
    return text


def _parsed(text: str, number: int) -> Line:
    try:
        line = json.loads(text, object_pairs_hook=_unique, parse_constant=_refused)
    except (ValueError, RecursionError):
        line = None
    if not isinstance(line, dict) or not isinstance(line.get("type"), str):
        raise _wrong("not a JSON object with a type, or one with a field twice", number)
    return line


def _unique(pairs: list[tuple[str, Any]]) -> Line:
    line = dict(pairs)
    if len(line) < len(pairs):
        raise ValueError  # which of two counts is not the same for all readers
    return line


def _refused(name: str) -> Any:
    raise ValueError(name)  # NaN and Infinity are not JSON


def _too_much(limit: str) -> NotVerified:
    # unknown, not wrong: a bot that never stops to come and go adds lines to a real record
    return unknown(f"the file has more than {limit}, and no match like this is known to: it is not read")


def _wrong(text: str, line: int | None = None) -> NotVerified:
    return NotVerified(Discrepancy(text, line))
