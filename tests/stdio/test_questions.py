"""Which line answers which decision."""

from typing import Any

import pytest

from fairdeal.stdio import _questions
from fairdeal.stdio._questions import AnswerLine, Questions, StrayLine, WrongLine
from tests.stdio.conftest import MadeDecisions


class ToldDecisions:
    """Decisions that a bot was told, and what its lines then mean."""

    def __init__(self, asked: Any, *places: tuple[str, int]) -> None:
        self.questions = Questions()
        self.decisions = {place: asked.plays("2C 3C", place[1], place[0]) for place in places}
        for decision in self.decisions.values():
            self.questions.ask(decision)

    def hear(self, line: str) -> Any:
        """Return the match and id of the decision that a line answers, or what else the line is."""
        heard = self.questions.hear(line.encode())
        if isinstance(heard, AnswerLine):
            return heard.decision.match.id, heard.decision.id
        if isinstance(heard, WrongLine):
            return heard.decision.match.id, heard.decision.id, heard.text
        return heard

    def close(self, *place: Any) -> None:
        self.questions.close(self.decisions[place])


def test_bare_answers_are_for_the_decisions_in_the_order_in_which_they_were_told(
    asked: MadeDecisions,
) -> None:
    told = ToldDecisions(asked, ("m1", 1), ("m2", 1), ("m3", 7))
    assert [told.hear(line) for line in ("0", "[1]", '{"index": 1}', "0")] == [
        ("m1", 1),
        ("m2", 1),
        ("m3", 7),
        StrayLine(),
    ]


def test_named_answers_come_in_any_order(asked: MadeDecisions) -> None:
    told = ToldDecisions(asked, ("m1", 1), ("m2", 1), ("m3", 7))
    assert told.hear('{"match_id": "m3", "decision_id": 7, "index": 0}') == ("m3", 7)
    assert told.hear('{"match_id": "m2", "decision_id": 1, "index": 0}') == ("m2", 1)
    assert told.hear("0") == ("m1", 1)


@pytest.mark.parametrize(
    "line",
    [
        '{"match_id": "m9", "decision_id": 1, "index": 0}',  # there is no such match
        '{"match_id": "m1", "decision_id": 2, "index": 0}',  # nor decision
        '{"match_id": "m1", "decision_id": 0, "index": 9}',
    ],
)
def test_what_names_another_decision_leaves_those_that_are_open(asked: MadeDecisions, line: str) -> None:
    told = ToldDecisions(asked, ("m1", 1))
    assert told.hear(line) == StrayLine()
    assert told.hear("0") == ("m1", 1)


def test_an_answer_that_comes_twice_counts_once(asked: MadeDecisions) -> None:
    told = ToldDecisions(asked, ("m1", 1), ("m2", 1))
    line = '{"match_id": "m1", "decision_id": 1, "index": 0}'
    assert told.hear(line) == ("m1", 1)
    assert told.hear(line) == StrayLine()
    assert told.hear("0") == ("m2", 1)


def test_a_late_bare_answer_is_not_taken_for_the_next_decision(asked: MadeDecisions) -> None:
    told = ToldDecisions(asked, ("m1", 1), ("m1", 2))
    told.close("m1", 1)
    assert told.hear("0") == StrayLine()
    assert told.hear("1") == ("m1", 2)


def test_a_late_named_answer_is_ignored(asked: MadeDecisions) -> None:
    told = ToldDecisions(asked, ("m1", 1), ("m1", 2))
    told.close("m1", 1)
    assert told.hear('{"match_id": "m1", "decision_id": 1, "index": 0}') == StrayLine()
    assert told.hear('{"match_id": "m1", "decision_id": 2, "index": 0}') == ("m1", 2)


def test_a_late_named_answer_is_owed_no_more(asked: MadeDecisions) -> None:
    told = ToldDecisions(asked, ("m1", 1), ("m1", 2))
    told.close("m1", 1)
    assert told.hear('{"match_id": "m1", "decision_id": 1, "index": 0}') == StrayLine()
    match_id, decision_id, _text = told.hear("thinking...")
    assert (match_id, decision_id) == ("m1", 2)


