"""Seeding: competitors by the strength that the plan gives them."""

from tournaments.plan.plan import Plan


def seeded(plan: Plan) -> tuple[str, ...]:
    """Return the names of the competitors, best first.

    The strength of a team is the mean of its two entries. Competitors without a strength, and teams in which
    one entry has none, come after all others, in the order of the file.
    """
    given = {entry.name: entry.strength for entry in plan.entries}

    def place(entries: tuple[str, ...]) -> tuple[bool, float]:
        known = [strength for name in entries if (strength := given.get(name)) is not None]
        return (False, -sum(known) / len(known)) if len(known) == len(entries) else (True, 0.0)

    return tuple(one.name for one in sorted(plan.competitors, key=lambda one: place(one.entries)))
