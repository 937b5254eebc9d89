"""The limits of a core on its sessions: how many, how fast, how silent; and the answers to resume points."""

from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.limits import Limits
from referee.core.matches import REMEMBERED
from referee.core.observer import Observer
from referee.match.clock import PROFILES, SECOND
from referee.match.messages import Reason
from tests.referee.driven_core import DrivenCore

NOBODY_IS_SILENT = Limits(idle_seconds=86_400, heartbeat_seconds=0)


def reason(guest: Any) -> Reason | None:
    ended = guest.session.ended
    return ended.reason if ended else None


class SessionEnds(Observer):
    """Keeps how sessions ended, and which streams never became one."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, str, Reason | None]] = []
        self.refused: list[tuple[str, Reason]] = []

    def session_refused(self, peer: str, reason: Reason) -> None:
        self.refused.append((peer, reason))

    def session_ended(self, entry: str, instance: str, peer: str, reason: Reason | None) -> None:
        self.kept.append((entry, peer, reason))


# How many


def test_a_session_too_many_is_over_at_once(driven_core: type[DrivenCore]) -> None:
    ends = SessionEnds()
    core = driven_core(limits=Limits(sessions=4), observer=ends)
    first, _second, third = (core.connect(peer=f"p{n}") for n in range(3))
    assert (reason(first), reason(third)) == (None, Reason.TOO_MANY_SESSIONS)
    assert (ends.kept, ends.refused) == ([], [("p2", Reason.TOO_MANY_SESSIONS)])
    first.leave()
    assert reason(core.connect()) is None


def test_sessions_from_one_address_are_counted_until_their_streams_are_gone(
    driven_core: type[DrivenCore],
) -> None:
    core = driven_core(limits=Limits(sessions_per_peer=2))
    guests = [core.connect(peer="p") for _ in range(3)]
    assert [reason(guest) for guest in guests] == [None, None, Reason.TOO_MANY_SESSIONS]
    assert reason(core.connect(peer="another")) is None
    guests[0].say(hello=pb.Hello(versions=[1], entry="a")).say(bye=pb.Bye())
    assert reason(core.connect(peer="p")) is Reason.TOO_MANY_SESSIONS  # it has left, its stream has not
    guests[0].leave()
    assert reason(core.connect(peer="p")) is None


def test_an_entry_has_so_many_instances_at_once(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(sessions_per_entry=2))
    first, _second, third = (core.arrive("a", instance=str(n)) for n in range(3))
    assert reason(third) is Reason.TOO_MANY_SESSIONS
    assert "end another instance" in third.session.ended.text
    assert reason(core.arrive("b")) is None
    assert reason(core.arrive("a", instance="0")) is None  # takes over from the first
    assert reason(first) is Reason.REPLACED
    core.guests[-1].leave()
    assert reason(core.arrive("a", instance="2")) is None


def test_a_bot_is_told_how_many_tables_it_gets(driven_core: type[DrivenCore]) -> None:
    guest = driven_core(limits=Limits(tables_per_session=3)).arrive("a", tables=7)
    assert guest.heard[0].welcome.max_tables == 3


# How fast


def test_a_bot_that_sends_frames_too_fast_is_cut_off(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(frames_per_second=5))
    guest = core.arrive("a")
    for _ in range(11):  # two seconds' worth and one for the frame that it was sent
        assert reason(guest) is None
        guest.say()
    guest.say()
    assert reason(guest) is Reason.RATE_LIMITED
    assert not core.core.sessions.is_here(("a", ""))


def test_a_bot_that_sends_answers_too_fast_is_cut_off(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(answers_per_second=5))
    guest = core.arrive("a")
    guest.say(answers=[pb.Answer(match_id="x")] * 10)
    assert reason(guest) is None
    core.now += SECOND
    guest.say(answers=[pb.Answer(match_id="x")] * 5)
    assert reason(guest) is None
    guest.say(answers=[pb.Answer(match_id="x")])
    assert reason(guest) is Reason.RATE_LIMITED


def test_a_bot_that_only_answers_is_never_too_fast(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(answers_per_second=1, frames_per_second=1))
    guests = core.seat(deals=20)
    core.play_out()
    assert [reason(guest) for guest in guests] == [None] * 4
    assert all(len(guest.of("decision")) > 200 for guest in guests)


# How silent


def test_a_session_without_a_hello_is_ended(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    guest = core.connect()
    core.now = 5 * SECOND
    bot = core.arrive("a")
    core.tick(10 * SECOND - 1)
    assert reason(guest) is None
    core.tick(10 * SECOND)
    assert (reason(guest), reason(bot)) == (Reason.IDLE, None)
    assert guest.session.ended.text == "the bot sent no hello for 10 s"


def test_a_bot_that_has_nothing_to_hear_gets_a_heartbeat(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    guest = core.arrive("a")
    core.tick(15 * SECOND - 1)
    assert guest.of("notice") == []
    core.tick(15 * SECOND)
    assert [notice.kind for notice in guest.of("notice")] == [pb.NOTICE_KIND_HEARTBEAT]
    core.now += 5 * SECOND
    guest.say(answers=[pb.Answer(match_id="x")])  # whose refusal is something to hear
    core.tick(35 * SECOND - 1)
    assert len(guest.of("notice")) == 1
    core.tick(35 * SECOND)
    assert len(guest.of("notice")) == 2


def test_without_heartbeats_nothing_is_sent(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=NOBODY_IS_SILENT)
    guest = core.arrive("a")
    core.tick(1_000 * SECOND)
    assert guest.of("notice") == []
    assert not guest.heard[0].welcome.HasField("heartbeat")


def test_a_bot_that_acknowledges_heartbeats_may_wait_for_ever(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    guest, silent = core.arrive("a"), core.arrive("b")
    while core.now < 105 * SECOND:
        core.tick()
        guest.say()
    assert reason(silent) is None
    core.tick(120 * SECOND)
    assert (reason(silent), reason(guest)) == (Reason.IDLE, None)
    assert silent.session.ended.text == "the bot sent no frame, not even an acknowledgement, for 120 s"


def test_while_a_bot_is_asked_its_clock_is_the_judge(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(idle_seconds=2, heartbeat_seconds=1))
    guests = core.seat("two_handed_spades", clock=PROFILES["standard"])
    core.tick(12 * SECOND)
    # the one is asked and thinks; the other waits, and has not said a word either
    assert [reason(guest) for guest in guests] == [None, Reason.IDLE]
    guests[0].answer()
    core.now += 2 * SECOND - 1
    core.tick(core.now)
    assert reason(guests[0]) is None
    core.tick(core.now + 1)  # it has answered, and waits itself
    assert reason(guests[0]) is Reason.IDLE


# Resume points


def test_a_match_that_ended_meanwhile_is_told(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    guests = core.seat("two_handed_spades")
    guests[0].leave()
    core.core.cancel("m-1", core.now)
    core.turn()
    back = core.arrive("a", resume=[pb.ResumePoint(match_id="m-1", sequence=1)])
    assert back.of("finished") == guests[1].of("finished")
    assert back.of("seated") == back.of("refused") == []


@pytest.mark.parametrize("entry", ["a", "c"])
def test_a_match_that_nobody_knows_is_refused(driven_core: type[DrivenCore], entry: str) -> None:
    core = driven_core()
    core.seat("two_handed_spades")
    if entry == "c":
        core.core.cancel("m-1", core.now)
    names = ["m-1", "m-2"] if entry == "c" else ["m-2"]
    back = core.arrive(entry, resume=[pb.ResumePoint(match_id=name, sequence=1) for name in names])
    refusals = back.of("refused")
    assert [refused.match_id for refused in refusals] == names
    assert {(r.decision_id, r.reason, r.still_open) for r in refusals} == {
        (0, pb.REASON_MATCH_NOT_FOUND, False)
    }
    assert len({refused.text for refused in refusals}) == 1  # that it was another's is not told
    assert back.of("finished") == []


def test_so_many_finished_matches_are_remembered(
    driven_core: type[DrivenCore], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert REMEMBERED > 1_000
    monkeypatch.setattr("referee.core.matches.REMEMBERED", 2)
    core = driven_core()
    for number in range(3):
        core.create("two_handed_spades", f"m-{number}")
        core.core.cancel(f"m-{number}", 0)
    back = core.arrive("a", resume=[pb.ResumePoint(match_id=f"m-{n}") for n in range(3)])
    assert [finished.match_id for finished in back.of("finished")] == ["m-1", "m-2"]
    assert [refused.match_id for refused in back.of("refused")] == ["m-0"]


# Leaving


def test_only_playing_bots_may_reconnect_while_the_referee_drains(
    driven_core: type[DrivenCore],
) -> None:
    core = driven_core()
    player, _other = core.seat("two_handed_spades")
    core.core.drain()
    player.leave()
    back, stranger = core.arrive("a"), core.arrive("c")
    assert reason(stranger) is Reason.SHUTTING_DOWN
    assert [notice.kind for notice in back.of("notice")] == [pb.NOTICE_KIND_DRAINING]
    assert back.open


def test_a_host_that_is_lost_makes_its_matches_void_and_no_others(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    for number, entries in enumerate(["ab", "ca", "bc"]):
        core.create("two_handed_spades", f"m-{number}", entries=entries)
    core.core.void(("a", ""), 0)
    core.turn()
    ended = {table.setup.match_id: table.match.outcome.termination.name for table in core.finished}
    assert ended == {"m-0": "VOID", "m-1": "VOID"}
    assert [setup.match_id for setup in core.core.matches.setups] == ["m-2"]
