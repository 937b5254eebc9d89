"""What frames cost that nobody asked for: counted, bounded, and charged to their entry in real time."""

from typing import Any, Final

import pytest

from fairdeal.testing import VirtualClock
from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as pb
from referee.core.budgets import RETOLD_RATE, STALL_RATE, Budgets
from referee.core.limits import BURST_SECONDS, Limits
from referee.core.matches import SEATED_AGAIN
from referee.core.session import Ended
from referee.match.clock import SECOND, ClockSettings
from referee.match.messages import Reason
from referee.match.notes import NOTE_BYTES
from referee.server.game_clock import GameClock
from tests.floods import FLOODS
from tests.referee.driven_core import DrivenCore
from tests.work import calls

MILLI: Final = 1_000
CALLS: Final = 550
"""What such a frame may cost at most; an honest answer takes some 250, with the events that it causes."""


def reason(guest: Any) -> Reason | None:
    ended = guest.session.ended
    return ended.reason if ended else None


def second_decision(core: Any, **match: Any) -> Any:
    """Return a guest that has answered one decision and is asked another; the other bot's turn is over."""
    guests = core.seat("two_handed_spades", **match)
    guest = next(guest for guest in guests if guest.open)
    guest.answer()
    while not guest.open:
        for other in guests:
            if other is not guest:
                other.answer()
    return guest


# The work of one frame


@pytest.mark.parametrize("kind", FLOODS)
def test_a_frame_that_nobody_asked_for_costs_little(driven_core: type[DrivenCore], kind: str) -> None:
    core = driven_core()
    guest = second_decision(core)
    frame = FLOODS[kind](guest.of("decision")[-1])
    assert 29_000 < len(frame) <= 32 * 1024
    assert calls(lambda: core.core.receive(guest.session, frame, core.now)) <= CALLS


@pytest.mark.parametrize("kind", FLOODS)
def test_the_first_frame_of_a_stranger_costs_little(driven_core: type[DrivenCore], kind: str) -> None:
    core = driven_core()
    guest = core.connect()
    frame = FLOODS[kind](pb.Decision(match_id="m-1", decision_id=2))
    assert calls(lambda: core.core.receive(guest.session, frame, core.now)) <= CALLS
    assert reason(guest) is Reason.PROTOCOL_VIOLATION


def test_nothing_is_decoded_beyond_a_limit(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(frame_bytes=4096, frames_per_second=10))
    garbage = b"\xff"
    assert reason(core.arrive("a").send(garbage)) is Reason.PROTOCOL_VIOLATION
    assert reason(core.arrive("b").send(garbage * 4097)) is Reason.MESSAGE_TOO_LARGE
    guest = core.arrive("c")
    for _ in range(21):  # one is for the welcome
        guest.say()
    assert reason(guest) is None
    assert reason(guest.send(garbage)) is Reason.RATE_LIMITED


@pytest.mark.parametrize("decision_id", [1, 2, 9])
def test_only_what_is_awaited_or_was_answered_is_decoded(
    driven_core: type[DrivenCore], monkeypatch: pytest.MonkeyPatch, decision_id: int
) -> None:
    core = driven_core()
    guest = second_decision(core)
    read = []
    monkeypatch.setattr("referee.codec.proto.answers.action_of", read.append)
    given = actions_pb2.Action(bid=1)
    guest.say(
        answers=[pb.Answer(match_id=name, decision_id=decision_id, action=given) for name in ("m-1", "x")]
    )
    assert len(read) == (decision_id != 9)


