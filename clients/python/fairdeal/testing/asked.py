"""Decisions as a bot gets them, from those of the rules."""

from fairdeal import _updates
from fairdeal.updates import Decision, Seated
from fairdeal.v1 import play_service_pb2 as pb
from referee.codec.proto import encode
from referee.match import messages


def seated_of(told: messages.Seated) -> Seated:
    """Return a seat as a bot is told of it."""
    return _updates.seated(pb.Update.FromString(encode(told)).seated)


def decision_of(match: Seated, asked: messages.Decision, seed: str = "") -> Decision:
    """Return a decision as a bot is asked it; ``seed`` is that of its draws."""
    return Decision(match, pb.Update.FromString(encode(asked)).decision, seed)
