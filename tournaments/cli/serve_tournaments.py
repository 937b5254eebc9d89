"""`fairdeal serve --tournaments`: a referee for the tournaments that organisers make over the wire."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from referee.access import Access
from referee.limits import Limits
from referee.observer import Observer
from referee.server.matches import MatchService
from referee.server.play import PlayService
from referee.server.tokens import TokenFile
from referee.vault import Vault
from tournaments import sandbox
from tournaments.cli.failure import Failure
from tournaments.desk import Desk
from tournaments.folder import FolderError, owned
from tournaments.hosted_bots import Lost
from tournaments.plan import Plan, Server
from tournaments.service import TournamentService
from tournaments.states import State
from tournaments.store import Store
from tournaments.tournament import Tournament
from tournaments.venue import Venue, open_venue

_FOLDER: Final = "tournaments"  # in the folder of the referee


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosting:
    """How to serve tournaments; ``drain`` in seconds; ``say`` prints a line."""

    folder: Path
    server: Server
    access: Access
    tokens: TokenFile | None
    limits: Limits
    durable: bool
    drain: float
    allow_commands: bool
    observer: Observer
    say: Callable[[str], None]


async def serve_tournaments(hosting: Hosting, stopping: asyncio.Event) -> None:
    """Serve until ``stopping`` is set; what is being played then goes on at the next start.

    Raises:
        Failure: the folder of one of them cannot be had, such as where another process plays it.
        CannotListen, CertificateError, JournalError, RefereeFailed, VaultError, OSError: as they say.
    """
    async with open_venue(
        folder=hosting.folder,
        keys=Vault(hosting.folder / "secrets"),
        limits=hosting.limits,
        durable=hosting.durable,
        others=hosting.access,
        observer=hosting.observer,
    ) as venue:
        await _Serving(hosting, venue).run(stopping)


class _Serving:
    def __init__(self, hosting: Hosting, venue: Venue) -> None:
        self._hosting = hosting
        self._venue = venue
        self._running: list[Tournament] = []
        self._held = ExitStack()  # the folders and stores of all that are open
        self._is_recovered = False
        self._desk = Desk(
            self._open,
            hosting.folder / _FOLDER,
            hosting.tokens,
            allow_commands=hosting.allow_commands,
        )
        self._services = (
            PlayService(venue.referee),
            MatchService(venue.referee),
            TournamentService(self._desk, hosting.limits.heartbeat_seconds),
        )

    async def run(self, stopping: asyncio.Event) -> None:
        with self._held:
            for failure in self._desk.recover():
                self._hosting.say(failure)
            self._is_recovered = True
            await self._serve(stopping)

    async def _serve(self, stopping: asyncio.Event) -> None:
        say, venue = self._hosting.say, self._venue
        sandboxes = await asyncio.to_thread(sandbox.probe) is None
        async with venue.listening(
            self._hosting.server, self._services, hosts=True, sandboxes=sandboxes
        ) as at:
            try:
                say(f"fairdeal listens on {at.address}; tournaments are kept in {self._hosting.folder}")
                if self._hosting.tokens is None:
                    say("nobody is asked for a token: whoever calls is an organiser (fairdeal token add)")
                for failure in self._desk.resume():
                    say(failure)
                await self._wait(stopping)
                await at.drain()
                await self._drain()
            finally:
                await venue.referee.close()
                await self._desk.close()

    async def _wait(self, stopping: asyncio.Event) -> None:
        failed = asyncio.create_task(self._venue.referee.failed())
        asked = asyncio.create_task(stopping.wait())
        try:
            await asyncio.wait({failed, asked}, return_when=asyncio.FIRST_COMPLETED)
            if failed.done():
                raise failed.result()
        finally:
            failed.cancel()
            asked.cancel()

    async def _drain(self) -> None:
        """Begin nothing new and let what is being played end, for a while."""
        runs = [each.running for each in self._running if each.running and not each.running.done()]
        for tournament in self._running:
            if tournament.state is State.RUNNING:
                tournament.leave(self._hosting.drain)
        self._venue.referee.drain()
        if runs and self._venue.referee.running:
            self._hosting.say(
                f"leaving when what is being played ({self._venue.referee.running}) is over, at the latest in"
                f" {self._hosting.drain:g} s; a second Ctrl-C leaves now"
            )
            await asyncio.wait(runs, timeout=self._hosting.drain)

    def _open(self, plan: Plan) -> Tournament:
        """Open a tournament that was made over the wire, and take over what an earlier process left of it."""
        # hosted bots of two tournaments may have one name
        plan = replace(plan, instance=plan.name)
        with ExitStack() as held:
            self._hold(plan.folder, held)
            store = held.enter_context(Store.open(plan))
            tournament = Tournament(
                plan,
                store,
                self._venue,
                on_lost=lambda lost: self._lost(plan, lost),
                on_failed=lambda error: self._hosting.say(f"{plan.name}: stands still: {error}"),
            )
            tournament.take_over()
            self._held.enter_context(held.pop_all())
        self._running.append(tournament)
        return tournament

    def _hold(self, folder: Path, held: ExitStack) -> None:
        """Hold the folder of a tournament against other processes, such as `fairdeal tournament run`."""
        try:
            held.enter_context(owned(folder))
        except FolderError as error:
            if self._is_recovered:
                raise
            # to go on without it would let the clocks of its matches run, and its bots forfeit them
            raise Failure(f"fairdeal: {error}, then start the server again") from None

    def _lost(self, plan: Plan, lost: Lost) -> None:
        self._hosting.say(f"{plan.name}: the bot of {lost.entry} is lost: {lost.text}")
