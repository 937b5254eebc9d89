"""Where the pages and files of a site are, as paths from its root with slashes."""

import hashlib
import re
from typing import Final
from urllib.parse import quote

IN_A_FOLDER: Final = 500
"""How many matches share a list and a folder."""

IN_A_PART: Final = 500
"""How many matches of an entry are on one page."""

_OF_FOLDER: Final = re.compile(r"data/matches-([0-9]{5})\.(?:csv|json)")
_OF_MATCH: Final = re.compile(r"matches/([0-9]{5})/([^/]+?)(?:\.html|\.[0-9]+\.jsonl\.gz)")
_PLAIN: Final = re.compile(r"[a-z0-9_-]{1,60}")
_OTHERS: Final = re.compile(r"[^a-z0-9_-]+")


def folder_of(serial: int) -> int:
    """Return the number of the folder that the match of a serial is in, from 0."""
    return (serial - 1) // IN_A_FOLDER


def list_page(folder: int) -> str:
    """Return the page that lists the matches of a folder."""
    return f"matches/{folder:05}.html"


def match_page(serial: int, match_id: str) -> str:
    """Return the page of a match."""
    return f"matches/{folder_of(serial):05}/{match_id}.html"


def record_file(serial: int, match_id: str, attempt: int) -> str:
    """Return the record of an attempt at a match."""
    return f"matches/{folder_of(serial):05}/{match_id}.{attempt}.jsonl.gz"


def matches_file(folder: int, kind: str) -> str:
    """Return the file of a ``kind``, such as ``csv``, with all attempts at the matches of a folder."""
    return f"data/matches-{folder:05}.{kind}"


def matches_at(path: str) -> tuple[int, str | None] | None:
    """Return the folder and the match that a page or a file belongs to, None for no match: all of the folder.

    None: it is neither the page or a record of a match nor a file of a folder.
    """
    if of_folder := _OF_FOLDER.fullmatch(path):
        return int(of_folder[1]), None
    of_match = _OF_MATCH.fullmatch(path)
    return (int(of_match[1]), of_match[2]) if of_match else None


def entry_page(name: str, part: int = 0) -> str:
    """Return the page of a competitor, or a part (from 1) of the list of its matches.

    File systems and addresses do not tell all names apart: those that are not plain get a digest.
    """
    return f"entries/{_stem(name)}~{part}.html" if part else f"entries/{_stem(name)}.html"


def entry_file(name: str) -> str:
    """Return the file with all that the standings know of a competitor."""
    return f"data/entries/{_stem(name)}.json"


def _stem(name: str) -> str:
    stem = name
    if not _PLAIN.fullmatch(name):
        digest = hashlib.sha256(name.encode(errors="replace")).hexdigest()[:12]
        stem = f"{_OTHERS.sub('-', name.lower())[:40]}.{digest}"
    return stem


def link(path: str) -> str:
    """Return a path as it stands in an address."""
    return quote(path, safe="/~")
