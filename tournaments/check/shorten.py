"""Messages as short JSON, for people."""

import json
from typing import Any, Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

_LONGEST: Final = 400


def shown(message: Message, name: str = "") -> str:
    """Return a message as JSON on one line, cut off where it is long; ``name`` is the field that holds it."""
    data: Any = MessageToDict(message, preserving_proto_field_name=True)
    return shortened(json.dumps({name: data} if name else data))


def shortened(text: str) -> str:
    """Return a text on one line, cut off where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
