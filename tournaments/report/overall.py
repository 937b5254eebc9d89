"""One table over several games, as text and as JSON data."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text

from tournaments.report.text_tables import WIDTH, Column, ahead, print_table
from tournaments.standings.overall import OverallStanding


def show(standings: Sequence[OverallStanding], games: Mapping[str, Sequence[str]], console: Console) -> None:
    """Print the table, with the skill by game beside; ``games`` are the tournaments by game."""
    title = "one table over " + ", ".join(f"{game} ({', '.join(names)})" for game, names in games.items())
    console.print(Text(title, "bold"), soft_wrap=True)
    width = max(WIDTH, console.width) if console.is_terminal else WIDTH
    print_table(_columns(standings, list(games)), console, width)


def as_json(standings: Sequence[OverallStanding], games: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the table as JSON data, numbers in full."""
    return {
        "games": {game: list(names) for game, names in games.items()},
        "standings": [
            {
                "rank": each.rank,
                "entry": each.entry,
                "matches": each.matches,
                **{f"skill_{name}": value for name, value in asdict(each.skill).items()},
                "by_game": {game: asdict(skill) for game, skill in each.by_game.items()},
            }
            for each in standings
        ],
    }


def _columns(standings: Sequence[OverallStanding], games: Sequence[str]) -> list[Column]:
    ranks = [(each.skill.best_rank, each.skill.worst_rank, each.rank) for each in standings]
    return [
        Column("rank", [f"{best}-{worst}" if best < worst else str(rank) for best, worst, rank in ranks]),
        Column("entry", [each.entry for each in standings], is_left=True),
        Column("matches", [str(each.matches) for each in standings]),
        Column("tier", [str(each.skill.tier) for each in standings]),
        Column("vs field", [ahead(each.skill) for each in standings]),
        Column("mu", [f"{each.skill.mu:.2f}" for each in standings]),
        Column("sigma", [f"{each.skill.sigma:.2f}" for each in standings]),
        *(Column(game, [ahead(each.by_game.get(game)) for each in standings]) for game in games),
    ]
