"""Seeding: competitors by the strength that the plan gives them."""

from tournaments.plan import Plan


def seeded(plan: Plan) -> tuple[str, ...]:
    """Return the names of the competitors, best first.

    A team is as strong as its two entries in the mean. Who has no strength, or is a team of which one has
    none, comes after all who have, in the order of the file.
    """
    given = {entry.name: entry.strength for entry in plan.entries}

    def place(entries: tuple[str, ...]) -> tuple[bool, float]:
        known = [strength for name in entries if (strength := given.get(name)) is not None]
        return (False, -sum(known) / len(known)) if len(known) == len(entries) else (True, 0.0)

    return tuple(one.name for one in sorted(plan.competitors, key=lambda one: place(one.entries)))
