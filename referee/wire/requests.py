"""Frames from bots."""

from typing import Final

from google.protobuf.message import DecodeError

from fairdeal.v1 import play_service_pb2
from referee.updates import Answer, Given, Hello, Index, Malformed, Request, ResumePoint
from referee.wire.actions import action_of

MAX_NAME: Final = 200
"""The most characters in a name that a bot gives (entry, match, game...): names come back in frames."""

MAX_VERSIONS: Final = 100
"""The most versions that a hello may hold: those that are not spoken come back in a text."""


class WireError(ValueError):
    """Bytes that are no frame of the protocol; the text holds nothing of them."""


def decode(data: bytes) -> Request:
    """Return the request in a frame.

    Raises:
        WireError: the bytes are no ``fairdeal.v1.PlayRequest``, a name in it is too long or cannot be
            printed, or it holds too many versions.
    """
    try:
        message = play_service_pb2.PlayRequest.FromString(data)
    except DecodeError:
        raise WireError("the frame is no PlayRequest") from None
    return Request(
        frames_received=message.frames_received,
        hello=_hello(message.hello) if message.HasField("hello") else None,
        ready=tuple(_name(ready.match_id) for ready in message.ready),
        declines=tuple(_name(decline.match_id) for decline in message.declines),
        answers=tuple(
            Answer(_name(answer.match_id), answer.decision_id, _given(answer)) for answer in message.answers
        ),
        bye=message.HasField("bye"),
    )


def _hello(message: play_service_pb2.Hello) -> Hello:
    if len(message.versions) > MAX_VERSIONS:
        raise WireError(f"the hello holds more than {MAX_VERSIONS} versions")
    return Hello(
        versions=tuple(message.versions),
        entry=_name(message.entry),
        instance=_name(message.instance),
        games=tuple(map(_name, message.games)),
        tables=message.tables or 1,
        matches=message.matches,
        events=message.events,
        resume={
            _name(point.match_id): ResumePoint(point.sequence, point.attempt) for point in message.resume
        },
        agent=_name(message.agent),
    )


def _name(text: str) -> str:
    if len(text) > MAX_NAME:
        raise WireError(f"a name in the frame is longer than {MAX_NAME} characters")
    # an entry's name stands in logs and on terminals, where line ends and escapes would be obeyed
    if not text.isprintable():
        raise WireError("a name in the frame holds a character that cannot be printed")
    return text


def _given(answer: play_service_pb2.Answer) -> Given:
    kind = answer.WhichOneof("answer")
    if kind == "index":
        return Index(answer.index)
    if kind == "action":
        return action_of(answer.action)
    return Malformed("the answer holds neither an action nor an index")
