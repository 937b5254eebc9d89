"""What bots may send: one entry over all its sessions, and all strangers from one address together.

Each question grants the session what its answer takes (see `Session.tell`); only what goes beyond that
is charged here. Allowances belong to the entry and not to the session, so that neither more instances nor a
new session have more of them. All times here are real ones: the game clock stands while the referee is late,
and with it a flood would slow its own limits down.
"""

from typing import Final

from referee.core.limits import BURST_SECONDS, Allowances, Limits
from referee.core.session import Ended, Session
from referee.match.clock import SECOND
from referee.match.messages import Reason

STALL_RATE: Final = 20_000
"""Microseconds per second for which one entry's frames may stop the clocks; twice that at once."""

RETOLD_RATE: Final = 1_000
"""Events per second that an entry's sessions may be told again."""


class Budgets:
    """The allowances of all entries, and of all addresses."""

    def __init__(self, limits: Limits) -> None:
        self._frames = Allowances(limits.frames_per_second)
        self._answers = Allowances(limits.answers_per_second)
        self._bytes = Allowances(limits.bytes_per_second)
        self._of_strangers = Allowances(limits.bytes_per_second)  # by address
        self._stalls = Allowances(STALL_RATE)
        self._retold: dict[str, int] = {}  # by entry: when the events that it was told again are paid off

    def hear(self, session: Session, frame: bytes, real: int) -> None:
        """Charge a frame before it is decoded.

        Raises:
            Ended: the entry has sent too many frames, or too many bytes.
        """
        entry = session.entry
        if not entry:
            # not counted one by one: any number of bots may come from one address
            if not self._of_strangers.take(session.peer, real, len(frame)):
                text = "bots that have not said hello send too much from this address"
                raise Ended(Reason.RATE_LIMITED, text)
            return
        beyond = session.frames.use(1)
        if beyond and not self._frames.take(entry, real, beyond):
            raise Ended(Reason.RATE_LIMITED, "the bot sends frames faster than it may")
        beyond = session.bytes.use(len(frame))
        if beyond and not self._bytes.take(entry, real, beyond):
            raise Ended(Reason.RATE_LIMITED, "the bot sends more bytes than it may")

    def hear_answers(self, session: Session, count: int, real: int) -> None:
        """Charge answers, seats taken and seats refused, before they are given to their matches.

        Raises:
            Ended: there are too many of them.
        """
        beyond = session.answers.use(count)
        if beyond and not self._answers.take(session.entry, real, beyond):
            raise Ended(Reason.RATE_LIMITED, "the bot sends answers faster than it may")

    def hear_stall(self, entry: str, micros: int, real: int) -> None:
        """Charge a stall to the entry whose idle frames caused it.

        Raises:
            Ended: it has caused too many.
        """
        if not self._stalls.take(entry, real, micros):
            raise Ended(Reason.RATE_LIMITED, "the frames of this bot take too much of the referee's time")

    def hear_rejoin(self, entry: str, count: int, real: int) -> None:
        """Charge events that a hello has told again.

        A bot that has lost everything is told everything, however much that is; the next time has to wait.

        Raises:
            Ended: what was told before is not paid off.
        """
        if not count:
            return
        paid_at = max(self._retold.get(entry, 0), real)
        if paid_at - real > BURST_SECONDS * SECOND:
            text = "the bot reconnects too often; wait some seconds before the next attempt"
            raise Ended(Reason.RATE_LIMITED, text)
        self._retold = {name: at for name, at in self._retold.items() if at > real}
        self._retold[entry] = paid_at + count * SECOND // RETOLD_RATE
