"""What can be watched of a tournament: its present state, and each change.

Nothing here reveals cards, or more of a running match than who plays.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Final, Self

from referee.match.faults import Termination
from tournaments.plan.plan import Entry, Format, Pace
from tournaments.plan.states import EntryState, TournamentState
from tournaments.running.activity import Activity
from tournaments.store import Adjudication

MOST_WAITING: Final = 256
"""How many changes may wait for a watcher; when there are more, it misses all of them."""


MOST_RULINGS: Final = 100


class EntryKind(StrEnum):
    """Where the bot of an entry comes from."""

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
    """The state of an entry at one moment; it is ``present`` when its bot is here."""

    name: str
    version: str | None
    kind: EntryKind
    state: EntryState
    present: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The state of a tournament at one moment.

    It has ``planned`` matches in all: of a knockout that goes on, the least; None when there is no end.
    ``issued`` were paired so far, of which ``played`` have a result, ``skipped`` were left out, and
    ``playing`` are being played: None when another process plays them. ``attempts`` is how many ended in each
    way, without results that were ``taken_back``. It ``is_running`` while somebody plays it; ``activity`` is
    what that run is doing, None where that is not known or was not asked for. ``rulings`` are the last
    `MOST_RULINGS`, ``owner`` is whose it is on a server, empty without one. ``turns`` is how many matches
    make a duplicate set, 1 without sets; all numbers are of matches. ``pace`` is the most that entries of a
    ladder play, and ``resting`` are those that have played all of it for now.
    """

    name: str
    game: str
    format: Format
    state: TournamentState
    planned: int | None
    issued: int
    played: int
    skipped: int
    playing: int | None
    attempts: Mapping[Termination, int]
    taken_back: int
    is_running: bool
    entries: tuple[EntrySnapshot, ...]
    activity: Activity | None = None
    rulings: tuple[Adjudication, ...] = ()
    owner: str = ""
    turns: int = 1
    pace: Pace | None = None
    resting: tuple[str, ...] = ()

    @property
    def left(self) -> int | None:
        """Return in how many microseconds all matches are played at the present pace, None if not known."""
        if self.activity is None or self.planned is None or not self.is_running:
            return None
        return self.activity.left(max(0, self.planned - self.played - self.skipped))


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

    state: TournamentState


Change = MatchBegun | MatchFinished | EntryChanged | StateChanged


@dataclass(frozen=True, slots=True)
class Missed:
    """How many changes the watcher missed because it was too slow; it has to ask for the present state."""

    number: int


class Changes:
    """Passes each change of a tournament on to its watchers."""

    def __init__(self) -> None:
        self._watchers: set[Watcher] = set()
        self._is_closed = False

    def publish(self, change: Change) -> None:
        """Pass a change to every watcher without waiting for any."""
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
        """End every watcher after it has read what waits for it."""
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
        """Add a change."""
        if self._missed or len(self._waiting) == MOST_WAITING:
            self._missed += 1 + len(self._waiting)
            self._waiting.clear()
        else:
            self._waiting.append(change)
        self._wake.set()

    def end(self) -> None:
        """End the iteration after what waits."""
        self._is_ended = True
        self._wake.set()

    def close(self) -> None:
        """Stop watching."""
        self._on_closed(self)
        self._waiting.clear()
        self._missed = 0
        self.end()
