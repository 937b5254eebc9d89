"""A seat that is asked again: it is told what it was told, and what it answers changes nothing."""

from collections.abc import Callable, Sequence

import pytest

from referee.cards import Seat
from referee.codec.json import tagged
from referee.games.actions import ChooseCards, LegalActions
from referee.games.registry import GAMES
from referee.match.clock import SECOND
from referee.match.effects import Effect, Input, Tell, Wake
from referee.match.faults import Termination
from referee.match.messages import Decision, Finished, Given, Happened, Index, Malformed, Refused, Update
from referee.verify import past
from tests.referee.recorded import CLOCK, RecordedTable
from tests.referee.verify.edited import data_of, lines_of, played
from tests.referee.verify.test_again import told
from tournaments.check.asked_again import NO_ANSWER, AskedAgain

Say = Callable[[Decision], Given | None]


class Asked:
    """A seat that is asked again; ``say`` answers each decision, with None when it is silent."""

    def __init__(self, table: RecordedTable, seat: int, say: Say, deal: int | None = None) -> None:
        self.match = AskedAgain(past(table.encoded()), Seat(seat), deal=deal)
        self.seat = Seat(seat)
        self.updates: list[Update] = []
        self.wake = 0
        self.now = 0
        self.take(self.match.start(self.now))
        self.take(self.match.back(self.seat, self.now))
        self.take(self.match.ready(self.seat, self.now))
        heard = 0
        while heard < len(self.updates):
            update = self.updates[heard]
            heard += 1
            if isinstance(update, Decision):
                given = say(update)
                if given is None:
                    self.now = self.wake
                    self.take(self.match.tick(self.now))
                else:
                    self.take(self.match.answer(self.seat, update.decision_id, given, self.now))

    def take(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Tell):
                assert effect.seat == self.seat
                self.updates.append(effect.update)
            elif isinstance(effect, Wake):
                self.wake = effect.at

    @property
    def events(self) -> list[dict[str, object]]:
        return [tagged(update.event) for update in self.updates if isinstance(update, Happened)]


def other(decision: Decision) -> Given:
    """Return a legal answer."""
    legal = decision.legal
    if isinstance(legal, LegalActions):
        return Index(len(legal.actions) - 1)
    return next(iter(_first_choice(legal)))


def _first_choice(legal: object) -> list[Given]:
    cards = getattr(legal, "cards", None)
    if cards is None:
        return [Malformed("nothing")]
    return [ChooseCards(cards[: getattr(legal, "minimum", 0)])]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("grid", [0, 50_000])
def test_who_answers_as_then_answers_the_same(game: str, grid: int) -> None:
    table = RecordedTable(game, event_grid=grid) if grid else played(game)
    for seat in range(table.game.seats):
        then = {
            line["decision_id"]: number
            for number, line in enumerate(lines_of(table.encoded()), 1)
            if line["type"] == "input" and line.get("seat") == seat and "decision_id" in line
        }
        given = {
            entry.decision_id: entry.given
            for entry in table.log
            if getattr(entry, "seat", None) == seat and getattr(entry, "kind", "") == "answer"
        }
        asked = Asked(table, seat, lambda decision, given=given: given.get(decision.decision_id))
        assert asked.events == told(table, Seat(seat))
        assert isinstance(asked.updates[-1], Finished)
        assert asked.match.outcome == table.match.outcome
        for reply in asked.match.replies:
            number = reply.decision.decision_id
            assert reply.is_same == (reply.then.fault is None)
            assert reply.wrong == NO_ANSWER or reply.then.line == then[number]
        assert {reply.decision.decision_id for reply in asked.match.replies} >= set(given)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("say", [other, lambda decision: Malformed("no answer"), lambda decision: None])
def test_whatever_it_answers_the_match_goes_on_as_then(game: str, say: Say) -> None:
    table = played(game)
    asked = Asked(table, 1, say)
    assert asked.events == told(table, Seat(1))
    assert asked.match.outcome == table.match.outcome
    assert not all(reply.is_same for reply in asked.match.replies)
    assert asked.match.problem == ""


