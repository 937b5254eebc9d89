"""Who gets into a hall: first frames, tokens, and what ends a session."""

from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.access import Tokens, token_digest
from referee.games.registry import GAMES
from referee.session import Ended
from referee.updates import Reason
from referee.wire import MAX_NAME

HELLO = pb.Hello(versions=[1], entry="a")
TOKENS = Tokens({"a": token_digest("token-a"), "b": token_digest("token-b")})


def reason(guest: Any) -> Reason | None:
    ended: Ended | None = guest.session.ended
    return ended.reason if ended else None


# Hello


def test_the_first_update_is_the_welcome(lobby: Any) -> None:
    hall = lobby()
    hall.create()
    guest = hall.arrive("a", tables=3)
    assert [update.WhichOneof("kind") for update in guest.heard] == ["welcome", "seated"]
    welcome = guest.heard[0].welcome
    assert (welcome.version, welcome.epoch, welcome.max_tables) == (1, 1, 3)
    assert welcome.server == "referee/test"
    assert welcome.heartbeat.ToSeconds() == 15


@pytest.mark.parametrize(
    ("first", "expected", "text"),
    [
        (pb.PlayRequest(), Reason.PROTOCOL_VIOLATION, "hello belongs in the first frame"),
        (pb.PlayRequest(bye=pb.Bye()), Reason.PROTOCOL_VIOLATION, "hello belongs in the first frame"),
        (pb.PlayRequest(hello=pb.Hello(versions=[1])), Reason.PROTOCOL_VIOLATION, "hello names no entry"),
        (
            pb.PlayRequest(hello=pb.Hello(versions=[1], entry="a", games=["hearts", "poker"])),
            Reason.PROTOCOL_VIOLATION,
            f"unknown game 'poker'; this referee plays {', '.join(sorted(GAMES))}",
        ),
        (
            pb.PlayRequest(hello=pb.Hello(versions=[2], entry="a")),
            Reason.UNSUPPORTED_VERSION,
            "this referee speaks version 1 of the protocol, the bot: 2",
        ),
        (
            pb.PlayRequest(hello=HELLO, frames_received=1),
            Reason.PROTOCOL_VIOLATION,
            "frames_received counts more frames than were sent",
        ),
        (
            pb.PlayRequest(hello=pb.Hello(versions=[1], entry="x" * (MAX_NAME + 1))),
            Reason.PROTOCOL_VIOLATION,
            "a name in the frame is longer than 200 characters",
        ),
    ],
)
def test_a_wrong_first_frame_ends_the_session(
    lobby: Any, first: pb.PlayRequest, expected: Reason, text: str
) -> None:
    hall = lobby()
    guest = hall.connect().send(first.SerializeToString())
    assert reason(guest) is expected
    assert text in guest.session.ended.text and "\n" not in guest.session.ended.text
    assert not hall.hall.has_session("a")


def test_hello_is_said_once(lobby: Any) -> None:
    hall = lobby()
    guest = hall.arrive("a").say(hello=HELLO)
    assert reason(guest) is Reason.PROTOCOL_VIOLATION
    assert not hall.hall.has_session("a")


@pytest.mark.parametrize("data", [b"\xff\xff", b"GET / HTTP/1.1\r\n\r\n", bytes(32)])
def test_garbage_ends_the_session_and_no_other(lobby: Any, data: bytes) -> None:
    hall = lobby()
    bad, good = hall.arrive("a"), hall.arrive("b")
    bad.send(data)
    assert reason(bad) is Reason.PROTOCOL_VIOLATION
    assert bad.session.ended.text == "the frame is no PlayRequest"
    assert reason(good) is None and hall.hall.has_session("b")


@pytest.mark.parametrize(("size", "ended"), [(32 * 1024, None), (32 * 1024 + 1, Reason.MESSAGE_TOO_LARGE)])
def test_a_frame_has_at_most_32_kib(lobby: Any, size: int, ended: Reason | None) -> None:
    guest = lobby().arrive("a")
    frame = pb.PlayRequest(frames_received=1).SerializeToString()
    padding = size - len(frame) - 5
    frame += (
        b"\xf2\x7f"
        + bytes([padding & 0x7F | 0x80, padding >> 7 & 0x7F | 0x80, padding >> 14])
        + bytes(padding)
    )
    assert len(frame) == size
    assert reason(guest.send(frame)) is ended


def test_an_ended_session_is_heard_no_more(lobby: Any) -> None:
    hall = lobby()
    bad = hall.connect().send(b"\xff").say(hello=HELLO)
    assert reason(bad) is Reason.PROTOCOL_VIOLATION
    assert bad.heard == [] and not hall.hall.has_session("a")


# Tokens


@pytest.mark.parametrize(
    ("token", "entry", "expected"),
    [
        ("token-a", "a", None),
        ("token-b", "b", None),
        (None, "a", Reason.MISSING_TOKEN),
        ("token-x", "a", Reason.MISSING_TOKEN),
        ("", "a", Reason.MISSING_TOKEN),
        ("tökën", "a", Reason.MISSING_TOKEN),
        ("token-b", "a", Reason.WRONG_SEAT),
        ("token-a", "nobody", Reason.WRONG_SEAT),
        ("token-x", "nobody", Reason.MISSING_TOKEN),
    ],
)
def test_a_token_opens_its_own_entry_only(
    lobby: Any, token: str | None, entry: str, expected: Reason | None
) -> None:
    hall = lobby(access=TOKENS)
    guest = hall.arrive(entry, token=token)
    assert reason(guest) is expected
    assert hall.hall.has_session(entry) == (expected is None)
    assert expected is None or (guest.heard == [] and (token or "-") not in guest.session.ended.text)


def test_a_wrong_token_does_not_disturb_the_session_that_is_there(lobby: Any) -> None:
    hall = lobby(access=TOKENS)
    there = hall.arrive("a", token="token-a")
    hall.arrive("a", token="token-b")
    assert reason(there) is None
    assert hall.hall.has_session("a")
