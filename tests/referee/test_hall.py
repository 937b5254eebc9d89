"""A hall: who is replaced, who sits where, what is answered, and when it wakes."""

from dataclasses import replace
from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.faults import FaultPolicy
from referee.games.actions import Bid
from referee.games.errors import UnknownGame
from referee.session import Ended
from referee.updates import Reason
from referee.wire import MAX_NAME


def reason(guest: Any) -> Reason | None:
    ended: Ended | None = guest.session.ended
    return ended.reason if ended else None


def seats(guest: Any) -> dict[str, int]:
    return {seated.match_id: seated.seat - 1 for seated in guest.of("seated")}


# Replacing


def test_a_newer_session_gets_the_seats_and_the_older_is_told_and_ended(lobby: Any) -> None:
    hall = lobby()
    guests = hall.seat()
    older, heard = guests[2], len(guests[2].heard)
    newer = hall.arrive("c")
    assert reason(older) is Reason.REPLACED
    (notice,) = older.heard[heard:]
    assert notice.notice.kind == pb.NOTICE_KIND_REPLACED
    assert newer.heard[0].welcome.epoch > older.heard[0].welcome.epoch
    assert seats(newer) == {"m-1": 2}
    assert newer.of("decision") == older.of("decision")
    hall.guests.remove(older)
    hall.play_out()
    assert newer.of("finished") and not older.of("finished")
    (table,) = hall.finished
    assert [counts.sessions_lost for counts in table.match.outcome.faults] == [0, 0, 1, 0]


def test_the_older_session_can_say_no_more(lobby: Any) -> None:
    hall = lobby()
    older = hall.seat()[1]
    newer = hall.arrive("b")
    older.answer()
    assert older.of("refused") == [] == newer.of("refused")
    assert newer.open
    older.leave()
    assert hall.hall.has_session("b")
    assert newer.answer() and newer.of("refused") == []


def test_other_instances_are_left_alone(lobby: Any) -> None:
    hall = lobby()
    owners = (("a", ""), ("a", "2"))
    hall.create("two_handed_spades", entries=("a", "a"), owners=owners)
    first, second = hall.arrive("a"), hall.arrive("a", instance="2")
    third = hall.arrive("a", instance="3")
    again = hall.arrive("a", instance="2")
    assert (reason(first), reason(second), reason(third)) == (None, Reason.REPLACED, None)
    assert (seats(first), seats(third), seats(again)) == ({"m-1": 0}, {}, {"m-1": 1})
    epochs = [guest.of("welcome")[0].epoch for guest in (first, second, third, again)]
    assert epochs == sorted(set(epochs))


def test_a_bot_that_is_back_names_the_last_event_it_has(lobby: Any) -> None:
    hall = lobby()
    guests = hall.seat("two_handed_spades")
    for _ in range(5):
        for guest in guests:
            guest.answer()
    events = [happened.event for happened in guests[0].of("happened")]
    guests[0].leave()
    point = pb.ResumePoint(match_id="m-1", sequence=events[2].sequence)
    newer = hall.arrive("a", resume=[point, pb.ResumePoint(match_id="other", sequence=1)])
    assert [happened.event for happened in newer.of("happened")] == events[3:]


@pytest.mark.parametrize(("attempt", "skipped"), [(0, 2), (2, 2), (1, 0), (3, 0)])
def test_a_resume_point_is_one_of_an_attempt(lobby: Any, attempt: int, skipped: int) -> None:
    hall = lobby()
    guests = hall.seat("two_handed_spades", attempt=2)
    for _ in range(3):
        for guest in guests:
            guest.answer()
    events = [happened.event for happened in guests[0].of("happened")]
    point = pb.ResumePoint(match_id="m-1", sequence=2, attempt=attempt)
    newer = hall.arrive("a", resume=[point])
    assert [happened.event for happened in newer.of("happened")] == events[skipped:]


# Leaving


