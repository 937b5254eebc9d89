"""Holds the updates of a match back until the next point of a grid in time.

The time that a player thinks can carry a message to a partner: a wait of a tenth of a second could mean
"hearts". On a grid, an update about an action shows only between which two points the action was.
"""

from referee.cards import Seat
from referee.match.effects import Effect, Tell
from referee.match.messages import Update


class Grid:
    """Holds back effects that tell something until the next point; ``width`` in microseconds, 0: none are.

    ``at`` is when the effects that are held back are due, None while there are none.
    """

    __slots__ = ("_begun", "_held", "_width", "at")

    def __init__(self, width: int) -> None:
        self._width = width
        self._begun = 0
        self._held: list[Tell] = []
        self.at: int | None = None

    @property
    def held(self) -> tuple[Tell, ...]:
        """Return what is held back."""
        return tuple(self._held)

    def begin(self, now: int) -> None:
        """Count the points from this time on."""
        self._begun = now

    def point(self, now: int) -> int:
        """Return the first point at or after a time."""
        return now + (self._begun - now) % self._width if self._width else now

    def holds(self, update: Update, now: int) -> bool:
        """Return whether an update is still held back at a time."""
        if self.at is None or now >= self.at:
            return False
        return any(tell.update is update for tell in self._held)

    def forget(self, seat: Seat, now: int) -> None:
        """Drop what is still held back for a seat: a bot that comes back is told everything again.

        What is due by now stays, since it would have been told had anybody asked for it in time.
        """
        if self.at is None or now >= self.at:
            return
        self._held = [tell for tell in self._held if tell.seat != seat]
        if not self._held:
            self.at = None

    def clear(self) -> None:
        """Drop all that is held back."""
        self._held = []
        self.at = None

    def pass_on(self, effects: list[Effect], now: int, *, at_once: bool) -> list[Effect]:
        """Return the effects that are due now, in order: those held back until now, and those not held back.

        With ``at_once`` nothing is.
        """
        if not self._width:
            return effects
        released: list[Effect] = []
        if self.at is not None and (at_once or now >= self.at):
            released += self._held
            self.clear()
        at = self.point(now)
        if at_once or at == now:
            return released + effects
        if held := [effect for effect in effects if isinstance(effect, Tell)]:
            self._held += held
            self.at = at
        return released + [effect for effect in effects if not isinstance(effect, Tell)]
