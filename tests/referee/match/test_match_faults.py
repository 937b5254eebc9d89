"""Faults in a match: which one counts, what is played instead, and when a seat forfeits."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from referee.cards import Seat, card, cards
from referee.games.actions import Action, Bid, ChooseCards, Draft, DraftChoice, Moon, MoonChoice, PlayCard
from referee.games.events import CardPlayed
from referee.games.registry import GAMES
from referee.match.effects import Append, Faulted, Input, Substituted, Tell
from referee.match.faults import Fault, FaultCounts, FaultPolicy, Termination
from referee.match.messages import (
    Closed,
    CloseReason,
    Decision,
    Finished,
    Happened,
    Index,
    Malformed,
    Reason,
    Refused,
)
from tests.referee.driven import Driven, KeyedDecks

AT_ONCE = FaultPolicy(substitute=False)
PATIENT = FaultPolicy(max_faults=99)

MALFORMED = Malformed("the answer holds neither an action nor an index")
ILLEGAL = PlayCard(card("2C"))


def counts(match: Any, seat: int) -> FaultCounts:
    """Return the faults of a seat, which are told when the match is over."""
    if match.outcome is None:
        match.give("cancel")
    found: FaultCounts = match.outcome.faults[seat]
    return found


def one(fault: Fault, **more: int) -> FaultCounts:
    return FaultCounts(**{fault.name.lower(): 1, **more})


# One fault


@pytest.mark.parametrize(
    ("game", "given", "fault", "text"),
    [
        ("hearts", MALFORMED, Fault.MALFORMED, "the answer holds neither an action nor an index"),
        ("hearts", ChooseCards(cards("2C 2C 3C")), Fault.MALFORMED, "a card is chosen twice"),
        ("hearts", Index(0), Fault.ILLEGAL, "not by an index"),
        ("hearts", ChooseCards(()), Fault.ILLEGAL, "0 cards are chosen where 3 are asked for"),
        ("hearts", ChooseCards(cards("2C 3C 4C 5C")), Fault.ILLEGAL, "4 cards are chosen where 3"),
        ("hearts", ChooseCards(cards("2C QH AS")), Fault.ILLEGAL, "a card is chosen that cannot be"),
        ("hearts", PlayCard(card("2C")), Fault.ILLEGAL, "answered by choosing cards"),
        ("hearts", Moon(MoonChoice.ADD), Fault.ILLEGAL, "answered by choosing cards"),
        ("two_handed_spades", MALFORMED, Fault.MALFORMED, "neither an action nor an index"),
        ("two_handed_spades", Index(2), Fault.ILLEGAL, "index 2 is given where 0 to 1 are legal"),
        ("two_handed_spades", Index(2**32 - 1), Fault.ILLEGAL, "where 0 to 1 are legal"),
        ("two_handed_spades", Index(-1), Fault.ILLEGAL, "where 0 to 1 are legal"),
        ("two_handed_spades", Bid(3), Fault.ILLEGAL, "not among the legal actions"),
        ("two_handed_spades", PlayCard(card("2C")), Fault.ILLEGAL, "not among the legal actions"),
        ("two_handed_spades", ChooseCards(()), Fault.ILLEGAL, "not among the legal actions"),
        ("two_handed_spades", ChooseCards(cards("2C 2C")), Fault.MALFORMED, "a card is chosen twice"),
    ],
)
def test_a_wrong_answer_is_one_fault_and_the_default_is_played(
    driven: type[Driven], decks: type[KeyedDecks], game: str, given: Any, fault: Fault, text: str
) -> None:
    match = driven(game, decks=decks(decks=[GAMES[game].cards])).begin()
    decision = match.decision(0)
    effects = match.answer(0, given)
    (refused,), (closed,) = match.told(0, Refused), match.told(0, Closed)
    reason = Reason.MALFORMED_ACTION if fault is Fault.MALFORMED else Reason.ILLEGAL_ACTION
    assert (refused.decision_id, refused.reason, refused.still_open) == (1, reason, False)
    assert text in refused.text and "\n" not in refused.text
    assert closed == Closed("m-1", 1, CloseReason.DEFAULTED, fault)
    default = GAMES[game].default(decision.view, decision.legal)
    assert [e.entry for e in effects if isinstance(e, Append)][:3] == [
        Input("answer", match.now, Seat(0), 1, given),
        Faulted(Seat(0), fault, 1),
        Substituted(Seat(0), default, 1, fault),
    ]
    assert counts(match, 0) == one(fault)


@pytest.mark.parametrize("lost", [False, True])
def test_the_deadline_itself_is_in_time_and_a_microsecond_more_is_not(
    driven: type[Driven], lost: bool
) -> None:
    match = driven("two_handed_spades").begin(at=1_000)
    if lost:
        match.give("lost", 0)
    deadline = 1_000 + 100 + 10 + 50
    assert match.give("tick", at=deadline) == []
    match.give("tick", at=deadline + 1)
    fault = Fault.DISCONNECTED if lost else Fault.LATE
    assert match.told(0, Closed) == [Closed("m-1", 1, CloseReason.DEFAULTED, fault)]
    assert match.told(0, Refused) == []
    assert counts(match, 0) == one(fault, sessions_lost=int(lost))


def test_an_answer_at_the_deadline_counts(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.answer(0, Draft(DraftChoice.REFUSE), at=160)
    assert match.told(0, Closed) == [Closed("m-1", 1, CloseReason.ANSWERED)]


def test_a_seat_that_is_back_in_time_answers_as_if_nothing_had_been(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.give("lost", 0, at=10)
    match.give("back", 0, at=150)
    match.answer(0, at=160)
    assert counts(match, 0) == FaultCounts(sessions_lost=1)


def test_being_late_costs_bank_and_lag(driven: type[Driven]) -> None:
    match = driven("two_handed_spades", faults=PATIENT).begin()
    match.give("tick", at=match.wake)
    match.answer(1)
    second = match.told(0, Decision)[1]
    assert second.bank == 0
    assert match.wake == match.now + 100 + 5 + 1


def test_being_late_costs_the_others_nothing(driven: type[Driven]) -> None:
    match = driven("two_handed_spades", faults=PATIENT).begin()
    match.give("tick", at=match.wake)
    assert match.told(1, Decision)[0].bank == 50
    assert match.wake == match.now + 160 + 1


def test_a_wrong_answer_changes_nothing_for_the_others(driven: type[Driven]) -> None:
    played = []
    for given in (None, ILLEGAL):
        match = driven(faults=PATIENT).begin()
        first = match.decision(2)
        default = GAMES["hearts"].default(first.view, first.legal)
        effects = match.answer(2, given or default)
        assert {e.seat for e in effects if isinstance(e, Tell)} == {2}
        assert match.asked == [0, 1, 3]
        match.play_out()
        played.append([[u for u in match.told(seat) if not isinstance(u, Finished)] for seat in (0, 1, 3)])
    assert played[0] == played[1]


def test_a_default_is_shown_to_others_as_any_action(driven: type[Driven]) -> None:
    match = driven("two_handed_spades", faults=PATIENT).begin()
    match.answer(0, MALFORMED)
    (told,) = [e.update for e in match.steps[-1] if isinstance(e, Tell) and e.seat == 1][:1]
    assert isinstance(told, Happened)
    assert match.told(1, (Closed, Refused)) == []


def test_a_repeated_wrong_answer_is_no_second_fault(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.answer(0, Bid(3))
    assert match.give("answer", 0, 1, Bid(3)) == []
    (told,) = match.give("answer", 0, 1, Bid(4))
    assert told.update.reason is Reason.DECISION_ALREADY_ANSWERED
    assert counts(match, 0) == one(Fault.ILLEGAL)


def test_whether_something_malformed_is_the_same_again_cannot_be_known(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.answer(0, MALFORMED)
    (told,) = match.give("answer", 0, 1, MALFORMED)
    assert told.update.reason is Reason.DECISION_ALREADY_ANSWERED
    assert counts(match, 0) == one(Fault.MALFORMED)


# Coinciding causes

BOTH = ChooseCards(cards("2C 2C"))  # a card twice, and too few


@pytest.mark.parametrize(("first", "second"), list(combinations(Fault, 2)), ids=lambda fault: fault.name)
def test_of_two_causes_the_one_numbered_lower_counts(
    driven: type[Driven], first: Fault, second: Fault
) -> None:
    causes = {first, second}
    match = driven(faults=PATIENT).begin()
    if Fault.DISCONNECTED in causes:
        match.give("lost", 0)
    # a decision that runs out without a session is disconnected or late by the same tick
    at = 161 if Fault.LATE in causes else 50
    if {Fault.MALFORMED, Fault.ILLEGAL} <= causes:
        match.answer(0, BOTH, at=at)
    elif Fault.MALFORMED in causes:
        match.answer(0, MALFORMED, at=at)
    elif Fault.ILLEGAL in causes:
        match.answer(0, ILLEGAL, at=at)
    else:
        match.give("tick", at=at)
    assert match.told(0, Closed) == [Closed("m-1", 1, CloseReason.DEFAULTED, min(causes))]
    match.give("tick", at=at)
    assert counts(match, 0) == one(min(causes), sessions_lost=int(Fault.DISCONNECTED in causes))


def test_an_answer_that_is_read_before_the_tick_is_not_late(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.answer(0, at=500)
    match.give("tick", at=500)
    assert match.told(0, Closed) == [Closed("m-1", 1, CloseReason.ANSWERED)]
    assert counts(match, 0) == FaultCounts()


# Several at once


def test_all_that_run_out_fall_in_one_tick(driven: type[Driven]) -> None:
    match = driven(faults=PATIENT).begin()
    match.answer(1)
    match.give("lost", 3)
    effects = match.give("tick", at=161)
    defaults = [e.entry for e in effects if isinstance(e, Append) and isinstance(e.entry, Substituted)]
    assert [(d.seat, d.fault) for d in defaults] == [
        (0, Fault.LATE),
        (2, Fault.LATE),
        (3, Fault.DISCONNECTED),
    ]
    assert [given.kind for given in match.inputs].count("tick") == 1
    assert len(match.asked) == 1


def test_a_tick_takes_only_what_is_due(driven: type[Driven], choice: Callable[..., Action]) -> None:
    match = driven(faults=PATIENT).begin()
    match.give("tick", at=161)  # all four passes
    (leader,) = match.asked
    assert match.told(leader, Decision)[-1].bank == 0
    match.answer(leader, at=170)
    (following,) = match.asked
    assert match.give("tick", at=170 + 105) == []
    match.give("tick", at=170 + 106)
    assert match.told(following, Closed)[-1].fault is Fault.LATE


# The limit


@pytest.mark.parametrize(
    ("policy", "limit"), [(FaultPolicy(), 3), (FaultPolicy(max_faults=5), 5), (AT_ONCE, 1)]
)
def test_faults_of_all_kinds_count_towards_the_limit(
    driven: type[Driven], policy: FaultPolicy, limit: int
) -> None:
    match = driven("two_handed_spades", faults=policy).begin()
    wrong = (Bid(3), MALFORMED, None)
    for number in range(limit):
        assert match.outcome is None
        while match.asked == [1]:
            match.answer(1)
        if (given := wrong[number % 3]) is None:
            match.give("tick", at=match.wake)
        else:
            match.answer(0, given)
    outcome = match.outcome
    assert outcome.termination is Termination.FORFEIT
    assert outcome.faults[0].total == limit


@pytest.mark.parametrize("seat", [0, 1])
def test_of_two_sides_the_other_wins_a_forfeit_without_a_score(
    driven: type[Driven], decks: type[KeyedDecks], seat: int
) -> None:
    match = driven("two_handed_spades", faults=AT_ONCE, decks=decks(first=seat)).begin()
    effects = match.answer(seat, MALFORMED)
    outcome = match.outcome
    assert (outcome.termination, outcome.scores, outcome.forfeited) == (Termination.FORFEIT, (), (seat,))
    assert (outcome.ranks[seat], outcome.ranks[1 - seat]) == (2, 1)
    assert [type(e.entry) for e in effects if isinstance(e, Append)] == [Input, Faulted, type(outcome)]
    for other in match.seats:
        assert match.told(other)[-1].ranks == outcome.ranks


def test_of_four_sides_the_rest_play_on_and_the_forfeiter_is_last_alone(driven: type[Driven]) -> None:
    match = driven(deals=2, faults=AT_ONCE).begin()
    match.answer(2, MALFORMED)
    assert match.finishes == []
    match.play_out("fair")
    outcome = match.outcome
    assert (outcome.termination, outcome.forfeited) == (Termination.COMPLETED, (2,))
    assert outcome.ranks[2] == 4
    others = [0, 1, 3]
    order = sorted(outcome.scores[s] for s in others)
    assert [outcome.ranks[s] for s in others] == [1 + order.index(outcome.scores[s]) for s in others]
    assert len(match.told(2, Decision)) == 1
    assert outcome.faults[2] == one(Fault.MALFORMED)


def test_even_the_best_score_is_last_after_a_forfeit(driven: type[Driven]) -> None:
    last = []
    for key in range(6):
        match = driven(faults=AT_ONCE).begin()
        match.answer(0, MALFORMED)
        match.play_out(key)
        outcome = match.outcome
        assert outcome.ranks[0] == 4
        last.append(outcome.scores[0] > min(outcome.scores))
    assert not all(last), "no key makes the forfeiter's score the best"


def test_what_the_forfeiter_plays_is_the_default_and_told_as_any_action(driven: type[Driven]) -> None:
    match = driven(faults=AT_ONCE).begin()
    match.answer(1, MALFORMED)
    match.play_out()
    defaults = [entry for entry in match.log if isinstance(entry, Substituted)]
    assert [entry.fault for entry in defaults] == [Fault.MALFORMED] + 13 * [None]
    assert [entry.decision_id for entry in defaults] == [1] + 13 * [None]
    played = [e.action for e in defaults if isinstance(e.action, PlayCard)]
    events = [u.event for u in match.told(0, Happened)]
    assert [PlayCard(e.card) for e in events if isinstance(e, CardPlayed) and e.seat == 1] == played
    assert match.told(1, Happened)[-1].event == events[-1]


def test_a_forfeited_seat_has_nothing_to_answer(driven: type[Driven]) -> None:
    match = driven(faults=AT_ONCE).begin()
    match.answer(1, MALFORMED)
    (told,) = match.give("answer", 1, 2, Index(0))
    assert told.update.reason is Reason.NOT_YOUR_DECISION


@pytest.mark.parametrize("gone", [(0, 1), (1, 3), (0, 1, 2)])
def test_several_forfeiters_share_the_last_place(driven: type[Driven], gone: tuple[int, ...]) -> None:
    match = driven(faults=AT_ONCE).begin()
    for seat in gone:
        match.answer(seat, MALFORMED)
    match.play_out()
    outcome = match.outcome
    assert outcome.termination is Termination.COMPLETED
    assert [outcome.ranks[seat] for seat in gone] == [5 - len(gone)] * len(gone)
    assert 1 in outcome.ranks


def test_when_all_forfeit_the_match_ends_and_nobody_has_won(driven: type[Driven]) -> None:
    match = driven(faults=AT_ONCE).begin()
    match.give("tick", at=match.wake)
    outcome = match.outcome
    assert (outcome.termination, outcome.forfeited) == (Termination.FORFEIT, (0, 1, 2, 3))
    assert (outcome.ranks, outcome.scores) == ((1, 1, 1, 1), ())
    for seat in match.seats:
        assert match.told(seat, Closed) == [Closed("m-1", 1, CloseReason.DEFAULTED, Fault.LATE)]
