"""What the owner of a tournament and the process that speaks to the cluster say to each other.

They are pickled one after the other, as `tournaments.standings.frames` writes and reads them.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tournaments.executors.bot_files import BotFiles

_MOST_SAID: Final = 300  # characters of what an error says
_ADDRESS_ALONE: Final = re.compile(r"\W*https?://\S+")


class Join(NamedTuple):
    """Which cluster to use: ``address`` is "local", "auto" or that of a cluster, ``folder`` for a local one.

    A local cluster has so many processors; ``restored`` are the variables that its workers give to bots as
    they were before the cluster was silenced. ``files`` are those of the bots.
    """

    address: str
    folder: Path
    processors: int
    restored: Mapping[str, str]
    files: BotFiles


class Joined(NamedTuple):
    """The cluster answers, and what its machines have, by the names of Ray; said again when that changes."""

    machines: tuple[Mapping[str, float], ...]


class ClusterRefused(NamedTuple):
    """The cluster cannot be used; the text says why."""

    text: str


class Task(NamedTuple):
    """A batch of matches for one worker, and what it needs of a machine by the names that Ray has for it."""

    number: int
    batch: bytes
    needs: Mapping[str, float]


class TaskAnswer(NamedTuple):
    """What a worker answered."""

    number: int
    played: bytes


class TaskLost(NamedTuple):
    """A worker is gone without an answer, and so is what it played."""

    number: int
    text: str


def said(error: BaseException) -> str:
    """Return in one line what an error of Ray says.

    Where it holds the traceback of a worker, the last line says what happened there; else the first lines do,
    and the last ones tell where in Ray's documentation to read on.
    """
    lines = [line.strip() for line in str(error).splitlines()]
    lines = [line for line in lines if line and not _ADDRESS_ALONE.fullmatch(line)]
    if any(line.startswith("Traceback (") for line in lines) or "ray::" in "".join(lines[:1]):
        lines = lines[-1:]
    text = " ".join(lines) or type(error).__name__
    return text if len(text) <= _MOST_SAID else f"{text[:_MOST_SAID]}..."
