"""Near-balanced designs: everybody plays a wished number of matches, and meets all about equally often.

They fill the room between the exact designs. The same numbers give the same design.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Final

from referee.dealing.scheme import sha
from tournaments.schedule.families import Table

if TYPE_CHECKING:
    from tournaments.schedule.exchange import Seating

# of large designs fewer, so that these take no longer than all the rest
_STARTS: Final = 8
_SWEEPS: Final = 30
_TABLES_DEALT: Final = 20_000
_TABLES_SWEPT: Final = 300_000


def pairs(players: int, each: int) -> Iterator[Table]:
    """Yield tables of two: everybody plays ``each`` matches, and nobody meets another twice.

    ``each`` is below players - 1. If both are odd, one plays a match less. Everybody sits first and second
    equally often, or once more.
    """
    half = players // 2
    ways = sorted(range(2, half), key=lambda way: sha("fairdeal/1/ways", str(players), str(way)))
    for way in [1, *ways][: each // 2]:  # neighbours first, so that all are connected
        yield from ((one, (one + way) % players) for one in range(players))
    if each % 2:
        # opposite each other; of an odd number they are a ring, in which every second pair plays
        ring = [one * half % players for one in range(players)] if players % 2 else []
        for one in range(half):
            yield (ring[2 * one], ring[2 * one + 1]) if ring else (one, one + half)


@lru_cache(maxsize=4)
def fours(players: int, each: int, *, partners: bool) -> tuple[Table, ...]:
    """Return tables of four for 4 or more players: everybody plays ``each`` matches.

    If players * each is no multiple of four, as many as remain (up to three) play a match less. Any two meet
    about equally often, and with ``partners``, who sit opposite, are about equally often partners.
    """
    from tournaments.schedule.exchange import Exchange  # NumPy is slow to load, and few commands need it

    best: Seating | None = None
    tables = players * each // 4
    search = Exchange(players, tables)
    for start in range(max(1, min(_STARTS, _TABLES_DEALT // max(tables, 1)))):
        found = search.improved(_orders(players, start))
        best = found if best is None else min(best, found)
        if best.is_even or search.is_spent:
            break
    assert best is not None
    return _partnered(players, best.tables) if partners else best.tables


def _orders(players: int, start: int) -> Iterator[list[int]]:
    """Yield orders of all players without end, each as if drawn by chance."""
    lap = 0
    while True:
        yield sorted(range(players), key=lambda one: sha("fairdeal/1/lap", str(start), str(lap), str(one)))
        lap += 1


def _partnered(players: int, tables: tuple[Table, ...]) -> tuple[Table, ...]:
    """Seat partners opposite each other such that any two are partners about equally often."""
    met = Counter(frozenset(two) for table in tables for two in combinations(table, 2))
    had = Counter(two for table in tables for two in _partners(table))
    fewest, more = divmod(2 * len(tables), comb(players, 2))
    least = comb(players, 2) * fewest**2 + more * (2 * fewest + 1)  # of the sum of squares, if all is even
    seated, best, squares = list(tables), tables, _squares(had)
    for sweep in range(max(2, min(_SWEEPS, _TABLES_SWEPT // max(len(tables), 1)))):
        if squares == least:
            break
        for place, (a, b, c, d) in enumerate(seated):
            had.subtract(_partners(seated[place]))
            ways = ((a, b, c, d), (a, c, b, d), (a, b, d, c))
            # each time another one of equals, so that it does not stay where no single change helps
            turn = (place + sweep) % 3
            seated[place] = min(
                ways[turn:] + ways[:turn],
                # of equals those who meet more often
                key=lambda way: (
                    sum(had[two] for two in _partners(way)),
                    -sum(met[two] for two in _partners(way)),
                ),
            )
            had.update(_partners(seated[place]))
        if (now := _squares(had)) < squares:
            best, squares = tuple(seated), now
    return best


def _partners(table: Table) -> tuple[frozenset[int], frozenset[int]]:
    return frozenset(table[::2]), frozenset(table[1::2])


def _squares(counts: Counter[frozenset[int]]) -> int:
    return sum(number * number for number in counts.values())
