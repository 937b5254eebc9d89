"""The commands for bots: to run a house bot or one that speaks JSON lines, to check a bot, to compare two."""

import os
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tournaments.cli.group import Starting
from tournaments.cli.options import BOTS, DEFAULT_ADDRESS, AsJson

Connect = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help=f"The referee: HOST:PORT or unix:/path. By default: FAIRDEAL_ADDRESS, else {DEFAULT_ADDRESS}.",
    ),
]
Matches = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="Leave after this many matches; 0: never. By default: 1, or 0 where FAIRDEAL_ADDRESS is set.",
    ),
]
Seed = Annotated[
    str | None,
    typer.Option(metavar="TEXT", envvar="FAIRDEAL_SEED", help="The seed of the bot's random choices."),
]
Instance = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        envvar="FAIRDEAL_INSTANCE",
        help="Distinguishes several bots of one entry. By default: random.",
    ),
]
ConnectTimeout = Annotated[
    float,
    typer.Option(
        metavar="SECONDS", min=0, help="How long to keep trying to connect to a referee that is down or busy."
    ),
]
ReconnectTimeout = Annotated[
    float,
    typer.Option(
        metavar="SECONDS", min=0, help="How long to try to reconnect when the session breaks; 0: leave."
    ),
]
Tables = Annotated[int, typer.Option(metavar="N", min=1, help="How many matches to play at the same time.")]
_PANEL: Final = "Options of llm, a language model"


def _of_model(text: str, *names: str, **more: Any) -> Any:
    """Return an option of a language model."""
    return typer.Option(*names, help=text, rich_help_panel=_PANEL, **more)


def add_to(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command("bot", rich_help_panel=BOTS)(_bot)
    app.command("bridge", cls=Starting, rich_help_panel=BOTS)(_bridge)
    app.command("check-bot", cls=Starting, rich_help_panel=BOTS)(_check_bot)
    app.command("compare", rich_help_panel=BOTS)(_compare)


def _address(connect: str | None) -> str | None:
    """Return the address to connect to, or None where it is in the environment."""
    return connect or (None if "FAIRDEAL_ADDRESS" in os.environ else DEFAULT_ADDRESS)


def _bot(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A house bot, random or greedy; or llm, a language model."),
    ],
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="Play only this game. By default: every game.")
    ] = None,
    connect: Connect = None,
    matches: Matches = None,
    tables: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="How many matches to play at the same time. By default: 64; llm: --calls.",
        ),
    ] = None,
    blunder: Annotated[
        float,
        typer.Option(
            metavar="SHARE", min=0, max=1, help="The share of decisions that greedy makes at random instead."
        ),
    ] = 0.0,
    seed: Seed = None,
    entry: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", envvar="FAIRDEAL_ENTRY", help="The name to play under. By default: the bot's."
        ),
    ] = None,
    instance: Instance = None,
    connect_timeout: ConnectTimeout = 30.0,
    reconnect_timeout: ReconnectTimeout = 60.0,
    model: Annotated[str | None, _of_model("The model, as its server calls it.", metavar="NAME")] = None,
    base_url: Annotated[
        str | None, _of_model("Its server: any that speaks OpenAI's /v1/chat/completions.", metavar="URL")
    ] = None,
    key_from: Annotated[
        str | None,
        _of_model(
            "The environment variable that holds the server's key. By default: no key.", metavar="VARIABLE"
        ),
    ] = None,
    words: Annotated[
        str | None,
        _of_model(
            "The profile of the texts: full, plain or relabelled. By default: full.", metavar="PROFILE"
        ),
    ] = None,
    prompt: Annotated[
        str | None, _of_model("A file with a text of your own that comes before the rules.", metavar="FILE")
    ] = None,
    reply: Annotated[
        str | None,
        _of_model("How the model answers: json, schema or tool. By default: json.", metavar="FORM"),
    ] = None,
    reply_tokens: Annotated[
        int | None, _of_model("The most tokens of a reply. By default: 4096.", metavar="N")
    ] = None,
    request: Annotated[
        str | None,
        _of_model("Further fields of each request, such as '{\"temperature\": 0}'.", metavar="JSON"),
    ] = None,
    calls: Annotated[
        int | None, _of_model("How many calls the server gets at a time. By default: 8.", metavar="N")
    ] = None,
    idle: Annotated[
        float | None, _of_model("How long the server may send nothing. By default: 120.", metavar="SECONDS")
    ] = None,
    transcript: Annotated[
        str | None, _of_model("Append whole prompts and replies to this file, as JSON lines.", metavar="FILE")
    ] = None,
    folder: Annotated[
        str | None,
        _of_model(
            "Share the number of calls at a time with all bots that name this folder.", metavar="FOLDER"
        ),
    ] = None,
    on_failure: Annotated[
        str | None,
        _of_model(
            "What an outage of the server does: fault costs the decision (the default), leave ends the bot.",
            metavar="WHAT",
        ),
    ] = None,
    no_probe: Annotated[bool, _of_model("Do not test the connection first.", "--no-probe")] = False,
) -> None:
    """Run a house bot or a language model: it connects to a referee and plays.

    For example: fairdeal bot greedy --game hearts --connect localhost:7447

    For example: fairdeal bot llm --model qwen3:8b --base-url http://127.0.0.1:11434/v1 --game hearts

    The first Ctrl-C or SIGTERM lets it finish its matches without beginning new ones; a second one makes it
    leave at once.

    It reads its token from FAIRDEAL_TOKEN, and certificates for TLS from FAIRDEAL_CA, FAIRDEAL_CERT and
    FAIRDEAL_KEY.
    """
    from tournaments.cli.bot import run_bot

    given: dict[str, Any] = {
        "model": model,
        "base_url": base_url,
        "key_from": key_from,
        "words": words,
        "prompt": prompt,
        "reply": reply,
        "reply_tokens": reply_tokens,
        "request": request,
        "calls": calls,
        "idle": idle,
        "transcript": transcript,
        "folder": folder,
        "on_failure": on_failure,
        "no_probe": no_probe or None,
    }
    run_bot(
        name,
        _address(connect),
        given,
        game=game,
        blunder=blunder,
        matches=matches,
        tables=tables,
        seed=seed,
        entry=entry,
        instance=instance,
        connect_timeout=connect_timeout,
        reconnect_timeout=reconnect_timeout,
    )


