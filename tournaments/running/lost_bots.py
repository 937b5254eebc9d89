"""What becomes of the matches of lost bots: they forfeit, but not before anything is played."""

from collections.abc import Callable, Iterable

from referee.match.effects import Owner
from referee.server.runtime import Referee
from tournaments.running.errors import RunFailed
from tournaments.running.hosted_bots import HostedBots
from tournaments.running.store_outage import Patience


class LostBots:
    """Has the bots forfeit that will not come back; while it ``holds`` they forfeit nothing.

    Several bots that are lost before they have played point to this machine, or to what they have in common.
    ``has_results`` asks the store whether anything is played, through ``stored``.
    """

    def __init__(
        self,
        bots: HostedBots,
        referee: Referee,
        *,
        has_results: Callable[[], bool],
        stored: Patience,
        wake: Callable[[], None],
        holds: bool,
    ) -> None:
        self.holds = holds
        self._bots = bots
        self._referee = referee
        self._has_results = has_results
        self._stored = stored
        self._wake = wake

    async def check(self) -> None:
        """Hold on to what lost bots play as long as nothing is played, and end the run when several are lost.

        Raises:
            RunFailed: several are lost, and nothing is played.
        """
        if not (self.holds and self._bots.lost):
            return
        if await self._stored(self._has_results):
            self.let_forfeit()
            return
        lost = {owner[0]: lost for owner, lost in self._bots.lost.items()}
        if len(lost) > 1:
            words = "\n".join(each.last_words for each in lost.values())
            raise RunFailed(
                f"{len(lost)} bots are lost and nothing is played yet, so nothing is forfeited: see what they"
                f" lack, and run it again\n{words}"
            )

    def let_forfeit(self) -> None:
        """Have lost bots forfeit from now on."""
        self.holds = False
        for owner in self._bots.lost:
            self._referee.abandon(owner)
        self._wake()

    def are_in_all(self, in_play: Iterable[tuple[Owner, ...]]) -> bool:
        """Return whether it holds, and every match in play, by its owners, lacks a lost bot."""
        lost = self._bots.lost.keys()
        return self.holds and bool(lost) and not any(lost.isdisjoint(owners) for owners in in_play)
