"""Causes that coincide at a seat or in a match: which of them counts, pair by pair.

What is expected is written from ``docs/sessions.md``. Inputs are given in the order in which they are read.
"""

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any, Final, NamedTuple

import pytest

from referee.cards import Seat, cards
from referee.games.actions import Action, Bid, ChooseCards
from referee.games.registry import GAMES
from referee.match.faults import FaultPolicy, Termination
from referee.match.match import Match
from referee.match.messages import Closed, CloseReason, Decision, Finished, Malformed
from tests.referee.driven import Driven, KeyedDecks

COMPLETED, FORFEIT, CANCELLED, VOID = Termination
CAUSES: Final = (
    *("malformed", "illegal", "disconnected", "late", "abandoned"),
    *("declined", "absent", "failed", "cancelled", "completed", "forfeit"),
)
"""``absent``: not ready at the start limit; ``failed``: the referee; ``forfeit``: by its last fault."""
APART: Final = {
    *(frozenset({early, late}) for early in ("declined", "absent") for late in ("malformed", "illegal")),
    *(frozenset({early, "completed"}) for early in ("declined", "absent")),
    frozenset({"declined", "late"}),
}
"""These cannot coincide: before the first deal nobody is asked, and nothing is over."""

WRONG: Final = {
    "malformed": Malformed("the answer holds neither an action nor an index"),
    "illegal": Bid(9),
    "both": ChooseCards(cards("2C 2C")),  # a card twice, and nothing that is asked for
}
"""Answers that are wrong at any time, or nearly: nobody bids nine after the bidding."""


class TwoCauses(NamedTuple):
    """Two causes at seat ``who``, and what comes of them.

    Its place is a decision, the last one of the match, or the table before the first deal; at a ``thin`` one
    seat 1 is absent too. Inputs with ``!`` come a microsecond after the deadline, others before. With
    ``fails`` a step of the game raises an exception. The match ``ends`` so, or goes on; ``faults`` are all
    that are counted.
    """

    causes: str
    game: str
    place: str
    inputs: str
    ends: Termination | None
    faults: str = ""
    forfeits: bool = False
    limit: int = 99
    fails: bool = False


