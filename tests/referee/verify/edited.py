"""Records that somebody has changed, and what a store knew of them before."""

import copy
import gzip
import hashlib
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from referee.codec.json import plain
from referee.dealing import binding
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import Revealed
from referee.games.registry import GAMES
from referee.storage import record
from referee.verify import Known
from tests.referee.recorded import SHORT_MATCHES, STARTED, RecordedTable

Lines = list[dict[str, Any]]
Edit = Callable[[Lines], None]

NAME = "m-0001.1.jsonl.gz"


@cache
def played(game: str) -> RecordedTable:
    """Return a match of a game, with faults; nobody changes it."""
    return SHORT_MATCHES[game]()


@cache
def data_of(game: str) -> bytes:
    """Return the record of that match."""
    return played(game).encoded()


def lines_of(data: bytes) -> Lines:
    lines: Lines = [json.loads(line) for line in gzip.decompress(data).split(b"\n")[:-1]]
    return lines


def packed(lines: Lines) -> bytes:
    return record.packed(json.dumps(line, separators=(",", ":")) for line in lines)


def edited(data: bytes, edit: Edit) -> bytes:
    """Return a record in which somebody has changed lines."""
    lines = copy.deepcopy(lines_of(data))
    edit(lines)
    return packed(lines)


def bound_of(head: dict[str, Any]) -> dict[str, str]:
    """Return what a header should say of what its manifest binds."""
    header = record.read_header(head)
    return binding.prints(
        header.setup,
        GAMES[header.setup.game],
        rules_version=header.rules_version,
        repeatable=header.commitment.repeatable,
    )


def bind_anew(lines: Lines) -> None:
    """Make the manifest anew from the header, as a forger can who has the secret that the record reveals."""
    header = record.read_header(lines[0])
    keys = Revealed(bytes.fromhex(lines[-1]["secret"]), repeatable=header.commitment.repeatable)
    deals = MatchDeals(header.setup, GAMES[header.setup.game], keys, rules_version=header.rules_version)
    lines[0] |= {"commitment": plain(deals.commitment), "bound": bound_of(lines[0])}


def known(table: RecordedTable, data: bytes) -> Known:
    """Return what the store knows of a match and its record."""
    assert table.match.outcome is not None
    times = [line["at"] for line in lines_of(data) if line["type"] == "input"]
    setup = table.setup
    header = {"match_id": setup.match_id, "attempt": 1, "entries": list(setup.entries), "started": STARTED}
    return Known(
        sha256=hashlib.sha256(data).hexdigest(),
        header=header,
        outcome=plain(table.match.outcome),
        duration=times[-1] - times[0],
        knows_seed=True,
        seed="seed",
    )


def first(lines: Lines, type_: str, number: int = 0, /, **fields: str) -> int:
    """Return the place of a line of a type with these fields as text; ``number`` counts such lines from 0."""
    places = [
        place
        for place, line in enumerate(lines)
        if line["type"] == type_ and fields.items() <= {n: str(v) for n, v in line.items()}.items()
    ]
    return places[number]
