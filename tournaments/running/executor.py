"""Where matches are played: at the referee of this process, or elsewhere."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from referee.match.effects import MatchSetup, Owner
from referee.server.runtime import FinishedMatch


class Executor(Protocol):
    """Plays matches; `referee.server.runtime.Referee` is the one of this process."""

    def play(self, setup: MatchSetup, owners: tuple[Owner, ...]) -> asyncio.Future[FinishedMatch]:
        """Play a match; the future holds its report, once its record is written.

        The future fails where the run cannot go on.
        """

    def cancel(self, match_id: str) -> object:
        """End a match without a result; its future holds that, too."""


@dataclass(frozen=True, slots=True)
class Machines:
    """So many machines with their processors, and the ``matches`` that they have and that are not over."""

    machines: int
    processors: int
    matches: int

    def __str__(self) -> str:
        machines, processors = self.machines, self.processors
        return (
            f"{machines} machine{'s' * (machines != 1)}"
            f" with {processors} processor{'s' * (processors != 1)} in all"
        )


class OtherMachines(Executor, Protocol):
    """Plays matches away from this process, and has their bots started there."""

    @property
    def machines(self) -> Machines:
        """Return the machines as they are now."""

    @property
    def room(self) -> int:
        """Return how many more matches it takes now."""

    def takes(self, entries: Sequence[str]) -> bool:
        """Return whether it plays the matches of these entries."""

    def flush(self) -> None:
        """Begin to play what it was given: no more comes for now."""
