"""A core: who is replaced, who sits where, what is answered, and when it wakes."""

from dataclasses import replace
from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import Seat
from referee.codec.proto import MAX_NAME
from referee.core.session import Ended
from referee.games.actions import Bid
from referee.games.errors import UnknownGame
from referee.match.faults import FaultPolicy
from referee.match.messages import Reason
from tests.referee.driven_core import DrivenCore


def reason(guest: Any) -> Reason | None:
    ended: Ended | None = guest.session.ended
    return ended.reason if ended else None


def seats(guest: Any) -> dict[str, int]:
    return {seated.match_id: seated.seat - 1 for seated in guest.of("seated")}


# Replacing


def test_a_newer_session_gets_the_seats_and_the_older_is_told_and_ended(
    driven_core: type[DrivenCore],
) -> None:
    core = driven_core()
    guests = core.seat()
    older, heard = guests[2], len(guests[2].heard)
    newer = core.arrive("c")
    assert reason(older) is Reason.REPLACED
    (notice,) = older.heard[heard:]
    assert notice.notice.kind == pb.NOTICE_KIND_REPLACED
    assert newer.heard[0].welcome.epoch > older.heard[0].welcome.epoch
    assert seats(newer) == {"m-1": 2}
    assert newer.of("decision") == older.of("decision")
    core.guests.remove(older)
    core.play_out()
    assert newer.of("finished") and not older.of("finished")
    (table,) = core.finished
    assert [counts.sessions_lost for counts in table.match.outcome.faults] == [0, 0, 1, 0]


