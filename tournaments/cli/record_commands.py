"""The commands of `fairdeal record`, and `fairdeal words`; the work of each is in a module of its own."""

from pathlib import Path
from typing import Annotated, Final

import typer

from tournaments.cli.failure import Failure
from tournaments.cli.group import App
from tournaments.cli.options import AsJson
from tournaments.cli.remote_commands import Server

records: Final = App(
    no_args_is_help=True, help="Print finished matches from their records, verify them, and ask bots again."
)

Deal = Annotated[int | None, typer.Option(metavar="N", min=1, help="Only this deal, from 1.")]


@records.command("verify")
def _verify(
    places: Annotated[
        list[Path],
        typer.Argument(
            metavar="PLACE...",
            help="Records, folders of records, of tournaments or of a server, or files of tournaments"
            " (cup.toml).",
        ),
    ],
    told: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="What a bot kept of its matches (in ~/.local/state/fairdeal/kept/ENTRY/, or where keep= or"
            " FAIRDEAL_KEEP says); may be repeated.",
        ),
    ] = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A report or standings of a tournament as JSON, which are computed again; may be repeated.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Verify records: replay each match from its inputs and its secret, and compare every line.

    For example: fairdeal record verify cup.fairdeal

    Where there is a tournament's store, the hash and the result that it holds are compared, too, and the
    ratings that it keeps are computed again. The first thing that is wrong with a record is named with its
    line and field. With --told, records are compared with what the bots themselves kept. The exit status is 0
    if everything verifies, and 1 if something does not.
    """
    from tournaments.cli.verify import run_verify

    raise typer.Exit(run_verify(places, as_json, told or (), report or ()))


@records.command("show")
def _show(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Records (such as records/5c/ID.1.jsonl.gz), folders of records, folders of tournaments, or"
            " files of tournaments (cup.toml).",
        ),
    ],
    match: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Only the match of this id, or the one whose id begins so."),
    ] = None,
    seat: Annotated[
        str | None,
        typer.Option(
            metavar="SEAT",
            help="Only what this seat knew (its number from 0, or its entry); the record must verify.",
        ),
    ] = None,
    deal: Deal = None,
    summary: Annotated[
        bool,
        typer.Option(
            "--summary", help="One line a match, with ranks and (scores), and a table of the entries."
        ),
    ] = False,
    egn: Annotated[
        bool,
        typer.Option("--egn", help="Of one match of euchre: as Euchre Game Notation, for other programs."),
    ] = False,
    html: Annotated[
        bool,
        typer.Option(
            "--html", help="Of one match: a page that replays it, one file that needs nothing else."
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where --html writes it. By default: ID.ATTEMPT.html."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show matches: as text, with deals, hands, tricks, scores and faults, or as a page to step through.

    For example: fairdeal record show fairdeal-serve/records

    What one seat knew of a deal: fairdeal record show --seat 2 --deal 3 records/5c/ID.1.jsonl.gz

    Many matches: fairdeal record show --summary cup.fairdeal

    One match of a tournament: fairdeal record show --match ID cup.toml

    One match in a browser: fairdeal record show --html records/5c/ID.1.jsonl.gz
    """
    from tournaments.cli.record import of_match, show_notation, show_records, write_page

    if match is not None:
        files = of_match(files, match)
    has_more = seat is not None or deal is not None or summary or as_json
    if output and not html:
        raise Failure("fairdeal record show: --output: only --html writes a file", 2)
    if egn or html:
        if has_more or (egn and html) or len(files) != 1:
            option = "--egn" if egn else "--html"
            raise Failure(f"fairdeal record show: {option}: name one record, and no other option", 2)
        if egn:
            show_notation(files[0])
        else:
            write_page(files[0], output)
        return
    show_records(files, seat=seat, deal=deal, summary=summary, as_json=as_json)


