"""What a seat was asked and answered, as the bytes of which bots make their digest (docs/bots.md)."""

from fairdeal.v1 import play_service_pb2
from referee.codec.proto.actions import fill_action
from referee.codec.proto.updates import encode
from referee.match.messages import Decision, Given, Index, Malformed


def decision_bytes(decision: Decision) -> bytes:
    """Return a decision as bytes of ``fairdeal.v1.Decision``."""
    return decision_in(encode(decision))


def decision_in(update: bytes) -> bytes:
    """Return the bytes of the decision that an update holds, as `encode` gave it."""
    start = 1  # the field's number and type are one byte, then comes the length
    while update[start] & 0x80:
        start += 1
    return update[start + 1 :]


def answer_bytes(match_id: str, decision_id: int, given: Given) -> bytes:
    """Return an answer as bytes of ``fairdeal.v1.Answer``, with what has no order put in order."""
    answer = play_service_pb2.Answer(match_id=match_id, decision_id=decision_id)
    if isinstance(given, Index):
        answer.index = given.index
    elif not isinstance(given, Malformed):
        fill_action(answer.action, given)
        kind = answer.action.WhichOneof("kind")
        if kind == "choose_cards":
            answer.action.choose_cards.cards.sort()
        elif kind == "choose_combinations":
            answer.action.choose_combinations.combinations.sort(key=lambda each: each.SerializeToString())
    return answer.SerializeToString()
