"""`fairdeal backup` and `fairdeal restore`."""

import json
from datetime import UTC, datetime
from pathlib import Path

import typer

from tournaments.backup.restoring import restore
from tournaments.backup.taking import back_up
from tournaments.cli.wording import some_of
from tournaments.text import one_line


def run_backup(folder: Path, out: Path, as_json: bool) -> None:
    """Copy a folder and print what was copied."""
    made = back_up(folder, out, lambda: datetime.now(UTC))
    if as_json:
        told = {
            "archive": str(made.path),
            "bytes": made.size,
            "sha256": made.sha256,
            "files": made.files,
            "playing": [{"match_id": match_id, "attempt": attempt} for match_id, attempt in made.playing],
            "at_rest": made.at_rest,
            "store_elsewhere": made.elsewhere,
            "left_out": list(made.left_out),
        }
        typer.echo(json.dumps(told, indent=2))
        return
    typer.echo(f"{out}: {made.files} files, {made.size:,} bytes, matches that go on: {len(made.playing)}")
    typer.echo(f"SHA-256 {made.sha256}")
    if made.elsewhere is not None:
        typer.echo(f"the store is not in it: copy {made.elsewhere} (pg_dump) before you start it again")
    if made.left_out:
        typer.echo(f"left out, since they are no files: {some_of([*map(one_line, made.left_out)])}")


def run_restore(archive: Path, folder: Path, *, deal_again: bool, as_json: bool) -> None:
    """Bring back a folder and print what to do next."""
    done = restore(archive, folder, deal_again=deal_again)
    if as_json:
        told = {
            "folder": str(done.folder),
            "sha256": done.sha256,
            "files": done.files,
            "made": done.made,
            "playing": done.playing,
            "at_rest": done.at_rest,
            "dealt_again": done.dealt_again,
        }
        typer.echo(json.dumps(told, indent=2))
        return
    typer.echo(f"{folder}: {done.files} files as of {done.made}")
    typer.echo(f"SHA-256 of {archive}: {done.sha256}")
    if done.playing and done.dealt_again:
        typer.echo(f"matches that are dealt again: {done.playing}")
    elif done.playing:
        typer.echo(f"matches that go on where they were: {done.playing}")
        if not done.at_rest:
            typer.echo(
                "if they went on after the backup, their cards are known by now: then remove the folder and"
                " restore it with --deal-again"
            )
