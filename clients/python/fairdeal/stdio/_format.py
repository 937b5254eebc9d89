"""Turns the referee's updates into lines: the protocol's messages in the JSON mapping of proto3.

Names are those of the .proto files, every field without presence is written, and the output is ASCII without
spaces. The keys that `line` puts first are added to the mapping; with them a bot need not read the rest.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from google.protobuf.json_format import MessageToDict

from fairdeal.updates import Closed, Decision, Finished, Happened, Notice, Refused, Seated, Update
from fairdeal.v1 import actions_pb2

CHANCE_BYTES: Final = 32
"""How many bytes of its generator a decision has; ten draws of one of 52 seldom take eleven bytes."""

_TYPES: Final[Mapping[type[Update], str]] = {
    Seated: "seated",
    Happened: "happened",
    Decision: "decision",
    Closed: "closed",
    Refused: "refused",
    Finished: "finished",
    Notice: "notice",
}


def line(update: Update) -> bytes:
    """Return an update as a line, with the line end."""
    kind = Decision if isinstance(update, Decision) else type(update)  # `fairdeal.testing` has a subclass
    told: dict[str, Any] = {"type": _TYPES[kind]}
    if isinstance(update, Decision):
        told |= _summary(update)
    told |= MessageToDict(
        update.message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return json.dumps(told, separators=(",", ":")).encode() + b"\n"


def bounds(legal: actions_pb2.Legal) -> tuple[int, int, int]:
    """Return how many items a decision offers, and how many of them must and may be chosen."""
    match legal.WhichOneof("kind"):
        case "choose_cards":
            choice = legal.choose_cards
            return len(choice.cards), choice.minimum, choice.maximum
        case "choose_combinations":
            further = legal.choose_combinations
            return len(further.combinations), further.minimum, further.maximum
    return len(legal.actions.actions), 1, 1


def _summary(decision: Decision) -> dict[str, Any]:
    """Return the keys for a bot that only chooses by number, in a fixed order."""
    choices, minimum, maximum = bounds(decision.message.legal)
    return {
        "match_id": decision.match.id,
        "decision_id": decision.id,
        "game": decision.match.game,
        "seat": f"SEAT_{decision.seat}",
        "choices": choices,
        "minimum": minimum,
        "maximum": maximum,
        "chance": bytes(decision.chance.draw(256) for _ in range(CHANCE_BYTES)).hex(),
    }