def test_the_older_session_can_say_no_more(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    older = core.seat()[1]
    newer = core.arrive("b")
    older.answer()
    assert older.of("refused") == [] == newer.of("refused")
    assert newer.open
    older.leave()
    assert core.core.sessions.is_here(("b", ""))
    assert newer.answer() and newer.of("refused") == []


def test_other_instances_are_left_alone(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    owners = (("a", ""), ("a", "2"))
    core.create("two_handed_spades", entries=("a", "a"), owners=owners)
    first, second = core.arrive("a"), core.arrive("a", instance="2")
    third = core.arrive("a", instance="3")
    again = core.arrive("a", instance="2")
    assert (reason(first), reason(second), reason(third)) == (None, Reason.REPLACED, None)
    assert (seats(first), seats(third), seats(again)) == ({"m-1": 0}, {}, {"m-1": 1})
    epochs = [guest.of("welcome")[0].epoch for guest in (first, second, third, again)]
    assert epochs == sorted(set(epochs))


def test_a_bot_that_is_back_names_the_last_event_it_has(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    guests = core.seat("two_handed_spades")
    for _ in range(5):
        for guest in guests:
            guest.answer()
    events = [happened.event for happened in guests[0].of("happened")]
    guests[0].leave()
    point = pb.ResumePoint(match_id="m-1", sequence=events[2].sequence)
    newer = core.arrive("a", resume=[point, pb.ResumePoint(match_id="other", sequence=1)])
    assert [happened.event for happened in newer.of("happened")] == events[3:]


@pytest.mark.parametrize(("attempt", "skipped"), [(0, 2), (2, 2), (1, 0), (3, 0)])
def test_a_resume_point_is_one_of_an_attempt(
    driven_core: type[DrivenCore], attempt: int, skipped: int
) -> None:
    core = driven_core()
    guests = core.seat("two_handed_spades", attempt=2)
    for _ in range(3):
        for guest in guests:
            guest.answer()
    events = [happened.event for happened in guests[0].of("happened")]
    point = pb.ResumePoint(match_id="m-1", sequence=2, attempt=attempt)
    newer = core.arrive("a", resume=[point])
    assert [happened.event for happened in newer.of("happened")] == events[skipped:]


def test_a_bot_that_is_back_is_told_of_its_seat_first(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    first, _other = core.seat("two_handed_spades", event_grid=50)
    core.now = 10
    first.answer()  # all of which is held back
    core.now = 20
    first.leave()
    core.now = 60  # no tick came at 50
    back = core.arrive("a")
    core.tick(100)
    kinds = [update.WhichOneof("kind") for update in back.heard]
    assert kinds == ["welcome", "seated", *["happened"] * 2]


def test_a_bot_that_is_back_may_want_events_from_then_on(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    core.seat("two_handed_spades")
    core.arrive("a", events=False)
    newer = core.arrive("a")
    core.play_out()
    told = core.finished[0].match.told(Seat(0))
    assert [happened.event.sequence for happened in newer.of("happened")] == [*range(1, told + 1)]


# Leaving


@pytest.mark.parametrize("how", ["bye", "the stream ends", "garbage"])
def test_a_seat_goes_on_without_its_session(driven_core: type[DrivenCore], how: str) -> None:
    core = driven_core()
    guests = core.seat("two_handed_spades")
    if how == "bye":
        guests[0].say(bye=pb.Bye())
        assert guests[0].session.leaving and reason(guests[0]) is None
    elif how == "garbage":
        guests[0].send(b"\xff")
    else:
        guests[0].leave()
    assert not core.core.sessions.is_here(("a", "")) and core.core.sessions.free_tables(("a", "")) == 0
    core.tick()
    assert guests[0].of("closed") == []
    back = core.arrive("a")
    while core.core.matches:
        core.play_out()
    (table,) = core.finished
    assert (table.match.outcome.faults[0].disconnected, table.match.outcome.faults[0].sessions_lost) == (1, 1)
    assert back.of("finished")


def test_a_server_that_stops_ends_all_sessions_and_frees_their_seats(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    guests = core.seat("two_handed_spades")
    stranger = core.connect()
    core.core.end_sessions(core.now)
    core.turn()
    assert [reason(guest) for guest in (*guests, stranger)] == 3 * [Reason.SHUTTING_DOWN]
    assert core.core.sessions.present == ()
    assert [given.kind for _key, given in core.inputs][-2:] == ["lost", "lost"]


def test_a_bot_that_does_not_read_is_cut_off_and_its_seats_freed(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    for number in range(8):
        core.create("two_handed_spades", f"m-{number}", deals=9, faults=FaultPolicy(max_faults=999))
    deaf, other = core.arrive("a", tables=8), core.arrive("b", tables=8)
    deaf.ready()
    other.ready()
    deaf.deaf = True
    while reason(deaf) is None:
        core.play_out()
        core.tick()
    assert reason(deaf) is Reason.SLOW_READER
    assert not core.core.sessions.is_here(("a", "")) and deaf.session.seats == {}
    assert reason(other) is None
    core.play_out()
    core.tick()
    for table in core.opened:
        core.core.cancel(table.setup.match_id, core.now)
        faults = table.match.outcome.faults[0]
        assert faults.sessions_lost == 1 and faults.late > 0 and faults.disconnected > 0


def test_all_are_told_when_the_referee_is_about_to_leave(driven_core: type[DrivenCore]) -> None:
    core = driven_core(open_tables=["two_handed_spades"])
    guests = core.seat()
    core.core.drain()
    core.turn()
    for guest in guests:
        assert guest.of("notice")[-1].kind == pb.NOTICE_KIND_DRAINING
    assert reason(core.arrive("z")) is Reason.SHUTTING_DOWN
    core.play_out()
    assert len(core.finished) == 1 and len(core.core.matches) == 0
    assert {len(guest.of("finished")) for guest in guests} == {1}


def test_one_bot_alone_can_be_told_to_leave(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    guests = [core.arrive("a"), core.arrive("a", instance="2"), core.arrive("b")]
    for owner in (("a", "2"), ("nobody", "")):
        core.core.dismiss(owner)
    core.turn()
    assert [len(guest.of("notice")) for guest in guests] == [0, 1, 0]
    assert guests[1].of("notice")[0].kind == pb.NOTICE_KIND_DRAINING


# Tables


def test_seats_are_taken_as_their_owners_are_here_whoever_comes_first(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    early = core.arrive("b")
    core.create(entries=("a", "b", "c", "d"))
    assert seats(early) == {"m-1": 1}
    late = core.arrive("d")
    assert seats(late) == {"m-1": 3}
    assert list(early.of("seated")[0].entries) == ["a", "b", "c", "d"]


def test_free_tables_are_counted(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    assert core.core.sessions.free_tables(("a", "")) == 0
    core.arrive("a", tables=2, matches=3)
    assert core.core.sessions.free_tables(("a", "")) == 2
    core.create("two_handed_spades", "m-1")
    assert core.core.sessions.free_tables(("a", "")) == 1
    for number, free in ((1, 2), (2, 1), (3, 0)):
        core.core.cancel(f"m-{number}", core.now)
        assert core.core.sessions.free_tables(("a", "")) == free
        core.create("two_handed_spades", f"m-{number + 1}")
    assert core.core.sessions.free_tables(("a", "")) == 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"match_id": "m-1"}, "match m-1 is being played already"),
        ({"match_id": "m-2", "entries": "abca"}, "match m-2: one instance of an entry cannot hold two seats"),
        (
            {"match_id": "m-2", "owners": (("a", ""), ("b", ""), ("a", "2"), ("a", ""))},
            "match m-2: one instance of an entry cannot hold two seats",
        ),
        ({"match_id": "m-2", "owners": (("a", ""), ("b", ""))}, "match m-2: hearts has 4 seats, not 2"),
        ({"match_id": "m-2", "entries": "abcde"}, "match m-2: hearts has 4 seats, not 5"),
    ],
)
def test_matches_that_cannot_be_are_refused(
    driven_core: type[DrivenCore], arguments: dict[str, Any], text: str
) -> None:
    core = driven_core()
    core.create()
    with pytest.raises(ValueError) as caught:
        core.create(**arguments)
    assert str(caught.value) == text
    assert len(core.core.matches) == 1


def test_a_match_may_be_played_again_when_it_is_over(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    core.create()
    core.core.cancel("m-1", 0)
    core.core.cancel("m-1", 0)
    core.create(attempt=2)
    assert [table.key for table in core.opened] == [("m-1", 1), ("m-1", 2)]


def test_an_unknown_game_opens_no_table(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    setup = replace(core.create().setup, match_id="m-2", game="poker")
    with pytest.raises(UnknownGame):
        core.core.create(setup, 0)
    assert len(core.core.matches) == 1


# Answers


@pytest.mark.parametrize("match_id", ["m-1", "m-2", "", "x" * MAX_NAME])
def test_answers_to_matches_of_others_are_refused(driven_core: type[DrivenCore], match_id: str) -> None:
    core = driven_core()
    core.seat()
    stranger = core.arrive("z")
    stranger.say(
        ready=[pb.Ready(match_id=match_id)],
        declines=[pb.Decline(match_id=match_id)],
        answers=[pb.Answer(match_id=match_id, decision_id=1, index=0)],
    )
    (refused,) = stranger.of("refused")
    assert (refused.match_id, refused.decision_id) == (match_id, 1)
    assert refused.reason == pb.REASON_MATCH_NOT_FOUND and not refused.still_open
    assert core.opened[0].match.outcome is None
    assert reason(stranger) is None


def test_a_wrong_answer_is_refused_and_the_default_played(driven_core: type[DrivenCore]) -> None:
    guest = driven_core().seat("two_handed_spades")[0]
    guest.say(answers=[pb.Answer(match_id="m-1", decision_id=1, action={"bid": 3})])
    (refused,), (closed,) = guest.of("refused"), guest.of("closed")
    assert refused.reason == pb.REASON_ILLEGAL_ACTION
    assert (closed.reason, closed.fault) == (pb.CLOSE_REASON_DEFAULTED, pb.FAULT_ILLEGAL)
    assert guest.driven_core.opened[0].log.count(Bid(3)) == 0


def test_a_bot_may_decline_its_seat(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    core.create("two_handed_spades")
    guests = [core.arrive(entry) for entry in "ab"]
    guests[1].say(declines=[pb.Decline(match_id="m-1")])
    for guest in guests:
        (finished,) = guest.of("finished")
        assert (finished.termination, list(finished.ranks)) == (pb.TERMINATION_FORFEIT, [1, 2])
        assert guest.session.seats == {}


def test_a_bot_that_never_comes_back_forfeits_all_its_matches(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    for number in range(3):
        core.create("two_handed_spades", f"m-{number}", entries=("a", "b" if number else "c"))
    core.core.abandon(("b", ""), 0)
    core.turn()
    assert [table.setup.match_id for table in core.finished] == ["m-1", "m-2"]


# Time


def test_the_hall_wakes_for_whoever_is_due_first(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    assert core.core.next_wake is None
    core.create("two_handed_spades", "m-1")
    core.now = 300
    core.create("two_handed_spades", "m-2", entries=("c", "d"))
    assert core.core.next_wake == 1_001
    assert (core.core.is_due(1_000), core.core.is_due(1_001)) == (False, True)
    core.tick(1_000)
    assert core.finished == []
    core.tick()
    assert [table.setup.match_id for table in core.finished] == ["m-1"]
    assert core.core.next_wake == 1_301
    core.tick()
    assert len(core.core.matches) == 0
    assert core.core.next_wake is None


def test_a_table_that_is_due_sooner_than_before_is_not_overslept(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    core.create("two_handed_spades", "m-0", entries=("c", "d"))
    core.seat("two_handed_spades", match_id="m-1")
    assert not core.core.is_due(160) and core.core.is_due(161)
    assert core.core.next_wake == 161


def test_all_that_is_due_falls_at_once(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    for number in range(5):
        core.create("two_handed_spades", f"m-{number}", entries=(f"a{number}", f"b{number}"))
    core.tick(5_000)
    assert len(core.finished) == 5


def test_deadlines_that_pass_leave_nothing_behind(driven_core: type[DrivenCore]) -> None:
    core = driven_core()
    guests = core.seat("two_handed_spades", deals=3)
    while core.core.matches:
        core.now += 1
        for guest in guests:
            guest.answer()
        assert len(core.core.matches._timers) <= 2
    assert core.core.next_wake == 10_000_000  # only the sessions are looked at
