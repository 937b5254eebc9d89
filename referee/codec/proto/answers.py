"""What a seat was asked and answered, as the bytes of which bots make their digest (docs/bots.md)."""

from functools import lru_cache
from typing import Any, Final

from fairdeal.v1 import play_service_pb2
from referee.codec.proto.actions import action_bytes, fill_action
from referee.codec.proto.encoders import Encoder, numbers, texts, within
from referee.games.actions import ChooseCards, ChooseCombinations
from referee.match.messages import Given, Index, Malformed

_FIELDS: Final[Any] = play_service_pb2.Answer.DESCRIPTOR.fields_by_name
_MATCH_ID: Final[Encoder] = lru_cache(4096)(texts(_FIELDS["match_id"]))
_DECISION_ID: Final = numbers(_FIELDS["decision_id"])
_INDEX: Final = numbers(_FIELDS["index"])
_ACTION: Final = within(_FIELDS["action"], action_bytes)


def answer_bytes(match_id: str, decision_id: int, given: Given) -> bytes:
    """Return an answer as bytes of ``fairdeal.v1.Answer``, with what has no order put in order."""
    begin = _MATCH_ID(match_id) + _DECISION_ID(decision_id)
    if isinstance(given, Index):
        return begin + _INDEX(given.index)
    if isinstance(given, Malformed):
        return begin
    if isinstance(given, ChooseCards):
        return begin + _ACTION(ChooseCards(tuple(sorted(given.cards))))
    if isinstance(given, ChooseCombinations):
        return begin + _choice_of_combinations(given)
    return begin + _ACTION(given)


def _choice_of_combinations(given: ChooseCombinations) -> bytes:
    answer = play_service_pb2.Answer()
    fill_action(answer.action, given)
    answer.action.choose_combinations.combinations.sort(key=lambda each: each.SerializeToString())
    return answer.SerializeToString()
