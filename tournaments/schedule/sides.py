"""Who plays on which side of a match."""

from referee.games.registry import GAMES
from tournaments.plan.plan import Plan


def sides_of(plan: Plan, seats: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the competitors by side, from the entries by seat: one for each side, or two mixed partners."""
    owners = [plan.competitor_of(entry) for entry in seats]
    return tuple(tuple(dict.fromkeys(owners[seat] for seat in side)) for side in GAMES[plan.game].sides)
