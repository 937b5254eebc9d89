"""One match from the seats taken to its outcome: who is told what, numbered how, in which order."""

from typing import Any

import pytest

from referee.cards import ALL_CARDS, Seat
from referee.games.actions import Bid, ChooseCards, Draft, DraftChoice
from referee.games.errors import BadDeck
from referee.games.events import DealScored
from referee.games.hearts.rules import CardsPassed, Dealt
from referee.games.hearts.view import HeartsDealStarted, PassReceived
from referee.games.registry import GAMES
from referee.match.clock import Micros
from referee.match.effects import Append, Finish, Input, Tell, Wake
from referee.match.faults import FaultCounts, FaultPolicy, Termination
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
    Seated,
)
from tests.referee.driven import Driven, KeyedDecks

every_game = pytest.mark.parametrize("game", GAMES)


def kinds(updates: list[Any]) -> list[str]:
    return [type(update).__name__ for update in updates]


# Taking seats


def test_the_first_deal_begins_when_every_seat_is_ready(driven: type[Driven]) -> None:
    match = driven()
    for seat in range(4):
        match.give("back", seat, at=5)
        assert match.told(seat) == [match.told(seat, Seated)[0]]
    for seat in range(3):
        match.give("ready", seat, at=6)
    assert match.asked == []
    match.give("ready", 3, at=7)
    assert match.asked == [0, 1, 2, 3]
    assert [given.kind for given in match.inputs] == ["start"] + 4 * ["back"] + 4 * ["ready"]


def test_what_is_no_deck_is_not_dealt(driven: type[Driven], decks: type[KeyedDecks]) -> None:
    match = driven(decks=decks(decks=[[*ALL_CARDS[1:], ALL_CARDS[1]]]))
    with pytest.raises(BadDeck, match="not a deck of hearts"):
        match.begin()


def test_a_seat_is_told_all_that_binds_the_referee(driven: type[Driven], decks: type[KeyedDecks]) -> None:
    match = driven("two_handed_spades", deals=None, target=77, faults=FaultPolicy(max_faults=5))
    match.give("back", 1)
    (seated,) = match.told(1)
    assert seated == Seated(
        match_id="m-1",
        attempt=1,
        game="two_handed_spades",
        rules_version=GAMES["two_handed_spades"].rules_version,
        options=GAMES["two_handed_spades"].bind({"target": 77}),
        deals=0,
        seat=Seat(1),
        entries=("a", "b"),
        commitment=decks.commitment,
        clock=match.setup.clock,
        max_faults=5,
        sides=((Seat(0),), (Seat(1),)),
    )


def test_a_fixed_number_of_deals_is_told_and_a_policy_without_second_chances_too(
    driven: type[Driven],
) -> None:
    match = driven(deals=3, faults=FaultPolicy(substitute=False, max_faults=9))
    match.give("back", 0)
    assert (match.told(0)[0].deals, match.told(0)[0].max_faults) == (3, 1)


def test_ready_said_twice_changes_nothing(driven: type[Driven]) -> None:
    match = driven()
    match.give("back", 0)
    match.give("ready", 0)
    assert match.give("ready", 0) == []


def test_a_session_lost_before_the_first_deal_gives_the_seat_back(driven: type[Driven]) -> None:
    match = driven()
    for kind in ("back", "ready"):
        for seat in range(4 if kind == "back" else 3):
            match.give(kind, seat)
    match.give("lost", 1)
    match.give("ready", 3)
    assert match.asked == []
    match.give("back", 1)
    match.give("ready", 1)
    assert match.asked == [0, 1, 2, 3]


def test_who_begins_is_drawn(driven: type[Driven], decks: type[KeyedDecks]) -> None:
    for first in range(2):
        assert driven("two_handed_spades", decks=decks(first=first)).begin().asked == [first]


# Decisions and events


@every_game
def test_decisions_and_events_are_numbered_from_one_without_gaps_for_each_seat(
    game: str, driven: type[Driven]
) -> None:
    match = driven(game, deals=2).begin().play_out()
    for seat in match.seats:
        decisions = match.told(seat, Decision)
        assert [d.decision_id for d in decisions] == list(range(1, len(decisions) + 1))
        events = match.told(seat, Happened)
        assert [e.sequence for e in events] == list(range(1, len(events) + 1))
        assert decisions and events


@every_game
def test_a_decision_names_the_last_event_that_its_view_includes(game: str, driven: type[Driven]) -> None:
    match = driven(game).begin().play_out()
    for seat in match.seats:
        last = 0
        for update in match.told(seat):
            if isinstance(update, Happened):
                last = update.sequence
            elif isinstance(update, Decision):
                assert update.sequence == last


@every_game
def test_every_decision_is_closed_once_as_answered(game: str, driven: type[Driven]) -> None:
    match = driven(game).begin().play_out()
    for seat in match.seats:
        asked = [d.decision_id for d in match.told(seat, Decision)]
        assert match.told(seat, Closed) == [Closed("m-1", n, CloseReason.ANSWERED) for n in asked]
        assert match.told(seat, Refused) == []


