"""The lines that clients/stdio/README.md shows are lines as they are."""

import json
import re
from pathlib import Path
from typing import Any, Final

from google.protobuf.json_format import ParseDict

from fairdeal.stdio import _answers, _child, _format, _lines
from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as pb
from tests.stdio.conftest import MadeDecisions

README: Final = Path(__file__).parents[2] / "clients" / "stdio" / "README.md"
SHOWN: Final = [
    json.loads(block) for block in re.findall(r"```json\n(.*?)```", README.read_text(), re.DOTALL)
]
UPDATES: Final = [each for each in SHOWN if isinstance(each, dict) and "type" in each]
KINDS: Final = {field.name for field in actions_pb2.Legal.DESCRIPTOR.fields}
LEGALS: Final = [
    each for each in SHOWN if isinstance(each, dict) and KINDS & set(each) and "type" not in each
]
ADDED: Final = {"type", "game", "seat", "choices", "minimum", "maximum", "chance"}


def test_a_line_of_every_type_is_shown_as_it_is() -> None:
    assert {update["type"] for update in UPDATES} == set(_format._TYPES.values())
    for update in UPDATES:
        added = ADDED if update["type"] == "decision" else {"type"}
        message: Any = getattr(pb, update["type"].capitalize())()
        ParseDict({key: value for key, value in update.items() if key not in added}, message)
        if "match_id" in update:
            assert message.match_id == update["match_id"]


def test_every_answer_that_is_shown_answers_something_that_is_shown(asked: MadeDecisions) -> None:
    [decision] = [update for update in UPDATES if update["type"] == "decision"]
    legals = [ParseDict(legal, actions_pb2.Legal()) for legal in (*LEGALS, decision["legal"])]
    assert {legal.WhichOneof("kind") for legal in legals} == KINDS
    answers = [each for each in SHOWN if each not in UPDATES and each not in LEGALS]
    forms = {key for each in answers if isinstance(each, dict) for key in each}
    assert forms == {"match_id", "decision_id", *_answers.FORMS}
    for answer in answers:
        assert any(accepts(asked(legal), answer) for legal in legals), answer


def accepts(decision: Any, answer: object) -> bool:
    try:
        _answers.answer(decision, answer)
    except _answers.WrongAnswer:
        return False
    return True


def test_the_keys_that_stand_first_are_told_in_their_order(asked: MadeDecisions) -> None:
    line = json.loads(_format.line(asked.plays("2C 3C")))
    first = list(line)[: list(line).index("chance") + 1]
    [decision] = [update for update in UPDATES if update["type"] == "decision"]
    assert list(decision)[: len(first)] == first
    rows = README.read_text().partition("| key | what it is |")[2].partition("\n\n")[0]
    assert (
        re.findall(
            r"`(\w+)`(?= \+| \||,)", "\n".join(row.split("|")[1] + "|" for row in rows.splitlines()[2:])
        )
        == first
    )


def test_the_limits_are_those_of_the_bridge() -> None:
    text = README.read_text()
    assert (_lines.MAX_LINE, _child.MAX_WAITING) == (1 << 20, 16 << 20)
    assert "A line may be 1 MiB long." in text
    assert "Up to 16 MiB wait for it" in text
    assert (_child._GRACE, _child._SIGTERM_GRACE) == (3, 2)
    assert (
        "It has three seconds to end; then its process group gets\nSIGTERM, and two seconds later SIGKILL"
        in text
    )
