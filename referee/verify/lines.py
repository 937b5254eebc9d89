"""The lines of a record, from the bytes of its file, without anything left over."""

import json
import zlib
from typing import Any, Final

from referee.verify.values import NotVerified, Problem

Line = dict[str, Any]

MOST: Final = 1 << 28
"""How many bytes a record may have without compression; a match of 1000 deals has a tenth of it."""

_GZIP: Final = 31  # what zlib calls gzip, with the largest window


def lines_of(data: bytes) -> list[Line]:
    """Return the lines of a record, the header first.

    Raises:
        NotVerified: the file is not one gzip file of JSON objects with a type, one in each line.
    """
    try:
        text = _unpacked(data).decode()
    except UnicodeDecodeError:
        raise _wrong("the file is not a record: it is no text in UTF-8") from None
    *lines, rest = text.split("\n")
    if rest:
        raise _wrong("the record is truncated: its last line has no end", len(lines) + 1)
    read = [_parsed(line, number) for number, line in enumerate(lines, 1)]
    if not read or read[0]["type"] != "header":
        raise _wrong("the file is not a record: its first line is not a header", 1)
    if read[-1]["type"] != "reveal":
        raise _wrong("the record is truncated: its last line is not a reveal", len(read))
    return read


def _unpacked(data: bytes) -> bytes:
    unpacker = zlib.decompressobj(_GZIP)
    try:
        text = unpacker.decompress(data, MOST)
    except zlib.error:
        raise _wrong("the file is damaged: it is no gzip file, or its checksum is wrong") from None
    if unpacker.unconsumed_tail:
        raise _wrong(f"the file is no record: it has more than {MOST} bytes without compression")
    if not unpacker.eof:
        raise _wrong("the file is truncated")
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


def _wrong(text: str, line: int | None = None) -> NotVerified:
    return NotVerified(Problem(text, line))
