"""Which of a bot's lines answers which decision. No I/O and no clock."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from fairdeal.actions import Answer
from fairdeal.stdio import _answers
from fairdeal.stdio._answers import WrongAnswer
from fairdeal.updates import Decision

MAX_OWED: Final = 4096
"""How many closed decisions wait for the answer that the bot still owes; older ones are forgotten."""


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """A line that answers a decision."""

    decision: Decision
    answer: Answer


@dataclass(frozen=True, slots=True)
class WrongLine:
    """A line that belongs to a decision but is not a legal answer; ``text`` says what it is."""

    decision: Decision
    text: str


@dataclass(frozen=True, slots=True)
class StrayLine:
    """A line that belongs to no open decision."""


class Questions:
    """The decisions that a bot was asked and has not answered.

    A line that names a match and a decision belongs to that decision. Any other line, garbage too, belongs to
    the decision that was told first among those without an answer, be it closed by now: so a bot that
    answers one line after the other without names is always understood, however late it is.
    """

    def __init__(self) -> None:
        self._unanswered: OrderedDict[Decision, None] = OrderedDict()  # in the order in which they were asked
        self._open: dict[tuple[str, int], Decision] = {}  # those that are not closed, by match and id

    def ask(self, decision: Decision) -> None:
        """Record that the bot is asked a decision."""
        self._unanswered[decision] = None
        self._open[_key(decision)] = decision

    def close(self, decision: Decision) -> None:
        """Record that an unanswered decision is closed."""
        if decision in self._unanswered:
            self._open.pop(_key(decision), None)
            while len(self._unanswered) > MAX_OWED and not self._is_open(oldest := self._oldest()):
                del self._unanswered[oldest]

    def hear(self, line: bytes) -> AnswerLine | WrongLine | StrayLine | None:
        """Return the meaning of a bot's line, None when it is blank."""
        if not line.strip():
            return None
        if not self._unanswered:
            return StrayLine()
        wrong: WrongAnswer | None = None
        said: object = None
        try:
            said = _answers.parse(line)
            decision = self._meant(said)
        except WrongAnswer as error:
            wrong, decision = error, self._oldest()
        if decision is None:
            return StrayLine()
        del self._unanswered[decision]
        if not self._is_open(decision):
            return StrayLine()
        del self._open[_key(decision)]
        try:
            if wrong:
                raise wrong
            return AnswerLine(decision, _answers.answer(decision, said))
        except WrongAnswer as error:
            text = f"{_answers.shown(line)}, which {error}; expected {_answers.expected(decision)}"
            return WrongLine(decision, text)

    def _meant(self, said: object) -> Decision | None:
        """Return the decision that an answer is for, None when it names one that is not waiting."""
        if not isinstance(said, dict) or not ("match_id" in said or "decision_id" in said):
            return self._oldest()
        match_id, decision_id = said.get("match_id"), said.get("decision_id")
        if not isinstance(match_id, str) or type(decision_id) is not int:
            raise WrongAnswer(
                "names no decision: match_id is a text and decision_id a number, or both are absent"
            )
        key = match_id, decision_id
        # a late answer uses up the place of its closed decision before those asked later
        return self._open.get(key) or next((each for each in self._unanswered if _key(each) == key), None)

    def _is_open(self, decision: Decision) -> bool:
        return self._open.get(_key(decision)) is decision

    def _oldest(self) -> Decision:
        return next(iter(self._unanswered))


def _key(decision: Decision) -> tuple[str, int]:
    return decision.match.id, decision.id
