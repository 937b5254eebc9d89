"""What of a tournament can be watched: what it is now, and each change of it.

Nothing here tells of cards, nor of a match that is being played more than who plays.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Final, Self

from referee.faults import Termination
from tournaments.plan import Entry, Format
from tournaments.states import EntryState, State

MOST_WAITING: Final = 256
"""So many changes wait for a watcher; when there are more, it misses all of them."""


class EntryKind(StrEnum):
    """How an entry comes to its bot."""

    HOUSE = "house"
    COMMAND = "command"
    REMOTE = "remote"  # it dials in by itself

    @classmethod
    def of(cls, entry: Entry) -> "EntryKind":
        """Return the kind of an entry."""
        if entry.remote:
            return cls.REMOTE
        return cls.COMMAND if entry.command else cls.HOUSE


@dataclass(frozen=True, slots=True)
class EntrySnapshot:
    """What an entry is at one moment; it is ``present`` when its bot is here."""

    name: str
    version: str | None
    kind: EntryKind
    state: EntryState
    present: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What a tournament is at one moment.

    It has ``planned`` matches in all: of a knockout that goes on, the least; None when there is no end.
    ``issued`` were paired so far, of which ``played`` are over and ``playing`` are being played.
    """

    name: str
    game: str
    format: Format
    state: State
    planned: int | None
    issued: int
    played: int
    playing: int
    entries: tuple[EntrySnapshot, ...]


@dataclass(frozen=True, slots=True)
class MatchBegun:
    """An attempt at a match began; the entries by seat."""

    match_id: str
    attempt: int
    round: int
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchFinished:
    """An attempt at a match is over; entries by seat, ranks (1 best, empty without) and scores by side."""

    match_id: str
    attempt: int
    entries: tuple[str, ...]
    termination: Termination
    ranks: tuple[int, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EntryChanged:
    """An entry is new, came, went, or has another state or version."""

    entry: EntrySnapshot


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The tournament has another state."""

    state: State


Change = MatchBegun | MatchFinished | EntryChanged | StateChanged


@dataclass(frozen=True, slots=True)
class Missed:
    """So many changes were left out, since the watcher was too slow; what is now has to be asked for."""

    number: int


class Changes:
    """Passes each change of a tournament on to whoever watches."""

    def __init__(self) -> None:
        self._watchers: set[Watcher] = set()
        self._is_closed = False

    def publish(self, change: Change) -> None:
        """Tell every watcher of a change; none is waited for."""
        for watcher in self._watchers:
            watcher.put(change)

    def watch(self) -> "Watcher":
        """Return a watcher of the changes from now on."""
        watcher = Watcher(self._watchers.discard)
        if self._is_closed:
            watcher.end()
        else:
            self._watchers.add(watcher)
        return watcher

    def close(self) -> None:
        """Let every watcher end, when it has read what waits for it."""
        self._is_closed = True
        for watcher in self._watchers:
            watcher.end()
        self._watchers.clear()


class Watcher:
    """Changes in order, for one reader, as an asynchronous iterator and a context manager.

    When too many wait, all of them are dropped, and the next thing that is read is how many were `Missed`. It
    ends with the tournament's time in this process, or with `close`.
    """

    def __init__(self, on_closed: Callable[["Watcher"], None]) -> None:
        self._on_closed = on_closed
        self._waiting: deque[Change] = deque()
        self._missed = 0
        self._wake = asyncio.Event()
        self._is_ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __aiter__(self) -> AsyncIterator[Change | Missed]:
        return self

    async def __anext__(self) -> Change | Missed:
        while not (self._missed or self._waiting or self._is_ended):
            self._wake.clear()
            await self._wake.wait()
        if self._missed:
            missed, self._missed = self._missed, 0
            return Missed(missed)
        if self._waiting:
            return self._waiting.popleft()
        raise StopAsyncIteration

    def put(self, change: Change) -> None:
        """Take a change in."""
        if self._missed or len(self._waiting) == MOST_WAITING:
            self._missed += 1 + len(self._waiting)
            self._waiting.clear()
        else:
            self._waiting.append(change)
        self._wake.set()

    def end(self) -> None:
        """Let the iteration end after what waits."""
        self._is_ended = True
        self._wake.set()

    def close(self) -> None:
        """Watch no longer."""
        self._on_closed(self)
        self._waiting.clear()
        self._missed = 0
        self.end()