def test_a_wrong_answer_is_refused_and_told_apart_from_silence() -> None:
    asked = Asked(
        played("hearts"), 0, lambda decision: Malformed("no card") if decision.decision_id == 2 else None
    )
    wrong = {reply.decision.decision_id: reply.wrong for reply in asked.match.replies}
    assert wrong.pop(2) == "malformed: no card"
    assert set(wrong.values()) == {NO_ANSWER}
    assert [update.decision_id for update in asked.updates if isinstance(update, Refused)] == [2]


def test_an_answer_has_the_time_that_it_had_then() -> None:
    asked = Asked(played("hearts"), 0, lambda decision: None)
    first = next(update for update in asked.updates if isinstance(update, Decision))
    assert first.bank == CLOCK.bank
    times = len(asked.match.replies) * (CLOCK.move + CLOCK.lag)
    assert asked.now > times + len(asked.match.replies) * SECOND


@pytest.mark.parametrize("game", GAMES)
def test_only_one_deal_is_asked(game: str) -> None:
    asked = Asked(RecordedTable(game, deals=3), 0, other, deal=2)
    assert {reply.decision.view.deal for reply in asked.match.replies} == {2}
    begun = [event["deal"] for event in asked.events if str(event["type"]).endswith("started")]
    assert begun[:2] == [1, 2]
    last = asked.updates[-1]
    assert isinstance(last, Finished)
    assert last.termination is Termination.CANCELLED
    assert not asked.match.problem


def test_who_comes_back_is_asked_again() -> None:
    match = AskedAgain(past(data_of("hearts")), Seat(2))
    match.start(0)
    match.back(Seat(2), 0)
    begun = [effect.update for effect in match.ready(Seat(2), 0) if isinstance(effect, Tell)]
    again = [effect.update for effect in match.back(Seat(2), 0, 1) if isinstance(effect, Tell)]
    assert isinstance(begun[-1], Decision)
    assert again[-1] == begun[-1]
    assert [update.sequence for update in again if isinstance(update, Happened)] == list(
        range(2, match.told(Seat(2)) + 1)
    )


@pytest.mark.parametrize(
    ("end", "told_then"),
    [
        (lambda match: match.decline(Seat(0), 1), "the bot declined its seat"),
        (lambda match: match.tick(CLOCK.start + 1), "the bot was not ready in time"),
        (lambda match: match.abandon(Seat(0), 1), "the bot has left"),
        (lambda match: match.cancel(1), "it was stopped"),
        (lambda match: match.void(1), "the referee failed"),
    ],
)
def test_what_ends_it_early(end: Callable[[AskedAgain], list[Effect]], told_then: str) -> None:
    match = AskedAgain(past(data_of("hearts")), Seat(0))
    match.start(0)
    match.back(Seat(0), 0)
    assert end(match)
    assert match.outcome is not None
    assert (match.problem, match.replies) == (told_then, [])
    assert end(match) == []


def test_the_same_answer_twice_is_fine_and_another_one_is_stale() -> None:
    match = AskedAgain(past(data_of("hearts")), Seat(0))
    match.start(0)
    match.back(Seat(0), 0)
    match.ready(Seat(0), 0)
    assert not match.reads(Seat(0), 2, 0)
    match.answer(Seat(0), 1, ChooseCards(()), 0)
    assert match.answer(Seat(0), 1, ChooseCards(()), 0) == []
    (refusal,) = match.answer(Seat(0), 1, Index(0), 0)
    assert isinstance(refusal, Tell)
    assert isinstance(refusal.update, Refused)


def test_it_is_not_told_of_refusals_of_then() -> None:
    table = played("hearts")
    assert any(reply.then.fault for reply in Asked(table, 1, other).match.replies)
    assert not [update for update in Asked(table, 1, other).updates if isinstance(update, Refused)]


def test_the_order_of_chosen_cards_has_no_meaning() -> None:
    table = RecordedTable("hearts")
    given = {
        entry.decision_id: entry.given
        for entry in table.log
        if isinstance(entry, Input) and entry.kind == "answer" and entry.seat == 0
    }
    chosen = given[1]
    assert isinstance(chosen, ChooseCards)
    given[1] = ChooseCards(chosen.cards[::-1])
    replies = Asked(table, 0, lambda decision: given[decision.decision_id]).match.replies
    assert replies[0].new != replies[0].old
    assert replies[0].is_same
