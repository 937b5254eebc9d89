"""What a hall bears from its sessions: how many, how fast, how silent; and how resume points are answered."""

from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.clock import PROFILES, SECOND
from referee.limits import Limits
from referee.observer import Observer
from referee.tables import REMEMBERED
from referee.updates import Reason

NOBODY_IS_SILENT = Limits(idle_seconds=86_400, heartbeat_seconds=0)


def reason(guest: Any) -> Reason | None:
    ended = guest.session.ended
    return ended.reason if ended else None


class Ends(Observer):
    """Keeps how sessions ended."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, str, Reason | None]] = []

    def session_ended(self, entry: str, instance: str, peer: str, reason: Reason | None) -> None:
        self.kept.append((entry, peer, reason))


# How many


def test_a_session_too_many_is_over_at_once(lobby: Any) -> None:
    ends = Ends()
    hall = lobby(limits=Limits(sessions=2), observer=ends)
    first, _second, third = (hall.connect(peer=f"p{n}") for n in range(3))
    assert (reason(first), reason(third)) == (None, Reason.TOO_MANY_SESSIONS)
    assert ends.kept == [("", "p2", Reason.TOO_MANY_SESSIONS)]
    first.leave()
    assert reason(hall.connect()) is None


def test_sessions_from_one_address_are_counted_until_their_streams_are_gone(lobby: Any) -> None:
    hall = lobby(limits=Limits(sessions_per_peer=2))
    guests = [hall.connect(peer="p") for _ in range(3)]
    assert [reason(guest) for guest in guests] == [None, None, Reason.TOO_MANY_SESSIONS]
    assert reason(hall.connect(peer="another")) is None
    guests[0].say(hello=pb.Hello(versions=[1], entry="a")).say(bye=pb.Bye())
    assert reason(hall.connect(peer="p")) is Reason.TOO_MANY_SESSIONS  # it has left, its stream has not
    guests[0].leave()
    assert reason(hall.connect(peer="p")) is None


def test_an_entry_has_so_many_instances_at_once(lobby: Any) -> None:
    hall = lobby(limits=Limits(sessions_per_entry=2))
    first, _second, third = (hall.arrive("a", instance=str(n)) for n in range(3))
    assert reason(third) is Reason.TOO_MANY_SESSIONS
    assert "end another instance" in third.session.ended.text
    assert reason(hall.arrive("b")) is None
    assert reason(hall.arrive("a", instance="0")) is None  # takes over from the first
    assert reason(first) is Reason.REPLACED
    hall.guests[-1].leave()
    assert reason(hall.arrive("a", instance="2")) is None


def test_a_bot_is_told_how_many_tables_it_gets(lobby: Any) -> None:
    guest = lobby(limits=Limits(tables_per_session=3)).arrive("a", tables=7)
    assert guest.heard[0].welcome.max_tables == 3


# How fast


def test_a_bot_that_sends_frames_too_fast_is_cut_off(lobby: Any) -> None:
    hall = lobby(limits=Limits(frames_per_second=5))
    guest = hall.arrive("a")
    for _ in range(10):  # two seconds' worth and one for each frame that it was sent, less its hello
        assert reason(guest) is None
        guest.say()
    guest.say()
    assert reason(guest) is Reason.RATE_LIMITED
    assert not hall.hall.has_session("a")


def test_a_bot_that_sends_answers_too_fast_is_cut_off(lobby: Any) -> None:
    hall = lobby(limits=Limits(answers_per_second=5))
    guest = hall.arrive("a")
    guest.say(answers=[pb.Answer(match_id="x")] * 10)
    assert reason(guest) is None
    hall.now += SECOND
    guest.say(answers=[pb.Answer(match_id="x")] * 5)
    assert reason(guest) is None
    guest.say(answers=[pb.Answer(match_id="x")])
    assert reason(guest) is Reason.RATE_LIMITED


def test_a_bot_that_only_answers_is_never_too_fast(lobby: Any) -> None:
    hall = lobby(limits=Limits(answers_per_second=1, frames_per_second=1))
    guests = hall.seat(deals=20)
    hall.play_out()
    assert [reason(guest) for guest in guests] == [None] * 4
    assert all(len(guest.of("decision")) > 200 for guest in guests)


# How silent


def test_a_session_without_a_hello_is_ended(lobby: Any) -> None:
    hall = lobby()
    guest = hall.connect()
    hall.now = 5 * SECOND
    bot = hall.arrive("a")
    hall.tick(10 * SECOND - 1)
    assert reason(guest) is None
    hall.tick(10 * SECOND)
    assert (reason(guest), reason(bot)) == (Reason.IDLE, None)
    assert guest.session.ended.text == "the bot said no hello for 10 s"


def test_a_bot_that_has_nothing_to_hear_gets_a_heartbeat(lobby: Any) -> None:
    hall = lobby()
    guest = hall.arrive("a")
    hall.tick(15 * SECOND - 1)
    assert guest.of("notice") == []
    hall.tick(15 * SECOND)
    assert [notice.kind for notice in guest.of("notice")] == [pb.NOTICE_KIND_HEARTBEAT]
    hall.now += 5 * SECOND
    guest.say(answers=[pb.Answer(match_id="x")])  # whose refusal is something to hear
    hall.tick(35 * SECOND - 1)
    assert len(guest.of("notice")) == 1
    hall.tick(35 * SECOND)
    assert len(guest.of("notice")) == 2


def test_without_heartbeats_nothing_is_sent(lobby: Any) -> None:
    hall = lobby(limits=NOBODY_IS_SILENT)
    guest = hall.arrive("a")
    hall.tick(1_000 * SECOND)
    assert guest.of("notice") == []
    assert not guest.heard[0].welcome.HasField("heartbeat")


def test_a_bot_that_acknowledges_heartbeats_may_wait_for_ever(lobby: Any) -> None:
    hall = lobby()
    guest, silent = hall.arrive("a"), hall.arrive("b")
    while hall.now < 105 * SECOND:
        hall.tick()
        guest.say()
    assert reason(silent) is None
    hall.tick(120 * SECOND)
    assert (reason(silent), reason(guest)) == (Reason.IDLE, None)
    assert silent.session.ended.text == "the bot sent no frame, not even an acknowledgement, for 120 s"


def test_while_a_bot_is_asked_its_clock_is_the_judge(lobby: Any) -> None:
    hall = lobby(limits=Limits(idle_seconds=2, heartbeat_seconds=1))
    guests = hall.seat("two_handed_spades", clock=PROFILES["standard"])
    hall.tick(12 * SECOND)
    # the one is asked and thinks; the other waits, and has not said a word either
    assert [reason(guest) for guest in guests] == [None, Reason.IDLE]
    guests[0].answer()
    hall.now += 2 * SECOND - 1
    hall.tick(hall.now)
    assert reason(guests[0]) is None


# Resume points


def test_a_match_that_ended_meanwhile_is_told(lobby: Any) -> None:
    hall = lobby()
    guests = hall.seat("two_handed_spades")
    guests[0].leave()
    hall.hall.cancel("m-1", hall.now)
    hall.turn()
    back = hall.arrive("a", resume=[pb.ResumePoint(match_id="m-1", sequence=1)])
    assert back.of("finished") == guests[1].of("finished")
    assert back.of("seated") == back.of("refused") == []


@pytest.mark.parametrize("entry", ["a", "c"])
def test_a_match_that_nobody_knows_is_refused(lobby: Any, entry: str) -> None:
    hall = lobby()
    hall.seat("two_handed_spades")
    if entry == "c":
        hall.hall.cancel("m-1", hall.now)
    names = ["m-1", "m-2"] if entry == "c" else ["m-2"]
    back = hall.arrive(entry, resume=[pb.ResumePoint(match_id=name, sequence=1) for name in names])
    refusals = back.of("refused")
    assert [refused.match_id for refused in refusals] == names
    assert {(r.decision_id, r.reason, r.still_open) for r in refusals} == {
        (0, pb.REASON_MATCH_NOT_FOUND, False)
    }
    assert len({refused.text for refused in refusals}) == 1  # that it was another's is not told
    assert back.of("finished") == []


def test_so_many_finished_matches_are_remembered(lobby: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert REMEMBERED > 1_000
    monkeypatch.setattr("referee.tables.REMEMBERED", 2)
    hall = lobby()
    for number in range(3):
        hall.create("two_handed_spades", f"m-{number}")
        hall.hall.cancel(f"m-{number}", 0)
    back = hall.arrive("a", resume=[pb.ResumePoint(match_id=f"m-{n}") for n in range(3)])
    assert [finished.match_id for finished in back.of("finished")] == ["m-1", "m-2"]
    assert [refused.match_id for refused in back.of("refused")] == ["m-0"]


# Leaving


def test_who_plays_may_come_back_while_the_referee_drains_and_nobody_else(lobby: Any) -> None:
    hall = lobby()
    player, _other = hall.seat("two_handed_spades")
    hall.hall.drain()
    player.leave()
    back, stranger = hall.arrive("a"), hall.arrive("c")
    assert reason(stranger) is Reason.SHUTTING_DOWN
    assert [notice.kind for notice in back.of("notice")] == [pb.NOTICE_KIND_DRAINING]
    assert back.open


def test_a_host_that_is_lost_makes_its_matches_void_and_no_others(lobby: Any) -> None:
    hall = lobby()
    for number, entries in enumerate(["ab", "ca", "bc"]):
        hall.create("two_handed_spades", f"m-{number}", entries=entries)
    hall.hall.void(("a", ""), 0)
    hall.turn()
    ended = {table.setup.match_id: table.match.outcome.termination.name for table in hall.finished}
    assert ended == {"m-0": "VOID", "m-1": "VOID"}
    assert [setup.match_id for setup in hall.hall.matches] == ["m-2"]
