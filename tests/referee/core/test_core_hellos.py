"""How many hellos a core allows and awaits, and the exception for bots that reconnect."""

from collections.abc import Callable
from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Tokens, token_digest
from referee.core.core import Core
from referee.core.limits import BURST_SECONDS, Limits
from referee.core.session import Session
from referee.match.clock import SECOND
from referee.match.messages import Reason
from tests.referee.driven_core import DrivenCore
from tournaments.running.access import Admission


def over(session: Session) -> Reason | None:
    return session.ended.reason if session.ended else None


def reason(guest: Any) -> Reason | None:
    ended = guest.session.ended
    return ended.reason if ended else None


def frame(**fields: Any) -> bytes:
    return pb.PlayRequest(**fields).SerializeToString()


HELLO = frame(hello=pb.Hello(versions=[1], entry="a"))
WRONG = frame(hello=pb.Hello(versions=[9], entry="a"))

# how a session stops to owe a hello; its stream ends afterwards, or has ended
WAYS: dict[str, Callable[[Core, Session], None]] = {
    "hello": lambda core, session: core.receive(session, HELLO, 0),
    "hello, and replaced": lambda core, session: [
        core.receive(each, HELLO, 0) for each in (session, core.connect(None, 0, "another"))
    ],
    "hello and bye": lambda core, session: [
        core.receive(session, data, 0) for data in (HELLO, frame(bye=pb.Bye()))
    ],
    "hello, and the referee fails": lambda core, session: [
        core.receive(session, HELLO, 0),
        core.fail(session, RuntimeError(), 0),
    ],
    "a hello that is wrong": lambda core, session: core.receive(session, WRONG, 0),
    "junk": lambda core, session: core.receive(session, b"\xff", 0),
    "the referee fails": lambda core, session: core.fail(session, RuntimeError(), 0),
    "no hello for too long": lambda core, session: core.tick(10 * SECOND),
    "the stream ends": lambda core, session: None,
}


@pytest.mark.parametrize("way", WAYS)
def test_so_many_of_an_address_may_owe_a_hello(driven_core: type[DrivenCore], way: str) -> None:
    core = driven_core(limits=Limits(hellos_awaited=2)).core
    for _ in range(3):  # a count that is wrong is more so each time
        first, second, third = (core.connect(None, 0, "p") for _ in range(3))
        assert [over(session) for session in (first, second, third)] == [None, None, Reason.TOO_MANY_SESSIONS]
        another = core.connect(None, 0, "another")
        assert over(another) is None
        core.disconnect(third, 0)
        core.disconnect(another, 0)
        core.disconnect(fourth := core.connect(None, 0, "p"), 0)
        assert over(fourth) is Reason.TOO_MANY_SESSIONS  # the third one counted no more than once
        WAYS[way](core, first)
        if way == "the stream ends":
            core.disconnect(first, 0)
        if way == "no hello for too long":
            assert over(second) is Reason.IDLE
        fifth, sixth = (core.connect(None, 0, "p") for _ in range(2))
        room = 2 if way == "no hello for too long" else 1
        assert [over(session) for session in (fifth, sixth)].count(None) == room
        for session in {first, second, fifth, sixth} - ({first} if way == "the stream ends" else set()):
            core.disconnect(session, 0)


def test_an_entry_opens_so_many_sessions_a_second(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(hellos_per_second=3))
    for _ in range(3 * BURST_SECONDS):
        assert reason(last := core.arrive("a")) is None
    hasty = core.arrive("a")
    assert reason(hasty) is Reason.RATE_LIMITED
    assert reason(last) is None, "who is too fast throws nobody out"
    assert reason(core.arrive("b")) is None
    core.now += SECOND // 3
    assert reason(core.arrive("a")) is Reason.RATE_LIMITED
    core.now += 1
    assert reason(core.arrive("a")) is None
    assert reason(last) is Reason.REPLACED


def test_a_refused_token_does_not_use_up_the_hellos_of_an_entry(driven_core: type[DrivenCore]) -> None:
    access = Tokens({name: token_digest(f"tok-{name}") for name in "ab"})
    core = driven_core(limits=Limits(hellos_per_second=1), access=access)
    for _ in range(BURST_SECONDS):
        assert reason(core.arrive("a", token="tok-b")) is Reason.WRONG_SEAT
    for _ in range(10):
        assert reason(core.arrive("a", token="tok-b")) is Reason.RATE_LIMITED
    assert reason(core.arrive("a", token="tok-a")) is None


