"""Turns a bot's line into an action, checked against the legal answers."""

import json
from collections.abc import Sequence
from typing import Any, Final, NoReturn, cast

from google.protobuf.json_format import ParseDict, ParseError

from fairdeal.actions import Answer, LegalActions, Noted, OtherAction, PlainAnswer
from fairdeal.stdio._format import bounds
from fairdeal.stdio._lines import MAX_LINE
from fairdeal.updates import Decision
from fairdeal.v1 import actions_pb2, cards_pb2
from fairdeal.v1 import play_service_pb2 as play

FORMS: Final = ("index", "indexes", "action", "cards", "combinations")
"""The keys of an answer, which has exactly one of them."""

_LARGE: Final = 10**9  # larger numbers are not printed
_SHOWN: Final = 80  # characters of a line that are shown
_EXPLAINED: Final = 120  # characters of the problem


class WrongAnswer(ValueError):
    """A line is not a legal answer; the text says why, as a clause after "which"."""


def parse(line: bytes) -> object:
    """Return the data in a line of JSON.

    Raises:
        WrongAnswer: it is not JSON, or too long.
    """
    if len(line) > MAX_LINE:
        raise WrongAnswer(f"is longer than {MAX_LINE} bytes")
    try:
        said = json.loads(line.decode(), parse_constant=_refuse)
        if b"\\u" in line:
            json.dumps(said, ensure_ascii=False).encode()  # a lone surrogate is not text
        return said
    except (ValueError, RecursionError):
        raise WrongAnswer("is not JSON") from None


def answer(decision: Decision, said: object) -> Answer:
    """Return a bot's choice, given by number, by name or as a message, in the form of `fairdeal.run`.

    Raises:
        WrongAnswer: it is not among the legal answers.
    """
    form, value = _form(said)
    legal = decision.message.legal
    try:
        match form:
            case "index":
                indexes = [_number(value)]
            case "indexes":
                indexes = [_number(each) for each in _list(value)]
            case "action":
                indexes = _places(legal, ParseDict(_object(value), actions_pb2.Action()))
            case _:  # cards, combinations
                wrapped = {f"choose_{form}": {form: value}}
                indexes = _places(legal, ParseDict(wrapped, actions_pb2.Action()))
    except ParseError as error:
        raise WrongAnswer(f"cannot be read: {_short(str(error))}") from None
    _check(legal, indexes)
    chosen = _chosen(decision, sorted(indexes))
    note = said.get("note") if isinstance(said, dict) else None
    if note is None:
        return chosen
    return Noted(chosen, note if isinstance(note, str | dict) else json.dumps(note))


def expected(decision: Decision) -> str:
    """Return in words which answer is expected."""
    choices, minimum, maximum = bounds(decision.message.legal)
    match decision.message.legal.WhichOneof("kind"):
        case "choose_cards":
            things = "cards"
        case "choose_combinations":
            things = "combinations"
        case _:
            return f"an index from 0 to {choices - 1}"
    count = f"{minimum}" if minimum == maximum else f"{minimum} to {maximum}"
    example = json.dumps(list(range(minimum)))
    return f"{count} of {choices} {things}, such as {example}"


def shown(line: bytes) -> str:
    """Return the beginning of a line in printable ASCII."""
    text = line[: _SHOWN + 1].decode(errors="backslashreplace")
    return ascii(text[:_SHOWN]) + ("..." if len(line) > _SHOWN else "")


def _form(said: object) -> tuple[str, Any]:
    if isinstance(said, list):
        return "indexes", said
    if not isinstance(said, dict):
        return "index", said
    forms = [form for form in FORMS if said.get(form) is not None]  # null counts as nothing
    if len(forms) != 1:
        has = " and ".join(forms) if forms else f"none of {', '.join(FORMS)}"
        raise WrongAnswer(f"has {has}")
    return forms[0], said[forms[0]]


def _number(value: object) -> int:
    if type(value) is int:
        return value
    if value is None:
        raise WrongAnswer("has null for an index")
    # other forms that the JSON mapping allows, such as "3" and 3.0
    return int(ParseDict({"index": value}, play.Answer()).index)


def _list(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise WrongAnswer("has indexes that are not a list")
    return value


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WrongAnswer("has an action that is not an object")
    return value


def _places(legal: actions_pb2.Legal, given: actions_pb2.Action) -> list[int]:
    """Return the position of an action, or of the items that it chooses, among the legal ones."""
    offered: Sequence[Any]
    chosen: Sequence[Any]
    kind = legal.WhichOneof("kind")
    if kind == "actions":
        offered, chosen = legal.actions.actions, [given]
    elif given.WhichOneof("kind") != kind:
        raise WrongAnswer(f"is not a {kind}")
    elif kind == "choose_cards":
        offered, chosen = legal.choose_cards.cards, given.choose_cards.cards
    else:
        offered, chosen = legal.choose_combinations.combinations, given.choose_combinations.combinations
    places = list(offered)
    if foreign := [each for each in chosen if each not in places]:
        raise WrongAnswer(f"chooses {_named(foreign[0])}, which is not offered")
    return [places.index(each) for each in chosen]


def _check(legal: actions_pb2.Legal, indexes: Sequence[int]) -> None:
    choices, minimum, maximum = bounds(legal)
    for index in indexes:
        if not 0 <= index < choices:
            raise WrongAnswer(
                f"has index {index}" if abs(index) < _LARGE else "has an index that is out of range"
            )
    if len(set(indexes)) < len(indexes):
        raise WrongAnswer("chooses the same one twice")
    if not minimum <= len(indexes) <= maximum:
        raise WrongAnswer(f"chooses {len(indexes)}")


def _chosen(decision: Decision, indexes: Sequence[int]) -> PlainAnswer:
    legal = decision.message.legal
    made = actions_pb2.Action()
    match legal.WhichOneof("kind"):
        case "choose_cards":
            made.choose_cards.SetInParent()  # an empty choice must be on the wire, too
            made.choose_cards.cards.extend([legal.choose_cards.cards[index] for index in indexes])
            return made
        case "choose_combinations":
            made.choose_combinations.SetInParent()
            offered = legal.choose_combinations.combinations
            made.choose_combinations.combinations.extend([offered[index] for index in indexes])
            return made
    action = cast(LegalActions, decision.legal).actions[indexes[0]]
    return action.message if isinstance(action, OtherAction) else action


def _named(thing: Any) -> str:
    if isinstance(thing, int):
        return cards_pb2.Card.Name(thing) if thing in cards_pb2.Card.values() else str(thing)
    return _short(str(thing)) or "nothing"


def _short(text: str) -> str:
    return ascii(" ".join(text.split()))[1:-1][:_EXPLAINED]


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
