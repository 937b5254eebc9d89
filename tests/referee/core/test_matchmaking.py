"""Who is seated together at the open tables."""

from typing import Any

import pytest

from referee.core.matchmaking import Queue
from referee.core.running_match import OpenTable
from referee.core.session import Session
from referee.match.clock import PROFILES
from referee.match.faults import FaultPolicy
from referee.match.messages import Hello

SEAT: Any = None  # which one does not matter


def table(game: str) -> OpenTable:
    return OpenTable(game=game, options={}, deals=1, clock=PROFILES["debug"], faults=FaultPolicy())


def bot(name: str, plays: str = "") -> Session:
    """Return the session of a bot that plays some matches and has room for more."""
    session = Session()
    session.open(Hello(versions=(1,), entry=name, tables=8, resume={}), 1, "")
    session.seats = dict.fromkeys(plays.split(), SEAT)
    return session


@pytest.mark.parametrize(
    ("game", "plays", "party"),
    [
        ("two_handed_spades", {"a": "m1 m2", "b": "m1 m2", "c": "m3", "d": ""}, "ac"),
        ("two_handed_spades", {"a": "m1 m2", "b": "m1 m2", "c": "m1"}, "ac"),
        ("two_handed_spades", {"a": "", "b": "", "c": ""}, "ab"),
        ("hearts", {"a": "m1", "b": "m1", "c": "m2", "d": "", "e": "m2", "f": ""}, "acdf"),
    ],
    ids=["who is in other matches", "who is in fewer", "who came first", "for each seat anew"],
)
def test_whoever_waits_longest_plays_with_those_that_it_meets_least(
    game: str, plays: dict[str, str], party: str
) -> None:
    queue = Queue([table(game)])
    for name, matches in plays.items():
        queue.join(bot(name, matches))
    filled = queue.next_filled()
    assert filled is not None
    assert "".join(session.entry for session in filled[1]) == party