@pytest.mark.parametrize("how", ["bye", "the stream ends", "garbage"])
def test_a_seat_goes_on_without_its_session(lobby: Any, how: str) -> None:
    hall = lobby()
    guests = hall.seat("two_handed_spades")
    if how == "bye":
        guests[0].say(bye=pb.Bye())
        assert guests[0].session.leaving and reason(guests[0]) is None
    elif how == "garbage":
        guests[0].send(b"\xff")
    else:
        guests[0].leave()
    assert not hall.hall.has_session("a") and hall.hall.free_tables("a") == 0
    hall.tick()
    assert guests[0].of("closed") == []
    back = hall.arrive("a")
    while hall.hall.running:
        hall.play_out()
    (table,) = hall.finished
    assert (table.match.outcome.faults[0].disconnected, table.match.outcome.faults[0].sessions_lost) == (1, 1)
    assert back.of("finished")


def test_a_bot_that_does_not_read_is_cut_off_and_its_seats_freed(lobby: Any) -> None:
    hall = lobby()
    for number in range(8):
        hall.create("two_handed_spades", f"m-{number}", deals=9, faults=FaultPolicy(max_faults=999))
    deaf, other = hall.arrive("a", tables=8), hall.arrive("b", tables=8)
    deaf.ready()
    other.ready()
    deaf.deaf = True
    while reason(deaf) is None:
        hall.play_out()
        hall.tick()
    assert reason(deaf) is Reason.SLOW_READER
    assert not hall.hall.has_session("a") and deaf.session.seats == {}
    assert reason(other) is None
    hall.play_out()
    hall.tick()
    for table in hall.opened:
        hall.hall.cancel(table.setup.match_id, hall.now)
        faults = table.match.outcome.faults[0]
        assert faults.sessions_lost == 1 and faults.late > 0 and faults.disconnected > 0


def test_all_are_told_when_the_referee_is_about_to_leave(lobby: Any) -> None:
    hall = lobby(open_tables=["two_handed_spades"])
    guests = hall.seat()
    hall.hall.drain()
    hall.turn()
    for guest in guests:
        assert guest.of("notice")[-1].kind == pb.NOTICE_KIND_DRAINING
    assert reason(hall.arrive("z")) is Reason.SHUTTING_DOWN
    hall.play_out()
    assert len(hall.finished) == 1 and hall.hall.running == 0
    assert {len(guest.of("finished")) for guest in guests} == {1}


# Tables


def test_seats_are_taken_as_their_owners_are_here_whoever_comes_first(lobby: Any) -> None:
    hall = lobby()
    early = hall.arrive("b")
    hall.create(entries=("a", "b", "c", "d"))
    assert seats(early) == {"m-1": 1}
    late = hall.arrive("d")
    assert seats(late) == {"m-1": 3}
    assert list(early.of("seated")[0].entries) == ["a", "b", "c", "d"]


def test_free_tables_are_counted(lobby: Any) -> None:
    hall = lobby()
    assert hall.hall.free_tables("a") == 0
    hall.arrive("a", tables=2, matches=3)
    assert hall.hall.free_tables("a") == 2
    hall.create("two_handed_spades", "m-1")
    assert hall.hall.free_tables("a") == 1
    for number, free in ((1, 2), (2, 1), (3, 0)):
        hall.hall.cancel(f"m-{number}", hall.now)
        assert hall.hall.free_tables("a") == free
        hall.create("two_handed_spades", f"m-{number + 1}")
    assert hall.hall.free_tables("a") == 0


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
def test_matches_that_cannot_be_are_refused(lobby: Any, arguments: dict[str, Any], text: str) -> None:
    hall = lobby()
    hall.create()
    with pytest.raises(ValueError) as caught:
        hall.create(**arguments)
    assert str(caught.value) == text
    assert hall.hall.running == 1


def test_a_match_may_be_played_again_when_it_is_over(lobby: Any) -> None:
    hall = lobby()
    hall.create()
    hall.hall.cancel("m-1", 0)
    hall.hall.cancel("m-1", 0)
    hall.create(attempt=2)
    assert [table.key for table in hall.opened] == [("m-1", 1), ("m-1", 2)]


def test_an_unknown_game_opens_no_table(lobby: Any) -> None:
    hall = lobby()
    setup = replace(hall.create().setup, match_id="m-2", game="poker")
    with pytest.raises(UnknownGame):
        hall.hall.create(setup, 0)
    assert hall.hall.running == 1