TWO, FOUR = "two_handed_spades", "hearts"
CASES: Final = [
    # what a bot said goes before what it did not say, and a bot that is gone was not slow
    TwoCauses("malformed illegal", TWO, "asked", "both", None, "malformed"),
    TwoCauses("malformed disconnected", TWO, "asked", "lost malformed", None, "malformed"),
    TwoCauses("malformed late", TWO, "asked", "malformed! tick!", None, "malformed"),
    TwoCauses("illegal disconnected", TWO, "asked", "lost illegal", None, "illegal"),
    TwoCauses("illegal late", TWO, "asked", "illegal! tick!", None, "illegal"),
    TwoCauses("disconnected late", TWO, "asked", "lost tick!", None, "disconnected"),
    # who never comes back forfeits; the decision that is open costs no second fault
    TwoCauses(
        "malformed abandoned", TWO, "asked", "malformed abandon", FORFEIT, "malformed disconnected", True
    ),
    TwoCauses("malformed abandoned", TWO, "asked", "abandon malformed", FORFEIT, "disconnected", True),
    TwoCauses("illegal abandoned", TWO, "asked", "illegal abandon", FORFEIT, "illegal disconnected", True),
    TwoCauses("illegal abandoned", TWO, "asked", "abandon illegal", FORFEIT, "disconnected", True),
    TwoCauses("disconnected abandoned", TWO, "asked", "lost abandon! tick!", FORFEIT, "disconnected", True),
    TwoCauses("disconnected abandoned", FOUR, "asked", "lost abandon! tick!", None, "disconnected", True),
    TwoCauses("late abandoned", TWO, "asked", "abandon! tick!", FORFEIT, "disconnected", True),
    TwoCauses("late abandoned", TWO, "asked", "tick! abandon!", FORFEIT, "late disconnected", True),
    # the last fault forfeits: of two sides the other one wins
    *(
        TwoCauses(f"{fault} forfeit", game, "asked", inputs, ends, fault, True, limit=1)
        for game, ends in ((TWO, FORFEIT), (FOUR, None))
        for fault, inputs in (
            ("malformed", "malformed"),
            ("illegal", "illegal"),
            ("disconnected", "lost tick!"),
            ("late", "tick!"),
        )
    ),
    TwoCauses("abandoned forfeit", TWO, "asked", "malformed abandon", FORFEIT, "malformed", True, limit=1),
    TwoCauses("abandoned forfeit", FOUR, "asked", "malformed abandon", None, "malformed", True, limit=1),
    # the last card of the match is a default one; with the last fault it is not even played
    *(
        TwoCauses(f"{fault} completed", TWO, "last", inputs, COMPLETED, fault)
        for fault, inputs in (
            ("malformed", "malformed"),
            ("illegal", "illegal"),
            ("disconnected", "lost tick!"),
            ("late", "tick!"),
        )
    ),
    TwoCauses("completed forfeit", TWO, "last", "malformed", FORFEIT, "malformed", True, limit=1),
    TwoCauses("completed forfeit", FOUR, "last", "malformed", COMPLETED, "malformed", True, limit=1),
    TwoCauses("abandoned completed", TWO, "last", "abandon right", FORFEIT, "disconnected", True),
    TwoCauses("abandoned completed", FOUR, "last", "abandon right", COMPLETED, "disconnected", True),
    TwoCauses("abandoned completed", TWO, "last", "right abandon", COMPLETED),
    # a match ends once, by what comes first
    *(
        TwoCauses(f"{fault} cancelled", TWO, "asked", inputs, CANCELLED, faults)
        for fault, step in (("malformed", "malformed"), ("illegal", "illegal"), ("late", "tick!"))
        for inputs, faults in ((f"cancel! {step}", ""), (f"{step} cancel!", fault))
    ),
    TwoCauses("disconnected cancelled", TWO, "asked", "lost cancel! tick!", CANCELLED),
    TwoCauses("disconnected cancelled", TWO, "asked", "lost tick! cancel!", CANCELLED, "disconnected"),
    TwoCauses("abandoned cancelled", TWO, "asked", "cancel abandon", CANCELLED),
    TwoCauses("abandoned cancelled", TWO, "asked", "abandon cancel", FORFEIT, "disconnected", True),
    TwoCauses("declined cancelled", TWO, "table", "cancel decline", CANCELLED),
    TwoCauses("declined cancelled", TWO, "table", "decline cancel", FORFEIT, "", True),
    TwoCauses("absent cancelled", TWO, "table", "cancel! tick!", CANCELLED),
    TwoCauses("absent cancelled", TWO, "table", "tick! cancel!", FORFEIT, "late", True),
    TwoCauses("cancelled completed", TWO, "last", "cancel right", CANCELLED),
    TwoCauses("cancelled completed", TWO, "last", "right cancel", COMPLETED),
    TwoCauses("cancelled forfeit", TWO, "asked", "cancel malformed", CANCELLED, limit=1),
    TwoCauses("cancelled forfeit", TWO, "asked", "malformed cancel", FORFEIT, "malformed", True, limit=1),
    TwoCauses("failed cancelled", TWO, "asked", "cancel void", CANCELLED),
    TwoCauses("failed cancelled", TWO, "asked", "void cancel", VOID),
    # a failure of the referee goes before all that coincides in its step
    TwoCauses("malformed failed", TWO, "asked", "malformed", VOID, "malformed", fails=True),
    TwoCauses("illegal failed", TWO, "asked", "illegal", VOID, "illegal", fails=True),
    TwoCauses("disconnected failed", TWO, "asked", "lost tick!", VOID, "disconnected", fails=True),
    TwoCauses("late failed", TWO, "asked", "tick!", VOID, "late", fails=True),
    TwoCauses("abandoned failed", FOUR, "asked", "abandon", VOID, "disconnected", True, fails=True),
    TwoCauses("declined failed", FOUR, "table", "decline", VOID, "", True, fails=True),
    TwoCauses("absent failed", FOUR, "table", "tick!", VOID, "late", True, fails=True),
    TwoCauses("failed completed", TWO, "last", "right", VOID, fails=True),
    TwoCauses("failed completed", TWO, "last", "right void", COMPLETED),
    TwoCauses("failed forfeit", FOUR, "asked", "malformed", VOID, "malformed", True, limit=1, fails=True),
    # the same holds when the machine loses a bot that it hosts
    TwoCauses("disconnected failed", TWO, "asked", "lost void! tick!", VOID),
    TwoCauses("abandoned failed", TWO, "asked", "lost void! abandon!", VOID),
    # before the first deal
    TwoCauses("disconnected absent", FOUR, "table", "lost tick!", None, "disconnected", True),
    TwoCauses("late absent", FOUR, "table", "tick!", None, "late", True),
    TwoCauses("abandoned absent", FOUR, "thin", "abandon! tick!", None, "disconnected", True),
    TwoCauses("declined absent", FOUR, "thin", "decline! tick!", None, "", True),
    TwoCauses("declined absent", FOUR, "thin", "tick! decline!", None, "late", True),
    TwoCauses("disconnected declined", FOUR, "table", "lost decline! tick!", None, "", True),
    TwoCauses("abandoned declined", FOUR, "table", "decline abandon", None, "", True),
    TwoCauses("abandoned declined", FOUR, "table", "abandon decline", None, "disconnected", True),
    TwoCauses("absent forfeit", TWO, "table", "tick!", FORFEIT, "late", True),
    TwoCauses("declined forfeit", TWO, "table", "decline", FORFEIT, "", True),
]


