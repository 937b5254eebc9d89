"""Who is told what goes on in a referee: for logs and metrics."""

import logging
import traceback
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from referee.cards import Seat
from referee.effects import MatchSetup, Outcome
from referee.faults import Fault
from referee.updates import Reason

_log: Final = logging.getLogger(__name__)


class Observer:
    """Is told what goes on in a referee, and by itself logs its own errors and does nothing with the rest.

    Nothing that it is told about a running match holds a card, nor does it hold a token. ``peer`` is the
    other end's address without its port.
    """

    def session_opened(self, entry: str, instance: str, peer: str, agent: str) -> None:
        """Take note that a bot has said hello and is welcome."""

    def session_ended(self, entry: str, instance: str, peer: str, reason: Reason | None) -> None:
        """Take note that a session is over; names are empty before its hello.

        ``reason`` is None when the bot said goodbye or its stream ended.
        """

    def refused(self, entry: str, match_id: str, reason: Reason) -> None:
        """Take note that an answer was refused."""

    def match_opened(self, setup: MatchSetup, *, recovered: bool) -> None:
        """Take note of a new table, or of one that goes on after a restart."""

    def match_finished(self, setup: MatchSetup, outcome: Outcome) -> None:
        """Take note that a match is over."""

    def answered(self, setup: MatchSetup, seat: Seat, elapsed: int) -> None:
        """Take note that an answer closed a decision, after so many microseconds."""

    def fault(self, setup: MatchSetup, seat: Seat, fault: Fault) -> None:
        """Take note of a fault."""

    def seat_lost(self, setup: MatchSetup, seat: Seat) -> None:
        """Take note that a seat of a running match has no session any more."""

    def seat_taken(self, setup: MatchSetup, seat: Seat) -> None:
        """Take note that a seat has a session, the first or another one."""

    def stalled(self, late: int) -> None:
        """Take note that the referee was late by so many microseconds, for which all clocks stood."""

    def failed(self, what: str, error: BaseException, match_id: str = "") -> None:
        """Take note of an error of the referee's own; its text must be shown nowhere: it can hold cards."""
        where = f"{what} {match_id}".rstrip()
        _log.error("%s failed: %s", where, trace_of(error))


UNOBSERVED: Final = Observer()
"""For a referee that nobody looks at."""


class Observers(Observer):
    """Pass everything on to several observers, in their order; an error of one of them harms nobody else."""

    def __init__(self, *observers: Observer) -> None:
        for name in vars(Observer):
            if not name.startswith("_"):
                setattr(self, name, partial(_tell, [getattr(observer, name) for observer in observers]))


def _tell(told: Iterable[Callable[..., None]], *args: object, **kwargs: object) -> None:
    for tell in told:
        try:
            tell(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - whoever looks on must not change what happens
            _log.error("an observer failed: %s", trace_of(error))


def trace_of(error: BaseException) -> str:
    """Return where an error came from, without its text."""
    return f"{type(error).__name__} in\n{''.join(traceback.format_tb(error.__traceback__))}"
