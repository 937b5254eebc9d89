"""What one bot may cost: every limit with its default, its bounds and the reason that a bot is given."""

import dataclasses
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

from referee.clock import SECOND
from referee.updates import Reason


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
    sessions: int = _limit(4096, 1, 1 << 20, Reason.TOO_MANY_SESSIONS, "sessions at once")
    sessions_per_peer: int = _limit(
        2048, 1, 1 << 20, Reason.TOO_MANY_SESSIONS, "sessions at once from one address of the network"
    )
    sessions_per_entry: int = _limit(
        16, 1, 1 << 20, Reason.TOO_MANY_SESSIONS, "sessions at once of one entry, each another instance"
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
        "frames of one session beyond one for each decision and frame sent to it",
    )
    answers_per_second: int = _limit(
        100, 1, 1 << 20, Reason.RATE_LIMITED, "answers of one session beyond one for each decision"
    )
    calls_per_second: int = _limit(
        100, 1, 1 << 20, Reason.RATE_LIMITED, "calls, other than sessions, from one address of the network"
    )
    calls_per_peer: int = _limit(
        64, 1, 1 << 20, Reason.RATE_LIMITED, "calls, other than sessions, from one address at once"
    )
    hellos_per_second: int = _limit(
        20, 1, 1 << 20, Reason.RATE_LIMITED, "sessions that one entry opens, one after the other or at once"
    )
    hellos_awaited: int = _limit(
        1024, 1, 1 << 20, Reason.TOO_MANY_SESSIONS, "sessions from one address that have not said hello"
    )
    hello_seconds: int = _limit(10, 1, 3600, Reason.IDLE, "until a new session must have said hello")
    idle_seconds: int = _limit(
        120,
        1,
        86_400,
        Reason.IDLE,
        "without a frame from a bot that is asked nothing; heartbeats are acknowledged",
    )
    heartbeat_seconds: int = _limit(
        15, 0, 3600, None, "until a bot that nothing is told gets a heartbeat; 0: never, and none is idle"
    )
    keepalive_seconds: int = _limit(5, 1, 3600, None, "between pings of a silent connection")
    keepalive_timeout_seconds: int = _limit(
        3, 1, 3600, None, "until a connection is closed that does not answer"
    )
    handshake_seconds: int = _limit(10, 1, 3600, None, "until a new connection must be made, TLS included")
    connections: int = _limit(8192, 1, 1 << 20, None, "connections at once; more are closed at once")
    streams_per_connection: int = _limit(64, 1, 4096, None, "streams of one connection; more have to wait")
    metadata_bytes: int = _limit(8192, 1024, 1 << 16, None, "the metadata of one call")

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value, low, high = getattr(self, field.name), field.metadata["low"], field.metadata["high"]
            if not low <= value <= high:
                raise BadLimit(f"{field.name} must be a whole number from {low} to {high}, is {value}")
        if self.heartbeat_seconds >= self.idle_seconds:
            raise BadLimit(
                f"heartbeat_seconds must be less than idle_seconds ({self.idle_seconds}), or bots that wait"
                f" would be taken for silent; it is {self.heartbeat_seconds}"
            )


DEFAULT: Final = Limits()
"""The limits of a referee that is told no others."""

LIMITS: Final = {field.name: field for field in dataclasses.fields(Limits)}
"""Every limit by name; a field's ``default`` and ``metadata`` (low, high, reason, text) describe it."""

BURST_SECONDS: Final = 2
"""What a session may send at once is what it may send in so many seconds."""


class Allowance:
    """How much may still come: so many a second, and what else is granted, of which ``most`` are kept.

    Times are microseconds. What is saved up never exceeds two seconds' worth.
    """

    __slots__ = ("_at", "_granted", "_most", "_rate", "_saved")

    def __init__(self, rate: int, now: int, most: int = 0) -> None:
        self._rate = rate
        self._most = most
        self._saved = rate * BURST_SECONDS * SECOND  # in millionths, so that nothing is rounded
        self._granted = 0
        self._at = now

    def grant(self) -> None:
        """Allow one more."""
        self._granted = min(self._most, self._granted + 1)

    def take(self, now: int, count: int = 1) -> bool:
        """Use up what ``count`` cost, first of what was granted; False, at no cost, when that is too much."""
        most = self._rate * BURST_SECONDS * SECOND
        self._saved = min(most, self._saved + (now - self._at) * self._rate)
        self._at = now
        granted = min(self._granted, count)
        cost = (count - granted) * SECOND
        if cost > self._saved:
            return False
        self._granted -= granted
        self._saved -= cost
        return True


MAX_NAMES: Final = 16_384
"""Of so many names `Allowances` are kept; of more, the one that was silent for longest is forgotten."""


class Allowances:
    """An allowance for each name, such as an address; who is silent for long enough is forgotten.

    Times are microseconds.
    """

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._known: OrderedDict[str, tuple[int, Allowance]] = OrderedDict()  # the longest silent first

    def __len__(self) -> int:
        return len(self._known)

    def take(self, name: str, now: int) -> bool:
        """Use up one of what a name has; False, at no cost, when nothing is left."""
        self._forget(now)
        known = self._known.pop(name, None)
        allowance = known[1] if known else Allowance(self._per_second, now)
        self._known[name] = now, allowance
        return allowance.take(now)

    def _forget(self, now: int) -> None:
        while self._known:
            at, _allowance = next(iter(self._known.values()))
            # after so long an allowance is as good as new
            if now - at < BURST_SECONDS * SECOND and len(self._known) < MAX_NAMES:
                return
            self._known.popitem(last=False)
