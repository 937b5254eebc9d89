"""What one bot or watcher may use: every limit with its default, its bounds, the reason that is given."""

import dataclasses
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final

from referee.match.clock import SECOND
from referee.match.messages import Reason


class BadLimit(ValueError):
    """A limit that is unknown or out of its bounds; the text says what is allowed."""


def _limit(default: int, low: int, high: int, reason: Reason | None, text: str) -> Any:
    return dataclasses.field(
        default=default, metadata={"low": low, "high": high, "reason": reason, "text": text}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one referee; those that end in ``seconds`` are whole seconds.

    Raises:
        BadLimit: one is out of its bounds.
    """

    frame_bytes: int = _limit(
        32 * 1024, 4096, 1 << 20, Reason.MESSAGE_TOO_LARGE, "the largest frame, both ways"
    )
    unacknowledged_frames: int = _limit(
        64, 2, 4096, Reason.SLOW_READER, "frames sent that the bot has not acknowledged; then nothing is sent"
    )
    unacknowledged_bytes: int = _limit(
        256 * 1024, 4096, 1 << 26, Reason.SLOW_READER, "the same in bytes; then nothing is sent"
    )
    queued_bytes: int = _limit(
        256 * 1024, 4096, 1 << 26, Reason.SLOW_READER, "bytes that wait for a bot that does not read"
    )
    sessions: int = _limit(
        4096, 1, 1 << 20, Reason.TOO_MANY_SESSIONS, "sessions at once; without a token half as many"
    )
    sessions_per_peer: int = _limit(
        2048, 1, 1 << 20, Reason.TOO_MANY_SESSIONS, "sessions at once from one address without a token"
    )
    sessions_per_entry: int = _limit(
        16,
        1,
        1 << 20,
        Reason.TOO_MANY_SESSIONS,
        "sessions at once of one entry, each another instance; its token opens twice as many",
    )
    tables_per_session: int = _limit(
        256,
        1,
        1 << 16,
        None,
        "tables at once of one session; a bot that wants more is told how many it gets",
    )
    frames_per_second: int = _limit(
        100,
        1,
        1 << 20,
        Reason.RATE_LIMITED,
        "frames of one entry, over all its sessions, beyond one for each decision and frame sent to it",
    )
    answers_per_second: int = _limit(
        100,
        1,
        1 << 20,
        Reason.RATE_LIMITED,
        "answers of one entry, over all its sessions, beyond one for each decision and seat",
    )
    bytes_per_second: int = _limit(
        256 * 1024,
        4096,
        1 << 30,
        Reason.RATE_LIMITED,
        "bytes of one entry, over all its sessions, beyond 5120 for each decision and seat;"
        " and of those from one address that have not said hello, all together",
    )
    calls_per_second: int = _limit(
        100, 1, 1 << 20, Reason.RATE_LIMITED, "calls, other than sessions, from one address of the network"
    )
    calls_per_peer: int = _limit(
        64, 1, 1 << 20, Reason.RATE_LIMITED, "calls, other than sessions, from one address at once"
    )
    watchers: int = _limit(
        256,
        0,
        1 << 16,
        Reason.RATE_LIMITED,
        "watchers of running matches at once, a quarter of them from one address; 0: nobody may watch",
    )
    watched_steps: int = _limit(
        256, 1, 1 << 16, Reason.SLOW_READER, "steps of a match that wait for a watcher who does not read"
    )
    watch_delay: int = _limit(
        3, 0, 1000, None, "decisions of a match by which its watchers see it later than its players"
    )
    strangers_per_second: int = _limit(
        100, 1, 1 << 20, Reason.RATE_LIMITED, "sessions that are opened from one address without a token"
    )
    hellos_per_second: int = _limit(
        20, 1, 1 << 20, Reason.RATE_LIMITED, "sessions that one entry opens, one after the other or at once"
    )
    hellos_awaited: int = _limit(
        1024,
        1,
        1 << 20,
        Reason.TOO_MANY_SESSIONS,
        "sessions from one address without a token that have not sent a hello",
    )
    hello_seconds: int = _limit(10, 1, 3600, Reason.IDLE, "until a new session must have sent its hello")
    idle_seconds: int = _limit(
        120,
        1,
        86_400,
        Reason.IDLE,
        "without a frame from a bot that is asked nothing; heartbeats are acknowledged",
    )
    heartbeat_seconds: int = _limit(
        15,
        0,
        3600,
        None,
        "until a bot that is sent nothing else gets a heartbeat; 0: never, and none is idle",
    )
    keepalive_seconds: int = _limit(5, 1, 3600, None, "between pings of a silent connection")
    keepalive_timeout_seconds: int = _limit(
        3, 1, 3600, None, "until a connection that does not answer is closed"
    )
    handshake_seconds: int = _limit(10, 1, 3600, None, "until a new connection must be made, TLS included")
    connections: int = _limit(
        0,
        0,
        1 << 20,
        None,
        "connections at once; any more are closed immediately; 0: as many as the open files allow, at most"
        " 8192",
    )
    streams_per_connection: int = _limit(64, 1, 4096, None, "streams of one connection; more have to wait")
    metadata_bytes: int = _limit(8192, 1024, 1 << 16, None, "the metadata of one call")

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value, low, high = getattr(self, field.name), field.metadata["low"], field.metadata["high"]
            if not low <= value <= high:
                raise BadLimit(f"{field.name} must be a whole number from {low:,} to {high:,}, is {value}")
        if self.heartbeat_seconds >= self.idle_seconds:
            raise BadLimit(
                f"heartbeat_seconds must be less than idle_seconds ({self.idle_seconds}), or bots that wait"
                f" would be taken for silent; it is {self.heartbeat_seconds}"
            )

    @property
    def most_connections(self) -> int:
        """Return how many connections there may be, given or by default."""
        return self.connections or MOST_CONNECTIONS


MOST_CONNECTIONS: Final = 8192
"""How many connections there may be by default; each costs some 40 KiB."""

DEFAULT: Final = Limits()
"""The limits of a referee that is given no others."""

LIMITS: Final = {field.name: field for field in dataclasses.fields(Limits)}
"""Every limit by name; a field's ``default`` and ``metadata`` (low, high, reason, text) describe it."""

BURST_SECONDS: Final = 2
"""An allowance lets through at once what it lets through in this many seconds."""


class Granted:
    """A counter of what was granted and is not used yet, at most ``most``."""

    __slots__ = ("_left", "_most")

    def __init__(self, most: int) -> None:
        self._most = most
        self._left = 0

    def grant(self, count: int = 1) -> None:
        """Grant this much more."""
        left = self._left + count
        self._left = left if left < self._most else self._most

    def use(self, count: int) -> int:
        """Use up ``count``, and return how much of it was not granted."""
        used = min(self._left, count)
        self._left -= used
        return count - used


class Allowance:
    """How much may still come, at a rate per second.

    Times are microseconds. At most two seconds' worth is saved up.
    """

    __slots__ = ("_at", "_rate", "_saved")

    def __init__(self, rate: int, now: int) -> None:
        self._rate = rate
        self._saved = rate * BURST_SECONDS * SECOND  # in millionths, so that nothing is rounded
        self._at = now

    def take(self, now: int, count: int = 1) -> bool:
        """Use up ``count`` and return True; return False and use up nothing when that is too much."""
        most = self._rate * BURST_SECONDS * SECOND
        self._saved = min(most, self._saved + (now - self._at) * self._rate)
        self._at = now
        cost = count * SECOND
        if cost > self._saved:
            return False
        self._saved -= cost
        return True


MAX_NAMES: Final = 16_384
"""How many names `Allowances` keep; beyond it the name that was silent for longest is forgotten."""


class Allowances:
    """An allowance for each name, such as an address; a name that is silent for long enough is forgotten.

    Times are microseconds.
    """

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._known: OrderedDict[Hashable, tuple[int, Allowance]] = OrderedDict()  # the longest silent first

    def __len__(self) -> int:
        return len(self._known)

    def take(self, name: Hashable, now: int, count: int = 1) -> bool:
        """Use up ``count`` of a name's allowance and return True; False, at no cost, when it is too much."""
        self._forget(now)
        known = self._known.pop(name, None)
        allowance = known[1] if known else Allowance(self._per_second, now)
        self._known[name] = now, allowance
        return allowance.take(now, count)

    def _forget(self, now: int) -> None:
        while self._known:
            at, _allowance = next(iter(self._known.values()))
            # after this long an allowance is full again
            if now - at < BURST_SECONDS * SECOND and len(self._known) < MAX_NAMES:
                return
            self._known.popitem(last=False)
