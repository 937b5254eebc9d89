"""`fairdeal record archive` and `fairdeal record unarchive`."""

import json
from datetime import UTC, datetime
from pathlib import Path

import typer

from tournaments.backup.record_archive import archive, put_back


def run_archive(folder: Path, out: Path, days: int, as_json: bool) -> None:
    """Move old records to an archive and print its digests."""
    done = archive(folder, out, days, datetime.now(UTC))
    if as_json:
        data = {
            "archive": str(done.path) if done else None,
            "sha256": done.sha256 if done else None,
            "records": done.records if done else 0,
            "records_sha256": done.records_sha256 if done else None,
        }
        typer.echo(json.dumps(data, indent=2))
    elif done is None:
        typer.echo(f"{folder}: no record is older than {days} days")
    else:
        typer.echo(f"{out}: {done.records} records")
        typer.echo(f"SHA-256 {done.sha256}; over its records {done.records_sha256}")


def run_unarchive(path: Path, folder: Path) -> None:
    """Put archived records back."""
    typer.echo(f"{folder}: {put_back(path, folder)} records are back")
