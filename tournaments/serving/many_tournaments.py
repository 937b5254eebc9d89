"""`fairdeal serve --tournaments`: a referee for tournaments that organisers create over the wire."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from referee.core.access import Access
from referee.core.limits import Limits
from referee.core.observer import Observer
from referee.dealing.keys import Vault
from referee.match.effects import MatchSetup
from referee.server.match_service import MatchService
from referee.server.play_service import PlayService
from referee.server.session_service import SessionService
from referee.server.tokens import TokenFile
from tournaments.folder_lock import FolderError, owned
from tournaments.plan.plan import Plan, Server
from tournaments.plan.states import TournamentState
from tournaments.running.hosted import Lost
from tournaments.running.open_sets import epochs_to_play
from tournaments.running.progress import Saying
from tournaments.running.referee_host import RefereeHost, open_referee_host
from tournaments.running.tournament import Tournament
from tournaments.service.manager import Manager
from tournaments.service.played import PlayedMatches
from tournaments.service.service import TournamentService
from tournaments.serving.next_season import was_played
from tournaments.serving.stopping import wait_for
from tournaments.store import FILE, NoAddress, Store, StoreError, StoreHeld, StoreLost, with_store
from tournaments.store.postgres import postgres_database
from tournaments.web.address import WebAddress

_FOLDER: Final = "tournaments"  # in the folder of the referee


class CannotServe(Exception):
    """A tournament in this folder cannot go on; the text is one line for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyTournaments:
    """The settings of a server of tournaments; ``drain`` in seconds; ``say`` prints a line.

    ``store`` is the address of a PostgreSQL database for the stores of new tournaments.
    """

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
    store: str | None = None
    web: WebAddress | None = None


async def serve_tournaments(hosting: ManyTournaments, stopping: asyncio.Event) -> None:
    """Serve until ``stopping`` is set; matches that are not over go on at the next start.

    Raises:
        CannotServe: the folder of one of them is not available, for example because another process plays it;
            or its database does not answer.
        StoreError: the database for the stores of new ones cannot be used.
        CannotListen, CertificateError, JournalError, RefereeFailed, VaultError, OSError: see there.
    """
    async with open_referee_host(
        folder=hosting.folder,
        keys=Vault(hosting.folder / "secrets"),
        limits=hosting.limits,
        durable=hosting.durable,
        others=hosting.access,
        observer=hosting.observer,
        shared=None,  # which the tournaments know, once they are open
    ) as host:
        await _TournamentServer(hosting, host).run(stopping)


