"""Whether the bots of a machine are those of the owner: the files that their commands name."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from tournaments.plan.plan import Plan


def digests(plan: Plan) -> dict[str, str]:
    """Return the SHA-256 of each file below the plan's base folder that a command names, by its name there.

    Raises:
        OSError: a file cannot be read.
    """
    words = {word for entry in plan.entries for word in entry.command or () if not Path(word).is_absolute()}
    return {word: _digest(plan.base / word) for word in sorted(words) if (plan.base / word).is_file()}


def difference(base: Path, expected: Mapping[str, str]) -> str | None:
    """Return how the files below a base folder differ from what is expected, None if they do not."""
    for word, digest in expected.items():
        path = base / word
        try:
            found = _digest(path)
        except OSError as error:
            return f"{path} cannot be read ({error.strerror}): share the folder, or copy it there"
        if found != digest:
            return f"{path} is not what it is where the tournament runs: share the folder, or copy it again"
    return None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
