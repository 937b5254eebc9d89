"""What a referee of open tables shares with others by a PostgreSQL database, while it serves."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.core.access import Access
from referee.server.runtime import FinishedMatch
from tournaments.serving.open_tables import NotKept
from tournaments.store import StoreError
from tournaments.store.referees import SharedTables, SharedTokens

_log: Final = logging.getLogger("referee.server.sharing")  # which logs show
_EVENT: Final = {"event": "tokens_broken"}
_REFRESH: Final = 1.0  # seconds between two looks at the tokens


@dataclass(frozen=True, slots=True)
class Sharing:
    """The tokens of all; ``keep`` stores a result or raises NotKept, and blocks; ``place`` names where."""

    access: Access
    keep: Callable[[FinishedMatch], None]
    place: str


@asynccontextmanager
async def sharing(url: str, folder: Path) -> AsyncIterator[Sharing]:
    """Share tokens and results while the context lasts; ``folder`` has the records of this referee.

    Raises:
        StoreError: the database cannot be used.
    """
    with await asyncio.to_thread(SharedTables, url) as tables:
        tokens = SharedTokens(tables)
        await asyncio.to_thread(tokens.refresh)
        following = asyncio.create_task(_follow(tokens))
        referee = _place(folder)
        try:

            def keep(report: FinishedMatch) -> None:
                try:
                    tables.add_result(report, referee)
                except StoreError as error:
                    raise NotKept(str(error)) from None

            yield Sharing(tokens, keep, tables.place)
        finally:
            following.cancel()


def _place(folder: Path) -> str:
    return f"{socket.gethostname()}:{folder.absolute()}"


async def _follow(tokens: SharedTokens) -> None:
    """Read the tokens again and again; while that fails, those from before stay valid."""
    is_told = False
    while True:
        await asyncio.sleep(_REFRESH)
        try:
            await asyncio.to_thread(tokens.refresh)
            is_told = False
        except Exception as error:  # noqa: BLE001 - whatever it is, tokens that are revoked later must not count
            if not is_told:
                why = error if isinstance(error, StoreError) else f"tokens cannot be read: {error!r}"
                text = f"{why}; until then the earlier tokens stay valid"
                _log.error("%(text)s", {"text": text}, extra=_EVENT)
            is_told = True
