"""Observers of what goes on in a referee, for logs and metrics."""

import logging
import traceback
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from referee.cards import Seat
from referee.match.effects import MatchSetup, Outcome
from referee.match.faults import Fault
from referee.match.messages import Reason

_log: Final = logging.getLogger("referee.observer")  # as ever in logs


class Observer:
    """Is called with what goes on in a referee; this base logs the referee's own errors and ignores the rest.

    No call about a running match holds a card or a token. ``peer`` is the
    other end's address without its port.
    """

    def session_opened(self, entry: str, instance: str, peer: str, agent: str) -> None:
        """Record that a bot has said hello and was welcomed."""

    def session_refused(self, peer: str, reason: Reason) -> None:
        """Record that a stream was refused when it opened, before it was a session."""

    def session_ended(self, entry: str, instance: str, peer: str, reason: Reason | None) -> None:
        """Record that a session is over; names are empty before its hello.

        ``reason`` is None when the bot said goodbye or its stream ended.
        """

    def refused(self, entry: str, match_id: str, reason: Reason) -> None:
        """Record that an answer was refused."""

    def match_opened(self, setup: MatchSetup, *, recovered: bool) -> None:
        """Record a new table, or one that goes on after a restart."""

    def match_finished(self, setup: MatchSetup, outcome: Outcome) -> None:
        """Record that a match is over."""

    def answered(self, setup: MatchSetup, seat: Seat, elapsed: int) -> None:
        """Record that an answer closed a decision, after this many microseconds."""

    def fault(self, setup: MatchSetup, seat: Seat, fault: Fault) -> None:
        """Record a fault."""

    def seat_lost(self, setup: MatchSetup, seat: Seat) -> None:
        """Record that a seat of a running match lost its session."""

    def seat_taken(self, setup: MatchSetup, seat: Seat) -> None:
        """Record that a seat got a session, its first or another one."""

    def stalled(self, late: int, entry: str, cost: int) -> None:
        """Record that the referee was late by this many microseconds, during which all clocks stood still.

        ``entry`` is whose frames took most of that time, ``cost`` the microseconds of the processor that they
        took; the name is empty when it was nobody's in particular.
        """

    def connected(self, connections: int, most: int, peer: str, of_peer: int) -> None:
        """Record now and then how many of ``most`` connections there are.

        ``of_peer`` of them belong to ``peer``, the address with the most connections.
        """

    def unreadable(self, peer: str) -> None:
        """Record that a call was refused whose path is not text; no client of gRPC sends such a path."""

    def failed(self, what: str, error: BaseException, match_id: str = "") -> None:
        """Record an error of the referee itself; its text must not be shown, since it can hold cards."""
        where = f"{what} {match_id}".rstrip()
        _log.error("%s failed: %s", where, trace_of(error))


UNOBSERVED: Final = Observer()
"""An observer that does nothing."""


class Observers(Observer):
    """Passes everything on to several observers in order; an error in one does not affect the others.

    Where none of them listens to answers, which come at every decision, these cost nothing.
    """

    def __init__(self, *observers: Observer) -> None:
        pass_on(self, Observer, observers, _tell)
        if not any(map(hears_answers, observers)):
            del self.answered  # that of the base does nothing


def hears_answers(observer: Observer) -> bool:
    """Return whether an observer does anything when it is told of an answer, which is at every decision."""
    return getattr(observer.answered, "__func__", None) is not Observer.answered


def pass_on(
    broadcast: object,
    kind: type,
    observers: Iterable[object],
    tell: Callable[..., None],
) -> None:
    """Give an object the public methods of a kind of observer, to pass each call on to several of them.

    ``tell`` is called with the methods of all observers, in order, and with what the call was given.
    """
    each = tuple(observers)
    for name in vars(kind):
        if not name.startswith("_"):
            setattr(broadcast, name, partial(tell, [getattr(observer, name) for observer in each]))


def _tell(told: Iterable[Callable[..., None]], *args: object, **kwargs: object) -> None:
    for tell in told:
        try:
            tell(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - whoever looks on must not change what happens
            _log.error("an observer failed: %s", trace_of(error))


def trace_of(error: BaseException) -> str:
    """Return where an error came from, without its text."""
    return f"{type(error).__name__} in\n{''.join(traceback.format_tb(error.__traceback__))}"
