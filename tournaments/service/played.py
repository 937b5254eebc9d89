"""What the tournaments of a server know of matches that are over, for requests for their records."""

import re
from typing import Final

from referee.core.access import Denied
from referee.match.effects import MatchSetup
from referee.match.messages import Reason
from tournaments.plan.states import TournamentState
from tournaments.running.attempts import setup_of
from tournaments.running.open_sets import epochs_to_play
from tournaments.running.tournament import Tournament
from tournaments.service.manager import Manager

MOST_READ: Final = 1000
"""How many matches are looked at for one page, no matter who sat in them."""

_AFTER: Final = re.compile(r"([^/]+)/([0-9]{1,9})")


class PlayedMatches:
    """The matches of a manager's tournaments. Every method reads stores, and is called in a thread.

    Every method raises StoreError when a store cannot be read.
    """

    def __init__(self, manager: Manager) -> None:
        self._manager = manager

    def sat_in(self, match_id: str, entry: str) -> bool:
        """Return whether it was this entry, and not a hosted one of its name, that sat in a match."""
        tournament = self._of(match_id)
        return tournament is not None and _is_of(tournament, entry)

    def is_open(self, match_id: str, epoch: str) -> bool:
        """Return whether a match is still to be played with the decks that a match shared with others."""
        tournament = self._of(match_id)
        if tournament is None:
            return True
        if tournament.state is TournamentState.CANCELLED:
            return False
        return epoch in epochs_to_play(tournament.plan, tournament.store)

    def over(self, entry: str, size: int, after: str) -> tuple[list[MatchSetup], str]:
        """Return matches that have a result, of one entry or of all, and where to go on: empty at the end.

        Raises:
            Denied: BAD_REQUEST, ``after`` comes from no earlier answer.
        """
        found = _AFTER.fullmatch(after)
        if after and not found:
            raise Denied(Reason.BAD_REQUEST, "page_token does not come from an earlier answer")
        begin, serial = (found[1], int(found[2])) if found else ("", 0)
        names = [name for name in self._manager.names() if name >= begin]
        if not names:
            return [], ""
        name, *others = names
        tournament = self._manager.tournament(name)
        first = serial + 1 if name == begin else 1
        last = min(first + MOST_READ - 1, tournament.store.issued_count())
        setups: list[MatchSetup] = []
        if not entry or _is_of(tournament, entry):
            for issued, result in tournament.store.over(first, last):
                if result is not None and (not entry or entry in issued.entries):
                    setups.append(setup_of(tournament.plan, issued))
                    if len(setups) == size:
                        return setups, f"{name}/{issued.serial}"
            if last < tournament.store.issued_count():
                return setups, f"{name}/{last}"
        return setups, f"{others[0]}/0" if others else ""

    def _of(self, match_id: str) -> Tournament | None:
        for name in self._manager.names():
            tournament = self._manager.tournament(name)
            if match_id in tournament.store.issued():
                return tournament
        return None


def _is_of(tournament: Tournament, entry: str) -> bool:
    """Return whether an entry of a tournament belongs to whoever has the token of that name.

    Hosted bots of several tournaments may have one name, and none of them has such a token.
    """
    if not tournament.plan.instance:
        return True
    return any(kept.entry.name == entry and kept.entry.remote for kept in tournament.store.roster())
