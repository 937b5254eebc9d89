"""Who gets into a core: first frames, tokens, and what ends a session."""

from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.codec.proto import MAX_NAME
from referee.core.access import Tokens, token_digest
from referee.core.session import Ended
from referee.games.registry import GAMES
from referee.match.messages import Reason
from tests.referee.driven_core import DrivenCore

HELLO = pb.Hello(versions=[1], entry="a")
TOKENS = Tokens({"a": token_digest("token-a"), "b": token_digest("token-b")})


def reason(guest: Any) -> Reason | None:
    ended: Ended | None = guest.session.ended
    return ended.reason if ended else None


# Hello


def test_the_first_update_is_the_welcome(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    core.create()
    guest = core.arrive("a", tables=3)
    assert [update.WhichOneof("kind") for update in guest.heard] == ["welcome", "seated"]
    welcome = guest.heard[0].welcome
    assert (welcome.version, welcome.epoch, welcome.max_tables) == (1, 1, 3)
    assert welcome.server == "referee/test"
    assert welcome.heartbeat.ToSeconds() == 15


@pytest.mark.parametrize(
    ("first", "expected", "text"),
    [
        (pb.PlayRequest(), Reason.PROTOCOL_VIOLATION, "hello belongs in the first frame"),
        (pb.PlayRequest(frames_received=1), Reason.PROTOCOL_VIOLATION, "hello belongs in the first frame"),
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
    driven_core: type[DrivenCore], first: pb.PlayRequest, expected: Reason, text: str
) -> None:
    core = driven_core()
    guest = core.connect().send(first.SerializeToString())
    assert reason(guest) is expected
    assert text in guest.session.ended.text and "\n" not in guest.session.ended.text
    assert not core.core.sessions.is_here(("a", ""))


def test_hello_is_said_once(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    guest = core.arrive("a").say(hello=HELLO)
    assert reason(guest) is Reason.PROTOCOL_VIOLATION
    assert not core.core.sessions.is_here(("a", ""))


@pytest.mark.parametrize("data", [b"\xff\xff", b"GET / HTTP/1.1\r\n\r\n", bytes(32)])
def test_garbage_ends_the_session_and_no_other(driven_core: type[DrivenCore], data: bytes) -> None:
    core = driven_core()
    bad, good = core.arrive("a"), core.arrive("b")
    bad.send(data)
    assert reason(bad) is Reason.PROTOCOL_VIOLATION
    assert bad.session.ended.text == "the frame is not a PlayRequest"
    assert reason(good) is None and core.core.sessions.is_here(("b", ""))


@pytest.mark.parametrize(("size", "ended"), [(32 * 1024, None), (32 * 1024 + 1, Reason.MESSAGE_TOO_LARGE)])
def test_a_frame_has_at_most_32_kib(driven_core: type[DrivenCore], size: int, ended: Reason | None) -> None:
    guest = driven_core().arrive("a")
    frame = pb.PlayRequest(frames_received=1).SerializeToString()
    padding = size - len(frame) - 5
    frame += (
        b"\xf2\x7f"
        + bytes([padding & 0x7F | 0x80, padding >> 7 & 0x7F | 0x80, padding >> 14])
        + bytes(padding)
    )
    assert len(frame) == size
    assert reason(guest.send(frame)) is ended


def test_an_ended_session_is_heard_no_more(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    bad = core.connect().send(b"\xff").say(hello=HELLO)
    assert reason(bad) is Reason.PROTOCOL_VIOLATION
    assert bad.heard == [] and not core.core.sessions.is_here(("a", ""))


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
    driven_core: type[DrivenCore], token: str | None, entry: str, expected: Reason | None
) -> None:
    core = driven_core(access=TOKENS)
    guest = core.arrive(entry, token=token)
    assert reason(guest) is expected
    assert core.core.sessions.is_here((entry, "")) == (expected is None)
    assert expected is None or (guest.heard == [] and (token or "-") not in guest.session.ended.text)


def test_a_wrong_token_does_not_disturb_the_session_that_is_there(driven_core: type[DrivenCore]) -> None:
    core = driven_core(access=TOKENS)
    there = core.arrive("a", token="token-a")
    core.arrive("a", token="token-b")
    assert reason(there) is None
    assert core.core.sessions.is_here(("a", ""))