class _TournamentServer:
    def __init__(self, hosting: ManyTournaments, host: RefereeHost) -> None:
        self._hosting = hosting
        self._host = host
        self._running: list[Tournament] = []
        self._held: dict[str, ExitStack] = {}  # the folders and stores of all that are open, by name
        self._is_recovered = False
        self._manager = Manager(
            self._open,
            hosting.folder / _FOLDER,
            hosting.tokens,
            allow_commands=hosting.allow_commands,
            closed=self._release,
        )
        self._services = (
            PlayService(host.referee),
            MatchService(host.referee, PlayedMatches(self._manager), self._manager.check_match),
            SessionService(host.referee, host.blocked),
            TournamentService(self._manager, hosting.limits.heartbeat_seconds, host.referee.slices),
        )

    async def run(self, stopping: asyncio.Event) -> None:
        self._try_database()
        try:
            failures = self._manager.recover()
            for failure in failures:
                self._hosting.say(failure)
            self._is_recovered = True
            if not failures:  # else the keys of one that cannot be opened would be dropped, too
                await self._end_past_seasons()
                self._forget_keys()
            await self._serve(stopping)
        finally:
            for name in list(self._held):
                self._release(name)

    def _try_database(self) -> None:
        """Let the operator know at once that nobody could make a tournament.

        Raises:
            StoreError: the database cannot be used.
        """
        if self._hosting.store is None:
            return
        database = postgres_database(self._hosting.store)
        try:
            with database.reading():
                self._hosting.say(f"new tournaments have their stores in {database.place}")
        finally:
            database.close()

    async def _end_past_seasons(self) -> None:
        """End the matches that were being played when the season of a ladder was ended."""
        referee = self._host.referee
        try:
            left = [each for each in self._host.recovered if self._is_past(each.setup)]
            for setup in filter(self._is_past, tuple(referee.core.matches.setups)):
                over = referee.play(setup)
                referee.cancel(setup.match_id)
                left.append(await over)
        except StoreError as error:
            self._hosting.say(f"matches of a season that is over go on until the next start: {error}")
            return
        for report in left:
            referee.settle(report)
        if left:
            matches = "1 match" if len(left) == 1 else f"{len(left)} matches"
            self._hosting.say(f"{matches} of a season that is over ended without a result")

    def _is_past(self, setup: MatchSetup) -> bool:
        """Return whether a match is of no present tournament, but of a season that is over."""
        if any(setup.match_id in each.store.issued() for each in self._running):
            return False
        return any(was_played(each.plan, setup.match_id) for each in self._running)

    def _forget_keys(self) -> None:
        """Drop the keys of decks that no tournament is still to play."""
        try:
            needed = {
                epoch
                for each in self._running
                if each.state is not TournamentState.CANCELLED
                for epoch in epochs_to_play(each.plan, each.store)
            }
        except StoreError as error:
            self._hosting.say(f"keys of matches that are over stay until the next start: {error}")
            return
        self._host.referee.forget_keys_but(needed)

    async def _serve(self, stopping: asyncio.Event) -> None:
        say, host = self._hosting.say, self._host
        async with host.listening(self._hosting.server, self._services, hosts=True) as at:
            try:
                say(f"fairdeal listens on {at.address}; tournaments are kept in {self._hosting.folder}")
                if self._hosting.tokens is None:
                    say("no token is required: every caller is an organiser (fairdeal token add)")
                if self._hosting.allow_commands and host.share:
                    say(host.share.text)
                async with self._pages():
                    for failure in self._manager.resume():
                        say(failure)
                    await wait_for(stopping, host.referee)
                    await at.drain()
                    await self._drain()
            finally:
                await host.referee.close()
                await self._manager.close()

    @asynccontextmanager
    async def _pages(self) -> AsyncIterator[None]:
        """Serve the pages while the context lasts, if they are wanted."""
        web = self._hosting.web
        if web is None:
            yield
            return
        # on demand: it is an extra
        from tournaments.web.serving import Pages, pages_served
        from tournaments.web.tournaments import TournamentPages

        results = TournamentPages(self._manager, self._host.referee)
        try:
            played = PlayedMatches(self._manager)
            pages = Pages(self._host.referee, played, results=results, url=web.url)
            async with pages_served(web, pages) as address:
                self._hosting.say(f"pages: {address}/")
                yield
        finally:
            await results.close()

    async def _drain(self) -> None:
        """Begin no more matches and give running ones some time to end."""
        self._manager.leave()
        runs = [each.running for each in self._running if each.running and not each.running.done()]
        for tournament in self._running:
            if tournament.state is TournamentState.RUNNING:
                tournament.leave(self._hosting.drain)
        self._host.referee.drain()
        if runs and (running := len(self._host.referee.core.matches)):
            self._hosting.say(
                f"leaving when the running matches ({running}) are over, at the latest in"
                f" {self._hosting.drain:g} s; a second Ctrl-C leaves now"
            )
            await asyncio.wait(runs, timeout=self._hosting.drain)

    def _open(self, plan: Plan) -> Callable[[], Tournament]:
        """Open the store of a tournament made over the wire; what is returned makes the tournament on it."""
        # hosted bots of two tournaments may have one name
        plan = replace(plan, instance=plan.name)
        with ExitStack() as held:
            self._hold(plan.folder, held)
            try:
                plan = with_store(plan, self._hosting.store)
                is_new = plan.store is None and not (plan.folder / FILE).exists()
                if is_new:
                    plan = replace(plan, store=self._hosting.store)
                store = held.enter_context(Store.open(plan, is_new=is_new))
            except (NoAddress, StoreHeld, StoreLost) as error:
                if self._is_recovered:
                    raise
                # as without a folder, see `_hold`
                raise CannotServe(f"{error}, then start the server again") from None
            return partial(self._opened, plan, store, held.pop_all())

    def _opened(self, plan: Plan, store: Store, held: ExitStack) -> Tournament:
        """Make a tournament on its store, and take over what an earlier process left of it."""
        with held:
            tournament = Tournament(
                plan,
                store,
                self._host,
                progress=[Saying(lambda text: self._hosting.say(f"{plan.name}: {text}"))],
                on_lost=lambda lost: self._lost(plan, lost),
                on_failed=lambda error: self._hosting.say(f"{plan.name}: stands still: {error}"),
            )
            tournament.take_over()
            self._held[plan.name] = held.pop_all()
        self._running.append(tournament)
        return tournament

    def _release(self, name: str) -> None:
        """Close the store of a tournament that was closed, and unlock its folder."""
        self._running = [each for each in self._running if each.plan.name != name]
        self._held.pop(name).close()

    def _hold(self, folder: Path, held: ExitStack) -> None:
        """Lock the folder of a tournament against other processes, such as `fairdeal tournament run`."""
        try:
            held.enter_context(owned(folder))
        except FolderError as error:
            if self._is_recovered:
                raise
            # going on without it would let the clocks of its matches run out, and its bots would forfeit
            raise CannotServe(f"{error}, then start the server again") from None

    def _lost(self, plan: Plan, lost: Lost) -> None:
        self._hosting.say(f"{plan.name}: the bot of {lost.entry} is lost: {lost.text}")
