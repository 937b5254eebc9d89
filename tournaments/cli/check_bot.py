"""`fairdeal check-bot`."""

import asyncio
import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer

from referee.games.registry import game as rules_of
from referee.server.exposure import is_local
from tournaments.check.catalogue import BY_NUMBER, CHECKS, DRAINS, REPLACED
from tournaments.check.check import check
from tournaments.check.harness import DIAL, ENTRY, INSTANCE, Harness
from tournaments.check.process import CannotStart
from tournaments.check.results import CheckReport
from tournaments.check.writers import check_data, data, junit, line, listing, text
from tournaments.cli.failure import Failure
from tournaments.cli.signals import Stopped, run_until_stopped, unless_stopped
from tournaments.hosting.command import PYTHON, house_bot_meant

_EVERYWHERE: Final = ("0.0.0.0:", "[::]:")


def list_checks(as_json: bool) -> None:
    """Print the checks, what each means and where it is documented."""
    typer.echo(json.dumps([check_data(check) for check in CHECKS], indent=2) if as_json else listing())


def run_check(
    *,
    command: Sequence[str],
    remote: bool,
    listen: str,
    insecure: bool,
    games: Sequence[str],
    only: Sequence[int],
    patience: float,
    as_json: bool,
    junit_file: Path | None,
) -> int:
    """Check a bot, print the results, and return the exit status: 0, or 1 when a check failed.

    ``command`` starts it; it is empty for a bot that connects by itself (``remote``) at ``listen``, which
    other machines can reach only when it is ``insecure``.

    Raises:
        Failure: the arguments do not fit together, the file cannot be written, the command cannot be
            executed, or a signal stopped it.
        OSError: the file cannot be written any more; the results are printed all the same.
        HostingError: this machine cannot start the command now, or cannot end it.
        GameError: there is no such game.
        CannotListen: the address is not available.
    """
    if bool(command) == remote:
        wrong = (
            "--remote starts no bot: leave the command out"
            if remote
            else "name the bot's command, or --remote"
        )
        raise Failure(f"fairdeal check-bot: {wrong}; see fairdeal check-bot --help", 2)
    if not (insecure or is_local(listen)):
        why = "other machines could reach it, without TLS: listen at 127.0.0.1, or add --insecure"
        raise Failure(f"fairdeal check-bot: --listen {listen}: {why} if that is intended", 2)
    for name in games:
        rules_of(name)
    if unknown := [number for number in only if number not in BY_NUMBER]:
        raise Failure(f"fairdeal check-bot: there is no check {unknown[0]}; --list shows all checks", 2)
    if junit_file:
        _check_writable(junit_file)
    has_to_return = not only or (REPLACED in only and DRAINS in only)

    async def checked(stopping: asyncio.Event) -> CheckReport | None:
        return await unless_stopped(
            check(
                with_python(command),
                patience=patience,
                listen=listen,
                games=games,
                only=only,
                on_result=lambda result: typer.echo(line(result), err=True),
                on_wanted=lambda harness: _ask(harness, has_to_return),
            ),
            stopping,
        )

    try:
        report = run_until_stopped(checked)
    except CannotStart as error:
        meant = house_bot_meant(command[0], lambda name: shlex.join(("fairdeal", "bot", name, *command[1:])))
        raise Failure(f"fairdeal check-bot: {meant or error}", 2) from None
    except Stopped:
        # after a second signal the bot may still be in its grace period
        ending = "" if remote else "; the bot is being ended"
        raise Failure(f"fairdeal check-bot: stopped{ending}") from None
    assert report is not None
    typer.echo(json.dumps(data(report), indent=2) if as_json else text(report))
    if junit_file:
        junit_file.write_bytes(junit(report))
    return 0 if report.passed else 1


def with_python(command: Sequence[str]) -> tuple[str, ...]:
    """Return a command that can be executed: a Python file that is not executable gets its Python."""
    if command and (file := Path(command[0])).suffix == ".py" and file.is_file():
        is_program = "/" in command[0] and os.access(file, os.X_OK)
        return tuple(command) if is_program else (PYTHON, *command)
    return tuple(command)


def _check_writable(file: Path) -> None:
    """Refuse a file that cannot be written, before anything is run; its content stays.

    Raises:
        Failure: it cannot be written.
    """
    is_new = not file.exists()
    try:
        with file.open("ab"):
            pass
        if is_new:
            file.unlink()
    except OSError as error:
        raise Failure(f"fairdeal check-bot: --junit {file}: {error.strerror}", 2) from None


def _ask(harness: Harness, has_to_return: bool) -> None:
    """Print how the author starts the bot: the first time with the token and what to expect."""
    if harness.monitor.connection is None:
        typer.echo("Start your bot with these in its environment (the token is shown this once):", err=True)
        typer.echo(f"  FAIRDEAL_ADDRESS={harness.address}", err=True)
        if harness.address.startswith(_EVERYWHERE):
            typer.echo("  (from another machine, put the name of this one in the address)", err=True)
        typer.echo(f"  FAIRDEAL_ENTRY={ENTRY} FAIRDEAL_INSTANCE={INSTANCE}", err=True)
        typer.echo(f"  FAIRDEAL_TOKEN={harness.token}", err=True)
        if has_to_return:
            told = f"In check {REPLACED} a newer session replaces it, and it has to leave"
            typer.echo(f"{told}: start it again when check-bot asks for it.", err=True)
    else:
        typer.echo("The bot has left: start it again, with the same environment.", err=True)
    typer.echo(f"check-bot waits {DIAL:g} s for it.", err=True)