def test_a_named_answer_is_for_the_attempt_that_is_played(asked: MadeDecisions) -> None:
    told = ToldDecisions(asked, ("m1", 1))
    told.close("m1", 1)
    again = asked.plays("2C 3C", 1, "m1")
    told.questions.ask(again)
    heard = told.questions.hear(b'{"match_id": "m1", "decision_id": 1, "index": 1}')
    assert isinstance(heard, AnswerLine)
    assert heard.decision is again


def test_a_new_attempt_asks_under_the_same_numbers(asked: MadeDecisions) -> None:
    told = ToldDecisions(asked, ("m1", 1))
    told.close("m1", 1)
    again = asked.plays("2C 3C", 1, "m1")
    told.questions.ask(again)
    assert told.hear("0") == StrayLine()  # the answer that was still owed to the void attempt
    heard = told.questions.hear(b"1")
    assert isinstance(heard, AnswerLine)
    assert heard.decision is again


@pytest.mark.parametrize("line", ["", " ", "\r"])
def test_a_blank_line_is_nothing(asked: MadeDecisions, line: str) -> None:
    told = ToldDecisions(asked, ("m1", 1))
    assert told.hear(line) is None
    assert told.hear("0") == ("m1", 1)


def test_garbage_is_an_answer_to_the_decision_that_is_next(asked: MadeDecisions) -> None:
    told = ToldDecisions(asked, ("m1", 1), ("m2", 1))
    assert told.hear("thinking...") == (
        "m1",
        1,
        "'thinking...', which is not JSON; expected an index from 0 to 1",
    )
    assert told.hear("0") == ("m2", 1)


def test_a_wrong_answer_belongs_to_the_decision_that_it_names(asked: MadeDecisions) -> None:
    told = ToldDecisions(asked, ("m1", 1), ("m2", 1))
    line = '{"match_id": "m2", "decision_id": 1, "index": 5}'
    assert told.hear(line) == ("m2", 1, f"{line!r}, which has index 5; expected an index from 0 to 1")
    assert told.hear("0") == ("m1", 1)


@pytest.mark.parametrize(
    "names",
    [
        '"match_id": "m1"',
        '"decision_id": 1',
        '"match_id": 1, "decision_id": 1',
        '"match_id": "m1", "decision_id": "1"',
    ],
)
def test_half_a_name_is_garbage(asked: MadeDecisions, names: str) -> None:
    told = ToldDecisions(asked, ("m2", 1), ("m1", 1))
    match_id, decision_id, text = told.hear(f'{{{names}, "index": 0}}')
    assert (match_id, decision_id) == ("m2", 1)
    assert "which names no decision: match_id is a text and decision_id a number, or both are absent" in text


def test_without_a_decision_nothing_is_looked_into(asked: MadeDecisions) -> None:
    told = ToldDecisions(asked)
    assert [told.hear(line) for line in ("0", "thinking...", "[" * 100_000)] == [StrayLine()] * 3


def test_what_is_owed_for_ever_is_forgotten_in_the_end(
    asked: MadeDecisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_questions, "MAX_OWED", 2)
    told = ToldDecisions(asked, *(("m1", number) for number in range(1, 6)))
    for number in range(1, 5):
        told.close("m1", number)
    assert [told.hear("0") for _ in range(3)] == [StrayLine(), ("m1", 5), StrayLine()]


def test_a_decision_that_is_open_is_never_forgotten(
    asked: MadeDecisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_questions, "MAX_OWED", 1)
    told = ToldDecisions(asked, ("m1", 1), ("m2", 1), ("m3", 1))
    told.close("m2", 1)
    assert [told.hear("0") for _ in range(3)] == [("m1", 1), StrayLine(), ("m3", 1)]


def test_closing_an_answered_decision_changes_nothing(asked: MadeDecisions) -> None:
    told = ToldDecisions(asked, ("m1", 1), ("m1", 2))
    assert told.hear("0") == ("m1", 1)
    told.close("m1", 1)
    assert told.hear("0") == ("m1", 2)