def test_too_many_cards_or_combinations_are_one_malformed_answer(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    guest = second_decision(core)
    guest.send(FLOODS["combinations for the open decision"](guest.of("decision")[-1]))
    (refused,) = guest.of("refused")
    assert refused.reason == pb.REASON_MALFORMED_ACTION
    assert refused.text == "an action with 5000 combinations, where there are 40 at most"
    assert reason(guest) is None


# The work of an entry


def test_an_entry_has_one_allowance_for_all_its_sessions(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(frames_per_second=10))
    one, two = (core.arrive("a", instance=name) for name in "12")
    other = core.arrive("b")
    for _ in range(11):  # one each is for the welcome
        one.say()
        two.say()
    assert (reason(one), reason(two)) == (None, None)
    one.say()
    other.say()
    assert (reason(one), reason(other)) == (Reason.RATE_LIMITED, None)
    again = core.arrive("a", instance="1").say()  # for the welcome
    assert reason(again) is None
    again.say()
    assert reason(again) is Reason.RATE_LIMITED
    core.now += SECOND // 10
    two.say()
    assert reason(two) is None


@pytest.mark.parametrize("given", ["answers", "ready", "declines"])
def test_seats_taken_and_refused_count_like_answers(driven_core: type[DrivenCore], given: str) -> None:
    core = driven_core(limits=Limits(answers_per_second=10))
    guest = core.arrive("a")
    messages = {"answers": pb.Answer, "ready": pb.Ready, "declines": pb.Decline}
    guest.say(**{given: [messages[given](match_id="x")] * 20})
    assert reason(guest) is None
    guest.say(**{given: [messages[given](match_id="x")]})
    assert reason(guest) is Reason.RATE_LIMITED


def test_the_sessions_of_an_entry_share_its_answers(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(answers_per_second=10))
    one, two = (core.arrive("a", instance=name) for name in "12")
    for guest in (one, two):
        guest.say(answers=[pb.Answer(match_id="x")] * 10)
    assert (reason(one), reason(two)) == (None, None)
    other = core.arrive("b").say(answers=[pb.Answer(match_id="x")])
    one.say(answers=[pb.Answer(match_id="x")])
    assert (reason(one), reason(other)) == (Reason.RATE_LIMITED, None)


def test_of_a_frame_with_too_many_answers_none_reaches_its_match(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(answers_per_second=1))
    guest = second_decision(core)
    asked = guest.of("decision")[-1]
    taken = len(core.inputs)
    answer = pb.Answer(match_id=asked.match_id, decision_id=asked.decision_id, index=0)
    guest.say(answers=[answer, *[pb.Answer(match_id="x")] * 100])
    assert reason(guest) is Reason.RATE_LIMITED
    assert [given.kind for _key, given in core.inputs[taken:]] == ["lost"]


def test_answers_to_an_open_decision_count_however_they_are_read(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(answers_per_second=1))
    guest = second_decision(core)
    asked = guest.of("decision")[-1]
    answer = pb.Answer(match_id=asked.match_id, decision_id=asked.decision_id, index=0)
    taken = len(core.inputs)
    guest.say(answers=[answer] * 16)
    assert reason(guest) is Reason.RATE_LIMITED
    assert [given.kind for _key, given in core.inputs[taken:]] == ["lost"]


def test_bytes_are_counted_and_what_is_asked_grants_some(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(bytes_per_second=4096))
    guest = second_decision(core)
    junk = b"\xfa\x7f\x80\x04" + bytes(512)  # a field that nobody knows
    sent = 0
    while reason(guest) is None:
        guest.send(junk)
        sent += len(junk)
    assert reason(guest) is Reason.RATE_LIMITED
    asked = len(guest.of("decision")) + len(guest.of("seated"))
    assert 8192 < sent <= 8192 + 5120 * asked + 16 * len(guest.frames) + len(junk)


def test_the_longest_note_with_each_answer_is_not_too_much(driven_core: type[DrivenCore]) -> None:
    """However fast it is asked: no time goes by here."""
    core = driven_core(limits=Limits(bytes_per_second=4096))
    guests = core.seat("two_handed_spades")
    for guest in guests * 8:
        if guest.open:
            asked = guest.of("decision")[-1]
            where = {"match_id": asked.match_id, "decision_id": asked.decision_id}
            guest.say(answers=[pb.Answer(**where, index=0, note=b"x" * NOTE_BYTES)])
            assert reason(guest) is None
    assert len(guests[0].of("decision")) > 6


def test_the_sessions_of_an_entry_share_its_bytes(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(bytes_per_second=4096))
    one, two = (core.arrive("a", instance=name) for name in "12")
    other = core.arrive("b")
    junk = b"\xfa\x7f\x80\x08" + bytes(1024)
    for guest in (*(one, two) * 4, one):  # each has some for its welcome
        guest.send(junk)
    assert [reason(guest) for guest in (one, two)].count(Reason.RATE_LIMITED) == 1
    assert reason(other.send(junk)) is None


def test_strangers_of_one_address_share_their_bytes(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(bytes_per_second=4096))
    hello = pb.PlayRequest(hello=pb.Hello(entry="a" * 200, agent="b" * 200)).SerializeToString()
    for _ in range(8192 // len(hello)):
        assert reason(core.connect(peer="p").send(hello)) is Reason.UNSUPPORTED_VERSION
    assert reason(core.connect(peer="p").send(hello)) is Reason.RATE_LIMITED
    assert reason(core.connect(peer="q").send(hello)) is Reason.UNSUPPORTED_VERSION


def test_allowances_go_by_real_time_while_the_game_clock_stands(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(frames_per_second=1))
    guest = core.arrive("a")
    empty = pb.PlayRequest().SerializeToString()
    for second in range(100):
        core.core.receive(guest.session, empty, 0, second * SECOND)
    assert reason(guest) is None
    for _ in range(10):
        core.core.receive(guest.session, empty, 3_600 * SECOND, 99 * SECOND)
    assert reason(guest) is Reason.RATE_LIMITED


def test_streams_are_opened_at_a_pace_of_real_time(driven_core: type[DrivenCore]) -> None:
    core = driven_core(limits=Limits(strangers_per_second=1)).core
    opened = [core.connect(None, 0, "p", real) for real in (0, 0, 0, SECOND, SECOND)]
    assert [session.ended is None for session in opened] == [True, True, False, True, False]


@pytest.mark.parametrize("tables", [64, 256])
def test_a_bot_with_many_tables_meets_no_limit(driven_core: type[DrivenCore], tables: int) -> None:
    """It answers each decision in a frame of its own, as fast as it can, and time stands."""
    core = driven_core(limits=Limits(frames_per_second=1, answers_per_second=1, bytes_per_second=4096))
    for number in range(tables):
        core.create("two_handed_spades", f"{'m' * 40}-{number}")
    guests = [core.arrive(entry, tables=tables) for entry in "ab"]
    for guest in guests:
        for seated in guest.of("seated"):
            guest.say(ready=[pb.Ready(match_id=seated.match_id)])
    for _ in range(3):
        for guest in guests:
            for decision in guest.open:
                guest.say(answers=[guest._answer(decision, decision.match_id)])
    assert [reason(guest) for guest in guests] == [None, None]
    assert sum(len(guest.of("decision")) for guest in guests) > tables


def play_until(core: Any, events: int) -> int:
    """Play a match until a seat has been told so many events, and return how many they are."""
    guests = core.seat("hearts", deals=60)
    while (told := int(core.opened[0].match.told(0))) < events:
        for guest in guests:
            guest.answer()
    return told


def test_repeated_events_must_be_paid_off_before_they_are_sent_again(
    driven_core: type[DrivenCore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.core.budgets.RETOLD_RATE", 100)
    core = driven_core()
    told = play_until(core, 200)
    # a bot that has lost everything comes back at once, and then again
    assert [len(core.arrive("a").of("happened")) for _ in range(2)] == [told, told]
    # as does who says where it was, or wants no events
    assert reason(core.arrive("b", events=False)) is None
    refused = core.arrive("a")
    assert reason(refused) is Reason.RATE_LIMITED
    assert core.core.sessions.is_here(("a", "")), "the session of before stays"
    core.now += (told + 2 * SEATED_AGAIN) * SECOND // 100 - 2 * SECOND
    assert len(core.arrive("a").of("happened")) == told


def test_the_cost_of_repeated_events_adds_up() -> None:
    budgets = Budgets(Limits())
    few = BURST_SECONDS * RETOLD_RATE - 1  # by one event too few to have to wait
    for _ in range(2):
        budgets.hear_rejoin("a", few, 0)
    with pytest.raises(Ended, match="too often"):
        budgets.hear_rejoin("a", few, 0)
    budgets.hear_rejoin("b", few, 0)


def test_resuming_with_a_resume_point_is_limited_only_by_the_rate_of_hellos(
    driven_core: type[DrivenCore],
) -> None:
    core = driven_core()
    point = pb.ResumePoint(match_id="m-1", sequence=play_until(core, 200))
    assert [reason(core.arrive("a", resume=[point])) for _ in range(30)] == [None] * 30


# Stalls


def test_an_entry_may_cause_so_many_stalls(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    guests = core.seat("two_handed_spades")
    guest = guests[0]

    def charge(session: Any, micros: int, real: int) -> None:
        core.core.charge("a", session.number, micros, core.now, real)

    for _ in range(2):
        charge(guest.session, STALL_RATE, 0)
    assert reason(guest) is None
    charge(guest.session, 1, 0)
    assert reason(guest) is Reason.RATE_LIMITED
    assert guest.session.ended.text == "the frames of this bot take too much of the referee's time"
    again = core.arrive("a")  # a new session has no more of it
    charge(again.session, STALL_RATE, SECOND)
    assert reason(again) is None
    charge(again.session, 1, SECOND)
    assert [reason(again), reason(guests[1])] == [Reason.RATE_LIMITED, None]


# The clock of a bot that floods while it thinks

INTERVAL: Final = 5 * MILLI
A_CALL: Final = 0.13
"""The microseconds that a call takes, about: 5,000 combinations were 8.6 ms."""
CLOCK: Final = ClockSettings(move=0, bank=60 * SECOND, lag=0, lag_cap=0)


def bank_after(driven_core: Any, flood: str | None, frames_per_second: int = 30) -> int:
    """Return the bank of a bot after six decisions of 4 s each, in which it sends frames.

    Real time is virtual: work takes what its calls take, and a pulse is late when work kept it up.
    """
    core = driven_core()
    real = VirtualClock()
    clock = GameClock(real.now)
    clock.pulse(INTERVAL)
    guests = core.seat("two_handed_spades", clock=CLOCK)
    attacker = next(guest for guest in guests if guest.open)
    for _ in range(6):
        while not attacker.open:
            for guest in guests:
                if guest is not attacker:
                    guest.answer()
        asked = attacker.open[0]
        until, next_frame = real.now() + 4 * SECOND, real.now()
        while real.now() < until:
            real.advance(INTERVAL)  # what comes in now keeps the pulse that is due now up
            while flood and next_frame <= real.now() and not attacker.session.ended:
                next_frame += SECOND // frames_per_second
                frame = FLOODS[flood](asked)
                send = lambda: core.core.receive(attacker.session, frame, clock.now(), real.now())  # noqa: B023, E731
                real.advance(int(calls(send) * A_CALL))
            clock.pulse(INTERVAL)
            core.now = clock.now()
        if attacker.session.ended:
            core.turn()
            replaced = core.arrive("a" if attacker is guests[0] else "b")
            guests[guests.index(attacker)] = attacker = replaced
            attacker.ready()
        core.now = clock.now()
        attacker.answer()
    return int(core.opened[0].match._seat_states[guests.index(attacker)].clock.bank)


@pytest.mark.parametrize("kind", [kind for kind in FLOODS if "open" not in kind])
def test_a_bot_gains_no_time_by_a_flood(driven_core: type[DrivenCore], kind: str) -> None:
    control = bank_after(driven_core, None)
    assert control == CLOCK.bank - 6 * 4 * SECOND
    attack = bank_after(driven_core, kind)
    assert abs(attack - control) <= 0.02 * CLOCK.bank
