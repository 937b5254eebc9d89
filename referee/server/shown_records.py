"""Which records may be shown to anybody: of matches that are over, once their deals are played no more."""

import asyncio
from collections.abc import Iterator
from typing import Final

from referee.core.access import Denied
from referee.match.effects import MatchSetup
from referee.match.messages import Reason
from referee.server import played as files
from referee.server.played import KeptRecord, NoTournaments, PastMatches
from referee.server.runtime import Referee
from referee.server.watching import NOBODY_WATCHES, SHARED_DEALS

IS_PLAYED: Final = "this match is being played: its record is sent when it is over"


class ShownRecords:
    """The records of a referee; ``played`` knows of matches that are over, by default what records say."""

    def __init__(self, referee: Referee, played: PastMatches | None = None) -> None:
        self._referee = referee
        self.played = played or NoTournaments()

    def unwritten(self) -> Iterator[MatchSetup]:
        """Yield the matches that are being played, or whose records are being written."""
        yield from self._referee.core.matches.setups
        yield from self._referee.being_written.values()

    def look(self, match_id: str, attempt: int, entry: str) -> tuple[KeptRecord | None, bool]:
        """Return a record that a caller may have some time, and whether its decks are still to be played.

        It reads files, or a store, and is called in a thread.
        """
        found = files.find(self._referee.records, match_id, attempt)
        if found is None:
            return None, False
        if entry and not (entry in found.setup.entries and self.played.sat_in(match_id, entry)):
            return None, False
        epoch = found.setup.epoch
        return found, bool(epoch) and self.played.is_open(match_id, epoch)

    def is_played(self, epoch: str) -> bool:
        """Return whether a match is being played with the decks of an epoch.

        A set that is dealt anew may have a last turn in play with the decks from before.
        """
        return bool(epoch) and any(each.epoch == epoch for each in self.unwritten())

    async def find(self, match_id: str) -> KeptRecord:
        """Return the record of a match that anybody may see.

        Raises:
            Denied: MATCH_NOT_FOUND, there is none; WRONG_STATE, it is too early; RATE_LIMITED, nobody may
                watch.
        """
        if not self._referee.core.limits.watchers:
            raise Denied(Reason.RATE_LIMITED, NOBODY_WATCHES)
        if any(setup.match_id == match_id for setup in self.unwritten()):
            raise Denied(Reason.WRONG_STATE, IS_PLAYED)
        found, is_open = await asyncio.to_thread(self.look, match_id, 0, "")
        if found is None:
            raise Denied(Reason.MATCH_NOT_FOUND, "there is no match of this id")
        if is_open or self.is_played(found.setup.epoch):
            raise Denied(Reason.WRONG_STATE, SHARED_DEALS)
        return found
