"""`fairdeal serve`: a referee with an open table for each game."""

import asyncio
import logging
import os
import re
import secrets
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer

from referee.access import Access, Trusting
from referee.clock import PROFILES
from referee.deals import MatchDeals
from referee.effects import MatchSetup
from referee.faults import FaultPolicy
from referee.games.base import Game
from referee.games.options import Option, problems
from referee.games.registry import GAMES, game
from referee.hall import Hall
from referee.journal import Journal
from referee.limits import LIMITS, BadLimit, Limits
from referee.observer import Observer, Observers
from referee.server.credentials import Tls
from referee.server.driver import SOFTWARE, Referee, Report
from referee.server.exposure import exposure, is_local
from referee.server.listen import Listening, listening
from referee.server.logs import Form, Logs, configure, taking_records
from referee.server.metrics import Metrics, metrics_served
from referee.server.tokens import TokenFile
from referee.table import OpenTable
from referee.updates import Reason
from referee.vault import Vault
from tournaments.cli.failure import Failure
from tournaments.cli.progress import faults_text
from tournaments.cli.serve_tournaments import Hosting, serve_tournaments
from tournaments.cli.signals import Stopped, run_until_stopped
from tournaments.folder import TOKENS, owned
from tournaments.plan import Server

_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")
_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """How to serve; ``drain`` in seconds, ``metrics_port`` None for no metrics."""

    listen: str
    tables: tuple[OpenTable, ...]
    tournaments: bool
    allow_commands: bool
    folder: Path
    access: Access
    limits: Limits
    tls: Tls | None
    durable: bool
    drain: float
    metrics_port: int | None
    log_form: Form
    log_level: int


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
) -> None:
    """Serve until a signal ends it.

    Raises:
        Failure: an argument is wrong.
        UnknownGame, BadOption, FolderError, CannotListen, CertificateError, TokenError, JournalError,
        RefereeFailed: as they say.
    """
    if tournaments and (names or deals is not None or options):
        text = "--tournaments has no open tables: leave out --game, --deals and --option"
        raise Failure(f"fairdeal: {text}", 2)
    tls = _tls(certificate, key, client_ca)
    tokens = folder / TOKENS
    if why := None if insecure else exposure(listen, tls=tls is not None, tokens=tokens.exists()):
        raise Failure(f"fairdeal: --listen {listen}: {why}", 2)
    if tournaments and allow_commands and not tokens.exists():
        text = "without tokens, whoever calls is an organiser, and could have commands run on this machine"
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
    serving = Serving(
        listen=listen,
        tables=tables,
        tournaments=tournaments,
        allow_commands=allow_commands,
        folder=folder,
        # where other machines can reach it, nobody is believed to be its organiser
        access=TokenFile(tokens) if tokens.exists() else Trusting(organisers=is_local(listen)),
        limits=_limits(limits),
        tls=tls,
        durable=_one_of("--durability", durability, {"process": False, "disk": True}),
        drain=drain,
        metrics_port=metrics_port,
        log_form=_one_of("--log-format", log_format, {form.value: form for form in Form}),
        log_level=_one_of("--log-level", log_level, _LEVELS),
    )
    try:
        run_until_stopped(lambda stopping: _serve(serving, stopping))
    except Stopped:
        return  # that is how serving ends


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
    """Return the default limits with those that are given as NAME=VALUE."""
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
    """Return a value as its option wants it; one that does not fit stays text, which the game refuses."""
    if option and option.kind == "number" and _NUMBER.fullmatch(text):
        return int(text)
    if option and option.kind == "flag" and text in ("true", "false"):
        return text == "true"
    return text


async def _serve(serving: Serving, stopping: asyncio.Event) -> None:
    async with AsyncExitStack() as stack:
        stack.enter_context(owned(serving.folder))
        observers = [stack.enter_context(_logs(serving))]
        if serving.metrics_port is not None:
            metrics = Metrics(GAMES)
            observers.append(metrics)
            address = await stack.enter_async_context(metrics_served(metrics, serving.metrics_port))
            _say(f"metrics: http://{address}/metrics")
        if serving.tournaments:
            await serve_tournaments(_hosting(serving, Observers(*observers)), stopping)
        else:
            await _Serve(serving, Observers(*observers), stopping).run()


def _hosting(serving: Serving, observer: Observer) -> Hosting:
    tls = serving.tls
    everybody_organises = isinstance(serving.access, Trusting) and is_local(serving.listen)
    return Hosting(
        folder=serving.folder,
        server=Server(
            listen=serving.listen,
            certificate=tls.certificate if tls else None,
            key=tls.key if tls else None,
            client_ca=tls.client_ca if tls else None,
        ),
        access=serving.access,
        tokens=None if everybody_organises else TokenFile(serving.folder / TOKENS),
        limits=serving.limits,
        durable=serving.durable,
        drain=serving.drain,
        allow_commands=serving.allow_commands,
        observer=observer,
        say=_say,
    )


