"""The clocks of one match computed a second time, from the times in its record, interval by interval."""

from dataclasses import dataclass, field
from typing import Any

from referee.match.clock import ClockSettings
from referee.match.faults import Fault
from tests.simulation.witness import Violation


@dataclass(slots=True)
class _SeatBook:
    """What is known of one seat's time: when it was asked, and when its clock stood."""

    bank: int
    lag: int
    asked: int | None = None
    standing: list[tuple[int, int]] = field(default_factory=list)
    stands_from: int | None = None
    stands_to: int = 0
    answered: int = 0
    total: int = 0
    longest: int = 0

    def stand(self, now: int, until: int) -> None:
        self.go_on(now)
        self.stands_from, self.stands_to = now, until

    def go_on(self, now: int) -> None:
        if self.stands_from is not None:
            self.standing.append((self.stands_from, min(now, self.stands_to)))
            self.stands_from = None

    def elapsed(self, now: int) -> int:
        """Return how long the clock has gone since the seat was asked."""
        assert self.asked is not None
        if self.stands_from is not None and now > self.stands_from:
            stood = [*self.standing, (self.stands_from, min(now, self.stands_to))]
        else:
            stood = self.standing
        asked = self.asked
        return now - asked - sum(max(0, end - max(asked, begin)) for begin, end in stood)


class Timekeeper:
    """Follows a match input by input, and checks every clock that it shows."""

    def __init__(self, seats: int, clock: ClockSettings) -> None:
        self._clock = clock
        self._seats = [_SeatBook(clock.bank, clock.lag_cap) for _ in range(seats)]

    def take(self, line: dict[str, Any]) -> None:
        """Take an input of the record before what follows from it."""
        now = line["at"]
        if line["kind"] == "restarted":
            for book in self._seats:
                book.stand(now, now + line["grace"])
        elif line["kind"] == "back":
            self._seats[line["seat"]].go_on(now)
        elif line["kind"] == "answer":
            self._charge(self._seats[line["seat"]], now)

    def _charge(self, book: _SeatBook, now: int) -> None:
        elapsed = book.elapsed(now)
        over = max(0, elapsed - self._clock.move)
        forgiven = min(over, self._clock.lag, book.lag)
        book.lag -= forgiven
        book.bank = max(0, book.bank - (over - forgiven)) + self._clock.increment
        book.answered += 1
        book.total += elapsed
        book.longest = max(book.longest, elapsed)
        book.asked = None

    def asked(self, seat: int, now: int, bank: int) -> None:
        """Record a decision, and check the bank that is told with it.

        Raises:
            Violation: it is not what is left.
        """
        book = self._seats[seat]
        book.asked = now
        if bank != book.bank or bank < 0:
            raise Violation(f"seat {seat} is told of {bank} µs in its bank, where {book.bank} are left")

    def ran_out(self, seat: int, now: int, fault: Fault) -> None:
        """Record a decision that ran out, and check that it was time.

        Raises:
            Violation: it was not.
        """
        book = self._seats[seat]
        allowed = self._clock.move + min(self._clock.lag, book.lag) + book.bank
        if (elapsed := book.elapsed(now)) <= allowed:
            raise Violation(f"seat {seat} is {fault.name} after {elapsed} µs of {allowed}")
        book.lag -= min(self._clock.lag, book.lag)
        book.bank = 0
        book.asked = None

    def check(self, seat: int, answered: int, total: int, longest: int) -> None:
        """Check what the result says of a seat's time.

        Raises:
            Violation: it is not so.
        """
        book = self._seats[seat]
        if (answered, total, longest) != (book.answered, book.total, book.longest):
            raise Violation(
                f"seat {seat} is charged {total} µs, {longest} at most, for {answered} answers;"
                f" {book.total}, {book.longest} and {book.answered} are right"
            )
