"""What may be told of matches that are over: which file is the record of one, and whether it may be sent yet.

Everything here but `view` reads files or a store, and is called in a thread.
"""

import gzip
import json
import zlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from referee.core.access import Denied
from referee.core.steps import Steps
from referee.dealing.keys import SAFE_ID
from referee.files.open_files import from_reserve
from referee.match.effects import MatchSetup
from referee.match.messages import Reason
from referee.match.replay import ReplayError
from referee.storage import record, record_files
from referee.storage.record import read_header
from referee.verify import seeing, trusted

PART: Final = 64 * 1024
"""The most bytes of a record in one message, far below what gRPC takes."""

_MOST_ATTEMPTS: Final = 100  # that are looked for; a later one has to be named
_LONGEST_HEADER: Final = 1 << 20  # bytes
_OTHER_RULES: Final = (
    "the match was played by other rules than this referee has: its record is sent when no other match is to"
    " be played with the same deals"
)


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """A record, and what was settled before its first card."""

    path: Path
    setup: MatchSetup


class PastMatches(Protocol):
    """What a referee's tournaments know of matches that are over."""

    def sat_in(self, match_id: str, entry: str) -> bool:
        """Return whether it was this entry, and not another one of its name, that sat in a match."""

    def is_open(self, match_id: str, epoch: str) -> bool:
        """Return whether a match is still to be played with the decks that a match shared with others.

        Of what is not known it is said that there is one.
        """

    def over(self, entry: str, size: int, after: str) -> tuple[list[MatchSetup], str]:
        """Return matches that have a result, of one entry or of all, and where to go on: empty at the end.

        Raises:
            Denied: BAD_REQUEST, they are not listed here, or ``after`` comes from no earlier answer.
        """


class NoTournaments:
    """Knows of no tournament: each match is played with decks of its own."""

    def sat_in(self, match_id: str, entry: str) -> bool:
        """Return True."""
        return True

    def is_open(self, match_id: str, epoch: str) -> bool:
        """Return True: nothing here knows whether other matches have these decks."""
        return True

    def over(self, entry: str, size: int, after: str) -> tuple[list[MatchSetup], str]:
        """Refuse.

        Raises:
            Denied: BAD_REQUEST.
        """
        text = "over: this referee keeps no list of matches that are over; ask for a record by its match"
        raise Denied(Reason.BAD_REQUEST, text)


def find(folder: Path, match_id: str, attempt: int) -> KeptRecord | None:
    """Return the record of an attempt at a match, of the last one for 0; None if there is none that is whole.

    Raises:
        OSError: a file cannot be read.
    """
    if not SAFE_ID.fullmatch(match_id):
        return None
    for number in [attempt] if attempt else range(_MOST_ATTEMPTS, 0, -1):
        path = record_files.path_of(folder, match_id, number)
        if path.is_file():
            setup = _setup(path)
            is_it = setup is not None and (setup.match_id, setup.attempt) == (match_id, number)
            return KeptRecord(path, setup) if setup is not None and is_it else None
    return None


def part(path: Path, offset: int) -> bytes:
    """Return the part of a record that begins at an offset; empty at its end.

    The file is not kept open meanwhile: slow readers would use up what this process may open.

    Raises:
        OSError: it cannot be read.
    """
    with from_reserve(lambda: path.open("rb")) as file:
        file.seek(offset)
        return file.read(PART)


def view(path: Path, seat: int) -> Steps[bytes]:
    """Return what one seat knew of a match, packed as a record is.

    Raises:
        OSError: the record cannot be read.
        NotVerified: it is damaged.
        Denied: WRONG_STATE, it is of other rules than these, so that the match cannot be played again.
    """
    data = yield partial(from_reserve, path.read_bytes)
    match = yield partial(trusted, data)
    if match.header.rules_version != match.game.rules_version:
        raise Denied(Reason.WRONG_STATE, _OTHER_RULES)
    seen = yield from seeing(match, seat)
    texts = [json.dumps(line) for line in (seen.header, *seen.lines)]
    packed: bytes = yield partial(record.packed, texts)
    return packed


def _setup(path: Path) -> MatchSetup | None:
    try:
        with from_reserve(partial(gzip.open, path, "rb")) as file:
            return read_header(json.loads(file.readline(_LONGEST_HEADER))).setup
    except (gzip.BadGzipFile, EOFError, zlib.error, ValueError, RecursionError, ReplayError):
        return None
