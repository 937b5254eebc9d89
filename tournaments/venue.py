"""A venue: a referee for tournaments, where hosted and remote bots dial in."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from referee.access import Access
from referee.deals import MatchDeals
from referee.effects import MatchSetup, Owner
from referee.hall import Hall
from referee.journal import Journal
from referee.limits import Limits
from referee.observer import UNOBSERVED, Observer
from referee.server.credentials import Tls
from referee.server.driver import SOFTWARE, Referee, Report
from referee.server.listen import Listening, Service, listening
from referee.server.play import PlayService
from referee.vault import KeySource
from tournaments.admission import Admission
from tournaments.folder import TOKENS
from tournaments.plan import Server

_LOOPBACK: Final = "127.0.0.1:0"


class Venue:
    """A referee, who may come there, and who wants to know when somebody does.

    ``recovered`` are the matches that were over, and not settled, when an earlier referee was ended.
    ``folder`` is where its journal, records and keys are, ``address`` where hosted bots dial in,
    ``socket`` where those in a sandbox do; they are empty until it listens.
    """

    def __init__(self, referee: Referee, admission: Admission, folder: Path) -> None:
        self.referee = referee
        self.admission = admission
        self._folder = folder
        self.recovered: tuple[Report, ...] = ()
        self.address = ""
        self.socket = ""
        self._watchers: list[Callable[[Owner], None]] = []
        self._waiting: list[Callable[[], None]] = []

    def on_arrival(self, watcher: Callable[[Owner], None]) -> None:
        """Have somebody told whenever a bot has opened a session."""
        self._watchers.append(watcher)

    def arrived(self, owner: Owner) -> None:
        """Tell who wants to know that a bot has opened a session."""
        for watcher in self._watchers:
            watcher(owner)

    def on_finished(self, waiter: Callable[[], None]) -> None:
        """Have somebody told whenever a match of any tournament is over, so that its bots are free."""
        self._waiting.append(waiter)

    def finished(self) -> None:
        """Tell who wants to know that a match is over."""
        for waiter in self._waiting:
            waiter()

    @property
    def private(self) -> tuple[Path, ...]:
        """Return what of its files no bot may see."""
        return tuple(self._folder / name for name in ("journal", "records", "secrets", TOKENS))

    @asynccontextmanager
    async def listening(
        self,
        server: Server,
        services: Sequence[Service],
        *,
        hosts: bool,
        sandboxes: bool,
    ) -> AsyncIterator[Listening]:
        """Let bots in while the context lasts; at its end what is being played is kept for the next run.

        ``services`` are offered at the address of ``server``. Bots that are hosted (``hosts``) dial in at a
        loopback port without TLS, those in a sandbox (``sandboxes``) at a Unix socket in a folder that only
        this user can enter: there they can play, and nothing else.

        Raises:
            CannotListen: an address is none, is taken, or cannot be had.
            CertificateError: the certificate cannot be used.
        """
        tls = None
        if server.certificate and server.key:
            tls = Tls(server.certificate, server.key, server.client_ca)
        async with AsyncExitStack() as stack:

            async def listen(address: str) -> str:
                play = listening(self.referee, address, services=[PlayService(self.referee)])
                return (await stack.enter_async_context(play)).address

            offered = listening(self.referee, server.listen, tls=tls, services=services)
            at = await stack.enter_async_context(offered)
            if hosts:
                self.address = await listen(_LOOPBACK)
            if sandboxes:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="fairdeal-"))
                self.socket = await listen(f"unix:{folder}/s")
            try:
                yield at
            finally:
                # before the bots are sent away: what they do not answer from now on is not their fault
                await self.referee.close()


@asynccontextmanager
async def open_venue(
    *,
    folder: Path,
    keys: KeySource,
    limits: Limits,
    durable: bool,
    others: Access,
    observer: Observer = UNOBSERVED,
    on_opened: Callable[[MatchSetup], None] = lambda setup: None,
) -> AsyncIterator[Venue]:
    """Open a referee that goes on with what an earlier one left; `Venue.listening` lets the bots in.

    ``folder`` takes journal and records. ``others`` decides on bots that are not hosted, and on organisers.

    Raises:
        JournalError: what the earlier one left cannot be read.
        VaultError, OSError: the folder cannot be read or written to.
    """
    await asyncio.to_thread((folder / "records").mkdir, exist_ok=True)
    admission = Admission(others)
    hall = Hall(
        deals=lambda setup, game: MatchDeals(setup, game, keys),
        access=admission,
        server=SOFTWARE,
        limits=limits,
        observer=observer,
    )
    venue: Venue

    referee = Referee(
        hall,
        keys=keys,
        journal=Journal(folder / "journal", durable=durable),
        records=folder / "records",
        on_arrived=lambda owner: venue.arrived(owner),
        on_opened=on_opened,
        on_finished=lambda report: venue.finished(),
    )
    venue = Venue(referee, admission, folder)
    try:
        venue.recovered = await referee.recover()
        yield venue
    finally:
        await referee.close()
