"""Questions and their answers, as bytes.

What asks a decision, what answers it and what closes it (`Decision`, `Answer` and `Closed` of the protocol)
begin alike: with the match and the number of the decision. These bytes are called the question. An answer
is known by them without a look at what they say: nearly all answers are the bytes of a question that is open,
and behind them an index (`plain_answers`). Digests are made of the same bytes (docs/bots.md).
"""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, Final

from google.protobuf.message import DecodeError

from fairdeal.v1 import play_service_pb2
from referee.codec.proto.actions import action_bytes, action_of, fill_action
from referee.codec.proto.encoders import VARINT, Encoder, numbers, tag, texts, within
from referee.games.actions import ChooseCards, ChooseCombinations
from referee.match.messages import Decision, Given, Index, Malformed

PlainAnswer = Index | Callable[[], Given]
"""An answer as in `referee.match.messages.Answer`."""

_FIELDS: Final[Any] = play_service_pb2.Answer.DESCRIPTOR.fields_by_name
_MATCH_ID: Final[Encoder] = texts(_FIELDS["match_id"])
_DECISION_ID: Final = tag(_FIELDS["decision_id"])
_INDEX: Final = numbers(_FIELDS["index"])
_ACTION: Final = within(_FIELDS["action"], action_bytes)

# of requests; each of these tags, and the number behind it, is one byte
_REQUEST: Final[Any] = play_service_pb2.PlayRequest.DESCRIPTOR.fields_by_name
_RECEIVED: Final = tag(_REQUEST["frames_received"])[0]
_ANSWERS: Final = tag(_REQUEST["answers"])[0]
_BEFORE_INDEX: Final = tag(_FIELDS["index"])[0]
_MORE: Final = 0x80  # of a number, in its next byte
_INDICES: Final = tuple(Index(index) for index in range(_MORE))


@lru_cache(4096)
def _begin(match_id: str) -> bytes:
    return _MATCH_ID(match_id) + _DECISION_ID


def question_bytes(match_id: str, decision_id: int) -> bytes:
    """Return the bytes with which all begins that is said of a decision."""
    return _begin(match_id) + VARINT[decision_id]


def answer_bytes(question: bytes, given: Given) -> bytes:
    """Return an answer as bytes of ``fairdeal.v1.Answer``, with what has no order put in order."""
    if type(given) is Index:
        return question + _INDEX(given.index)
    if isinstance(given, Malformed):
        return question
    if isinstance(given, ChooseCards):
        return question + _ACTION(ChooseCards(tuple(sorted(given.cards))))
    if isinstance(given, ChooseCombinations):
        return question + _choice_of_combinations(given)
    assert not isinstance(given, Index)  # it has no subclasses
    return question + _ACTION(given)


def _choice_of_combinations(given: ChooseCombinations) -> bytes:
    answer = play_service_pb2.Answer()
    fill_action(answer.action, given)
    answer.action.choose_combinations.combinations.sort(key=lambda each: each.SerializeToString())
    return answer.SerializeToString()


def plain_answers(
    frame: bytes, asked: Mapping[bytes, Decision], most: int
) -> tuple[int, list[tuple[Decision, PlainAnswer]]] | None:
    """Return what stands in a frame like most: the frames received, and answers to open questions.

    ``asked`` are the open decisions by question. Other frames, and those with more than ``most`` answers,
    give None: `decode` knows what is in them.
    """
    at, end, received = 0, len(frame), 0
    answers: list[tuple[Decision, PlainAnswer]] = []
    try:
        if frame[0] == _RECEIVED:
            at = 1
            while frame[at] >= _MORE and at < 4:
                received |= (frame[at] - _MORE) << 7 * (at - 1)
                at += 1
            if frame[at] >= _MORE:
                return None
            received |= frame[at] << 7 * (at - 1)
            at += 1
        while at < end:
            size = frame[at + 1]
            after = at + 2 + size
            index = frame[after - 1]
            if frame[at] != _ANSWERS or size >= _MORE or len(answers) == most:
                return None
            decision = asked.get(frame[at + 2 : after - 2])
            if decision is not None and frame[after - 2] == _BEFORE_INDEX and index < _MORE:
                answers.append((decision, _INDICES[index]))
            elif other := _other(frame[at + 2 : after], asked):
                answers.append(other)
            else:
                return None
            at = after
    except IndexError:
        return None
    return received, answers


def _other(data: bytes, asked: Mapping[bytes, Decision]) -> tuple[Decision, PlainAnswer] | None:
    """Return the decision of an answer that is not just an index, and its action; None if it has a note."""
    number = 2 + data[1] + len(_DECISION_ID)  # where it begins
    while data[number] >= _MORE:
        number += 1
    if (decision := asked.get(data[: number + 1])) is None:
        return None
    try:
        message = play_service_pb2.Answer.FromString(data)
    except DecodeError:
        return None
    if message.note or (message.match_id, message.decision_id) != (decision.match_id, decision.decision_id):
        return None  # what says a field again means the last
    return decision, given_in(message)


def given_in(message: play_service_pb2.Answer) -> PlainAnswer:
    """Return the index in an answer, or what decodes its action."""
    if not message.HasField("index"):
        return partial(_action, message)
    return _INDICES[message.index] if message.index < _MORE else Index(message.index)


def _action(message: play_service_pb2.Answer) -> Given:
    if message.HasField("action"):
        return action_of(message.action)
    return Malformed("the answer holds neither an action nor an index")