@records.command("ask")
def _ask(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record, such as records/5c/ID.1.jsonl.gz.")],
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND...", help="What starts the bot: a command with its arguments, or a house bot."
        ),
    ],
    seat: Annotated[
        str,
        typer.Option(
            metavar="SEAT", help="The seat that the bot is asked for: its number from 0, or its entry."
        ),
    ],
    deal: Deal = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            min=0.01,
            help="How long to wait for each answer, and (10 at least) for it to connect. By default: what the"
            " seat's clock allowed in the match, and 60 to connect.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Put the decisions of one seat to a bot again, and print where its answers differ.

    For example: fairdeal record ask --seat 2 records/5c/ID.1.jsonl.gz -- python my_bot.py

    The bot gets a seat at a private referee and is asked what the seat was asked in the match. Whatever it
    answers, the match goes on as it was played. Exit status 0: it gives the same answers; 1: some differ;
    2: it could not be asked.
    """
    from tournaments.cli.ask import ask_bot

    status = ask_bot(file, command, seat=seat, deal=deal, seconds=seconds, as_json=as_json)
    raise typer.Exit(status)


def watch(
    server: Server,
    match: Annotated[
        str | None,
        typer.Argument(metavar="MATCH", help="The match's id; without it, list what is being played."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Watch a match on a server while it is played, as the public may see it.

    For example: fairdeal watch hearts-3f2a --server 127.0.0.1:7447

    It is shown some decisions later than its players see it (the server's limit watch_delay), and no card
    before everybody at the table knows it. Of a match that is over the whole record is shown, once no other
    match is to be played with the same deals. The list is for organisers, whose token is read from
    FAIRDEAL_TOKEN; watching needs no token.
    """
    from tournaments.cli.watch import watch_match

    watch_match(server, match, as_json=as_json)


def words(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record, such as records/5c/ID.1.jsonl.gz.")],
    seat: Annotated[
        str, typer.Option(metavar="SEAT", help="The seat that was asked: its number from 0, or its entry.")
    ],
    decision: Annotated[
        int, typer.Option(metavar="N", min=1, help="The number of the seat's decision, from 1.")
    ],
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which text: full, plain or relabelled. By default: that of the seat's model, or else full.",
        ),
    ] = None,
) -> None:
    """Print what a seat was asked in a match, in the words that a language model gets.

    For example: fairdeal words --seat 2 --decision 17 records/5c/ID.1.jsonl.gz

    The text is that of the installed fairdeal. Where the record says that a model was asked in other texts,
    or had a prompt of its own before them, a line on standard error says so.
    """
    from tournaments.cli.words import print_words

    print_words(file, seat=seat, decision=decision, profile=profile)


Entry = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        envvar="FAIRDEAL_ENTRY",
        help="The entry that asks, which sat in the match; organisers leave it out.",
    ),
]


@records.command("get")
def _get(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The match's id, such as hearts-1-2.")],
    server: Server,
    attempt: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=2**32 - 1, help="The attempt, by default the last one."),
    ] = None,
    entry: Entry = "",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write it, by default here."),
    ] = None,
) -> None:
    """Get the record of a match from a server: for those who played in it, and for organisers.

    For example: fairdeal record get --server referee.example.org:7447 --entry alice hearts-1-2

    The token is read from FAIRDEAL_TOKEN. The record is sent once the match is over. While other matches are
    to be played with the same deals, it holds only what the seat of the entry knew.
    """
    from tournaments.cli.record_get import get_record

    get_record(server, match, attempt=attempt or 0, entry=entry, output=output)


@records.command("list")
def _list(server: Server, entry: Entry = "") -> None:
    """List the matches of an entry that are over on a server of tournaments: id, attempt, game, entries.

    For example: fairdeal record list --server referee.example.org:7447 --entry alice

    The token is read from FAIRDEAL_TOKEN; an organiser may leave the entry out. Get each with record get.
    """
    from tournaments.cli.record_get import list_records

    list_records(server, entry)


@records.command("archive")
def _archive(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder of a tournament or of fairdeal serve.")
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write, such as 2026-10.tar.")],
    older_than: Annotated[
        int, typer.Option("--older-than", metavar="DAYS", min=1, help="Only matches that began so long ago.")
    ],
    as_json: AsJson = False,
) -> None:
    """Move old records to a tar file, also while the tournament or the server is running.

    For example: fairdeal record archive --older-than 90 cup.fairdeal cup-old.tar

    Results and standings stay; only the records go. They are removed when the file is on the disk.
    fairdeal record unarchive puts them back.
    """
    from tournaments.cli.record_archive import run_archive

    run_archive(folder, out, older_than, as_json)


@records.command("unarchive")
def _unarchive(
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="What fairdeal record archive wrote.")],
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder of a tournament, or any other one.")
    ],
) -> None:
    """Put archived records back, each checked against its digest; the archive stays.

    For example: fairdeal record unarchive cup-old.tar cup.fairdeal
    """
    from tournaments.cli.record_archive import run_unarchive

    run_unarchive(archive, folder)
