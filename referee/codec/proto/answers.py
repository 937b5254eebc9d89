"""Questions and their answers, as bytes.

What asks a decision, what answers it and what closes it (`Decision`, `Answer` and `Closed` of the protocol)
begin alike: with the match and the number of the decision. These bytes are called the question. An answer
is known by them without a look at what they say: nearly all answers are the bytes of a question that is open,
and behind them an index (`plain_answers`). Digests are made of the same bytes (docs/bots.md).
"""

from functools import lru_cache
from typing import Any, Final

from fairdeal.v1 import play_service_pb2
from referee.codec.proto.actions import action_bytes, fill_action
from referee.codec.proto.encoders import VARINT, Encoder, numbers, tag, texts, within
from referee.games.actions import ChooseCards, ChooseCombinations
from referee.match.messages import Given, Index, Malformed

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


def plain_answers(frame: bytes, most: int) -> tuple[int, list[tuple[bytes, Index]]] | None:
    """Return what stands in a frame like most: how many frames were received, and answers by index.

    Each answer is the bytes before its index, which are a question if it answers one, and the index. Other
    frames, and those with more than ``most`` answers, give None: `decode` knows what is in them.
    """
    at, end, received = 0, len(frame), 0
    answers: list[tuple[bytes, Index]] = []
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
            if frame[at] != _ANSWERS or frame[after - 2] != _BEFORE_INDEX or size >= _MORE or index >= _MORE:
                return None
            answers.append((frame[at + 2 : after - 2], _INDICES[index]))
            if len(answers) > most:
                return None
            at = after
    except IndexError:
        return None
    return received, answers