def pair(case: TwoCauses) -> frozenset[str]:
    return frozenset(case.causes.split())


def test_every_pair_that_can_coincide_is_there() -> None:
    pairs = {frozenset(two) for two in combinations(CAUSES, 2)}
    assert set(map(pair, CASES)) == pairs - APART


class Failure(Exception):
    """The referee itself is at fault."""


def fail(*_args: Any) -> None:
    raise Failure


def let_fail(game: str, monkeypatch: Any) -> None:
    """Let defaults and results fail, so that any cause can come before a failure in the same step."""
    rules: Any = GAMES[game]
    kind = type(rules.new(rules.bind({}), deals=1, first=Seat(0)))
    result = kind.result
    monkeypatch.setattr(type(rules), "default", fail)
    monkeypatch.setattr(kind, "result", lambda state: fail() if result(state) else None)


def led_to(place: str, match: Any, twin: Any) -> int:
    """Lead a match to a place, and return the seat that it is about."""
    if place in ("table", "thin"):
        for seat in match.seats:
            match.give("back", seat)
            if seat > (place == "thin"):
                match.give("ready", seat)
        return 0
    match.begin()
    if place == "asked":
        for seat in match.asked[1:]:
            match.answer(seat)
    else:
        twin.begin().play_out()
        answers = [given for given in twin.inputs if given.kind == "answer"]
        for given in answers[:-1]:
            match.give("answer", given.seat, given.decision_id, given.given)
    seat: int = match.asked[0]
    return seat


def give(match: Any, who: int, decision: Decision | None, what: str, right: Any) -> None:
    """Give an input of a case; a step that fails is followed by what makes the match void."""
    try:
        if what in ("tick", "cancel", "void"):
            match.give(what)
        elif what in (*WRONG, "right"):
            assert decision is not None
            given = WRONG.get(what) or right(decision.legal)
            match.give("answer", who, decision.decision_id, given)
        else:
            match.give(what, who)
    except Failure:
        match.give("void")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.game} {case.place}: {case.inputs}")
