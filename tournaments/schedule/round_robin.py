"""Round robin: everybody meets everybody, or every four once, in each round."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from referee.games.registry import GAMES
from tournaments.plan import Plan
from tournaments.schedule.pairing import Pairing, pair

MOST_OF_FOUR: Final = 8  # entries of a game for four: with more, every four once is too many matches


def round_robin(plan: Plan) -> Iterator[Pairing]:
    """Yield the whole schedule in order, round by round; in a game of partners everybody plays for itself.

    Within a round the matches of one entry lie as far apart as may be, so that few bots are waited for.
    """
    game = GAMES[plan.game]
    names = [competitor.name for competitor in plan.competitors]
    size = plan.at_table
    tables = list(_pairs(names)) if size == 2 else _spread(list(combinations(names, size)))
    for round_number in range(1, plan.rounds + 1):
        for table in tables:
            yield pair(plan, round_number, table, partners=game.has_partners)


def _pairs(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield all pairs by the circle method: one entry stays, the others turn by one place at a time."""
    places: list[str | None] = [*names]
    if len(places) % 2:
        places.append(None)  # who is paired with it has a bye
    half = len(places) // 2
    for _ in range(len(places) - 1):
        for one, other in zip(places[:half], reversed(places[half:]), strict=True):
            if one is not None and other is not None:
                yield one, other
        places.insert(1, places.pop())


def _spread(tables: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Order tables such that each next one seats those who have played least, then those longest ago."""
    played: dict[str, int] = {name: 0 for table in tables for name in table}
    last: dict[str, int] = dict.fromkeys(played, -1)
    ordered: list[tuple[str, ...]] = []
    while tables:
        best = min(tables, key=lambda table: (sum(played[n] for n in table), sum(last[n] for n in table)))
        tables.remove(best)
        for name in best:
            played[name] += 1
            last[name] = len(ordered)
        ordered.append(best)
    return ordered
