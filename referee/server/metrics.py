"""Metrics of a referee, and the page on which Prometheus reads them."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from enum import IntEnum
from itertools import product
from threading import Thread
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer
from prometheus_client.metrics import MetricWrapperBase

from referee.cards import Seat
from referee.core.observer import Observer
from referee.match.clock import SECOND
from referee.match.effects import MatchSetup, Outcome
from referee.match.faults import Fault, Termination
from referee.match.messages import Reason
from referee.server.addresses import CannotListen

BUCKETS: Final = (.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 20, 60, 120, 300)  # fmt: skip
"""The upper bounds of the histogram of decisions, in seconds."""

_LEFT: Final = "left"  # a session that no reason ended

_REQUEST_SECONDS: Final = 10
_HOST: Final = "127.0.0.1"  # what is served shows much to whoever asks
_POLL_SECONDS: Final = 0.05  # how long the end of the server takes at most


class Metrics(Observer):
    """Counts what happens in a referee, in its own registry.

    All labels are known beforehand and stand at zero from the start, so that the first fault counts as a
    change. ``games`` are the names of the games that are played.
    """

    def __init__(self, games: Iterable[str]) -> None:
        self.registry: Final = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        here: Any = {"namespace": "fairdeal", "registry": self.registry}
        self._sessions = Gauge("sessions", "Sessions open now", **here)
        self._sessions_opened = Counter("sessions_opened", "Sessions that were welcomed", **here)
        text = "Sessions that ended, also before a welcome; left: the bot ended it"
        self._sessions_ended = Counter("sessions_ended", text, ["reason"], **here)
        self._refusals = Counter("refusals", "Answers that were refused", ["reason"], **here)
        self._matches = Gauge("matches", "Matches running now", ["game"], **here)
        text = "Matches that went on after a restart of the referee"
        self._recovered = Counter("matches_recovered", text, ["game"], **here)
        text = "Matches that are over"
        self._finished = Counter("matches_finished", text, ["game", "termination"], **here)
        self._decisions = Counter("decisions", "Decisions that a bot answered", ["game"], **here)
        text = "How long bots thought about the decisions that they answered"
        self._seconds = Histogram("decision_seconds", text, ["game"], buckets=BUCKETS, **here)
        self._faults = Counter("faults", "Faults of bots", ["game", "fault"], **here)
        text = "Seats of running matches whose session was lost"
        self._seats_lost = Counter("seats_lost", text, **here)
        text = "How long all clocks stood because the referee was late"
        self._stalled = Counter("stalled_seconds", text, **here)
        text = "How long of that time the frames of one bot took; the log names the bot"
        self._stalled_by_bots = Counter("stalled_by_bots_seconds", text, **here)
        text = "Connections at the address of the bots, counted every ten seconds, on Linux"
        self._connections = Gauge("connections", text, **here)
        text = "Connections from the address that has the most"
        self._of_one = Gauge("connections_of_one_address", text, **here)
        text = "Calls whose path is not text; no gRPC client sends such calls"
        self._unreadable = Counter("unreadable_calls", text, **here)
        self._errors = Counter("errors", "Errors of the referee itself; its log says where", **here)
        self._start_at_zero(tuple(games))

    def _start_at_zero(self, games: tuple[str, ...]) -> None:
        reasons = tuple(map(_label, Reason))
        labels: dict[MetricWrapperBase, tuple[tuple[str, ...], ...]] = {
            self._sessions_ended: ((_LEFT, *reasons),),
            self._refusals: (reasons,),
            self._matches: (games,),
            self._recovered: (games,),
            self._finished: (games, tuple(map(_label, Termination))),
            self._decisions: (games,),
            self._seconds: (games,),
            self._faults: (games, tuple(map(_label, Fault))),
        }
        for metric, values in labels.items():
            for row in product(*values):
                metric.labels(*row)

    def session_opened(self, entry: str, instance: str, peer: str, agent: str) -> None:
        """Count a session."""
        self._sessions.inc()
        self._sessions_opened.inc()

    def session_ended(self, entry: str, instance: str, peer: str, reason: Reason | None) -> None:
        """Count the end of a session."""
        if entry:
            self._sessions.dec()
        self._sessions_ended.labels(_LEFT if reason is None else _label(reason)).inc()

    def session_refused(self, peer: str, reason: Reason) -> None:
        """Count a stream that was not let in."""
        self._sessions_ended.labels(_label(reason)).inc()

    def refused(self, entry: str, match_id: str, reason: Reason) -> None:
        """Count a refusal."""
        self._refusals.labels(_label(reason)).inc()

    def match_opened(self, setup: MatchSetup, *, recovered: bool) -> None:
        """Count a match."""
        self._matches.labels(setup.game).inc()
        if recovered:
            self._recovered.labels(setup.game).inc()

    def match_finished(self, setup: MatchSetup, outcome: Outcome) -> None:
        """Count the end of a match."""
        self._matches.labels(setup.game).dec()
        self._finished.labels(setup.game, _label(outcome.termination)).inc()

    def answered(self, setup: MatchSetup, seat: Seat, elapsed: int) -> None:
        """Count a decision and its time."""
        self._decisions.labels(setup.game).inc()
        self._seconds.labels(setup.game).observe(elapsed / SECOND)

    def fault(self, setup: MatchSetup, seat: Seat, fault: Fault) -> None:
        """Count a fault."""
        self._faults.labels(setup.game, _label(fault)).inc()

    def seat_lost(self, setup: MatchSetup, seat: Seat) -> None:
        """Count a lost seat."""
        self._seats_lost.inc()

    def stalled(self, late: int, entry: str, cost: int) -> None:
        """Add up the time for which the clocks stood still."""
        self._stalled.inc(late / SECOND)
        self._stalled_by_bots.inc(min(late, cost) / SECOND)

    def connected(self, connections: int, most: int, peer: str, of_peer: int) -> None:
        """Set how many connections there are."""
        self._connections.set(connections)
        self._of_one.set(of_peer)

    def unreadable(self, peer: str) -> None:
        """Count a call that was refused unread."""
        self._unreadable.inc()

    def failed(self, what: str, error: BaseException, match_id: str = "") -> None:
        """Count an error of the referee itself."""
        self._errors.inc()


def _label(member: IntEnum) -> str:
    return member.name.lower()


@asynccontextmanager
async def metrics_served(metrics: Metrics, port: int) -> AsyncIterator[str]:
    """Serve the page of metrics over HTTP on this machine while the context lasts, and yield its address.

    Port 0 is a free one. Pages are made in other threads, so that they come even while the referee is busy.

    Raises:
        CannotListen: the port is taken or not available.
    """
    page = make_wsgi_app(metrics.registry)
    try:
        server = make_server(_HOST, port, page, _Server, handler_class=_Requests)
    except OverflowError:
        raise _cannot(port, "ports are 0 to 65535") from None
    except OSError as error:
        raise _cannot(port, error.strerror or str(error)) from None
    thread = Thread(target=server.serve_forever, args=(_POLL_SECONDS,), daemon=True, name="metrics")
    thread.start()
    try:
        yield f"{_HOST}:{server.server_port}"
    finally:
        await asyncio.to_thread(server.shutdown)
        thread.join()
        server.server_close()


def _cannot(port: int, reason: str) -> CannotListen:
    text = f"cannot serve metrics on {_HOST}:{port}: {reason}"
    return CannotListen(f"{text}; choose another port, or 0 for a free one")


class _Server(ThreadingWSGIServer):
    allow_reuse_port = False  # a second server on the port must fail, not share it

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that went away, or that sends nothing."""


class _Requests(WSGIRequestHandler):
    timeout = _REQUEST_SECONDS

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing of what strangers send."""
