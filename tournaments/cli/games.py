"""`fairdeal games`."""

import json
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from referee.cards import Rank, rank_of
from referee.games.base import Game
from referee.games.options import Option
from referee.games.registry import GAMES, game


def show_games(name: str | None, as_json: bool) -> None:
    """Print the games with their options, or all about one.

    Raises:
        UnknownGame: there is no such game.
    """
    chosen = [game(name)] if name else [GAMES[known] for known in sorted(GAMES)]
    console = Console(highlight=False)
    if as_json:
        described = [_described(rules) for rules in chosen]
        console.print_json(json.dumps(described[0] if name else described))
    elif name:
        _print_whole(console, chosen[0])
    else:
        for rules in chosen:
            _print_short(console, rules)
        console.print("fairdeal games NAME shows everything about one.")


def _print_short(console: Console, rules: Game[Any]) -> None:
    _print_head(console, rules)
    rows = [(option.name, _default(option), option.bounds) for option in rules.options]
    console.print(_table(("option", "default", "allowed"), rows))
    console.print()


def _print_whole(console: Console, rules: Game[Any]) -> None:
    _print_head(console, rules)
    console.print()
    facts = (
        ("source", rules.source),
        ("rules", f"docs/rules/{rules.name}.md, version {rules.rules_version}"),
        ("pack", _pack(rules)),
        ("deck", rules.deck),
    )
    console.print(_table((), facts))
    console.print()
    console.print("[italic]options: defaults, bounds, and what they do[/italic]")
    for option in rules.options:
        setting = f"{option.name} = {json.dumps(option.default)}  ({option.bounds})"
        console.print(Padding(setting, (0, 0, 0, 2)))
        console.print(Padding(option.help, (0, 0, 0, 6)))
    console.print()
    console.print(
        "[italic]decisions: how to answer them, and what is played for a bot that does not[/italic]"
    )
    decisions = [(phase, rules.answers[phase], default) for phase, default in rules.phases.items()]
    console.print(_table((), decisions))


def _print_head(console: Console, rules: Game[Any]) -> None:
    sides = " against ".join(" and ".join(map(str, side)) for side in rules.sides)
    if len(rules.sides) == rules.seats:
        sides = "each for itself"
    wins = "lowest" if rules.low_wins else "highest"
    console.print(f"[bold]{rules.name}[/bold] - {rules.title}")
    console.print(rules.summary)
    console.print(f"{rules.seats} seats, {sides}; the {wins} score wins, equal ones draw.")


def _table(headings: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Table:
    table = Table(
        *headings, box=None, padding=(0, 2, 0, 2), header_style="italic", show_header=bool(headings)
    )
    for row in rows:
        table.add_row(*row)
    for column in table.columns[:-1]:
        column.no_wrap = True
    return table


def _default(option: Option) -> str:
    return str(option.default).lower() if option.kind == "flag" else str(option.default)


def _pack(rules: Game[Any]) -> str:
    ranks = sorted({rank_of(card) for card in rules.cards})
    low, high = (Rank(rank).name.lower() for rank in (ranks[0], ranks[-1]))
    return f"{len(rules.cards)} cards, {low} to {high}"


def _described(rules: Game[Any]) -> dict[str, Any]:
    return {
        "name": rules.name,
        "title": rules.title,
        "summary": rules.summary,
        "source": rules.source,
        "page": f"docs/rules/{rules.name}.md",
        "rules_version": rules.rules_version,
        "seats": rules.seats,
        "sides": [list(side) for side in rules.sides],
        "low_wins": rules.low_wins,
        "cards": len(rules.cards),
        "deck": rules.deck,
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
        "answers": dict(rules.answers),
        "default_actions": dict(rules.phases),
    }
