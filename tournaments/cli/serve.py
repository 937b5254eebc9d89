"""`fairdeal serve`: what its options say, and the program that they ask for."""

import asyncio
import logging
import os
import re
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

from referee.core.access import Access, Trusting
from referee.core.limits import LIMITS, BadLimit, Limits
from referee.core.observer import Observers
from referee.core.running_match import OpenTable
from referee.games.base import Game
from referee.games.options import Option, problems
from referee.games.registry import GAMES, game
from referee.match.clock import PROFILES
from referee.match.faults import FaultPolicy
from referee.server.addresses import is_address
from referee.server.capacity import enough_files
from referee.server.exposure import exposure, is_local
from referee.server.logs import Form
from referee.server.metrics import Metrics, metrics_served
from referee.server.tls import Tls
from referee.server.tokens import TokenFile
from referee.storage.worker_folders import left_by_workers
from tournaments.cli.failure import Failure
from tournaments.cli.saying import logs, say
from tournaments.cli.serve_worker import WorkerSettings, access_of, starting
from tournaments.cli.signals import Stopped, run_until_stopped
from tournaments.cli.web import pages_at
from tournaments.folder_lock import TOKENS, owned
from tournaments.plan.plan import Server
from tournaments.serving.open_tables import OpenTables, serve_open_tables
from tournaments.serving.workers import serve_by_workers, worker_address

_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")
_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


def run_serve(
    *,
    listen: str,
    names: list[str],
    deals: int | None,
    options: list[str],
    clock: str,
    folder: Path,
    insecure: bool,
    limits: list[str],
    certificate: Path | None,
    key: Path | None,
    client_ca: Path | None,
    durability: str,
    drain: float,
    metrics_port: int | None,
    log_format: str,
    log_level: str,
    tournaments: bool = False,
    allow_commands: bool = False,
    store: str | None = None,
    http: str | None = None,
    http_url: str | None = None,
    play: bool = False,
    workers: int = 1,
) -> None:
    """Serve until a signal ends it.

    Raises:
        Failure: an argument is wrong.
        UnknownGame, BadOption, CannotServe, CannotListen, CertificateError, TokenError, JournalError,
        RefereeFailed: see their docstrings.
    """
    if tournaments and (names or deals is not None or options):
        text = "--tournaments has no open tables: leave out --game, --deals and --option"
        raise Failure(f"fairdeal: {text}", 2)
    if workers > 1:
        _check_workers(workers, listen, metrics_port, tournaments=tournaments, http=http)
    shares = store is not None and not tournaments
    if store is not None:
        _check_store(store)
    if shares and (folder / TOKENS).exists():
        text = f"tokens are in the database then, and {folder / TOKENS} would be passed over"
        raise Failure(
            f"fairdeal: --store: {text}: add them with fairdeal token add --store, and remove it", 2
        )
    tls = _tls(certificate, key, client_ca)
    if play and tournaments:
        text = "people play at tables of their own, which --tournaments has not: leave one of them out"
        raise Failure(f"fairdeal: --play: {text}", 2)
    for option, is_given in (("--play", play), ("--http-url", http_url is not None)):
        if is_given and http is None:
            raise Failure(f"fairdeal: {option}: it is about pages: add --http, such as 127.0.0.1:8080", 2)
    web = pages_at(http, tls, insecure=insecure, plays=play, url=http_url)
    tokens = folder / TOKENS
    if why := None if insecure else exposure(listen, tls=tls is not None, tokens=shares or tokens.exists()):
        raise Failure(f"fairdeal: --listen {listen}: {why}", 2)
    if tournaments and allow_commands and not tokens.exists():
        text = "without tokens, every caller is an organiser, and could run commands on this machine"
        remedy = f"fairdeal token add NAME --role organiser --folder {folder}"
        raise Failure(f"fairdeal: --allow-commands: {text}: {remedy}", 2)
    chosen = [game(name) for name in names or sorted(GAMES)]
    given = _options(options, chosen)
    tables = tuple(
        OpenTable(
            game=rules.name,
            options=rules.bind(given[rules.name]),
            deals=deals,
            clock=_one_of("--clock", clock, PROFILES),
            faults=FaultPolicy(),
        )
        for rules in chosen
    )
    has_tokens = tokens.exists()
    access: Access = access_of(folder, listen, has_tokens=has_tokens)
    wanted = _limits(limits)
    durable = _one_of("--durability", durability, {"process": False, "disk": True})
    form = _one_of("--log-format", log_format, {form.value: form for form in Form})
    level = _one_of("--log-level", log_level, _LEVELS)

    async def serve(stopping: asyncio.Event) -> None:
        async with AsyncExitStack() as stack:
            stack.enter_context(owned(folder))
            if left := [number for number in left_by_workers(folder) if number > workers or workers == 1]:
                text = f"worker {left[-1]} has left matches in {folder} that are not over: serve them first"
                raise Failure(f"fairdeal: --workers {workers}: {text}, with --workers {max(2, left[-1])}", 2)
            observers = [stack.enter_context(logs(form, level))]
            allowed = stack.enter_context(enough_files(wanted))
            if metrics_port is not None:
                metrics = Metrics(GAMES)
                observers.append(metrics)
                address = await stack.enter_async_context(metrics_served(metrics, metrics_port))
                say(f"metrics: http://{address}/metrics")
            observer = Observers(*observers)
            if not tournaments:
                shared = None
                if store is not None:
                    # on demand: without a store there is no database
                    from tournaments.serving.sharing import sharing

                    shared = await stack.enter_async_context(sharing(store, folder))
                    say(f"tokens, and the results of all referees, are in {shared.place}")
                open_tables = OpenTables(
                    folder=folder,
                    listen=listen,
                    tls=tls,
                    tables=tables,
                    access=shared.access if shared else access,
                    limits=allowed,
                    durable=durable,
                    drain=drain,
                    observer=observer,
                    say=say,
                    web=web,
                    keep=shared.keep if shared else None,
                )
                if workers == 1:
                    await serve_open_tables(open_tables, stopping)
                    return
                settings = WorkerSettings(
                    folder=folder,
                    listen=listen,
                    tls=tls,
                    tables=tables,
                    has_tokens=has_tokens,
                    limits=wanted,
                    durable=durable,
                    drain=drain,
                    metrics_port=metrics_port,
                    form=form,
                    level=level,
                    store=store,
                )
                await serve_by_workers(open_tables, starting(settings), workers, stopping)
                return
            # on demand: a server without tournaments has no database
            from tournaments.serving.many_tournaments import ManyTournaments, serve_tournaments

            everybody_organises = isinstance(access, Trusting) and is_local(listen)
            many = ManyTournaments(
                folder=folder,
                server=Server(listen=listen, certificate=certificate, key=key, client_ca=client_ca),
                access=access,
                tokens=None if everybody_organises else TokenFile(tokens),
                limits=allowed,
                durable=durable,
                drain=drain,
                allow_commands=allow_commands,
                observer=observer,
                say=say,
                store=store,
                web=web,
            )
            await serve_tournaments(many, stopping)

    try:
        run_until_stopped(serve)
    except Stopped:
        return  # a signal is the usual end


