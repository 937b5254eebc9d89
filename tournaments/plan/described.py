"""The way back from the description of a plan, as far as ratings follow from it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.games.registry import GAMES
from referee.match.clock import ClockSettings
from referee.match.faults import FaultPolicy
from tournaments.plan.plan import Entry, Format, Partners, Plan, Team
from tournaments.ratings import RatingParameters


def to_rate_by(described: Mapping[str, Any], folder: Path) -> Plan:
    """Return a plan by which matches are rated as by the one that `Plan.describe` described, maybe long ago.

    Raises:
        KeyError, TypeError, ValueError: this version does not know what the description says.
    """
    match = described["match"] if isinstance(described["match"], dict) else {}
    return Plan(
        name=described["name"],
        game=described["game"],
        options=GAMES[described["game"]].complete(described["options"]),
        deals=match.get("deals"),
        rounds=described["rounds"],
        concurrency=1,
        seed=None,
        base=folder,
        folder=folder,
        clock=ClockSettings(**described["clock"]),
        faults=FaultPolicy(**described["faults"]),
        rating=RatingParameters(**described["rating"]),
        entries=tuple(Entry(name=each["name"]) for each in described["entries"]),
        format=Format(described.get("format", Format.ROUND_ROBIN)),
        partners=Partners(described.get("partners", Partners.MIXED)),
        teams=tuple(_team(**each) for each in described.get("teams", ())),
        duplicate=bool(match.get("duplicate")),
        shared_decks=bool(match.get("shared_decks")),
        season=described.get("season", 1),
    )


def _team(name: str, entries: tuple[str, str]) -> Team:
    first, second = entries
    return Team(name, (first, second))