@contextmanager
def _logs(serving: Serving) -> Iterator[Observer]:
    log = configure(sys.stderr, serving.log_form, serving.log_level)
    with taking_records(log):
        yield Logs(log, lambda: time.monotonic_ns() // 1000)


class _Serve:
    """One referee that serves, from the first line that it prints to the last."""

    def __init__(self, serving: Serving, observer: Observer, stopping: asyncio.Event) -> None:
        self._serving = serving
        self._stopping = stopping
        self._idle = asyncio.Event()
        folder = serving.folder
        self._records = folder / "records"
        self._records.mkdir(exist_ok=True)
        keys = Vault(folder / "secrets")
        hall = Hall(
            deals=lambda setup, rules: MatchDeals(setup, rules, keys),
            access=serving.access,
            server=SOFTWARE,
            open_tables=serving.tables,
            new_match_id=lambda name: f"{name}-{secrets.token_hex(6)}",
            limits=serving.limits,
            observer=Observers(observer, _Visitors()),
        )
        self._referee = Referee(
            hall,
            keys=keys,
            journal=Journal(folder / "journal", durable=serving.durable),
            records=self._records,
            on_opened=lambda setup: _say(f"{setup.match_id}: {_seating(setup)}"),
            on_finished=self._finished,
        )

    async def run(self) -> None:
        """Serve until it is stopped; what is being played then goes on at the next start."""
        referee = self._referee
        try:
            for report in await referee.recover():
                self._finished(report)
            if referee.running:
                _say(f"matches that go on where they were, once their bots are back: {referee.running}")
            async with listening(referee, self._serving.listen, tls=self._serving.tls) as at:
                try:
                    self._greet(at)
                    await self._wait(self._stopping)
                    await at.drain()
                    await self._drain()
                finally:
                    # before the bots are sent away: what they cannot answer from now on is not their fault
                    await referee.close()
        finally:
            await referee.close()
            if referee.running:
                _say(
                    f"matches that were not over: {referee.running}; start it again with the same --folder,"
                    " and they go on where they were"
                )

    def _greet(self, at: Listening) -> None:
        _say(f"fairdeal listens on {at.address}; records go to {self._records}")
        for table in self._serving.tables:
            wanted = game(table.game).seats
            _say(f"open table: {table.game}, for every {wanted} bots that come")
        if isinstance(self._serving.access, Trusting):
            _say("nobody is asked for a token: every bot is believed its name (fairdeal token add)")
        _say("deals: fixed before play, unbiased if the secret is; Ctrl-C ends it")

    async def _wait(self, event: asyncio.Event, seconds: float | None = None) -> None:
        """Wait for an event, at most so many seconds.

        Raises:
            RefereeFailed: the referee cannot go on.
        """
        failed = asyncio.create_task(self._referee.failed())
        awaited = asyncio.create_task(event.wait())
        try:
            await asyncio.wait({failed, awaited}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if failed.done():
                raise failed.result()
        finally:
            failed.cancel()
            awaited.cancel()

    async def _drain(self) -> None:
        """Begin nothing new and let what is being played end, for a while."""
        referee, seconds = self._referee, self._serving.drain
        referee.drain()
        if not referee.running:
            return
        self._idle.clear()  # it is set since earlier matches
        _say(
            f"leaving when what is being played ({referee.running}) is over, at the latest in {seconds:g} s;"
            " a second Ctrl-C leaves now"
        )
        await self._wait(self._idle, seconds)

    def _finished(self, report: Report) -> None:
        self._referee.settle(report)
        _say(_told(report))
        if not self._referee.running:
            self._idle.set()


class _Visitors(Observer):
    """Says who comes and who goes, a line each."""

    def session_opened(self, entry: str, instance: str, peer: str, agent: str) -> None:
        """Say who is here."""
        _say(f"{entry} is here")

    def session_ended(self, entry: str, instance: str, peer: str, reason: Reason | None) -> None:
        """Say who is gone, and why when the referee has sent it away; not who is sent away at the end."""
        if entry and reason is not Reason.SHUTTING_DOWN:  # without an entry it was never here
            why = f" ({reason.name.lower().replace('_', ' ')})" if reason else ""
            _say(f"{entry} is gone{why}")


def _say(text: str) -> None:
    """Print a line; when nobody reads along any more, what is being played goes on all the same."""
    try:
        typer.echo(text)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _seating(setup: MatchSetup) -> str:
    return ", ".join(f"seat {seat} {entry}" for seat, entry in enumerate(setup.entries))


def _told(report: Report) -> str:
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