def _check_workers(
    workers: int, listen: str, metrics_port: int | None, *, tournaments: bool, http: str | None
) -> None:
    """Refuse what cannot be had with several processes."""
    if tournaments:
        text = "tournaments are played by one process, or by a cluster of Ray: leave out --tournaments"
    elif http is not None:
        text = "pages show the matches of one process: leave out --http"
    elif not is_address(listen):
        return  # which is told later
    elif not (is_address(worker_address(listen, workers)) and (metrics_port or 0) + workers < 1 << 16):
        text = "each worker listens on a port of its own, one after the other: choose a lower port"
    else:
        return
    raise Failure(f"fairdeal: --workers {workers}: {text}", 2)


def _check_store(address: str) -> None:
    """Check the address of a database, and keep it from the bots that this process starts."""
    from tournaments.store import ADDRESS, StoreError
    from tournaments.store.postgres import check_url

    os.environ.pop(ADDRESS, None)
    try:
        check_url(address)
    except StoreError as error:
        raise Failure(f"fairdeal: --store: {error}", 2) from None


def _one_of(option: str, given: str, known: Mapping[str, Any]) -> Any:
    if given not in known:
        raise Failure(f"fairdeal: {option} {given}: there are {', '.join(known)}", 2)
    return known[given]


def _tls(certificate: Path | None, key: Path | None, client_ca: Path | None) -> Tls | None:
    if certificate and key:
        return Tls(certificate, key, client_ca)
    if certificate or key or client_ca:
        raise Failure("fairdeal: TLS takes --tls-cert and --tls-key together; fairdeal certs makes both", 2)
    return None


def _limits(texts: list[str]) -> Limits:
    """Return the default limits, replaced by those given as NAME=VALUE."""
    given: dict[str, int] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not _NUMBER.fullmatch(value):
            raise Failure(f"fairdeal: --limit {text}: write NAME=VALUE with a whole number", 2)
        if name not in LIMITS:
            raise Failure(
                f"fairdeal: --limit {text}: there is no such limit; there are {', '.join(LIMITS)}", 2
            )
        given[name] = int(value)
    try:
        return Limits(**given)
    except BadLimit as error:
        raise Failure(f"fairdeal: --limit: {error}", 2) from None


def _options(texts: list[str], games: list[Game[Any]]) -> dict[str, dict[str, object]]:
    """Return the options of each game from texts like ``hearts.target=50``."""
    given: dict[str, dict[str, object]] = {rules.name: {} for rules in games}
    for text in texts:
        name, equals, value = text.partition("=")
        which, dot, option = name.partition(".")
        if not (equals and dot and which in given):
            served = ", ".join(given)
            raise Failure(
                f"fairdeal: --option {text}: write GAME.NAME=VALUE with a game that is served ({served})", 2
            )
        schema = {option.name: option for option in game(which).options}
        given[which][option] = _value(schema.get(option), value)
        if found := problems(game(which).options, {option: given[which][option]}):
            raise Failure(f"fairdeal: --option {text}: {found[option]}", 2)
    return given


def _value(option: Option | None, text: str) -> object:
    """Return a value in the type of its option; one that does not fit stays text, which the game refuses."""
    if option and option.kind == "number" and _NUMBER.fullmatch(text):
        return int(text)
    if option and option.kind == "flag" and text in ("true", "false"):
        return text == "true"
    return text
