"""The states of a tournament and of its entries."""

from enum import StrEnum


class State(StrEnum):
    """How far a tournament is."""

    CREATED = "created"  # nothing has begun
    RUNNING = "running"
    PAUSED = "paused"  # no more matches begin
    CANCELLED = "cancelled"  # for good
    FINISHED = "finished"  # all matches are over


class EntryState(StrEnum):
    """Whether an entry is paired."""

    ACTIVE = "active"
    PAUSED = "paused"  # it keeps its place and its rating
    LEFT = "left"  # its results stay
