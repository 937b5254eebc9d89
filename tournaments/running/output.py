"""What the hosted bots of an entry have printed, for their author."""

import os
import stat
from pathlib import Path
from typing import Final

from tournaments.hosting.bot_process import log_of
from tournaments.plan.instances import instances
from tournaments.plan.plan import Plan

MOST: Final = 16 * 1024
"""The most bytes that are told of each bot, the last ones."""


def told(plan: Plan, entry: str) -> tuple[tuple[str, bytes], ...]:
    """Return the instances of an entry, each with the end of what its bot has printed.

    Raises:
        OSError: a log cannot be read.
    """
    logs = plan.folder / "logs"
    return tuple((each, _end(logs / log_of(entry, each))) for each in instances(plan, entry))


def _end(path: Path) -> bytes:
    """Return the last lines of a file; none of what a bot may have put in its place."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # it printed nothing, or there is a link
        return b""
    with os.fdopen(opened, "rb") as file:
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            return b""
        file.seek(max(0, found.st_size - MOST - 1))
        data = file.read(MOST + 1)
    return data if len(data) <= MOST else data[1:].partition(b"\n")[2] or data[1:]
