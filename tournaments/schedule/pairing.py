"""One match of a schedule: its id, and who sits where.

Both depend only on the entries that play it, the round, and the tournament's name, game and seed: an entry
that is added later changes no id of a match and no seat.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations

from referee.dealing.scheme import sha
from referee.games.registry import GAMES
from tournaments.plan.plan import Plan

_ID_DIGITS = 16  # hexadecimal; a collision within one round of 100,000 matches has a chance of 1 in 10^9


@dataclass(frozen=True, slots=True)
class Pairing:
    """A match to be played: ``entries`` are their names by seat, ``round`` counts from 1."""

    match_id: str
    round: int
    entries: tuple[str, ...]


def pair(
    plan: Plan, round_number: int, names: Iterable[str], *, partners: bool = False, as_named: bool = False
) -> Pairing:
    """Return the match that competitors, named in any order, play in a round.

    In each run of n rounds, from round 1 on, a competitor has each of the n seats once with the same
    neighbours; the next n rounds give it others, until every seating was used. In a game of ``partners``, who
    sit opposite, partners count for more than seats: in each run of three rounds everybody has each of the
    others as its partner, and in twenty-four each seat six times. Of fixed pairs, which are two at a table,
    each has both sides in turn, and the two of a team change seats. Where this begins is drawn from a hash,
    so that over many tables each one has each seat about equally often in a single round too; exactly as
    often it could be only if a seat depended on the other competitors of the tournament. Where it does,
    competitors sit ``as_named`` in round 1, the first one in the first seat.
    """
    first, *others = names if as_named else sorted(names)
    start = -1 if as_named else int.from_bytes(_digest(plan, "seating", first, *others)[:8], "big")
    if plan.has_fixed_pairs:
        turn = start + round_number
        circle = [*zip(plan.entries_of(first), plan.entries_of(others[0]), strict=True)]
        north, east = circle if turn % 4 < 2 else reversed(circle)
        turned = (*north, *east)
        seats = turned[turn % 2 :] + turned[: turn % 2]
    elif partners:
        seating = (start + round_number - 1) % 24
        opposite = others[seating % 3]
        left, right = (name for name in others if name != opposite)
        others = [left, opposite, right] if seating % 6 < 3 else [right, opposite, left]
        turn = (seating + seating // 12) % 4  # shifted, since the 12 seatings repeat by then
        seats = (first, *others)[turn:] + (first, *others)[:turn]
    else:
        size = 1 + len(others)
        circles = list(permutations(others))
        others = list(circles[(start // size + (round_number - 1) // size) % len(circles)])
        turn = (start + round_number) % size
        seats = (first, *others)[turn:] + (first, *others)[:turn]
    return seated(plan, round_number, seats)


def seated(plan: Plan, round_number: int, seats: tuple[str, ...], nth: int = 1) -> Pairing:
    """Return the match of entries by seat; ``nth`` counts those of the same seats in one round, from 1.

    The rounds of the stages before are counted, too.
    """
    number = plan.rounds_before + round_number
    repeated = () if nth == 1 else (str(nth),)
    digits = _digest(plan, "match", str(number), *seats, *repeated).hex()[:_ID_DIGITS]
    return Pairing(f"{plan.game}-{number}-{digits}", number, seats)


def has_mixed_partners(plan: Plan) -> bool:
    """Return whether four single players sit at a table, two against two."""
    return GAMES[plan.game].has_partners and not plan.has_fixed_pairs


def _digest(plan: Plan, *parts: str) -> bytes:
    seed = ("unseeded",) if plan.seed is None else ("seeded", plan.seed)
    return sha("fairdeal/1/schedule", plan.unique_name, plan.game, *seed, *parts)
