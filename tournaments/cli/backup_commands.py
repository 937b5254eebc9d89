"""The commands that copy a folder and bring it back."""

from pathlib import Path
from typing import Annotated

import typer

from tournaments.cli.options import SERVE, AsJson


def add_to(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command("backup", rich_help_panel=SERVE)(_backup)
    app.command("restore", rich_help_panel=SERVE)(_restore)


def _backup(
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="The folder of a tournament or of fairdeal serve."),
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write, such as cup.tar.")],
    as_json: AsJson = False,
) -> None:
    """Copy all that a tournament or a server keeps, also while it is running.

    For example: fairdeal backup cup.fairdeal cup-1124.tar

    The copy is of one moment: store, journal, secrets, records, logs and tokens, so that matches resume from
    it. Anyone who reads it knows the cards of the running matches: keep it to yourself. It does not hold
    tournament files (cup.toml) outside the folder.
    """
    from tournaments.cli.backup import run_backup

    run_backup(folder, out, as_json)


def _restore(
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="What fairdeal backup has written.")],
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder to write; it must not exist, or be empty.")
    ],
    deal_again: Annotated[
        bool,
        typer.Option(
            "--deal-again",
            help="Play unfinished matches again from the beginning, with other cards: use it if they"
            " went on after the backup.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Bring back the folder of a tournament or a server from a backup.

    For example: fairdeal restore cup-1124.tar cup.fairdeal

    Every file is checked against its digest. Nothing is written unless all of it is right. Then start
    the tournament or the server again.
    """
    from tournaments.cli.backup import run_restore

    run_restore(archive, folder, deal_again=deal_again, as_json=as_json)
