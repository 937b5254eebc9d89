"""The clock of one seat, as arithmetic on given times. All times are integer microseconds.

A decision may take the move time; what it takes beyond comes from the bank, which lasts the whole match and
grows by the increment after each answer in time. Before the bank is touched, up to ``lag`` of every decision
is attributed to the network, at most ``lag_cap`` in one match.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NewType

Micros = NewType("Micros", int)

SECOND: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockSettings:
    """How long bots may think, in microseconds; `start` is how long they have to become ready."""

    move: int
    bank: int
    increment: int = 0
    lag: int = 100_000
    lag_cap: int = 5 * SECOND
    start: int = 30 * SECOND


PROFILES: Final[Mapping[str, ClockSettings]] = MappingProxyType(
    {
        "standard": ClockSettings(move=2 * SECOND, bank=60 * SECOND),
        "fast": ClockSettings(move=SECOND // 4, bank=10 * SECOND, start=20 * SECOND),
        # for language models: a reply takes seconds, and now and then it is asked for again
        "patient": ClockSettings(move=180 * SECOND, bank=1_800 * SECOND, start=180 * SECOND),
        # for a bot under a debugger: nobody loses on time while its author reads
        "debug": ClockSettings(move=3_600 * SECOND, bank=3_600 * SECOND, start=3_600 * SECOND),
    }
)


class SeatClock:
    """What is left of one seat's time in a match, and how it was spent: ``thought`` over all answers.

    ``allowed`` is how long the next decision may take in all.
    """

    __slots__ = ("_lag_left", "_settings", "allowed", "answered", "bank", "longest", "thought")

    def __init__(self, settings: ClockSettings) -> None:
        self._settings = settings
        self._lag_left = settings.lag_cap
        self.answered = 0
        self.thought = 0
        self.longest = 0
        self._set_bank(settings.bank)

    def charge(self, elapsed: int) -> None:
        """Charge an answer that took ``elapsed``; the bank never falls below zero."""
        self.answered += 1
        self.thought += elapsed
        if elapsed > self.longest:
            self.longest = elapsed
        settings = self._settings
        if elapsed > settings.move:
            over = elapsed - settings.move
            forgiven = min(over, self._lag_allowance())
            self._lag_left -= forgiven
            self._set_bank(max(0, self.bank - (over - forgiven)))
        if settings.increment:
            self._set_bank(self.bank + settings.increment)

    def run_out(self) -> None:
        """Charge a decision that was late: only the move time is left."""
        self._lag_left -= self._lag_allowance()
        self._set_bank(0)

    def _set_bank(self, bank: int) -> None:
        """Set the bank, and what is allowed with it and with the lag that is left now."""
        self.bank = Micros(bank)
        self.allowed = self._settings.move + self._lag_allowance() + bank

    def _lag_allowance(self) -> int:
        return min(self._settings.lag, self._lag_left)
