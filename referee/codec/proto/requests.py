"""Frames from bots.

What a frame may hold is bounded before anything is built from it, and an answer is decoded only when its
decision is open: protobuf's own pass over 32 KiB takes a fraction of a millisecond, objects for all that
can stand in them take fifty times as long.
"""

from collections.abc import Sized
from functools import lru_cache
from typing import Final

from google.protobuf.message import DecodeError

from fairdeal.v1 import play_service_pb2
from referee.codec.proto.answers import given_in
from referee.match.messages import Answer, Hello, Request, ResumePoint

MAX_NAME: Final = 200
"""The most characters in a name that a bot gives (entry, match, game...): names come back in frames."""

MAX_VERSIONS: Final = 100
"""The most versions that a hello may hold: those that are not spoken come back in a text."""

MAX_GAMES: Final = 100
"""The most games that a hello may name."""


class WireError(ValueError):
    """Bytes that are no frame of the protocol; the text holds nothing of them."""


def decode(data: bytes, tables: int) -> Request:
    """Return the request in a frame of a bot that may have ``tables`` matches at once.

    Raises:
        WireError: the bytes are no ``fairdeal.v1.PlayRequest``; it holds more of something than there are
            tables, or too many versions or games; a name in it is too long or cannot be printed.
    """
    try:
        message = play_service_pb2.PlayRequest.FromString(data)
    except DecodeError:
        raise WireError("the frame is not a PlayRequest") from None
    ready, declines, answers = message.ready, message.declines, message.answers
    if len(ready) > tables or len(declines) > tables or len(answers) > tables:
        for kind, items in (("ready", ready), ("declines", declines), ("answers", answers)):
            _check_length(items, tables, f"the frame holds {{}} {kind}, at most {{}} are allowed")
    return Request(
        frames_received=message.frames_received,
        hello=_hello(message.hello, tables) if message.HasField("hello") else None,
        ready=tuple([_name(each.match_id) for each in ready]) if ready else (),
        declines=tuple([_name(each.match_id) for each in declines]) if declines else (),
        answers=tuple(
            [  # a list, which takes half the time
                Answer(
                    _match_id(answer.match_id),
                    answer.decision_id,
                    given_in(answer),
                    answer.note,
                )
                for answer in answers
            ]
        ),
        bye=message.HasField("bye"),
        no_more_matches=message.no_more_matches,
    )


def _check_length(items: Sized, most: int, text: str) -> None:
    if len(items) > most:
        raise WireError(text.format(len(items), most))


def _hello(message: play_service_pb2.Hello, tables: int) -> Hello:
    _check_length(message.versions, MAX_VERSIONS, "the hello holds {} versions, at most {} are allowed")
    _check_length(message.games, MAX_GAMES, "the hello names {} games, at most {} are allowed")
    _check_length(message.resume, tables, "the hello resumes {} matches, a session may play {}")
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
        redirects=message.redirects,
    )


def _name(text: str) -> str:
    if len(text) > MAX_NAME:
        raise WireError(f"a name in the frame is longer than {MAX_NAME} characters")
    # an entry's name stands in logs and on terminals, where line ends and escapes would be obeyed
    if not text.isprintable():
        raise WireError("a name in the frame holds a character that cannot be printed")
    return text


_match_id: Final = lru_cache(4096)(_name)  # the same ones come again with each answer
