"""Duplicate sets: the same deals once for each side of the game, with the seats turned.

A set is what a schedule calls a match; its turns are matches with ids of their own, one after the other.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tournaments.plan.plan import Plan
from tournaments.schedule.pairing import Pairing

_MARK = "~"  # between the id of a set and the number of a turn; no other match has it in its id


def in_turns(plan: Plan, sets: Iterable[Pairing]) -> Iterator[Pairing]:
    """Yield the turns of each set: in each one everybody sits one seat further back than before."""
    for pairing in sets:
        for turn in range(plan.turns):
            seats = pairing.entries[turn:] + pairing.entries[:turn]
            yield replace(pairing, match_id=turn_id(pairing.match_id, turn), entries=seats)


def turn_id(set_id: str, turn: int) -> str:
    """Return the id of a turn of a set; turns count from 0."""
    return f"{set_id}{_MARK}{turn + 1}"


def set_of(match_id: str) -> str:
    """Return the id of the set that a match is a turn of."""
    return match_id.partition(_MARK)[0]


def turn_of(match_id: str) -> int:
    """Return which turn of a set a match is, from 0; 0 too for a match that is none."""
    number = match_id.partition(_MARK)[2]
    return int(number) - 1 if number else 0


def shared_epoch(plan: Plan, match_id: str, attempt: int) -> str:
    """Return the name of the decks that an attempt at a match shares with the other turns, or none."""
    return f"{set_of(match_id)}.{attempt}" if plan.duplicate else ""
