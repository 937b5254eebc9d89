"""Passes what the referee observes on to a watcher: the bot's faults, and that something changed."""

from referee.cards import Seat
from referee.core.observer import Observer
from referee.match.effects import MatchSetup
from referee.match.faults import Fault
from tournaments.check.monitor import Monitor


class Faults(Observer):
    """Passes the bot's faults on, and that sessions and matches are over."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor

    def fault(self, setup: MatchSetup, seat: Seat, fault: Fault) -> None:
        """Record a fault."""
        if setup.entries[seat] == self._monitor.entry:
            self._monitor.fault(setup, fault)

    def session_ended(self, *_: object) -> None:
        """Record that a session is over."""
        self._monitor.changed()

    def match_finished(self, *_: object) -> None:
        """Record that a table is free again."""
        self._monitor.changed()
