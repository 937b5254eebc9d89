"""What the owner of a tournament and the process that speaks to the cluster say to each other.

They are pickled one after the other, as `tournaments.standings.frames` writes and reads them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Join(NamedTuple):
    """Which cluster to use: ``address`` is "local", "auto" or that of a cluster, ``folder`` for a local one.

    A local cluster has so many processors; ``restored`` are the variables that its workers give to bots as
    they were before the cluster was silenced.
    """

    address: str
    folder: Path
    processors: int
    restored: Mapping[str, str]


class Joined(NamedTuple):
    """The cluster answers, and has so many machines and processors."""

    machines: int
    processors: int


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
