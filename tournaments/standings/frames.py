"""What a referee and the process that follows its results say to each other: pickled values in a row.

The referee asks with an `MethodCall`, or with one whose ``number`` is 0 tells something. Each answer comes in
parts, so that none of them takes the referee's loop more than a millisecond. A part whose ``number`` is 0
says that the process is still there.
"""

import pickle
import struct
from typing import Any, BinaryIO, Final, NamedTuple

HEAD: Final = struct.Struct(">I")
"""The length of the value that follows, in bytes."""

BEAT: Final = 5.0
"""Seconds after which the process says again that it is still there."""

SILENCE: Final = 120.0
"""Seconds after which a process that says nothing is given up; a store that does not answer takes 40."""


class MethodCall(NamedTuple):
    """A method of `Followed`, and what it is given."""

    number: int
    method: str
    given: dict[str, Any]


class Part(NamedTuple):
    """Some of the items of an answer, or an error that came in their place."""

    number: int
    items: list[Any]
    is_last: bool = True
    error: Exception | None = None


def written(value: object) -> bytes:
    """Return a value as it is sent."""
    data = pickle.dumps(value)
    return HEAD.pack(len(data)) + data


def decoded(data: bytes) -> Any:
    """Return a value from the bytes after its `HEAD`."""
    return pickle.loads(data)


def read(file: BinaryIO) -> Any:
    """Return the next value that was sent.

    Raises:
        EOFError: there is none, or its end is missing.
    """
    return decoded(_whole(file, *HEAD.unpack(_whole(file, HEAD.size))))


def _whole(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise EOFError
    return data
