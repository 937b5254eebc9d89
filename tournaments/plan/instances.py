"""By which instances an entry plays: several where one bot would meet a deck twice or know two hands."""

from referee.match.effects import Owner
from tournaments.plan.plan import Plan


def instances(plan: Plan, entry: str) -> tuple[str, ...]:
    """Return the instances by which an entry plays: two for one that holds both seats of a side.

    In duplicate sets each turn has instances of its own, and where decks are shared each opponent, too,
    so that none of them meets a deck twice.
    """
    opponents = _opponents(plan, entry)
    return tuple(
        each
        for turn in range(plan.turns)
        for opponent in opponents
        for each in _of_turn(plan, entry, turn, opponent)
    )


def owners(plan: Plan, seats: tuple[str, ...], turn: int = 0) -> tuple[Owner, ...]:
    """Return the owner of each seat, an entry and an instance, from the entries by seat; turns from 0."""
    if not (plan.instance or plan.has_fixed_pairs or plan.duplicate):
        return tuple((entry, "") for entry in seats)
    at_table = dict.fromkeys(map(plan.competitor_of, seats)) if plan.shared_decks else {}

    def opponent(entry: str) -> str:
        return next((name for name in at_table if name != plan.competitor_of(entry)), "")

    return tuple(
        (entry, _of_turn(plan, entry, turn, opponent(entry))[seats[:seat].count(entry)])
        for seat, entry in enumerate(seats)
    )


def _opponents(plan: Plan, entry: str) -> tuple[str, ...]:
    """Return the competitors against which an entry has instances of its own; if none, an empty name."""
    if not plan.shared_decks:
        return ("",)
    own = plan.competitor_of(entry)
    return tuple(each.name for each in plan.competitors if each.name != own)


def _of_turn(plan: Plan, entry: str, turn: int, opponent: str) -> tuple[str, ...]:
    own = [] if entry in plan.remotes or not plan.instance else [plan.instance]
    own += [f"turn{turn + 1}"] if plan.duplicate else []
    own += [f"against-{opponent}"] if opponent else []
    alone = plan.has_fixed_pairs and plan.competitor_of(entry) == entry
    return tuple(".".join([*own, *seat]) for seat in ("1", "2")) if alone else (".".join(own),)