def test_guessing_tokens_soon_gets_rate_limited(driven_core: type[DrivenCore]) -> None:
    access = Tokens({"a": token_digest("tok-a")})
    core = driven_core(limits=Limits(strangers_per_second=2), access=access).core
    told = [over(core.connect(f"guess-{number}", 0, "p")) for number in range(2 * BURST_SECONDS + 3)]
    assert told == 2 * BURST_SECONDS * [Reason.MISSING_TOKEN] + 3 * [Reason.RATE_LIMITED]
    assert over(core.connect("guess", 0, "another")) is Reason.MISSING_TOKEN
    assert over(core.connect("tok-a", 0, "p")) is None


def test_each_token_of_an_entry_has_hellos_and_sessions_of_its_own(driven_core: type[DrivenCore]) -> None:
    access = Admission(Tokens({}))
    first, second = access.token_for(("a", "")), access.token_for(("a", "2"))
    core = driven_core(limits=Limits(hellos_per_second=1, sessions_per_entry=1), access=access)
    for _ in range(BURST_SECONDS):
        assert reason(core.arrive("a", token=first)) is None
    assert reason(core.arrive("a", token=first)) is Reason.RATE_LIMITED
    assert reason(core.arrive("a", token=second, instance="2")) is None


@pytest.mark.parametrize("most", [1, 2])
def test_so_many_matches_may_be_resumed(driven_core: type[DrivenCore], most: int) -> None:
    core = driven_core(limits=Limits(tables_per_session=most))
    points = [pb.ResumePoint(match_id=f"m-{number}") for number in range(most + 1)]
    assert reason(core.arrive("a", resume=points[:-1])) is None
    guest = core.arrive("a", resume=points)
    assert reason(guest) is Reason.PROTOCOL_VIOLATION
    assert guest.session.ended.text == f"the hello resumes {most + 1} matches, a session may play {most}"


# What may wait for a bot

KEPT = 4096


def half_played(driven_core: Any) -> Any:
    core = driven_core(limits=Limits(queued_bytes=KEPT))
    guests = core.seat(deals=20)
    for _ in range(200):
        for guest in guests:
            guest.answer()
    assert sum(update.ByteSize() for update in guests[0].heard) > 3 * KEPT
    guests[0].leave()
    return core


def test_a_returning_bot_gets_all_missed_events_however_many(driven_core: type[DrivenCore]) -> None:
    core = half_played(driven_core)
    back = core.arrive("a")
    assert reason(back) is None
    assert sum(update.ByteSize() for update in back.heard) > 3 * KEPT
    assert core.core.sessions.is_here(("a", ""))


def test_a_returning_bot_that_does_not_read_is_still_ended(driven_core: type[DrivenCore]) -> None:
    core = half_played(driven_core)
    back = core.connect()
    back.deaf = True
    back.say(hello=pb.Hello(versions=[1], entry="a", tables=4, events=True))
    assert reason(back) is None
    sent = 0
    while reason(back) is None:
        back.say(answers=[pb.Answer(match_id="x")])  # whose refusal is told
        sent += 1
        assert sent < 100
    assert reason(back) is Reason.SLOW_READER
    refusals = list(back.session._released)[-sent:]
    assert KEPT < sum(map(len, refusals)) + 4 * sent <= KEPT + 300


def test_only_missed_events_are_free(driven_core: type[DrivenCore]) -> None:
    core = half_played(driven_core)
    back = core.arrive("a")  # which has read all of it
    back.deaf = True
    assert back.session._queued_bytes == 0
    sent = 0
    while reason(back) is None:
        back.say(answers=[pb.Answer(match_id="x")])
        sent += 1
        assert sent < 60
    assert reason(back) is Reason.SLOW_READER


@pytest.mark.parametrize("token", [None, "tok-c", "tok-boss"])
def test_a_refused_token_ends_the_session_before_a_frame_and_is_not_counted(
    driven_core: type[DrivenCore], token: str | None
) -> None:
    names = ("a", "boss")
    access = Tokens({name: token_digest(f"tok-{name}") for name in names}, organisers=["boss"])
    core = driven_core(access=access, limits=Limits(sessions=1)).core
    for _ in range(3):
        stranger = core.connect(token, 0, "p")
        assert over(stranger) is (Reason.WRONG_ROLE if token == "tok-boss" else Reason.MISSING_TOKEN)
        core.receive(stranger, HELLO, 0)
        assert stranger.hello is None
        core.disconnect(stranger, 0)
    assert over(core.connect("tok-a", 0, "p")) is None