def test_an_answer_is_given_as_an_action_or_by_its_index(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.answer(0, Draft(DraftChoice.REFUSE))
    match.answer(1, Index(0))
    drafted = [event.event for event in match.told(0, Happened)][1:]
    assert [(event.seat, event.choice) for event in drafted] == [
        (0, DraftChoice.REFUSE),
        (1, DraftChoice.KEEP),
    ]


def test_the_time_left_is_told_with_each_decision(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin(at=1_000)
    match.answer(0, at=1_120)
    match.answer(1, at=1_120)
    first, second = match.told(0, Decision)
    assert (first.move_time, first.bank) == (100, 50)
    assert (second.move_time, second.bank) == (100, 50 - 10 + 7)


@pytest.mark.parametrize(
    ("decision_id", "given", "reason"),
    [
        (1, Index(0), None),
        (1, Index(1), Reason.DECISION_ALREADY_ANSWERED),
        (1, Malformed("no"), Reason.DECISION_ALREADY_ANSWERED),
        (2, Bid(3), Reason.STALE_DECISION),
        (3, Index(0), Reason.NOT_YOUR_DECISION),
        (0, Index(0), Reason.NOT_YOUR_DECISION),
        (4_000_000_000, Index(0), Reason.NOT_YOUR_DECISION),
    ],
)
def test_answers_to_decisions_that_are_not_open_cost_nothing_but_a_refusal(
    driven: type[Driven], decision_id: int, given: Any, reason: Reason | None
) -> None:
    match = driven("two_handed_spades").begin()
    match.answer(0, Index(0))
    match.answer(1, Index(0))
    match.give("tick", at=match.wake)  # seat 0's second decision runs out
    before, asked = len(match.log), match.asked
    refused = match.give("answer", 0, decision_id, given)
    assert [(e.seat, e.update.reason, e.update.still_open) for e in refused] == (
        [] if reason is None else [(0, reason, False)]
    )
    assert (len(match.log), match.asked) == (before, asked)


def test_an_answer_to_another_seats_decision_is_not_ones_own(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    (told,) = match.give("answer", 1, 1, Index(0))
    assert (told.seat, told.update.reason) == (1, Reason.NOT_YOUR_DECISION)
    assert match.asked == [0]


def test_after_the_end_the_same_answer_is_fine_and_any_other_refused(driven: type[Driven]) -> None:
    match = driven().begin()
    passed = ChooseCards(match.decision(0).legal.cards[:3])
    match.answer(0, passed)
    match.give("cancel")
    assert match.give("answer", 0, 1, passed) == []
    for seat, number, other in ((0, 1, Index(0)), (1, 1, passed), (2, 9, Index(0))):
        (told,) = match.give("answer", seat, number, other)
        assert told.update.reason is Reason.MATCH_FINISHED


# The simultaneous pass


def test_nothing_tells_who_has_chosen_its_pass(driven: type[Driven]) -> None:
    match = driven().begin()
    for seat in (2, 0, 3):
        effects = match.answer(seat)
        assert [e.update for e in effects if isinstance(e, Tell)] == [
            Closed("m-1", 1, CloseReason.ANSWERED),
        ]
        assert [e.seat for e in effects if isinstance(e, Tell)] == [seat]
    match.answer(1)
    for seat in range(4):
        sequence = [e.event for e in match.told(seat, Happened)]
        assert [type(event) for event in sequence] == [HeartsDealStarted, PassReceived]


def test_the_order_of_choosing_leaves_no_trace(driven: type[Driven]) -> None:
    told = []
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        match = driven().begin()
        for seat in order:
            match.answer(seat)
        match.play_out()
        told.append([match.told(seat) for seat in range(4)])
    assert told[0] == told[1]


# Sessions lost and back


def test_a_seat_that_is_back_gets_what_came_after_its_resume_point(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    for _ in range(4):
        match.answer(match.asked[0])
    (asked,) = match.asked
    open_one, events = match.decision(asked), match.told(asked, Happened)
    match.give("lost", asked)
    for after in (0, 3, len(events), len(events) + 7):
        effects = match.give("back", asked, after=after)
        assert [e.seat for e in effects if isinstance(e, Tell)].count(asked) == len(effects) - 1
        updates = [e.update for e in effects if isinstance(e, Tell)]
        assert updates == [match.told(asked, Seated)[0], *events[after:], open_one]
    match.answer(asked)
    assert match.told(asked, Closed)[-1] == Closed("m-1", open_one.decision_id, CloseReason.ANSWERED)


def test_a_seat_that_is_back_after_the_end_hears_of_it(driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin()
    match.play_out()
    events, finished = match.told(0, Happened), match.told(0, Finished)
    updates = [e.update for e in match.give("back", 0, after=len(events) - 2)]
    assert updates == [match.told(0, Seated)[0], *events[-2:], *finished]
    assert match.give("lost", 0) == []


def test_sessions_lost_are_counted_and_no_fault(driven: type[Driven]) -> None:
    match = driven().begin()
    for _ in range(5):
        match.give("lost", 2)
        match.give("lost", 2)
        match.give("back", 2)
    match.play_out()
    assert match.outcome.faults[2] == FaultCounts(sessions_lost=5)
    assert match.outcome.faults[1] == FaultCounts()


# The end


@every_game
def test_a_match_that_is_played_out_is_completed(
    game: str, driven: type[Driven], decks: type[KeyedDecks]
) -> None:
    match = driven(game, deals=3).begin().play_out("some", "key")
    outcome = match.outcome
    scored = [entry for entry in match.log if isinstance(entry, DealScored)]
    assert outcome.termination is Termination.COMPLETED
    assert len(scored) == 3
    assert outcome.scores == scored[-1].totals
    low_wins = GAMES[game].low_wins
    order = sorted(outcome.scores, reverse=not low_wins)
    assert outcome.ranks == tuple(1 + order.index(score) for score in outcome.scores)
    assert (outcome.capped, outcome.forfeited) == (False, ())
    assert match.finishes == [outcome]
    for seat in match.seats:
        assert match.told(seat)[-1] == Finished(
            "m-1",
            Termination.COMPLETED,
            outcome.ranks,
            outcome.scores,
            False,
            outcome.faults,
            (),
            decks.secret,
            outcome.times,
        )


def test_a_game_that_reaches_the_cap_says_so(driven: type[Driven]) -> None:
    match = driven("hearts", deals=None, target=1000, max_deals=2).begin().play_out()
    assert (match.outcome.termination, match.outcome.capped) == (Termination.COMPLETED, True)


@pytest.mark.parametrize("when", ["before the first deal", "while seats are asked"])
@pytest.mark.parametrize(
    ("kind", "termination"), [("cancel", Termination.CANCELLED), ("void", Termination.VOID)]
)
def test_a_match_without_a_result_ranks_nobody(
    driven: type[Driven], kind: str, termination: Termination, when: str
) -> None:
    match = driven()
    if when == "while seats are asked":
        match.begin()
    asked = match.asked
    effects = match.give(kind, at=40)
    outcome = match.outcome
    assert (outcome.termination, outcome.ranks, outcome.scores) == (termination, (), ())
    assert [e.entry for e in effects if isinstance(e, Append)] == [Input(kind, Micros(40)), outcome]
    for seat in match.seats:
        told = [e.update for e in effects if isinstance(e, Tell) and e.seat == seat]
        assert kinds(told) == (["Closed"] if seat in asked else []) + ["Finished"]
        assert not asked or told[0] == Closed("m-1", 1, CloseReason.CANCELLED)
    assert effects[-1] == Finish(outcome)


def test_after_the_end_no_input_changes_anything(driven: type[Driven]) -> None:
    match = driven().begin().play_out()
    outcome, before = match.outcome, len(match.log)
    for kind in ("cancel", "void", "tick"):
        assert match.give(kind, at=10_000_000) == []
    for kind in ("ready", "decline", "abandon", "resign", "lost"):
        assert match.give(kind, 1) == []
    match.give("back", 1)
    assert match.outcome is outcome
    assert len(match.log) == before
    assert match.finishes == [outcome]


# Effects and their order


@every_game
def test_an_update_follows_its_line_in_the_record(game: str, driven: type[Driven]) -> None:
    match = driven(game).begin().play_out()
    for effects in match.steps:
        assert isinstance(effects[0], Append) and isinstance(effects[0].entry, Input)
        last: Any = None
        for effect in effects:
            if isinstance(effect, Append):
                last = effect.entry
            elif isinstance(effect, Tell) and isinstance(effect.update, Happened):
                assert effect.update.event == GAMES[game].project(last, effect.seat)
            elif isinstance(effect, Tell) and isinstance(effect.update, Finished):
                assert last is match.outcome


def test_the_record_holds_every_card_whoever_may_see_it(driven: type[Driven]) -> None:
    match = driven().begin().play_out()
    dealt = next(entry for entry in match.log if isinstance(entry, Dealt))
    assert sorted(c for hand in dealt.hands for c in hand) == list(range(52))
    assert any(isinstance(entry, CardsPassed) for entry in match.log)


def test_it_wakes_after_the_earliest_deadline(driven: type[Driven]) -> None:
    match = driven()
    assert match.wake == 1_001
    match.begin(at=500)
    assert match.wake == 500 + 100 + 10 + 50 + 1
    for seat in (1, 2, 3):
        assert [e for e in match.answer(seat, at=600) if isinstance(e, Wake)] == []
    match.answer(0, at=600)
    (asked,) = match.asked
    assert match.wake == 600 + 100 + 10 + 57 + 1
    match.answer(asked, at=710)
    assert match.wake == 710 + 100 + 10 + 57 + 1


def test_ticks_before_their_time_change_nothing(driven: type[Driven]) -> None:
    match = driven()
    assert match.give("tick", at=1_000) == []
    match.begin(at=1_000)
    assert match.give("tick", at=match.wake - 1) == []
    assert len(match.asked) == 4
