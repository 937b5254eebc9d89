"""The matches of a tournament that are being played."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from referee.match.effects import MatchSetup, Owner
from referee.match.faults import Termination
from referee.server.runtime import REJOIN_GRACE, FinishedMatch, Referee
from tournaments.running.activity import MOST_TOLD, Playing
from tournaments.running.executor import Executor
from tournaments.running.hosted_bots import HostedBots
from tournaments.store import Issued

MAX_VOIDS: Final = 3
"""How often a match may be void: the referee fails on it each time."""


@dataclass(frozen=True, slots=True)
class MatchInPlay:
    """A match that is being played, and how often its bots had been lost by their hosts when it began.

    When it ``is_unattended``, no side had all its bots there, and its start clock decides who forfeits.
    ``over`` is done when it is over.
    """

    issued: Issued
    owners: tuple[Owner, ...]
    host_losses: int
    since: int  # when it began here
    is_unattended: bool
    over: asyncio.Future[FinishedMatch] = field(compare=False)
    executor: Executor = field(compare=False)


class InPlay:
    """The matches that are being played, from when they begin until their result is settled.

    ``wake`` is called whenever one is over; ``now`` is a clock in microseconds.
    """

    def __init__(
        self, referee: Referee, bots: HostedBots, *, wake: Callable[[], None], now: Callable[[], int]
    ) -> None:
        self._referee = referee
        self._bots = bots
        self._wake = wake
        self._now = now
        self._matches: dict[str, MatchInPlay] = {}
        self._voids: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._matches)

    def __iter__(self) -> Iterator[MatchInPlay]:
        return iter(self._matches.values())

    @property
    def here(self) -> list[MatchInPlay]:
        """Return the matches that are played at the referee of this process."""
        return [each for each in self if each.executor is self._referee]

    @property
    def ids(self) -> frozenset[str]:
        """Return the ids of the matches."""
        return frozenset(self._matches)

    def told(self) -> tuple[Playing, ...]:
        """Return what `status` shows of the first matches."""
        now = self._now()
        playing = (
            Playing(each.issued.match_id, each.issued.attempt, each.issued.entries, now - each.since)
            for each in self
        )
        return tuple(islice(playing, MOST_TOLD))

    def is_unattended(self, owner: Owner) -> bool:
        """Return whether a bot plays a match in which no side is complete."""
        return any(each.is_unattended and owner in each.owners for each in self)

    def play(
        self,
        issued: Issued,
        setup: MatchSetup,
        owners: tuple[Owner, ...],
        *,
        is_unattended: bool = False,
        elsewhere: Executor | None = None,
    ) -> None:
        """Play a match, or go on with one that is being played; at the referee, or ``elsewhere``."""
        executor = elsewhere or self._referee
        over = executor.play(setup, owners)
        over.add_done_callback(lambda _future: self._wake())
        losses, now = self._host_losses(owners), self._now()
        self._matches[issued.match_id] = MatchInPlay(
            issued, owners, losses, now, is_unattended, over, executor
        )

    def over(self) -> Iterator[tuple[MatchInPlay, FinishedMatch]]:
        """Yield the matches that are over by now, with what the referee reports.

        Raises:
            RefereeFailed: the referee could not go on.
        """
        for match in [match for match in self if match.over.done()]:
            yield match, match.over.result()

    def remove(self, match: MatchInPlay) -> None:
        """Remove a match whose result is stored and settled."""
        del self._matches[match.issued.match_id]

    def cancel(self) -> None:
        """End all matches without a result."""
        for match in self:
            match.executor.cancel(match.issued.match_id)

    def attempt(self, match_id: str) -> Issued | None:
        """Return the attempt that is being played, None when there is none or it is over."""
        match = self._matches.get(match_id)
        return None if match is None or match.over.done() else match.issued

    def end(self, attempts: Iterable[Issued]) -> None:
        """End attempts without a result, as far as they are still being played."""
        for issued in attempts:
            if self.attempt(issued.match_id) == issued:
                self._matches[issued.match_id].executor.cancel(issued.match_id)

    def end_of(self, entries: Set[str]) -> None:
        """End all matches of some entries without a result."""
        self.end([each.issued for each in self if not entries.isdisjoint(each.issued.entries)])

    def fails_on(self, match: MatchInPlay, termination: Termination) -> bool:
        """Count a match that ended without a result, and return whether the referee fails on it.

        It does when the match was void so often, and not because a bot was lost without its fault.
        """
        name = match.issued.match_id
        is_void = termination is Termination.VOID  # and not cancelled by an organiser
        if is_void and self._host_losses(match.owners) == match.host_losses:
            self._voids[name] += 1
        return self._voids[name] >= MAX_VOIDS

    def forget_voids(self, match_id: str | None = None) -> None:
        """Forget how often a match was void, or how often all were."""
        if match_id is None:
            self._voids.clear()
        else:
            self._voids.pop(match_id, None)

    def wait_for_hosted(self) -> None:
        """Stop the clocks of resumed matches until their hosted bots, which start in turn, can be there.

        `HostedBots` decides whether a bot has started and how often it is tried; lost bots forfeit at once.
        """
        hosted = {owner for each in self for owner in each.owners if self._bots.awaits(owner)}
        grace = max(REJOIN_GRACE, self._bots.longest_start(len(hosted)))
        for each in self.here:
            if not hosted.isdisjoint(each.owners):
                self._referee.wait_for_bots(each.issued.match_id, grace)

    def _host_losses(self, owners: Iterable[Owner]) -> int:
        """Return how often bots of a match were lost without their fault."""
        return sum(self._bots.host_losses[owner] for owner in owners)