# Answers


@pytest.mark.parametrize("match_id", ["m-1", "m-2", "", "x" * MAX_NAME])
def test_answers_to_matches_of_others_are_refused(lobby: Any, match_id: str) -> None:
    hall = lobby()
    hall.seat()
    stranger = hall.arrive("z")
    stranger.say(
        ready=[pb.Ready(match_id=match_id)],
        declines=[pb.Decline(match_id=match_id)],
        answers=[pb.Answer(match_id=match_id, decision_id=1, index=0)],
    )
    (refused,) = stranger.of("refused")
    assert (refused.match_id, refused.decision_id) == (match_id, 1)
    assert refused.reason == pb.REASON_MATCH_NOT_FOUND and not refused.still_open
    assert hall.opened[0].match.outcome is None
    assert reason(stranger) is None


def test_a_wrong_answer_is_refused_and_the_default_played(lobby: Any) -> None:
    guest = lobby().seat("two_handed_spades")[0]
    guest.say(answers=[pb.Answer(match_id="m-1", decision_id=1, action={"bid": 3})])
    (refused,), (closed,) = guest.of("refused"), guest.of("closed")
    assert refused.reason == pb.REASON_ILLEGAL_ACTION
    assert (closed.reason, closed.fault) == (pb.CLOSE_REASON_DEFAULTED, pb.FAULT_ILLEGAL)
    assert guest.lobby.opened[0].log.count(Bid(3)) == 0


def test_a_bot_may_decline_its_seat(lobby: Any) -> None:
    hall = lobby()
    hall.create("two_handed_spades")
    guests = [hall.arrive(entry) for entry in "ab"]
    guests[1].say(declines=[pb.Decline(match_id="m-1")])
    for guest in guests:
        (finished,) = guest.of("finished")
        assert (finished.termination, list(finished.ranks)) == (pb.TERMINATION_FORFEIT, [1, 2])
        assert guest.session.seats == {}


def test_a_bot_that_never_comes_back_forfeits_all_its_matches(lobby: Any) -> None:
    hall = lobby()
    for number in range(3):
        hall.create("two_handed_spades", f"m-{number}", entries=("a", "b" if number else "c"))
    hall.hall.abandon(("b", ""), 0)
    hall.turn()
    assert [table.setup.match_id for table in hall.finished] == ["m-1", "m-2"]


# Time


def test_the_hall_wakes_for_whoever_is_due_first(lobby: Any) -> None:
    hall = lobby()
    assert hall.hall.next_wake is None
    hall.create("two_handed_spades", "m-1")
    hall.now = 300
    hall.create("two_handed_spades", "m-2", entries=("c", "d"))
    assert hall.hall.next_wake == 1_001
    hall.tick(1_000)
    assert hall.finished == []
    hall.tick()
    assert [table.setup.match_id for table in hall.finished] == ["m-1"]
    assert hall.hall.next_wake == 1_301
    hall.tick()
    assert hall.hall.running == 0
    assert hall.hall.next_wake is None


def test_a_table_that_is_due_sooner_than_before_is_not_overslept(lobby: Any) -> None:
    hall = lobby()
    hall.create("two_handed_spades", "m-0", entries=("c", "d"))
    hall.seat("two_handed_spades", match_id="m-1")
    assert hall.hall.next_wake == 161


def test_all_that_is_due_falls_at_once(lobby: Any) -> None:
    hall = lobby()
    for number in range(5):
        hall.create("two_handed_spades", f"m-{number}", entries=(f"a{number}", f"b{number}"))
    hall.tick(5_000)
    assert len(hall.finished) == 5


def test_deadlines_that_pass_leave_nothing_behind(lobby: Any) -> None:
    hall = lobby()
    guests = hall.seat("two_handed_spades", deals=3)
    while hall.hall.running:
        hall.now += 1
        for guest in guests:
            guest.answer()
        assert len(hall.hall._tables._alarms) <= 2
    assert hall.hall.next_wake == 10_000_000  # only the sessions are looked at
