"""`fairdeal games`."""

import json
from typing import Any

from rich.console import Console
from rich.table import Table

from referee.games.base import Game
from referee.games.registry import GAMES, game


def show_games(name: str | None, as_json: bool) -> None:
    """Print the games, or all about one.

    Raises:
        UnknownGame: there is no such game.
    """
    chosen = [game(name)] if name else [GAMES[known] for known in sorted(GAMES)]
    console = Console(highlight=False)
    if as_json:
        described = [_described(rules) for rules in chosen]
        console.print_json(json.dumps(described[0] if name else described))
        return
    for rules in chosen:
        _print(console, rules, whole=name is not None)


def _print(console: Console, rules: Game[Any], *, whole: bool) -> None:
    sides = "each for itself" if len(rules.sides) == rules.seats else f"{len(rules.sides)} sides"
    wins = "lowest" if rules.low_wins else "highest"
    console.print(f"[bold]{rules.name}[/bold] - {rules.title}")
    console.print(f"{rules.summary}", soft_wrap=False)
    console.print(f"{rules.seats} seats, {sides}; the {wins} score wins.")
    table = Table(box=None, padding=(0, 2, 0, 2), header_style="italic")
    for heading in ("option", "default", "allowed", "what it does"):
        table.add_column(heading, no_wrap=heading in ("option", "default"))
    for option in rules.options:
        default = str(option.default).lower() if option.kind == "flag" else str(option.default)
        table.add_row(option.name, default, option.bounds, option.help)
    console.print(table)
    if whole:
        console.print("What the referee plays for a bot that cannot:")
        for decision, default in rules.phases.items():
            console.print(f"  {decision}: {default}")
    console.print()


def _described(rules: Game[Any]) -> dict[str, Any]:
    return {
        "name": rules.name,
        "title": rules.title,
        "summary": rules.summary,
        "seats": rules.seats,
        "sides": [list(side) for side in rules.sides],
        "low_wins": rules.low_wins,
        "rules_version": rules.rules_version,
        "options": [
            {
                "name": option.name,
                "default": option.default,
                "minimum": option.minimum,
                "maximum": option.maximum,
                "choices": list(option.choices),
                "help": option.help,
            }
            for option in rules.options
        ],
        "default_actions": dict(rules.phases),
    }
