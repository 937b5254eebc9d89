"""`fairdeal ladder season`."""

import json
from datetime import UTC, datetime
from pathlib import Path

import typer

from tournaments.cli.wording import how_to_go_on
from tournaments.serving import next_season
from tournaments.tournament_file import reader


def run_season(file: Path, widening: float, as_json: bool) -> None:
    """End the season of a ladder and print where it is kept.

    Raises:
        ConfigError, FolderError, StoreError, OSError: it cannot be ended.
    """
    if next_season.complete(reader.load(file, to_run=False, in_season=False).folder):
        typer.echo(f"{file}: the new season that was begun before is ready", err=True)
        return
    plan = reader.load(file, to_run=False)
    ended = next_season.end_season(plan, lambda: datetime.now(UTC), widening=widening)
    if as_json:
        told = {
            "season": ended.season,
            "folder": str(ended.folder),
            "records_sha256": ended.records_sha256,
            "matches": ended.matches,
            "carried": ended.carried,
        }
        typer.echo(json.dumps(told, indent=2))
        return
    typer.echo(f"season {ended.season} is over after {ended.matches} matches; it is kept in {ended.folder}")
    typer.echo(f"SHA-256 over its records: {ended.records_sha256}")
    typer.echo(
        f"season {ended.season + 1} begins with the ratings of {ended.carried} entries, less surely:"
        f" {how_to_go_on(plan, file)}"
    )
