"""Domain values to protobuf and back: the only package that knows both.

What a seat is told is filled into messages field by field along `shapes`; what may be told was decided
before, in each game's ``view.py``.
"""

from referee.wire.actions import action_of, fill_action
from referee.wire.games import fill_game
from referee.wire.requests import MAX_NAME, WireError, decode
from referee.wire.tables import EVENTS, VIEWS
from referee.wire.updates import encode, frame

__all__ = [
    "EVENTS",
    "MAX_NAME",
    "VIEWS",
    "WireError",
    "action_of",
    "decode",
    "encode",
    "fill_action",
    "fill_game",
    "frame",
]
