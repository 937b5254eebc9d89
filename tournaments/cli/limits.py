"""`fairdeal limits`."""

import json

import typer

from referee.core.limits import LIMITS


def show_limits(as_json: bool) -> None:
    """Print every limit with its default, its bounds and its reason."""
    rows = [{"name": name, "default": field.default, **field.metadata} for name, field in LIMITS.items()]
    if as_json:
        told = [{**row, "reason": row["reason"] and row["reason"].name} for row in rows]
        typer.echo(json.dumps(told, indent=2))
        return
    for row in rows:
        reason = f", {row['reason'].name}" if row["reason"] else ""
        typer.echo(f"{row['name']} = {row['default']} ({row['low']} to {row['high']}){reason}")
        typer.echo(f"    {row['text']}")
    typer.echo("\nset with fairdeal serve --limit NAME=VALUE, or in a table [limits] of a tournament file")
