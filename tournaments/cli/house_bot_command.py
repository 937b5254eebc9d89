"""The command `fairdeal bot` with its options: a house bot, or a language model."""

from typing import Annotated, Any, Final

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
    address_of,
)

_PANEL: Final = "Options of llm, a language model"


def _of_model(text: str, *names: str, **more: Any) -> Any:
    """Return an option of a language model."""
    return typer.Option(*names, help=text, rich_help_panel=_PANEL, **more)


def bot(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A house bot: random, greedy, searcher-1-light, searcher-1 or searcher-1-strong; or llm, a"
            " language model.",
        ),
    ],
    game: Game = None,
    connect: Connect = None,
    matches: Matches = None,
    tables: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="How many matches to play at the same time. By default: 64; searcher-1: 1; llm: --calls.",
        ),
    ] = None,
    blunder: Annotated[
        float,
        typer.Option(
            metavar="SHARE", min=0, max=1, help="The share of decisions that greedy makes at random instead."
        ),
    ] = 0.0,
    seed: Seed = None,
    entry: Entry = None,
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
    FAIRDEAL_KEY. It keeps what it is told, as proof, in ~/.local/state/fairdeal/kept/ENTRY/; FAIRDEAL_KEEP
    names another place, and an empty value turns this off.
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
        address_of(connect),
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
