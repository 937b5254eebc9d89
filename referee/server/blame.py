"""Which bot made the referee late: the processor time that each bot's frames took since the last pulse."""

from dataclasses import dataclass

from referee.core.session import Session


@dataclass(slots=True)
class Cause:
    """The processor time of one entry's frames in microseconds; ``idle`` counts unasked ones.

    ``entry`` is empty for bots that have not said hello; ``session`` is the number of the one that sent the
    last idle frame.
    """

    entry: str
    session: int = 0
    cost: int = 0
    idle: int = 0


class Blame:
    """Adds up the cost of frames between two pulses, by entry.

    Processor time is counted, so that no bot is blamed for a machine that stood still.
    """

    def __init__(self) -> None:
        self._causes: dict[str, Cause] = {}

    def add(self, session: Session, cost: int, *, asked: bool) -> None:
        """Add a frame; it is ``asked`` when it held something that a match was waiting for."""
        entry = session.entry
        if (cause := self._causes.get(entry)) is None:
            cause = self._causes[entry] = Cause(entry)
        cause.cost += cost
        if not asked:
            cause.idle += cost
            cause.session = session.number  # which may be gone by the next pulse

    def take(self, late: int) -> Cause | None:
        """Reset; return the entry whose frames took over half of the time by which a pulse was late."""
        causes, self._causes = self._causes, {}
        worst = max(causes.values(), key=lambda cause: cause.cost, default=None)
        return worst if worst and 2 * worst.cost > late > 0 else None
