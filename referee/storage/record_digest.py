"""One digest over many records, which does not depend on when each was written."""

import hashlib
from collections.abc import Iterable


def digest_of(records: Iterable[tuple[str, int, str]]) -> str:
    """Return the SHA-256 over records in hexadecimal; each is a match id, an attempt, its file's SHA-256.

    It is that of a text with a line for each, the three with blanks between, sorted by match id and then by
    attempt.
    """
    digest = hashlib.sha256()
    for match_id, attempt, sha256 in sorted(records):
        digest.update(f"{match_id} {attempt} {sha256}\n".encode())
    return digest.hexdigest()
