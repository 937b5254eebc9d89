"""Runs one tournament from start to end: folder, store, referee, bots, matches."""

import asyncio
import shlex
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, NoReturn

from referee.core.access import Access, Bearer, Trusting
from referee.dealing.keys import KeySource, SeededKeys, Vault
from referee.server.capacity import enough_files
from referee.server.exposure import is_local
from referee.server.match_service import MatchService
from referee.server.play_service import PlayService
from referee.server.runtime import Referee
from referee.server.session_service import SessionService
from referee.server.tokens import TokenFile
from tournaments.executors.distributing import distributing
from tournaments.folder_lock import TOKENS, FolderHeld, owned
from tournaments.hosting.cpu_share import Share
from tournaments.plan.plan import Format, Plan
from tournaments.plan.states import TournamentState
from tournaments.running import hosted_models
from tournaments.running.errors import WrongState
from tournaments.running.hosted import Lost
from tournaments.running.open_sets import epochs_to_play
from tournaments.running.progress import Progress
from tournaments.running.referee_host import RefereeHost, open_referee_host
from tournaments.running.resuming import check_folder, check_known
from tournaments.running.roster import playing
from tournaments.running.tournament import Tournament
from tournaments.schedule.refusals import refusals
from tournaments.service.manager import Manager
from tournaments.service.played import PlayedMatches
from tournaments.service.service import TournamentService
from tournaments.store import Store, StoreHeld
from tournaments.web.address import WebAddress

_LOOK_SECONDS: Final = 2.0  # between two looks whether another process has ended


class Local:
    """Believes the names of bots on this machine until the first token is created, even during a run.

    With ``strict`` it never does: a bot in a sandbox, which is not trusted, could use the name of another. No
    caller counts as an organiser, since a hosted bot could claim to be one.
    """

    def __init__(self, tokens: Access, path: Path, *, strict: bool) -> None:
        self._tokens = tokens
        self._path = path
        self._strict = strict

    def bearer(self, token: str | None) -> Bearer | None:
        """Return who opens a stream with a token.

        Raises:
            Denied: as for every `referee.core.access.Access`.
        """
        return self._access().bearer(token)

    def bearers(self) -> Collection[Bearer]:
        """Return the bearers of all tokens that open a stream now."""
        return self._access().bearers()

    def check(self, token: str | None, entry: str, instance: str = "") -> None:
        """Check that the bearer of a token may play as an instance of an entry.

        Raises:
            Denied: as for every `referee.core.access.Access`.
        """
        self._access().check(token, entry, instance)

    def check_organiser(self, token: str | None) -> None:
        """Check that the bearer of a token may run the referee.

        Raises:
            Denied: as for every `referee.core.access.Access`.
        """
        self._access().check_organiser(token)

    def _access(self) -> Access:
        return self._tokens if self._strict or self._path.exists() else Trusting(organisers=False)


async def conduct(
    plan: Plan,
    progress: Sequence[Progress],
    *,
    on_opened: Callable[[Store], None] = lambda store: None,
    on_lost: Callable[[Lost], None],
    on_listening: Callable[[Tournament, str, Share | None], None],
    stopping: asyncio.Event,
    drain: float,
    web: WebAddress | None = None,
    on_pages: Callable[[str], None] = lambda address: None,
    on_held: Callable[[str], None] | None = None,
) -> TournamentState:
    """Play what is left of a tournament, and return its state then.

    A run that was broken off goes on, in mid-match too; one that is paused or cancelled meanwhile ends.

    Once ``stopping`` is set no more matches begin, and what is being played may end within ``drain`` seconds.
    What is not over then, or when this is cancelled, goes on in the next run. ``on_opened`` is given the
    store before anything begins; ``on_listening`` is told where bots from elsewhere dial in,
    and how hosted ones share the processors. Where pages are wanted (``web``), ``on_pages`` is told where.
    With ``on_held`` this waits for another process that runs it, and that function is told which.

    Raises:
        FolderHeld, StoreHeld: another process runs it, and this does not wait.
        FolderError: the folder cannot be used.
        StoreError: the store cannot be used, or belongs to another tournament.
        TakenOver: another process has taken it over.
        WrongState: it was cancelled, or cannot be played with the entries that it has; nothing has begun.
        RunFailed, RefereeFailed, CannotListen, JournalError, VaultError, OSError: it cannot go on.
    """
    with ExitStack() as held:
        store = await _opened(plan, held, stopping, on_held)
        if store is None:
            return TournamentState.RUNNING
        limits = held.enter_context(enough_files(plan.limits))
        _check_state(plan, store)
        check_folder(plan, store)
        on_opened(store)
        if store.state is not TournamentState.FINISHED:
            await hosted_models.probe(plan.entries, plan.models)
        keys: KeySource = SeededKeys(plan.seed) if plan.seed is not None else Vault(plan.folder / "secrets")
        tokens = TokenFile(plan.folder / TOKENS)
        rules = [plan.hosting, *(entry.hosting for entry in plan.entries if entry.hosting)]
        strict = any(rule.sandbox != "none" for rule in rules) or not is_local(plan.server.listen)
        access = Local(tokens, plan.folder / TOKENS, strict=strict)
        opened = open_referee_host(
            folder=plan.folder,
            keys=keys,
            limits=limits,
            durable=plan.durable,
            others=access,
            shared=epochs_to_play(plan, store),
        )
        async with opened as host, AsyncExitStack() as stack:
            check_known(plan, store, host)
            tournament: Tournament
            is_over = store.state is TournamentState.FINISHED
            elsewhere = await stack.enter_async_context(
                distributing(
                    replace(plan, ray=None) if is_over else plan,
                    keys,
                    host.referee,
                    bot_seed=store.bot_seed,
                    on_lost=on_lost,
                    failed=lambda error: tournament.fail(error),
                )
            )
            tournament = Tournament(
                plan, store, host, progress=progress, on_lost=on_lost, elsewhere=elsewhere
            )
            if not tournament.take_over():
                return tournament.state
            manager = Manager(_refuse, plan.folder, tokens)
            manager.attach(tournament)

            services = (
                PlayService(host.referee),
                MatchService(host.referee, PlayedMatches(manager)),
                SessionService(host.referee, host.blocked),
                TournamentService(manager, limits.heartbeat_seconds, host.referee.slices),
            )
            hosts = plan.format is Format.LADDER or any(not entry.remote for entry in tournament.plan.entries)
            async with host.listening(plan.server, services, hosts=hosts) as at:
                try:
                    async with manager.turn(plan.name):
                        tournament.start()
                    on_listening(tournament, at.address, host.share)
                    async with _pages(web, host.referee, tournament, manager, on_pages):
                        await _play(tournament, manager, host, stopping, drain)
                finally:
                    # before the bots are ended: not answering from now on is not their fault
                    await host.referee.close()
                    await tournament.close()
        return tournament.state


