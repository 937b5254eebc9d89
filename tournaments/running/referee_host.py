"""A referee host: a referee for tournaments, to which hosted and remote bots connect."""

import os
import tempfile
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from referee.core.access import Access
from referee.core.limits import Limits
from referee.core.observer import UNOBSERVED, Observer
from referee.dealing.keys import KeySource
from referee.match.effects import Owner
from referee.server.addresses import CannotListen
from referee.server.blocked import BlockedFile
from referee.server.listen import Listening, Service, listening
from referee.server.opening import open_referee
from referee.server.play_service import PlayService
from referee.server.runtime import FinishedMatch, Referee
from referee.server.tls import Tls
from tournaments.folder_lock import BLOCKED, TOKENS
from tournaments.hosting.cpu_share import Share, shared
from tournaments.plan.plan import Server
from tournaments.running.access import Admission

_LOOPBACK: Final = "127.0.0.1:0"
_LONG_PATH: Final = 64  # bytes of a folder; a socket's path has at most 107, gRPC's kits take some fewer

T = TypeVar("T")


class RefereeHost:
    """A referee, the access to it, and the listeners for arrivals and finished matches.

    ``recovered`` are the matches that were over, and not settled, when an earlier referee was ended.
    ``folder`` has its journal, records and keys. Hosted bots without a sandbox connect to ``address``, and
    ``share`` is how they share the processors; both are empty until the referee host listens.
    """

    def __init__(self, referee: Referee, admission: Admission, blocked: BlockedFile, folder: Path) -> None:
        self.referee = referee
        self.admission = admission
        self.blocked = blocked
        self._folder = folder
        self.recovered: tuple[FinishedMatch, ...] = ()
        self.address = ""
        self.share: Share | None = None
        self._watchers: list[Callable[[Owner], None]] = []
        self._waiting: list[Callable[[], None]] = []

    def on_arrival(self, watcher: Callable[[Owner], None]) -> Callable[[], None]:
        """Add a listener for bots that open a session; call the returned function to remove it."""
        return _added(self._watchers, watcher)

    def arrived(self, owner: Owner) -> None:
        """Tell the listeners that a bot has opened a session."""
        for watcher in self._watchers:
            watcher(owner)

    def on_finished(self, waiter: Callable[[], None]) -> Callable[[], None]:
        """Add a listener for the end of matches of any tournament, after which their bots are free.

        Call the returned function to remove it.
        """
        return _added(self._waiting, waiter)

    def finished(self) -> None:
        """Tell the listeners that a match is over."""
        for waiter in self._waiting:
            waiter()

    @property
    def private(self) -> tuple[Path, ...]:
        """Return the files that no bot may see."""
        return tuple(self._folder / name for name in ("journal", "records", "secrets", TOKENS, BLOCKED))

    @asynccontextmanager
    async def listening(
        self,
        server: Server,
        services: Sequence[Service],
        *,
        hosts: bool,
    ) -> AsyncIterator[Listening]:
        """Admit bots while the context lasts; at its end running matches are kept for the next run.

        ``services`` are offered at the address of ``server``. Hosted bots (``hosts``) connect to a
        loopback port without TLS, where they can play, and nothing else. The two addresses share the
        connections that there may be.

        Raises:
            CannotListen: a text is not an address, or an address is taken or not available.
            CertificateError: the certificate cannot be used.
        """
        tls = None
        if server.certificate and server.key:
            tls = Tls(server.certificate, server.key, server.client_ca)
        async with AsyncExitStack() as stack:
            most = self.referee.core.limits.most_connections // (1 + hosts) or 1
            offered = listening(self.referee, server.listen, tls=tls, services=services, connections=most)
            at = await stack.enter_async_context(offered)
            if hosts:
                self.share = stack.enter_context(shared())
                services = [PlayService(self.referee)]
                play = listening(self.referee, _LOOPBACK, services=services, connections=most, watched=False)
                self.address = (await stack.enter_async_context(play)).address
            try:
                yield at
            finally:
                # before the bots are sent away: not answering from now on is not their fault
                await self.referee.close()

    @asynccontextmanager
    async def socket(self, owner: Owner) -> AsyncIterator[str]:
        """Listen on a Unix socket for one hosted bot only, and return its address.

        It is in a folder that only this user can enter; a bot in a sandbox sees nothing else of this machine.
        There it can only play, and what it does counts against no other address. The bot must have ended
        before the context does.

        Raises:
            CannotListen: no such socket can be made.
        """
        services = [PlayService(self.referee, f"unix:{'~'.join(filter(None, owner))}")]
        place = tempfile.gettempdir()
        if len(os.fsencode(place)) > _LONG_PATH:
            place = "/tmp"
        async with AsyncExitStack() as stack:
            try:
                # other processes of this user may have changed it by its end
                made = tempfile.TemporaryDirectory(prefix="fairdeal-", dir=place, ignore_cleanup_errors=True)
                folder = stack.enter_context(made)
            except OSError as error:
                text = f"cannot make a folder for a socket in {place}: {error.strerror}"
                raise CannotListen(text) from error
            play = listening(self.referee, f"unix:{folder}/s", services=services, for_one=True)
            yield (await stack.enter_async_context(play)).address


def _added(listeners: list[T], one: T) -> Callable[[], None]:
    listeners.append(one)

    def remove() -> None:
        with suppress(ValueError):  # it is gone already
            listeners.remove(one)

    return remove


@asynccontextmanager
async def open_referee_host(
    *,
    folder: Path,
    keys: KeySource,
    limits: Limits,
    durable: bool,
    others: Access,
    observer: Observer = UNOBSERVED,
    shared: Collection[str] | None = (),
) -> AsyncIterator[RefereeHost]:
    """Open a referee that goes on with what an earlier one left; `RefereeHost.listening` admits the bots.

    ``shared`` are the epochs of matches to come that share their decks with finished ones, None while that is
    not known: see `Referee.recover`. ``folder`` takes journal and records. ``others`` decides on bots that
    are not hosted, and on organisers.

    Raises:
        BlockedError, JournalError: what the earlier one left cannot be read.
        VaultError, OSError: the folder cannot be read or written to.
    """
    admission = Admission(others)
    blocked = BlockedFile(folder / BLOCKED)
    host: RefereeHost

    referee = open_referee(
        folder,
        keys,
        admission,
        durable=durable,
        limits=limits,
        observer=observer,
        blocked=blocked.names,
        on_arrived=lambda owner: host.arrived(owner),
        on_finished=lambda report: host.finished(),
    )
    host = RefereeHost(referee, admission, blocked, folder)
    try:
        host.recovered = await referee.recover(shared)
        yield host
    finally:
        await referee.close()
