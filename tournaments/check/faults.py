"""What a referee tells a watcher: the bot's faults, and that there may be something to look at."""

from referee.cards import Seat
from referee.effects import MatchSetup
from referee.faults import Fault
from referee.observer import Observer
from tournaments.check.watch import Watch


class Faults(Observer):
    """Passes the bot's faults on, and that sessions and matches are over."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def fault(self, setup: MatchSetup, seat: Seat, fault: Fault) -> None:
        """Take note of a fault."""
        if setup.entries[seat] == self._watch.entry:
            self._watch.fault(setup, fault)

    def session_ended(self, *_: object) -> None:
        """Take note that a session is over."""
        self._watch.changed()

    def match_finished(self, *_: object) -> None:
        """Take note that a table is free again."""
        self._watch.changed()
