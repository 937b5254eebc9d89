"""`fairdeal serve`: a referee with an open table for each game."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.core.access import Access, Trusting
from referee.core.limits import Limits
from referee.core.observer import UNOBSERVED, Observer, Observers
from referee.core.routes import ALL_HERE, Routes
from referee.core.running_match import OpenTable
from referee.dealing.keys import Vault
from referee.games.registry import game
from referee.match.effects import MatchSetup, Owner
from referee.match.faults import faults_text
from referee.match.messages import Reason
from referee.server.blocked import BlockedFile
from referee.server.listen import Listening, listening
from referee.server.match_service import MatchService
from referee.server.opening import open_referee, records_of
from referee.server.play_service import PlayService
from referee.server.runtime import FinishedMatch, Referee
from referee.server.session_service import SessionService
from referee.server.tls import Tls
from referee.storage.worker_folders import worker_folder
from tournaments.folder_lock import BLOCKED
from tournaments.running.access import Admission
from tournaments.serving.stopping import wait_for
from tournaments.web.address import WebAddress

_AGAIN: Final = 5.0  # seconds after which a store that failed is tried again
_KEPT_WITHIN: Final = 5.0  # seconds at the end


class NotKept(Exception):
    """A result cannot be stored at present; the text says why."""


async def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingPart:
    """The part of this process where several share the tables: a worker by its number, or 0, the front.

    ``on_listening`` is told the address; ``drained`` returns when the other processes play nothing any more.
    """

    number: int = 0
    routes: Routes = ALL_HERE
    on_listening: Callable[[str, Referee], None] = lambda address, referee: None
    drained: Callable[[], Awaitable[None]] = _nothing

    @property
    def is_front(self) -> bool:
        """Return whether others play what is gathered here."""
        return not self.number and self.routes is not ALL_HERE


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTables:
    """How to serve open tables; ``drain`` in seconds; ``say`` prints a line.

    ``keep`` stores a result where others find it, and blocks meanwhile; a match is settled after that. While
    it raises NotKept, it is tried again.
    """

    folder: Path
    listen: str
    tls: Tls | None
    tables: tuple[OpenTable, ...]
    access: Access
    limits: Limits
    durable: bool
    drain: float
    observer: Observer
    say: Callable[[str], None]
    web: WebAddress | None = None
    part: ServingPart = ServingPart()
    keep: Callable[[FinishedMatch], None] | None = None


async def serve_open_tables(serving: OpenTables, stopping: asyncio.Event) -> None:
    """Serve until ``stopping`` is set; what is being played then goes on at the next start.

    Raises:
        CannotListen, CertificateError, JournalError, RefereeFailed, VaultError, OSError: see there.
    """
    await _TableServer(serving).run(stopping)


class _TableServer:
    """One referee that serves, from the first line that it prints to the last."""

    def __init__(self, serving: OpenTables) -> None:
        self._serving = serving
        self._say = serving.say
        self._idle = asyncio.Event()
        self._keeping: set[asyncio.Task[None]] = set()
        # not in the threads of all: records must be written while a store does not answer
        self._keeper = ThreadPoolExecutor(1, "results")
        folder, part = serving.folder, serving.part
        own = worker_folder(folder, part.number) if part.number else folder
        mark = f"w{part.number}-" if part.number else ""
        self._records = records_of(folder)
        self._blocked = BlockedFile(folder / BLOCKED)
        self._admission = Admission(serving.access)  # of those who play in this process
        self._referee = open_referee(
            own,
            Vault(own / "secrets"),
            self._admission,
            durable=serving.durable,
            open_tables=serving.tables,
            new_match_id=lambda name: f"{name}-{mark}{secrets.token_hex(6)}",
            limits=serving.limits,
            observer=Observers(serving.observer, UNOBSERVED if part.is_front else _Visitors(serving.say)),
            blocked=self._blocked.names,
            routes=part.routes,
            records=self._records,
            on_arrived=self._arrived,
            on_opened=lambda setup: self._say(f"{setup.match_id}: {_seating(setup)}"),
            on_finished=self._finished,
        )

    async def run(self, stopping: asyncio.Event) -> None:
        referee = self._referee
        try:
            for report in await referee.recover():
                self._finished(report)
            if running := len(referee.core.matches):
                self._say(f"matches that go on where they were, once their bots are back: {running}")
            services = (
                PlayService(referee),
                MatchService(referee),
                SessionService(referee, self._blocked),
            )
            serving = self._serving
            async with listening(referee, serving.listen, tls=serving.tls, services=services) as at:
                try:
                    if not serving.part.number:
                        self._greet(at)
                    serving.part.on_listening(at.address, referee)
                    async with self._pages():
                        await wait_for(stopping, referee)
                        await at.drain()
                        await asyncio.gather(self._drain(), serving.part.drained())
                        if self._keeping:
                            await asyncio.wait(self._keeping, timeout=_KEPT_WITHIN)
                finally:
                    # before the bots are sent away: what they cannot answer from now on is not their fault
                    await referee.close()
        finally:
            for keeping in self._keeping:  # what is not stored is reported again at the next start
                keeping.cancel()
            self._keeper.shutdown(wait=False, cancel_futures=True)
            await referee.close()
            if running := len(referee.core.matches):
                self._say(
                    f"matches that were not over: {running}; start it again with the same --folder,"
                    " and they go on where they were"
                )

    def _greet(self, at: Listening) -> None:
        self._say(f"fairdeal listens on {at.address}; records go to {self._records}")
        for table in self._serving.tables:
            wanted = game(table.game).seats
            self._say(f"open table: {table.game}; a match starts whenever {wanted} bots are waiting")
        if isinstance(self._serving.access, Trusting):
            self._say("no token is required: any bot can use any name (fairdeal token add)")
        self._say("deals: fixed before play, unbiased if the secret was drawn fairly (docs/dealing.md)")
        self._say("Ctrl-C stops the server")

    @asynccontextmanager
    async def _pages(self) -> AsyncIterator[None]:
        """Serve the pages while the context lasts, if they are wanted."""
        web, say = self._serving.web, self._say
        if web is None:
            yield
            return
        # on demand: it is an extra
        from tournaments.web.hall import Hall
        from tournaments.web.people import Entrance
        from tournaments.web.serving import Pages, pages_served

        hall = Hall(self._referee, self._admission) if web.plays else None
        door = Entrance(self._serving.folder) if web.plays else None
        pages = Pages(self._referee, None, hall, door, url=web.url)
        if hall:
            hall.recover()  # who comes then finds the table again
        async with pages_served(web, pages) as address:
            say(f"pages: {address}/")
            if hall and door:

                def invite() -> None:
                    say(f"a seat for one person, once: {address}/enter/{door.invite()}")

                pages.on_entered = invite
                invite()
            yield

    async def _drain(self) -> None:
        """Begin nothing new and let what is being played end, for a while."""
        referee, seconds = self._referee, self._serving.drain
        referee.drain()
        if not (running := len(referee.core.matches)):
            return
        self._idle.clear()  # it is set since earlier matches
        self._say(
            f"leaving when the running matches ({running}) are over, at the latest in {seconds:g} s;"
            " a second Ctrl-C leaves now"
        )
        await wait_for(self._idle, referee, seconds)

    def _finished(self, report: FinishedMatch) -> None:
        if keep := self._serving.keep:
            keeping = asyncio.get_running_loop().create_task(self._kept(report, keep))
            self._keeping.add(keeping)
            keeping.add_done_callback(self._keeping.discard)
        else:
            self._settle(report)

    async def _kept(self, report: FinishedMatch, keep: Callable[[FinishedMatch], None]) -> None:
        """Store a result, again and again while the store fails, then settle its match."""
        is_told = False
        while True:
            try:
                await asyncio.get_running_loop().run_in_executor(self._keeper, keep, report)
            except Exception as error:  # noqa: BLE001 - a match whose result is not stored is not settled
                if not isinstance(error, NotKept):
                    self._referee.core.observer.failed("a result", error, report.setup.match_id)
                if not is_told:
                    self._say(f"{report.setup.match_id}: its result is not stored yet: {error}")
                is_told = True
                await asyncio.sleep(_AGAIN)
            else:
                self._settle(report)
                return

    def _arrived(self, owner: Owner) -> None:
        """Say of a bot that plays none of the games of the open tables that it waits in vain."""
        core = self._referee.core
        wanted, is_for_workers = core.sessions.games_of(owner), self._serving.part.is_front  # they say it
        if wanted and not is_for_workers and core.open_games.isdisjoint(wanted):
            plays, open_games = (" and ".join(sorted(games)) for games in (wanted, core.open_games))
            self._say(f"{owner[0]} waits in vain: it plays {plays}, and the open tables are of {open_games}")

    def _settle(self, report: FinishedMatch) -> None:
        self._referee.settle(report)
        self._say(_told(report))
        if not self._referee.core.matches:
            self._idle.set()


class _Visitors(Observer):
    """Prints one line for each session that opens or ends."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def session_opened(self, entry: str, instance: str, peer: str, agent: str) -> None:
        """Say who is here."""
        self._say(f"{entry} is here")

    def session_ended(self, entry: str, instance: str, peer: str, reason: Reason | None) -> None:
        """Say who is gone, and why when the referee has sent it away; not who is sent away at the end."""
        if entry and reason is not Reason.SHUTTING_DOWN:  # without an entry it was never here
            why = f" ({reason.name.lower().replace('_', ' ')})" if reason else ""
            self._say(f"{entry} is gone{why}")


def _seating(setup: MatchSetup) -> str:
    return ", ".join(f"seat {seat} {entry}" for seat, entry in enumerate(setup.entries))


def _told(report: FinishedMatch) -> str:
    outcome = report.outcome
    text = f"{report.setup.match_id}: {outcome.termination.name.lower()}"
    if outcome.ranks:
        text += f", ranks {' '.join(map(str, outcome.ranks))}"
    if outcome.scores:
        text += f", scores {' '.join(map(str, outcome.scores))}"
    for seat, counts in enumerate(outcome.faults):
        if said := faults_text(counts):
            text += f", {report.setup.entries[seat]} (seat {seat}): {said}"
    for seat in outcome.forfeited:
        text += f", {report.setup.entries[seat]} (seat {seat}) forfeits"
    return f"{text}; fairdeal record show {report.path}"
