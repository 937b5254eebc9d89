"""How many hellos a hall bears and awaits, and how who comes back is excused."""

from collections.abc import Callable
from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.access import Tokens, token_digest
from referee.clock import SECOND
from referee.hall import Hall
from referee.limits import BURST_SECONDS, Limits
from referee.session import Session
from referee.updates import Reason


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
WAYS: dict[str, Callable[[Hall, Session], None]] = {
    "hello": lambda hall, session: hall.receive(session, HELLO, 0),
    "hello, and replaced": lambda hall, session: [
        hall.receive(each, HELLO, 0) for each in (session, hall.connect(None, 0, "another"))
    ],
    "hello and bye": lambda hall, session: [
        hall.receive(session, data, 0) for data in (HELLO, frame(bye=pb.Bye()))
    ],
    "hello, and the referee fails": lambda hall, session: [
        hall.receive(session, HELLO, 0),
        hall.fail(session, RuntimeError(), 0),
    ],
    "a hello that is wrong": lambda hall, session: hall.receive(session, WRONG, 0),
    "junk": lambda hall, session: hall.receive(session, b"\xff", 0),
    "the referee fails": lambda hall, session: hall.fail(session, RuntimeError(), 0),
    "no hello for too long": lambda hall, session: hall.tick(10 * SECOND),
    "the stream ends": lambda hall, session: None,
}


@pytest.mark.parametrize("way", WAYS)
def test_so_many_of_an_address_may_owe_a_hello(lobby: Any, way: str) -> None:
    hall = lobby(limits=Limits(hellos_awaited=2)).hall
    for _ in range(3):  # a count that is wrong is more so each time
        first, second, third = (hall.connect(None, 0, "p") for _ in range(3))
        assert [over(session) for session in (first, second, third)] == [None, None, Reason.TOO_MANY_SESSIONS]
        another = hall.connect(None, 0, "another")
        assert over(another) is None
        hall.disconnect(third, 0)
        hall.disconnect(another, 0)
        hall.disconnect(fourth := hall.connect(None, 0, "p"), 0)
        assert over(fourth) is Reason.TOO_MANY_SESSIONS  # the third one counted no more than once
        WAYS[way](hall, first)
        if way == "the stream ends":
            hall.disconnect(first, 0)
        if way == "no hello for too long":
            assert over(second) is Reason.IDLE
        fifth, sixth = (hall.connect(None, 0, "p") for _ in range(2))
        room = 2 if way == "no hello for too long" else 1
        assert [over(session) for session in (fifth, sixth)].count(None) == room
        for session in {first, second, fifth, sixth} - ({first} if way == "the stream ends" else set()):
            hall.disconnect(session, 0)


def test_an_entry_opens_so_many_sessions_a_second(lobby: Any) -> None:
    hall = lobby(limits=Limits(hellos_per_second=3))
    for _ in range(3 * BURST_SECONDS):
        assert reason(last := hall.arrive("a")) is None
    hasty = hall.arrive("a")
    assert reason(hasty) is Reason.RATE_LIMITED
    assert reason(last) is None, "who is too fast throws nobody out"
    assert reason(hall.arrive("b")) is None
    hall.now += SECOND // 3
    assert reason(hall.arrive("a")) is Reason.RATE_LIMITED
    hall.now += 1
    assert reason(hall.arrive("a")) is None
    assert reason(last) is Reason.REPLACED


def test_who_may_not_speak_for_an_entry_does_not_use_up_its_hellos(lobby: Any) -> None:
    access = Tokens({name: token_digest(f"tok-{name}") for name in "ab"})
    hall = lobby(limits=Limits(hellos_per_second=1), access=access)
    for _ in range(10):
        assert reason(hall.arrive("a", token="tok-b")) is Reason.WRONG_SEAT
    assert reason(hall.arrive("a", token="tok-a")) is None


@pytest.mark.parametrize("most", [1, 2])
def test_so_many_matches_may_be_resumed(lobby: Any, most: int) -> None:
    hall = lobby(limits=Limits(tables_per_session=most))
    points = [pb.ResumePoint(match_id=f"m-{number}") for number in range(most + 1)]
    assert reason(hall.arrive("a", resume=points[:-1])) is None
    guest = hall.arrive("a", resume=points)
    assert reason(guest) is Reason.PROTOCOL_VIOLATION
    assert guest.session.ended.text == f"hello resumes {most + 1} matches, a session may play {most}"


# What may wait for a bot

KEPT = 4096


def half_played(lobby: Any) -> Any:
    hall = lobby(limits=Limits(queued_bytes=KEPT))
    guests = hall.seat(deals=20)
    for _ in range(200):
        for guest in guests:
            guest.answer()
    assert sum(update.ByteSize() for update in guests[0].heard) > 3 * KEPT
    guests[0].leave()
    return hall


def test_who_comes_back_is_told_all_that_it_missed_however_much(lobby: Any) -> None:
    hall = half_played(lobby)
    back = hall.arrive("a")
    assert reason(back) is None
    assert sum(update.ByteSize() for update in back.heard) > 3 * KEPT
    assert hall.hall.has_session("a")


def test_who_comes_back_and_does_not_read_is_cut_off_all_the_same(lobby: Any) -> None:
    hall = half_played(lobby)
    back = hall.connect()
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


def test_what_is_excused_is_what_was_missed(lobby: Any) -> None:
    hall = half_played(lobby)
    back = hall.arrive("a")  # which has read all of it
    back.deaf = True
    assert back.session._queued_bytes == 0
    sent = 0
    while reason(back) is None:
        back.say(answers=[pb.Answer(match_id="x")])
        sent += 1
        assert sent < 60
    assert reason(back) is Reason.SLOW_READER
