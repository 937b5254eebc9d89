"""Logs of a referee: one line per event, as text (logfmt) or JSON."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from threading import Lock
from typing import Any, Final, TextIO

import structlog
from structlog.typing import FilteringBoundLogger, Processor

from referee.cards import Seat
from referee.core.limits import LIMITS
from referee.core.observer import Observer, trace_of
from referee.match.clock import SECOND
from referee.match.effects import MatchSetup, Outcome
from referee.match.faults import Fault
from referee.match.messages import Reason

MAX_TEXT: Final = 200  # characters of a value; bots choose names of at most as many
_TRACE: Final = "trace"  # the only field that may be longer, since the referee itself writes it
_HEAD: Final = ("timestamp", "level", "event")
_STALLS_APART: Final = SECOND
_REFUSALS_APART: Final = SECOND
_LONG_STALL: Final = SECOND // 10
_UNREADABLE_APART: Final = 60 * SECOND
_CROWDS_APART: Final = 60 * SECOND
_CROWDED: Final = 0.8  # of the connections that there may be
_OF_LIMITS: Final = {field.metadata["reason"] for field in LIMITS.values()} - {None}

# the loggers of `logging` whose records are shown too
_OURS: Final = "referee"
_STRANGERS: Final = ("grpc", "asyncio")


class Form(StrEnum):
    """How a line is written."""

    TEXT = "text"
    JSON = "json"


def configure(stream: TextIO, form: Form, level: int) -> FilteringBoundLogger:
    """Return a logger that writes lines to a stream, from a level of `logging` upwards.

    Several threads may use it. A line that cannot be written is dropped; the next one says how many were
    lost before it.
    """
    stamped: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _losses_told,
        _trimmed,
    ]
    shown: dict[Form, list[Processor]] = {
        Form.TEXT: [_printable, structlog.processors.LogfmtRenderer(bool_as_flag=False)],
        Form.JSON: [structlog.processors.JSONRenderer()],
    }
    log: FilteringBoundLogger = structlog.wrap_logger(
        _LineWriter(stream),
        processors=[*stamped, *shown[form]],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        context_class=dict,
        cache_logger_on_first_use=False,
    ).bind()
    return log


@contextmanager
def taking_records(log: FilteringBoundLogger) -> Iterator[None]:
    """Write what the project, gRPC and asyncio log by `logging` to the same log while the context lasts."""
    handler = _Records(log)
    with ExitStack() as stack:
        for name in (_OURS, *_STRANGERS):
            logger = logging.getLogger(name)
            stack.callback(logger.setLevel, logger.level)
            stack.callback(logger.removeHandler, handler)
            logger.setLevel(log.get_effective_level())
            logger.addHandler(handler)
        yield


class Logs(Observer):
    """Writes a line for each event; ``now`` returns the microseconds of a clock that never goes back."""

    def __init__(self, log: FilteringBoundLogger, now: Callable[[], int]) -> None:
        self._log = log
        self._now = now
        self._late = 0
        self._costs: Counter[str] = Counter()  # of the stalls that are not logged yet, by entry
        self._stalls_told: int | None = None
        self._refused: Counter[Reason] = Counter()  # since the last line about them
        self._refusals_told: dict[Reason, int] = {}
        self._crowd_told: int | None = None
        self._unreadable = 0
        self._unreadable_told: int | None = None

    def session_opened(self, entry: str, instance: str, peer: str, agent: str) -> None:
        """Log that a bot has come."""
        self._tell(logging.INFO, "session_opened", entry=entry, instance=instance, peer=peer, agent=agent)

    def session_refused(self, peer: str, reason: Reason) -> None:
        """Log refused streams, at most once a second for each reason; the next line counts all since."""
        count = self._refused[reason] = self._refused[reason] + 1
        now = self._now()
        if now - self._refusals_told.get(reason, -_REFUSALS_APART) >= _REFUSALS_APART:
            level = logging.WARNING if reason in _OF_LIMITS else logging.INFO
            self._tell(level, "session_refused", peer=peer, reason=reason.name.lower(), count=count)
            self._refused[reason], self._refusals_told[reason] = 0, now

    def session_ended(self, entry: str, instance: str, peer: str, reason: Reason | None) -> None:
        """Log that a bot has gone, as a warning when a limit was the reason."""
        level = logging.WARNING if reason in _OF_LIMITS else logging.INFO
        told = "left" if reason is None else reason.name.lower()
        self._tell(level, "session_ended", entry=entry, instance=instance, peer=peer, reason=told)

    def refused(self, entry: str, match_id: str, reason: Reason) -> None:
        """Log a refused answer."""
        told = reason.name.lower()
        self._tell(logging.DEBUG, "answer_refused", match=match_id, entry=entry, reason=told)

    def match_opened(self, setup: MatchSetup, *, recovered: bool) -> None:
        """Log a new table."""
        self._tell(logging.INFO, "match_opened", **_match(setup), recovered=recovered)

    def match_finished(self, setup: MatchSetup, outcome: Outcome) -> None:
        """Log how a match ended."""
        self._tell(
            logging.INFO,
            "match_finished",
            **_match(setup),
            termination=outcome.termination.name.lower(),
            ranks=list(outcome.ranks),
            scores=list(outcome.scores),
            forfeited=list(outcome.forfeited),
        )

    def answered(self, setup: MatchSetup, seat: Seat, elapsed: int) -> None:
        """Log that there was an answer, but not which."""
        self._tell(logging.DEBUG, "answered", **_seat(setup, seat), seconds=elapsed / SECOND)

    def fault(self, setup: MatchSetup, seat: Seat, fault: Fault) -> None:
        """Log a fault."""
        self._tell(logging.INFO, "fault", **_seat(setup, seat), fault=fault.name.lower())

    def seat_lost(self, setup: MatchSetup, seat: Seat) -> None:
        """Log that a seat is empty."""
        self._tell(logging.INFO, "seat_lost", **_seat(setup, seat))

    def seat_taken(self, setup: MatchSetup, seat: Seat) -> None:
        """Log that a seat is taken."""
        self._tell(logging.INFO, "seat_taken", **_seat(setup, seat))

    def stalled(self, late: int, entry: str, cost: int) -> None:
        """Log how long the clocks stood still, at most once a second; the next line has the rest.

        If the frames of several entries caused it, the costliest is named.
        """
        self._late += late
        if cost:
            self._costs[entry] += cost
        self._tell_stalls()

    def connected(self, connections: int, most: int, peer: str, of_peer: int) -> None:
        """Log that hardly any connections are left, at most once a minute."""
        now = self._now()
        is_due = self._crowd_told is None or now - self._crowd_told >= _CROWDS_APART
        if is_due and connections >= _CROWDED * most:
            fields = {"connections": connections, "most": most, "peer": peer, "of_peer": of_peer}
            self._tell(logging.WARNING, "crowded", **fields)
            self._crowd_told = now

    def unreadable(self, peer: str) -> None:
        """Log such a call; then, at most once a minute, how many came since, with the last caller."""
        self._unreadable += 1
        now = self._now()
        if self._unreadable_told is None or now - self._unreadable_told >= _UNREADABLE_APART:
            self._tell(logging.WARNING, "unreadable_calls", peer=peer, calls=self._unreadable)
            self._unreadable, self._unreadable_told = 0, now

    def failed(self, what: str, error: BaseException, match_id: str = "") -> None:
        """Log where an error of the referee itself came from, without its text."""
        match = {"match": match_id} if match_id else {}
        self._tell(logging.ERROR, "failed", **match, what=what, trace=trace_of(error))

    def _tell(self, level: int, event: str, **fields: object) -> None:
        self._tell_stalls()
        self._log.log(level, event, **fields)

    def _tell_stalls(self) -> None:
        if not self._late:
            return
        now = self._now()
        if self._stalls_told is None or now - self._stalls_told >= _STALLS_APART:
            level = logging.WARNING if self._late >= _LONG_STALL else logging.INFO
            [(entry, cost)] = self._costs.most_common(1) or [("", 0)]
            self._log.log(level, "stalled", seconds=self._late / SECOND, entry=entry, cost=cost / SECOND)
            self._late, self._stalls_told = 0, now
            self._costs.clear()


def _match(setup: MatchSetup) -> dict[str, Any]:
    entries = [_cut(entry) for entry in setup.entries]
    return {"match": setup.match_id, "attempt": setup.attempt, "game": setup.game, "entries": entries}


def _seat(setup: MatchSetup, seat: Seat) -> dict[str, Any]:
    return {"match": setup.match_id, "seat": seat, "entry": setup.entries[seat]}


class _LineWriter:
    """Writes the lines of structlog; ``lost`` counts those that could not be written since the last one."""

    def __init__(self, stream: TextIO) -> None:
        self.lost = 0
        self._stream = stream
        self._lock = Lock()

    def write(self, line: str) -> None:
        with self._lock:
            try:
                self._stream.write(f"{line}\n")
                self._stream.flush()
            except (OSError, ValueError):
                self.lost += 1  # matches go on without the log
            else:
                self.lost = 0

    debug = info = warning = error = critical = write


class _Records(logging.Handler):
    """Passes records of `logging` on."""

    def __init__(self, log: FilteringBoundLogger) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        try:
            event, fields = _event_of(record)
            self._log.log(record.levelno, event, **fields)
        except Exception as error:  # noqa: BLE001 - whoever logs must not fail by it
            self._log.error("failed", what="a log record", trace=trace_of(error))


def _event_of(record: logging.LogRecord) -> tuple[str, Mapping[str, Any]]:
    """Return an event and its fields; no text of an error is among them, since it can hold cards.

    A record that has an ``event`` brings its fields by name, as its arguments.
    """
    if record.exc_info and record.exc_info[1]:
        # code that logs an error tends to put its text into the message
        return "failed", {"what": record.name, _TRACE: trace_of(record.exc_info[1])}
    if record.name.partition(".")[0] in _STRANGERS:
        # the arguments can be anything, errors too
        return str(record.msg).partition("\n")[0], {"logger": record.name}
    if (event := getattr(record, "event", None)) and isinstance(record.args, Mapping):
        return event, record.args
    return record.getMessage(), {"logger": record.name}


# Processors of structlog


def _losses_told(
    lines: _LineWriter, _method: str, fields: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    if lines.lost:
        fields["lost_before"] = lines.lost
    return fields


def _trimmed(_logger: object, _method: str, fields: MutableMapping[str, Any]) -> dict[str, Any]:
    """Put the head first, and cut what is too long."""
    head = {name: fields[name] for name in _HEAD}
    return {name: value if name == _TRACE else _cut(value) for name, value in {**head, **fields}.items()}


def _cut(value: Any) -> Any:
    return f"{value[: MAX_TEXT - 1]}…" if isinstance(value, str) and len(value) > MAX_TEXT else value


def _printable(_logger: object, _method: str, fields: MutableMapping[str, Any]) -> dict[str, Any]:
    """Escape what a terminal would obey, or could not print."""
    return {name: _spelled(value) if isinstance(value, str) else value for name, value in fields.items()}


def _spelled(text: str) -> str:
    # the renderer adds the end of the line
    kept = (c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)
    return "".join(kept)