def _bridge(
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND...", help="The program that plays, and its arguments.")
    ],
    game: Annotated[
        list[str] | None,
        typer.Option(metavar="GAME", help="Play only this game; may be repeated. By default: every game."),
    ] = None,
    connect: Connect = None,
    matches: Matches = None,
    tables: Tables = 64,
    events: Annotated[
        bool, typer.Option("--events", help="Send the program the events of its matches, too.")
    ] = False,
    seed: Seed = None,
    entry: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", envvar="FAIRDEAL_ENTRY", help="The name to play under. By default: the program's."
        ),
    ] = None,
    instance: Instance = None,
    connect_timeout: ConnectTimeout = 30.0,
    reconnect_timeout: ReconnectTimeout = 60.0,
) -> None:
    """Run a bot in any language that reads decisions and writes answers as lines of JSON.

    For example: fairdeal bridge --game hearts -- ./my_bot --fast

    clients/stdio/README.md describes the lines.

    The first Ctrl-C or SIGTERM lets it finish its matches without beginning new ones; a second one makes it
    leave at once.

    It reads its token from FAIRDEAL_TOKEN, and certificates for TLS from FAIRDEAL_CA, FAIRDEAL_CERT and
    FAIRDEAL_KEY.
    """
    from tournaments.cli.bridge import run_bridge

    run_bridge(
        command,
        _address(connect),
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
        typer.Argument(metavar="COMMAND...", help="The command that starts the bot, with its arguments."),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GAME",
            help="Check only this game; may be repeated. By default: every game that the bot plays.",
        ),
    ] = None,
    remote: Annotated[
        bool,
        typer.Option("--remote", help="Start no bot: print a token, and wait for yours to connect with it."),
    ] = False,
    listen: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="With --remote: where to listen for the bot, HOST:PORT or unix:/path."
        ),
    ] = "127.0.0.1:0",
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="Allow --listen to be reachable by other machines, without TLS."),
    ] = False,
    only: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N", help="Run only this check, after checks 1 to 3, which always run; may be repeated."
        ),
    ] = None,
    list_them: Annotated[
        bool, typer.Option("--list", help="List the checks, what each means and where it is documented.")
    ] = False,
    patience: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0.1, help="How long to wait for the bot where the protocol sets no time."
        ),
    ] = 10.0,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the results as JUnit XML.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check before a competition whether a bot, in any language, follows the protocol.

    For example: fairdeal check-bot --game hearts my_bot.py

    It starts the bot and plays matches with it, in which connections break, answers are refused, and so on.
    Exit status 0: all checks passed.

    A file that ends in .py and is not executable runs with the Python of fairdeal.
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


def _compare(
    first: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="A bot: a Python script, a folder with a __main__.py, a command in quotes, or a house bot"
            " (random, greedy).",
        ),
    ],
    second: Annotated[
        str, typer.Argument(metavar="B", help="Another bot; or A again, to see what chance alone does.")
    ],
    game: Annotated[
        str, typer.Option(metavar="GAME", help="The game to play, or all; fairdeal games lists them.")
    ],
    sets: Annotated[
        int, typer.Option(metavar="N", min=1, max=1_000_000, help="Stop after so many sets at most.")
    ] = 1000,
    deals: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=1000, help="How many deals a match has. One deal each says the most."
        ),
    ] = 1,
    clock: Annotated[
        str, typer.Option(metavar="NAME", help="How long bots may think: standard, fast, patient or debug.")
    ] = "standard",
    seed: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Have the deals, and the bots' seeds, follow from this text."),
    ] = None,
    sandbox: Annotated[
        bool,
        typer.Option("--sandbox", help="Run the bots in a sandbox (bubblewrap), where they share nothing."),
    ] = False,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where sets, records and the bots' output are kept.")
    ] = Path("fairdeal-compare"),
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start from scratch instead of going on with earlier sets.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find out which of two bots is better at a game, and by how much.

    For example: fairdeal compare my_bot.py greedy --game hearts

    For example: fairdeal compare "python new.py" "./old --fast" --game spades

    A set is one deck played twice: in the second match the bots have changed sides, so that good cards help
    both. For each match there are other processes, so that no process meets a deck twice. The result is the
    difference in points a deal, with an interval. It ends when the interval leaves out 0: then one bot is
    better. You may look at any time: bots that are equal are called different in at most 5% of comparisons,
    with --game all in any of the games.

    Run the same command again to go on, with more --sets if they are used up. With a bot whose script has
    changed since, it starts from scratch; if only other files have changed, add --fresh.

    For a fault a default action is played, with its consequences for the score. A bot that is gone for good
    ends the comparison.

    Exit status 0: A is better; 3: B is better; 4: undecided, or equal; 1 and 2: an error. With several games:
    better in one at least, and worse in none.
    """
    from tournaments.cli.compare import run_compare

    status = run_compare(
        (first, second),
        name=game,
        deals=deals,
        sets=sets,
        seed=seed,
        clock=clock,
        sandboxed=sandbox,
        folder=folder,
        fresh=fresh,
        as_json=as_json,
    )
    raise typer.Exit(status)
