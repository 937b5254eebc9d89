"""Frames of some 30 KB that cost a referee much and their sender nothing."""

from collections.abc import Callable
from typing import Final

from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as pb

Frame = Callable[[pb.Decision], bytes]
"""Makes a frame for a bot that was last asked this decision."""


def _combinations(match_id: str, decision_id: int) -> bytes:
    answer = pb.Answer(match_id=match_id, decision_id=decision_id)
    point = actions_pb2.Combination(point=actions_pb2.PointCombination(suit=1))  # type: ignore[arg-type]
    answer.action.choose_combinations.combinations.extend([point] * 5_000)
    return pb.PlayRequest(answers=[answer]).SerializeToString()


def _empty(field: int) -> bytes:
    return bytes([field << 3 | 2, 0]) * 16_000


FLOODS: Final[dict[str, Frame]] = {
    "combinations for no match": lambda asked: _combinations("x", 1),
    "combinations for a closed decision": lambda asked: _combinations(asked.match_id, asked.decision_id - 1),
    "combinations for a decision to come": lambda asked: _combinations(asked.match_id, asked.decision_id + 9),
    "combinations for the open decision": lambda asked: _combinations(asked.match_id, asked.decision_id),
    "16,000 seats taken": lambda asked: _empty(3),
    "16,000 seats refused": lambda asked: _empty(4),
    "16,000 empty answers": lambda asked: _empty(5),
}
