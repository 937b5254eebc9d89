"""The commands that run tournaments and ladders on this machine; their work is in other modules."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from tournaments.cli.failure import Failure
from tournaments.cli.group import App
from tournaments.cli.options import AsJson, Drain
from tournaments.cli.remote_commands import OptionalServer, Place, ServerToChange, add_to
from tournaments.cli.web import Http, Insecure

tournament = App(
    no_args_is_help=True, help="Run a tournament from a file, print its standings, and write its report."
)
ladder = App(no_args_is_help=True, help="Run a ladder: a tournament that never closes.")

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="The tournament's file, such as examples/quickstart.toml.")
]
Matches = Annotated[
    list[str] | None,
    typer.Argument(metavar="MATCH...", help="The names of matches, as `tournament matches` lists them."),
]


Wait = Annotated[
    bool,
    typer.Option(
        "--wait",
        help="Where another process runs it, wait until it has ended or stopped responding, then continue.",
    ),
]


@tournament.command("run")
def tournament_run(
    file: File,
    as_json: AsJson = False,
    drain: Drain = 10.0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with status 1 if an entry never connected.")
    ] = False,
    wait: Wait = False,
    http: Http = None,
    insecure: Insecure = False,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export", metavar="DIR", help="Keep a site of pages there, as fairdeal tournament export does."
        ),
    ] = None,
) -> None:
    """Play a tournament and print its standings.

    For example: fairdeal tournament run examples/quickstart.toml

    To watch its matches in a browser meanwhile: --http 127.0.0.1:8080

    After the first Ctrl-C or SIGTERM no more matches begin; a second one stops at once. Run it again to
    resume, also on another machine where the store is in PostgreSQL: with --wait it waits for its turn.
    """
    from tournaments.cli.tournament import run_file

    run_file(file, as_json, drain, strict=strict, http=http, insecure=insecure, wait=wait, site=export)


@tournament.command("replay")
def tournament_replay(
    file: Place,
    matches: Matches = None,
    no_shows: Annotated[
        bool, typer.Option("--no-shows", help="Matches that were forfeited by entries that never connected.")
    ] = False,
    forfeits: Annotated[
        bool,
        typer.Option(
            "--forfeits", help="All matches that were forfeited, with --entry by these entries only."
        ),
    ] = False,
    entry: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only what this entry has forfeited; may be repeated."),
    ] = None,
    reason: Annotated[
        str | None,
        typer.Option("--reason", "--why", metavar="TEXT", help="Why; everybody may read it."),
    ] = None,
    server: ServerToChange = None,
) -> None:
    """Withdraw results, so that the next run plays their matches again, with other decks.

    For example: fairdeal tournament replay cup.toml piquet-1-673c30f6c787b0d9 --reason "the disk was full"

    The results stay in the store, with who withdrew them, when and why, but no longer count.
    """
    from tournaments.cli.rulings import rule_on_place
    from tournaments.plan.states import Chosen

    if not (matches or forfeits or no_shows):
        raise Failure("fairdeal: name what to play again: matches, --forfeits or --no-shows", 2)
    chosen = Chosen(matches or (), entry or (), forfeits, no_shows)
    rule_on_place(file, "replay", chosen, reason or ("no-show" if no_shows else None), server)


@tournament.command("annul")
def tournament_annul(
    file: Place,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; everybody may read it.")],
    matches: Matches = None,
    entry: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="All matches of this entry; may be repeated.")
    ] = None,
    server: ServerToChange = None,
) -> None:
    """Annul matches: their results count for nobody, and they are not played again.

    For example: fairdeal tournament annul cup.toml piquet-1-673c30f6c787b0d9 --reason "alice and bob cheat"

    The results stay in the store, with who annulled them, when and why. Ratings and standings come out as if
    the matches had never been played. fairdeal tournament replay has an annulled match played after all.
    """
    from tournaments.cli.rulings import rule_on_place
    from tournaments.plan.states import Chosen

    rule_on_place(file, "annul", Chosen(matches or (), entry or ()), reason, server)


Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; everybody may read it.")]
Entry = Annotated[str, typer.Argument(metavar="ENTRY", help="The entry's name.")]


@tournament.command("withdraw")
def tournament_withdraw(file: Place, entry: Entry, reason: Reason, server: ServerToChange = None) -> None:
    """Withdraw an entry: it plays no more, and its results stay.

    For example: fairdeal tournament withdraw cup.toml alice --reason "its author asked for it"

    What it is playing ends without a result, and what it has still to play is left out.
    """
    from tournaments.cli.rulings import rule_on_entry_at

    rule_on_entry_at(file, "withdraw", entry, reason, server)


@tournament.command("disqualify")
def tournament_disqualify(
    file: Place,
    entry: Entry,
    results: Annotated[
        Literal["kept", "struck"],
        typer.Option(help="Whether its results still count; struck results count for nobody."),
    ],
    reason: Reason,
    server: ServerToChange = None,
) -> None:
    """Disqualify an entry: it plays no more, and is ranked below all others.

    For example: fairdeal tournament disqualify cup.toml alice --results struck --reason "it reads files"
    """
    from tournaments.cli.rulings import rule_on_entry_at

    rule_on_entry_at(file, "disqualify", entry, reason, server, is_struck=results == "struck")


@tournament.command("reinstate")
def tournament_reinstate(file: Place, entry: Entry, reason: Reason, server: ServerToChange = None) -> None:
    """Bring an entry back that was withdrawn or disqualified, with all its results.

    For example: fairdeal tournament reinstate cup.toml alice --reason "it was a mistake"

    What was left out meanwhile is played.
    """
    from tournaments.cli.rulings import rule_on_entry_at

    rule_on_entry_at(file, "reinstate", entry, reason, server)


@tournament.command("void")
def tournament_void(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name.")],
    matches: Annotated[list[str], typer.Argument(metavar="MATCH...", help="Matches that are being played.")],
    reason: Reason,
    server: Annotated[
        str | None,
        typer.Option(
            "--server", metavar="ADDRESS", help="The referee that plays it, HOST:PORT or unix:/path."
        ),
    ] = None,
) -> None:
    """End matches that are being played without a result; they are played again, with other decks.

    For example: fairdeal tournament void cup piquet-1-673c30f6c787b0d9 --server 127.0.0.1:7447 --reason stuck

    fairdeal tournament status names the matches that are being played.
    """
    from tournaments.cli.rulings import rule_on_place
    from tournaments.plan.states import Chosen

    if server is None:
        text = "the referee that plays a match ends it: name it with --server ADDRESS, which the run prints"
        over = "for matches that are over: fairdeal tournament annul or replay"
        raise Failure(f"fairdeal tournament void: {text}; {over}", 2)
    rule_on_place(name, "void", Chosen(matches), reason, server)


@tournament.command("matches")
def tournament_matches(
    file: Place,
    entry: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only matches of this entry; may be repeated.")
    ] = None,
    faults: Annotated[
        bool, typer.Option("--faults", help="Only matches with a fault, a lost session or a forfeit.")
    ] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, a line for each attempt.")] = False,
    as_json: AsJson = False,
    server: OptionalServer = None,
) -> None:
    """List all matches with seats, scores, ranks, faults, times and the path of the record.

    For example: fairdeal tournament matches tournament.toml --entry alice --faults

    Each attempt at a match has a line: also void attempts, withdrawn results, and matches still to be played.
    """
    from tournaments.cli.matches import list_matches

    list_matches(file, entry or [], server, only_faults=faults, as_csv=as_csv, as_json=as_json)


@tournament.command("plan")
def tournament_plan(
    file: File,
    as_json: AsJson = False,
    limit: Annotated[int, typer.Option(metavar="N", min=0, help="How many matches to list; 0: all.")] = 50,
) -> None:
    """Print the schedule of a tournament and how balanced it is; nothing is played."""
    from tournaments.cli.plan import show_plan

    show_plan(file, as_json, limit)


@tournament.command("report")
def tournament_report(
    file: Place,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write it. By default: NAME.html in the current folder, not beside the tournament.",
        ),
    ] = None,
    as_csv: Annotated[
        bool,
        typer.Option(
            "--csv",
            help="CSV: the standings, and with -o cup.csv, but without --server, the other tables beside it.",
        ),
    ] = False,
    as_json: AsJson = False,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="Compute all ratings from the results again; they come out the same."),
    ] = False,
    resample: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=50,  # the margin of fewer samples says little, and that of one is 0
            max=10_000,
            help="In CSV and JSON: add intervals by resampling the matches N times, 50 or more, such as 200.",
        ),
    ] = None,
    server: OptionalServer = None,
) -> None:
    """Write the report of a tournament as one HTML file, or print it as CSV or JSON.

    The page has the standings, crosstable, ratings over time, faults, scores and schedule, and links to the
    records. CSV and JSON are printed unless -o names a file. Each file of CSV is one table: -o cup.csv writes
    cup.csv, cup-crosstable.csv, cup-matches.csv and, where the tournament has a par, cup-par.csv.
    """
    if server is not None:
        if resample or rebuild:
            raise Failure("fairdeal: --resample, --rebuild: not from a server", 2)
        from tournaments.cli.remote import write_report

        write_report(server, file, output, as_csv=as_csv, as_json=as_json)
        return
    from tournaments.cli.tournament import report_file

    report_file(Path(file), output, as_csv, as_json, rebuild, resample or 0)


@tournament.command("export")
def tournament_export(
    file: File,
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="The folder of the site: a new one, or one that a site was written to."
        ),
    ],
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on until the tournament is over: it may be running now.")
    ] = False,
) -> None:
    """Write a tournament as a site of pages that any web server can serve, or that open from the disk.

    For example: fairdeal tournament export examples/quickstart.toml site

    Standings, crosstable, ratings, schedule and faults, a page for each entry and for each match with its
    replay, and all of it as JSON, CSV and records; site/index.html leads to everything. It shows nothing that
    is still secret. Run it again, also during the tournament, and only what has changed is written.
    """
    from tournaments.cli.export import export_file

    export_file(file, folder, follow=follow)


add_to(tournament)


@ladder.command("run")
def ladder_run(
    file: File,
    as_json: AsJson = False,
    drain: Drain = 10.0,
    matches: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Stop after this many more matches. By default: never."),
    ] = None,
    wait: Wait = False,
    http: Http = None,
    insecure: Insecure = False,
) -> None:
    """Run a ladder until Ctrl-C or SIGTERM, then print its standings.

    It pairs connected entries: new ones first, then those whose match is likely to be close and to improve
    the ratings most.

    Entries can be added and removed meanwhile (fairdeal entry), and bots can connect at any time.
    Run it again to resume.
    """
    from tournaments.cli.tournament import run_ladder

    run_ladder(file, as_json, drain, matches, http=http, insecure=insecure, wait=wait)


@ladder.command("season")
def ladder_season(
    file: File,
    widening: Annotated[
        float,
        typer.Option(
            metavar="X",
            min=0.0,
            max=1.0,
            help="How much to widen sigma, as a share of a beginner's sigma; 1: to that of a beginner.",
        ),
    ] = 0.25,
    as_json: AsJson = False,
) -> None:
    """End the season of a ladder that is not running, and prepare the next one.

    For example: fairdeal ladder season ladder.toml

    The folder is kept as it is, as ladder.fairdeal.season-1, with the final standings and the digest of all
    records in season-end.json. The next season has no matches yet. Entries take part in it as before, with
    their tokens; they keep their mu, and their sigma grows.
    """
    from tournaments.cli.season import run_season

    run_season(file, widening, as_json)
