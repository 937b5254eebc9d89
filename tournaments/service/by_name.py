"""The tournaments of one referee by name, and whose turn it is to change them."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from referee.core.access import Denied
from referee.match.messages import Reason
from tournaments.running.tournament import Tournament
from tournaments.service.denials import not_found


class Tournaments(dict[str, Tournament]):
    """The tournaments by name; ``folder`` keeps each that is created in a folder of its own.

    ``making`` is held while one is made, or a token.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder.absolute()
        self.making = asyncio.Lock()
        self._turns: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def named(self, name: str) -> Tournament:
        """Return a tournament.

        Raises:
            Denied: TOURNAMENT_NOT_FOUND.
        """
        if name in self:
            return self[name]
        text = not_found("tournament", name, self) if self else "there are no tournaments here yet"
        raise Denied(Reason.TOURNAMENT_NOT_FOUND, text)

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[Tournament]:
        """Yield a tournament to begin it, rule on it or change its entries: one does so after another.

        Raises:
            Denied: TOURNAMENT_NOT_FOUND, also when it gave up its name meanwhile.
        """
        self.named(name)
        async with self._turns[name]:
            yield self.named(name)

    def file(self, name: str) -> Path:
        """Return the file of a tournament that is created here."""
        return self.folder / name / f"{name}.toml"
