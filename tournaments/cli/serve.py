"""`fairdeal serve`: a referee with an open table for each game."""

import asyncio
import ipaddress
import re
import secrets
import signal
from pathlib import Path
from typing import Any, Final

import typer

from referee.access import Trusting
from referee.clock import PROFILES
from referee.deals import MatchDeals
from referee.effects import MatchSetup
from referee.faults import FaultPolicy
from referee.games.base import Game
from referee.games.options import Option, problems
from referee.games.registry import GAMES, game
from referee.hall import Hall, OpenTable
from referee.journal import Journal
from referee.server.driver import SOFTWARE, Referee, Report
from referee.server.listen import listening
from referee.vault import Vault
from tournaments.cli.failure import Failure
from tournaments.cli.progress import faults_text
from tournaments.folder import owned

_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")
DRAIN_SECONDS: Final = 30.0  # for the matches that are being played, after the first signal


def run_serve(
    listen: str,
    names: list[str],
    deals: int | None,
    options: list[str],
    clock: str,
    folder: Path,
    insecure: bool,
) -> None:
    """Serve until a signal ends it.

    Raises:
        Failure: an argument is wrong.
        UnknownGame, BadOption, FolderError, CannotListen, RefereeFailed: as they say.
    """
    if clock not in PROFILES:
        raise Failure(f"fairdeal: --clock {clock}: there are {', '.join(PROFILES)}", 2)
    if not insecure and not _is_local(listen):
        text = "other machines could reach it, and nobody would be asked for a token; if that is meant, add"
        raise Failure(f"fairdeal: --listen {listen}: {text} --insecure", 2)
    chosen = [game(name) for name in names or sorted(GAMES)]
    given = _parsed(options, chosen)
    tables = [
        OpenTable(
            game=rules.name,
            options=rules.bind(given[rules.name]),
            deals=deals,
            clock=PROFILES[clock],
            faults=FaultPolicy(),
        )
        for rules in chosen
    ]
    asyncio.run(_serve(listen, tables, folder))


def _is_local(address: str) -> bool:
    if address.startswith("unix:"):
        return True
    host, colon, _port = address.rpartition(":")
    if not colon:
        return True  # no address at all, which whoever listens says
    host = host.strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _parsed(options: list[str], chosen: list[Game[Any]]) -> dict[str, dict[str, object]]:
    """Return the options given on the command line by game."""
    given: dict[str, dict[str, object]] = {rules.name: {} for rules in chosen}
    for text in options:
        name, equals, value = text.partition("=")
        which, dot, option = name.partition(".")
        if not (equals and dot and which in given):
            known = ", ".join(given)
            raise Failure(
                f"fairdeal: --option {text}: write GAME.NAME=VALUE with a game that is served ({known})", 2
            )
        schema = {known.name: known for known in game(which).options}
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


async def _serve(listen: str, tables: list[OpenTable], folder: Path) -> None:
    with owned(folder):
        records = folder / "records"
        records.mkdir(exist_ok=True)
        keys = Vault(folder / "secrets")
        idle = asyncio.Event()

        def finished(report: Report) -> None:
            referee.settle(report)
            typer.echo(_told(report))
            if not referee.running:
                idle.set()

        referee = Referee(
            Hall(
                deals=lambda setup, rules: MatchDeals(setup, rules, keys),
                access=Trusting(),
                server=SOFTWARE,
                open_tables=tables,
                new_match_id=lambda name: f"{name}-{secrets.token_hex(6)}",
            ),
            keys=keys,
            journal=Journal(folder / "journal"),
            records=records,
            on_arrived=lambda entry: typer.echo(f"{entry} is here"),
            on_opened=lambda setup: typer.echo(f"{setup.match_id}: {_seating(setup)}"),
            on_finished=finished,
        )
        try:
            async with listening(referee, listen) as address:
                typer.echo(f"fairdeal listens on {address}; records go to {records}")
                for table in tables:
                    wanted = game(table.game).seats
                    typer.echo(f"open table: {table.game}, for every {wanted} bots that come")
                typer.echo("deals: fixed before play, unbiased if the secret is; Ctrl-C ends it")
                await _until_signalled(referee, idle)
                referee.cancel_all()  # what is left is broken off, with a record that says so
        finally:
            await referee.close()


async def _until_signalled(referee: Referee, idle: asyncio.Event) -> None:
    """Wait for a signal, then for the running matches, then at most for a second signal."""
    first, second = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signum, lambda: (second if first.is_set() else first).set())
    failed = asyncio.create_task(referee.failed())
    waits = {asyncio.create_task(first.wait()), failed}
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    if failed.done():
        raise failed.result()
    referee.drain()
    if referee.running:
        idle.clear()  # it is set since earlier matches
        typer.echo(
            f"leaving when what is being played ({referee.running}) is over, at the latest in"
            f" {DRAIN_SECONDS:g} s; a second Ctrl-C breaks it off now"
        )
        waits = {asyncio.create_task(idle.wait()), asyncio.create_task(second.wait()), failed}
        await asyncio.wait(waits, timeout=DRAIN_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()


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
