"""Conducts one tournament from start to end: folder, store, referee, bots, matches."""

import asyncio
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from referee.access import Access, Trusting
from referee.server.exposure import is_local
from referee.server.matches import MatchService
from referee.server.play import PlayService
from referee.server.tokens import TokenFile
from referee.vault import KeySource, SeededKeys, Vault
from tournaments.desk import Desk
from tournaments.folder import TOKENS, owned
from tournaments.hosted_bots import Lost
from tournaments.plan import Format, Plan
from tournaments.roster import playing
from tournaments.runner import check_folder, check_known
from tournaments.schedule.refusals import refusals
from tournaments.service import TournamentService
from tournaments.states import State
from tournaments.store import Store
from tournaments.told import Progress
from tournaments.tournament import Tournament, WrongState
from tournaments.venue import Venue, open_venue


class Local:
    """Believes bots on this machine their names until the first token is given out, also during a run.

    With ``strict`` it never does: a bot in a sandbox, which is not trusted, could say the name of another.
    Nobody is believed to be an organiser: a hosted bot could say so, too.
    """

    def __init__(self, tokens: Access, path: Path, *, strict: bool) -> None:
        self._tokens = tokens
        self._path = path
        self._strict = strict

    def check(self, token: str | None, entry: str, instance: str = "") -> None:
        """Check that the bearer of a token may play as an instance of an entry.

        Raises:
            Denied: as for every `referee.access.Access`.
        """
        self._access().check(token, entry, instance)

    def check_organiser(self, token: str | None) -> None:
        """Check that the bearer of a token may run the referee.

        Raises:
            Denied: as for every `referee.access.Access`.
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
    on_listening: Callable[[Tournament, str], None],
    stopping: asyncio.Event,
    drain: float,
) -> State:
    """Play what is to do of a tournament, and return how far it is then.

    A run that was broken off goes on, in mid-match too; one that is paused or cancelled meanwhile ends.

    Once ``stopping`` is set no more matches begin, and what is being played may end within ``drain`` seconds.
    What is not over then, or when this is cancelled, goes on in the next run. ``on_opened`` is given the
    store before anything begins; ``on_listening`` is told where bots from elsewhere dial in.

    Raises:
        FolderError: the folder cannot be used.
        StoreError: the store cannot be used, or belongs to another tournament.
        WrongState: it was cancelled, or cannot be played with the entries that it has; nothing has begun.
        RunFailed, RefereeFailed, CannotListen, JournalError, VaultError, OSError: it cannot go on.
    """
    with owned(plan.folder), Store.open(plan) as store:
        _check_state(plan, store)
        check_folder(plan, store)
        on_opened(store)
        keys: KeySource = SeededKeys(plan.seed) if plan.seed is not None else Vault(plan.folder / "secrets")
        tokens = TokenFile(plan.folder / TOKENS)
        rules = [plan.hosting, *(entry.hosting for entry in plan.entries if entry.hosting)]
        strict = any(rule.sandbox != "none" for rule in rules) or not is_local(plan.server.listen)
        access = Local(tokens, plan.folder / TOKENS, strict=strict)
        async with open_venue(
            folder=plan.folder, keys=keys, limits=plan.limits, durable=plan.durable, others=access
        ) as venue:
            check_known(plan, store, venue)
            tournament = Tournament(plan, store, venue, progress=progress, on_lost=on_lost)
            if not tournament.take_over():
                return tournament.state
            desk = Desk(_refuse, plan.folder, tokens)
            desk.attach(tournament)

            services = (
                PlayService(venue.referee),
                MatchService(venue.referee),
                TournamentService(desk, plan.limits.heartbeat_seconds),
            )
            hosting = [entry.hosting or plan.hosting for entry in tournament.plan.entries if not entry.remote]
            async with venue.listening(
                plan.server,
                services,
                hosts=bool(hosting) or plan.format is Format.LADDER,
                sandboxes=any(rule.sandbox != "none" for rule in (plan.hosting, *hosting)),
            ) as at:
                try:
                    tournament.start()
                    on_listening(tournament, at.address)
                    await _play(tournament, venue, stopping, drain)
                finally:
                    # before the bots are ended: what they do not answer from now on is not their fault
                    await venue.referee.close()
                    await tournament.close()
        return tournament.state


def _check_state(plan: Plan, store: Store) -> None:
    """Refuse what cannot be played as it is, before anything begins.

    Raises:
        WrongState: it was cancelled, or its entries, also those that registered, do not make a schedule.
    """
    place = plan.source or plan.folder
    state = store.state
    if state is State.CANCELLED:
        text = "it was cancelled, which is for good: to play anew, give it another name and another folder"
        raise WrongState(f"{place}: {text}")
    begun = replace(plan, entries=playing(plan, store.roster()), open=False)
    if found := [f"{key}: {text}" for key, text in refusals(begun)]:
        add = shlex.join(["fairdeal", "entry", "add", str(place), "NAME"])
        how = f" (registration is open: {add})" if plan.open and state is State.CREATED else ""
        raise WrongState(f"{place}: {'; '.join(found)}{how}")


def _refuse(plan: Plan) -> NoReturn:
    raise WrongState(
        "this referee plays one tournament; others are made where fairdeal serve --tournaments runs"
    )


async def _play(tournament: Tournament, venue: Venue, stopping: asyncio.Event, drain: float) -> None:
    """Let a tournament be played to its end, or until it is asked to stop and its time to do so is over."""
    running = tournament.running
    assert running is not None
    asked = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({running, asked}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            tournament.leave(drain)
            venue.referee.drain()
            await asyncio.wait({running}, timeout=drain)
        if running.done():
            running.result()
            venue.referee.drain()  # so that remote bots leave, too, and do not take it for an error
    finally:
        asked.cancel()
