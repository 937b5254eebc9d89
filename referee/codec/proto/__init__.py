"""Domain values to protobuf and back: the only package that knows both.

What a seat is told is filled into messages field by field along `shapes`; what a seat may be told was decided
before, in each game's ``view.py``.
"""

from referee.codec.proto.actions import action_of, fill_action, legal_bytes
from referee.codec.proto.answers import PlainAnswer, answer_bytes, plain_answers, question_bytes
from referee.codec.proto.games import fill_game
from referee.codec.proto.growing import GrowingViews
from referee.codec.proto.requests import MAX_NAME, WireError, decode
from referee.codec.proto.updates import (
    answered_in_frame,
    decision_behind,
    decision_bytes,
    decision_in_frame,
    encode,
    in_frame,
    view_bytes,
    view_field,
)

__all__ = [
    "MAX_NAME",
    "GrowingViews",
    "PlainAnswer",
    "WireError",
    "action_of",
    "answer_bytes",
    "answered_in_frame",
    "decision_behind",
    "decision_bytes",
    "decision_in_frame",
    "decode",
    "encode",
    "fill_action",
    "fill_game",
    "in_frame",
    "legal_bytes",
    "plain_answers",
    "question_bytes",
    "view_bytes",
    "view_field",
]