@asynccontextmanager
async def _pages(
    web: WebAddress | None,
    referee: Referee,
    tournament: Tournament,
    manager: Manager,
    on_pages: Callable[[str], None],
) -> AsyncIterator[None]:
    """Serve the pages while the context lasts, if they are wanted."""
    if web is None:
        yield
        return
    # on demand: it is an extra
    from tournaments.web.results import ResultPages
    from tournaments.web.serving import Pages, pages_served

    results = ResultPages(tournament, referee)
    try:
        pages = Pages(referee, PlayedMatches(manager), results=results, url=web.url)
        async with pages_served(web, pages) as address:
            on_pages(address)
            yield
    finally:
        await results.close()


async def _opened(
    plan: Plan, held: ExitStack, stopping: asyncio.Event, on_held: Callable[[str], None] | None
) -> Store | None:
    """Open the folder and the store for as long as a stack lasts; None when this was to stop while it waited.

    Raises:
        FolderHeld, StoreHeld: another process has them, and this does not wait.
        FolderError, StoreError: they cannot be used.
        RunFailed: it could not go on when it had them.
    """
    is_told = False
    while True:
        try:
            with ExitStack() as opened:
                opened.enter_context(owned(plan.folder))
                store = opened.enter_context(Store.open(plan))
                held.enter_context(opened.pop_all())
                return store
        except (FolderHeld, StoreHeld) as error:
            if on_held is None:
                raise
            if not is_told:
                if isinstance(error, StoreHeld):
                    with Store.read(plan) as running:
                        check_folder(plan, running)
                on_held(str(error))
                is_told = True
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                await stopping.wait()
        if stopping.is_set():
            return None


def _check_state(plan: Plan, store: Store) -> None:
    """Refuse a tournament that cannot be played as it is, before anything begins.

    Raises:
        WrongState: it was cancelled, or its entries, also those that registered, do not make a schedule.
    """
    place = plan.source or plan.folder
    state = store.state
    if state is TournamentState.CANCELLED:
        text = "it was cancelled for good: to play it again, give it another name and another folder"
        raise WrongState(f"{place}: {text}")
    begun = replace(plan, entries=playing(plan, store.roster()), open=False)
    if found := [f"{key}: {text}" for key, text in refusals(begun)]:
        add = shlex.join(["fairdeal", "entry", "add", str(place), "NAME"])
        how = f" (registration is open: {add})" if plan.open and state is TournamentState.CREATED else ""
        raise WrongState(f"{place}: {'; '.join(found)}{how}")


def _refuse(plan: Plan) -> NoReturn:
    raise WrongState(
        "this referee plays one tournament; others are made where fairdeal serve --tournaments runs"
    )


async def _play(
    tournament: Tournament, manager: Manager, host: RefereeHost, stopping: asyncio.Event, drain: float
) -> None:
    """Play a tournament to its end, or until it was asked to stop and its time for that is over."""
    running = tournament.running
    assert running is not None
    asked = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({running, asked}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            manager.leave()
            tournament.leave(drain)
            host.referee.drain()
            await asyncio.wait({running}, timeout=drain)
        if running.done():
            running.result()
            host.referee.drain()  # so that remote bots leave, too, and do not report an error
    finally:
        asked.cancel()
