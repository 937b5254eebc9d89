"""Duplicate sets: the same deals once for each side of the game, with the seats turned.

A set is what a schedule calls a match; its turns are matches with ids of their own, one after the other.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import comb

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


def epoch_of(plan: Plan, match_id: str, attempt: int) -> str:
    """Return the name of the decks that an attempt at a match shares with others, or none."""
    return shared_epoch(match_id, attempt, by_round=plan.shared_decks) if plan.duplicate else ""


def shared_epoch(match_id: str, attempt: int, *, by_round: bool) -> str:
    """Return the name of the decks of an attempt at a turn: those of its set, or ``by_round`` of its round.

    A set that is played again has decks of its own in any case: those of the round may be open by then.
    """
    of_set = set_of(match_id)
    return f"{of_set.rpartition('-')[0] if by_round and attempt == 1 else of_set}.{attempt}"


def epoch_of_round(plan: Plan, round_number: int) -> str:
    """Return the name of the decks that the sets of a round share."""
    return f"{plan.game}-{round_number}.1"


def together(plan: Plan) -> int:
    """Return how many matches in a row, from the first one on, count once all of them are over.

    These are the turns of a set, or all matches of a round that shares its decks.
    """
    competitors = len(plan.competitors)
    return plan.turns * (comb(competitors, 2) if plan.shared_decks else 1)
