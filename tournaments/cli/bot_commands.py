"""The commands for bots: house bots, bots that speak JSON lines, and the checking of bots."""

import os
from pathlib import Path
from typing import Annotated, Final

import typer

from tournaments.cli.options import DEFAULT_ADDRESS, AsJson

_PASS_ON: Final = {"allow_interspersed_args": False}  # what follows the command's first word is the command's

Connect = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help=f"HOST:PORT or unix:/path; by default FAIRDEAL_ADDRESS, else {DEFAULT_ADDRESS}.",
    ),
]
Matches = Annotated[
    int | None,
    typer.Option(min=0, help="Leave after so many matches, 0: never; by default 1, with FAIRDEAL_ADDRESS 0."),
]
Seed = Annotated[
    str | None, typer.Option(envvar="FAIRDEAL_SEED", help="What the bot's own draws follow from.")
]
Instance = Annotated[
    str | None,
    typer.Option(envvar="FAIRDEAL_INSTANCE", help="Tells bots of one name apart; by default drawn."),
]
ConnectTimeout = Annotated[
    float, typer.Option(min=0, help="Seconds to wait for a referee that is not there yet.")
]
ReconnectTimeout = Annotated[
    float, typer.Option(min=0, help="Seconds to dial again when the session breaks; 0: leave at once.")
]
Tables = Annotated[int, typer.Option(min=1, help="How many tables at once.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands to those that there are."""
    app.command("bot")(_bot)
    app.command("bridge", context_settings=_PASS_ON)(_bridge)
    app.command("check-bot", context_settings=_PASS_ON)(_check_bot)


def _address(connect: str | None) -> str | None:
    """Return where to dial, None where the environment tells it."""
    return connect or (None if "FAIRDEAL_ADDRESS" in os.environ else DEFAULT_ADDRESS)


def _bot(
    name: Annotated[str, typer.Argument(help="The house bot: random or greedy.")],
    game: Annotated[str | None, typer.Option(help="Play this game only; without it, every game.")] = None,
    connect: Connect = None,
    matches: Matches = None,
    blunder: Annotated[
        float, typer.Option(min=0, max=1, help="How often greedy plays at random instead, 0 to 1.")
    ] = 0.0,
    seed: Seed = None,
    entry: Annotated[
        str | None,
        typer.Option(envvar="FAIRDEAL_ENTRY", help="The name to play under; by default the bot's."),
    ] = None,
    instance: Instance = None,
    connect_timeout: ConnectTimeout = 30.0,
    reconnect_timeout: ReconnectTimeout = 60.0,
) -> None:
    """Have a house bot dial in and play.

    A token is taken from FAIRDEAL_TOKEN, for TLS certificates from FAIRDEAL_CA, FAIRDEAL_CERT, FAIRDEAL_KEY.
    """
    from tournaments.cli.bot import run_bot

    run_bot(
        name,
        game,
        _address(connect),
        matches,
        blunder,
        seed,
        entry,
        instance,
        connect_timeout,
        reconnect_timeout,
    )


def _bridge(
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND...", help="The program that plays, and its arguments.")
    ],
    game: Annotated[
        list[str] | None, typer.Option(help="Play this game only; may be repeated; without it, every game.")
    ] = None,
    connect: Connect = None,
    matches: Matches = None,
    tables: Tables = 64,
    events: Annotated[
        bool, typer.Option("--events", help="Tell the program what happens, not only what it is asked.")
    ] = False,
    seed: Seed = None,
    entry: Annotated[
        str | None,
        typer.Option(envvar="FAIRDEAL_ENTRY", help="The name to play under; by default the program's."),
    ] = None,
    instance: Instance = None,
    connect_timeout: ConnectTimeout = 30.0,
    reconnect_timeout: ReconnectTimeout = 60.0,
) -> None:
    """Have a program in any language play: a line of JSON for each question, a line for each answer.

    For example: fairdeal bridge --game hearts -- ./my_bot --fast

    A token is taken from FAIRDEAL_TOKEN, for TLS certificates from FAIRDEAL_CA, FAIRDEAL_CERT, FAIRDEAL_KEY.
    clients/stdio/README.md tells the lines.
    """
    from tournaments.cli.bridge import run_bridge

    run_bridge(
        command,
        address=_address(connect),
        entry=entry,
        instance=instance,
        games=game or (),
        tables=tables,
        matches=matches,
        seed=seed,
        connect_timeout=connect_timeout,
        reconnect_timeout=reconnect_timeout,
        events=events,
    )


def _check_bot(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND...", help="What starts the bot, with its arguments."),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option(help="Check with this game; may be repeated; by default all that the bot plays."),
    ] = None,
    remote: Annotated[
        bool, typer.Option("--remote", help="Start nothing: the bot dials in with the token that is shown.")
    ] = False,
    listen: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Where the referee listens, with --remote: HOST:PORT or unix:/path."
        ),
    ] = "127.0.0.1:0",
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="Let --listen be an address beyond this machine, without TLS."),
    ] = False,
    only: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N", help="Make this check only, after checks 1 to 3, which come always; may be repeated."
        ),
    ] = None,
    list_them: Annotated[
        bool, typer.Option("--list", help="Tell the checks, what each means and where it is written.")
    ] = False,
    patience: Annotated[
        float, typer.Option(min=0.1, help="Seconds that the bot has for what the protocol sets no time for.")
    ] = 10.0,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what came out as JUnit XML, too.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a bot in any language before a competition does.

    A referee on this machine plays with it and does to it what happens in competitions. For example:
    fairdeal check-bot --game hearts -- python my_bot.py
    """
    from tournaments.cli.check_bot import list_checks, run_check

    if list_them:
        list_checks(as_json)
        return
    status = run_check(
        command=command or (),
        remote=remote,
        listen=listen,
        insecure=insecure,
        games=game or (),
        only=only or (),
        patience=patience,
        as_json=as_json,
        junit_file=junit,
    )
    raise typer.Exit(status)
