"""The commands for bots: to run one, or one that speaks JSON lines or MCP, to check a bot, to compare two."""

from pathlib import Path
from typing import Annotated

import typer

from tournaments.cli.bot_options import (
    Connect,
    ConnectTimeout,
    Entry,
    Game,
    Instance,
    Matches,
    ReconnectTimeout,
    Seed,
    Tables,
    address_of,
)
from tournaments.cli.group import Starting
from tournaments.cli.house_bot_command import bot
from tournaments.cli.options import BOTS, DEFAULT_ADDRESS, AsJson, Clock

Sandboxed = Annotated[
    bool,
    typer.Option("--sandbox", help="Run the bots in a sandbox (bubblewrap), where they share nothing."),
]
SetsFolder = Annotated[
    Path, typer.Option(metavar="FOLDER", help="Where sets, records and the bots' output are kept.")
]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Start from scratch instead of going on with earlier sets.")
]


def add_to(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command("bot", rich_help_panel=BOTS)(bot)
    app.command("bridge", cls=Starting, rich_help_panel=BOTS)(_bridge)
    app.command("mcp", rich_help_panel=BOTS)(_mcp)
    app.command("check-bot", cls=Starting, rich_help_panel=BOTS)(_check_bot)
    app.command("compare", rich_help_panel=BOTS)(_compare)
    app.command("exam", cls=Starting, rich_help_panel=BOTS)(_exam)


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
    play_forced: Annotated[
        bool, typer.Option("--play-forced", help="Play what has one legal answer without asking the program.")
    ] = False,
    seed: Seed = None,
    entry: Entry = None,
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
    FAIRDEAL_KEY. It keeps what it is told, as proof, in ~/.local/state/fairdeal/kept/ENTRY/; FAIRDEAL_KEEP
    names another place, and an empty value turns this off.
    """
    from tournaments.cli.bridge import run_bridge

    run_bridge(
        command,
        address_of(connect),
        entry=entry,
        instance=instance,
        games=game or (),
        tables=tables,
        matches=matches,
        seed=seed,
        connect_timeout=connect_timeout,
        reconnect_timeout=reconnect_timeout,
        events=events,
        play_forced=play_forced,
    )


def _mcp(
    game: Game = None,
    connect: Connect = None,
    matches: Matches = None,
    words: Annotated[
        str, typer.Option(metavar="PROFILE", help="The profile of the texts: full, plain or relabelled.")
    ] = "full",
    entry: Entry = None,
    instance: Instance = None,
    connect_timeout: ConnectTimeout = 30.0,
    reconnect_timeout: ReconnectTimeout = 60.0,
) -> None:
    """Give an agent a seat: a local MCP server on standard input and output.

    For example: fairdeal mcp --game hearts --connect localhost:7447

    An MCP client starts this command. Its model plays with the tools rules, wait, act, look and leave;
    docs/models.md shows how it is set up. The referee needs a clock for models, such as --clock patient.

    It ends when the client closes standard input. The first Ctrl-C or SIGTERM lets the match be finished, a
    second one leaves at once.

    It reads its token from FAIRDEAL_TOKEN, and certificates for TLS from FAIRDEAL_CA, FAIRDEAL_CERT and
    FAIRDEAL_KEY. It keeps what it is told, as proof, in ~/.local/state/fairdeal/kept/ENTRY/; FAIRDEAL_KEEP
    names another place, and an empty value turns this off.
    """
    from tournaments.cli.mcp import run_mcp

    run_mcp(
        address_of(connect),
        game=game,
        profile=words,
        matches=matches,
        entry=entry,
        instance=instance,
        connect_timeout=connect_timeout,
        reconnect_timeout=reconnect_timeout,
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
            help="A bot: a Python script, a folder with a __main__.py, a command in quotes, a house bot"
            " (random, greedy, searcher-1), or llm with its options.",
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
            metavar="N",
            min=1,
            max=1000,
            help="How many deals a match has. With one deal per match the result is clearest.",
        ),
    ] = 1,
    clock: Clock = "standard",
    seed: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Derive the deals and the bots' seeds from this text."),
    ] = None,
    sandbox: Sandboxed = False,
    folder: SetsFolder = Path("fairdeal-compare"),
    fresh: Fresh = False,
    as_json: AsJson = False,
) -> None:
    """Find out which of two bots is better at a game, and by how much.

    For example: fairdeal compare my_bot.py greedy --game hearts

    For example: fairdeal compare "python new.py" "./old --fast" --game spades

    For example: fairdeal compare "llm --model a --base-url URL" "llm --model b --base-url URL" --game hearts
    --clock patient

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


def _exam(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COMMAND...",
            help="The bot: a Python script, a command with its arguments, or the name of a house bot.",
        ),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GAME", help="Take the exam in this game only; may be repeated. By default: every game."
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
    ] = DEFAULT_ADDRESS,
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="Allow --listen to be reachable by other machines, without TLS."),
    ] = False,
    sandbox: Sandboxed = False,
    folder: SetsFolder = Path("fairdeal-exam"),
    fresh: Fresh = False,
    as_json: AsJson = False,
) -> None:
    """Find out how strong a bot is: one score a game, which can be compared with those of other bots.

    For example: fairdeal exam --game hearts -- my_bot.py

    For example: fairdeal exam --json greedy

    Every bot plays the same deals against the same opponents, greedy and searcher-1, which do not change: 200
    decks with each, each deck from both sides, at the standard clock. The score is how many points a deal the
    bot has more than its opponents, the mean over both, with an interval of 95%. Scores of the same exam,
    whose number is printed, can be compared at any time. Its deals are known: do not train a bot on them.
    docs/house-bots.md has the scores of two house bots.

    A game takes minutes with a quick bot. Run the same command again to go on where it was interrupted. For a
    fault a default action is played, with its consequences for the score.

    With --remote it waits for a bot that you start yourself, with the environment that is printed: a process
    for each of its seats in the two matches of a set, again for each game and each opponent.
    """
    from tournaments.cli.exam import run_exam

    run_exam(
        command or (),
        remote=remote,
        listen=listen,
        insecure=insecure,
        games=game or (),
        sandboxed=sandbox,
        folder=folder,
        fresh=fresh,
        as_json=as_json,
    )
