"""Random play with faults: the inputs of a record give the match again, and numbers have no gaps."""

from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cards import cards
from referee.games.actions import PlayCard
from referee.games.registry import GAMES
from referee.match.effects import Append
from referee.match.faults import FaultPolicy
from referee.match.messages import Closed, Decision, Happened, Index, Malformed

MOVES = st.lists(
    st.tuples(
        st.sampled_from([*["good"] * 12, "bad", "junk", "index", "stale", "lost", "back", "late"]),
        st.integers(0, 99),
    ),
    max_size=60,
)


def disturb(match: Any, moves: list[tuple[str, int]], choice: Any) -> None:
    """Play on with good and bad answers, sessions lost and found again, and time that goes by."""
    for what, number in moves:
        if match.outcome is not None:
            return
        seat = match.asked[number % len(match.asked)]
        decision = match.decision(seat)
        at = match.now + number
        match_inputs = {
            "good": ("answer", seat, decision.decision_id, choice(decision.legal, number)),
            "bad": ("answer", seat, decision.decision_id, PlayCard(cards("2C")[0])),
            "junk": ("answer", seat, decision.decision_id, Malformed("junk")),
            "index": ("answer", seat, decision.decision_id, Index(number % 15)),
            "stale": ("answer", seat, decision.decision_id - 1, Index(number)),
            "lost": ("lost", number % len(match.seats)),
            "back": ("back", number % len(match.seats)),
        }
        if what == "late":
            match.give("tick", at=match.wake + number % 3)
        else:
            match.give(*match_inputs[what], at=at)
            match.give("tick", at=at)


@settings(max_examples=40)
@given(game=st.sampled_from(sorted(GAMES)), moves=MOVES, limit=st.integers(1, 9), begun=st.booleans())
def test_the_inputs_of_the_record_give_the_match_again(
    driven: Any, choice: Any, game: str, moves: list[tuple[str, int]], limit: int, begun: bool
) -> None:
    match = driven(game, faults=FaultPolicy(max_faults=limit))
    if begun:
        match.begin()
    else:
        match.give("back", 0)
        match.give("ready", 0)
        match.give("tick", at=match.wake)
    disturb(match, moves, choice)
    match.play_out()

    again = driven(game, faults=FaultPolicy(max_faults=limit))
    arguments = {"answer": ("seat", "decision_id", "given"), "start": (), "tick": ()}
    for given_input in match.inputs[1:]:
        wanted = arguments.get(given_input.kind, ("seat",))
        again.give(given_input.kind, *[getattr(given_input, name) for name in wanted], at=given_input.at)
    assert again.log == match.log
    assert again.steps == [step for step in match.steps if any(isinstance(e, Append) for e in step)]


@settings(max_examples=40)
@given(game=st.sampled_from(sorted(GAMES)), moves=MOVES)
def test_numbers_have_no_gaps_whatever_bots_do(
    driven: Any, choice: Any, game: str, moves: list[tuple[str, int]]
) -> None:
    match = driven(game, faults=FaultPolicy(max_faults=99)).begin()
    disturb(match, [move for move in moves if move[0] != "back"], choice)
    match.play_out()
    for seat in match.seats:
        for kind, name in ((Decision, "decision_id"), (Happened, "sequence")):
            numbers = [0, *(getattr(update, name) for update in match.told(seat, kind))]
            assert all(b - a == 1 for a, b in pairwise(numbers))
        ended = [update.decision_id for update in match.told(seat, Closed)]
        assert sorted(ended) == [d.decision_id for d in match.told(seat, Decision)]