def test_of_two_causes_one_counts(
    case: TwoCauses, driven: type[Driven], choice: Callable[..., Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    match, twin = (driven(case.game, faults=FaultPolicy(max_faults=case.limit)) for _ in range(2))
    who = led_to(case.place, match, twin)
    decision = match.decision(who)
    in_time, late = match.now, match.wake
    if case.fails:
        let_fail(case.game, monkeypatch)
    for word in case.inputs.split():
        match.now = late if word.endswith("!") else in_time
        give(match, who, decision, word.removesuffix("!"), choice)
    monkeypatch.undo()
    assert (match.outcome.termination if match.outcome else None) == case.ends
    assert len(match.finishes) == (case.ends is not None)
    if (case.forfeits or match.outcome) and not case.fails:
        assert match.decision(who) is None
    if match.outcome is None:
        match.give("cancel")
    counts = match.outcome.faults[who]
    kinds = ("malformed", "illegal", "disconnected", "late")
    assert {kind: getattr(counts, kind) for kind in kinds} == {
        kind: Counter(case.faults.split())[kind] for kind in kinds
    }
    absent = (1,) if case.place == "thin" else ()
    assert match.outcome.forfeited == ((who, *absent) if case.forfeits else ())
    assert match.log[-1] is match.outcome
    assert (match.outcome.ranks == ()) == (case.ends in (None, CANCELLED, VOID))
    if case.ends is FORFEIT:
        assert (match.outcome.ranks[who], match.outcome.scores) == (2, ())
    elif case.ends is COMPLETED and case.forfeits:
        assert match.outcome.ranks[who] == 4


# Two seats


class Partners:
    """Hearts between two sides: of our games no other asks several seats at once."""

    sides = ((Seat(0), Seat(2)), (Seat(1), Seat(3)))

    def __getattr__(self, name: str) -> Any:
        return getattr(GAMES["hearts"], name)


@pytest.fixture
def partners(driven: type[Driven], decks: type[KeyedDecks]) -> Any:
    match = driven(faults=FaultPolicy(max_faults=1))
    game: Any = Partners()
    match.match = Match(match.setup, game, decks())
    match.give("start")
    return match


def test_of_two_seats_that_run_out_in_one_tick_the_first_ends_the_match(partners: Any) -> None:
    partners.begin()
    partners.answer(0)
    partners.give("tick", at=partners.wake)
    outcome = partners.outcome
    assert (outcome.termination, outcome.ranks, outcome.forfeited) == (FORFEIT, (1, 2), (1,))
    assert [counts.late for counts in outcome.faults] == [0, 1, 0, 0]
    assert partners.log[-1] is outcome
    for seat in (2, 3):
        (closed,) = partners.told(seat, Closed)
        assert (closed.reason, closed.fault) == (CloseReason.CANCELLED, None)
        assert len(partners.told(seat, Finished)) == 1


def test_all_that_are_absent_at_the_start_limit_forfeit_together(partners: Any) -> None:
    partners.give("tick", at=partners.wake)
    outcome = partners.outcome
    assert (outcome.termination, outcome.ranks) == (FORFEIT, (1, 1))
    assert [counts.disconnected for counts in outcome.faults] == [1, 1, 1, 1]


def test_of_two_that_decline_the_first_one_does(driven: type[Driven]) -> None:
    match = driven("two_handed_spades")
    for seat in (1, 0):
        match.give("decline", seat)
    assert (match.outcome.ranks, match.outcome.forfeited) == ((1, 2), (1,))


def test_of_two_that_never_come_back_the_first_one_forfeits(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    for seat in (1, 0):
        match.give("abandon", seat)
    assert (match.outcome.ranks, match.outcome.forfeited) == ((1, 2), (1,))
    assert [counts.disconnected for counts in match.outcome.faults] == [0, 1]


def test_a_fault_of_one_seat_is_none_of_another_whose_answer_ends_the_match(driven: type[Driven]) -> None:
    match = driven("two_handed_spades", faults=FaultPolicy(max_faults=1)).begin()
    match.give("lost", 1)
    match.give("answer", 0, 1, WRONG["illegal"])
    match.give("abandon", 1)
    assert (match.outcome.ranks, match.outcome.forfeited) == ((2, 1), (0,))
    assert match.outcome.faults[1].total == 0
