"""The session's logic, frame by frame, without a socket."""

from typing import Any

import pytest

from fairdeal import (
    Card,
    Closed,
    Decision,
    Finished,
    Happened,
    ProtocolError,
    Refused,
    Replaced,
    Seated,
    SeatTime,
)
from fairdeal._session import MAX_FRAME_BYTES, Session
from fairdeal.v1 import events_pb2, games_pb2
from fairdeal.v1 import play_service_pb2 as play
from tests.clients.conftest import Tell, requests_of


def opened(tell: Any, *updates: play.Update, matches: int = 0, seed: str = "") -> Session:
    """Return a session that has sent its hello and got a welcome and these updates."""
    session = Session(play.Hello(versions=[1], entry="bot", matches=matches), seed=seed)
    requests_of(session)
    session.receive(tell.frame(tell.welcome(), *updates))
    return session


def test_the_first_request_is_the_hello_alone() -> None:
    hello = play.Hello(versions=[1], entry="bot", tables=3)
    session = Session(hello)
    assert requests_of(session) == [play.PlayRequest(hello=hello)]
    assert requests_of(session) == []


def test_a_seat_is_taken_at_once(tell: type[Tell]) -> None:
    session = opened(tell)
    [seated] = session.receive(tell.frame(tell.seated("m1", seat=2, game="hearts")))
    assert isinstance(seated, Seated)
    assert (seated.id, seated.seat, seated.game) == ("m1", 2, "hearts")
    assert requests_of(session) == [
        play.PlayRequest(frames_received=2, ready=[play.Ready(match_id="m1")]),
    ]


def test_the_fields_of_a_seat_have_types(tell: type[Tell]) -> None:
    session = opened(tell)
    message = tell.seated(
        attempt=2,
        rules_version=1,
        options=[
            tell.option("target", number=100),
            tell.option("any_heart_breaks", flag=False),
            tell.option("moon", word="add"),
        ],
        deals=4,
        entries=["a", "b"],
        commitment=play.Commitment(scheme="fairdeal/1", commit=b"c", repeatable=True),
        clock=play.Clock(move=tell.seconds(2), bank=tell.seconds(60.5)),
        max_faults=3,
    )
    [seated] = session.receive(tell.frame(message))
    assert isinstance(seated, Seated)
    assert seated.options == {"target": 100, "any_heart_breaks": False, "moon": "add"}
    assert (seated.attempt, seated.deals, seated.entries, seated.max_faults) == (2, 4, ("a", "b"), 3)
    assert (seated.clock.move, seated.clock.bank, seated.clock.start) == (2.0, 60.5, 0.0)
    assert (seated.commitment.scheme, seated.commitment.commit) == ("fairdeal/1", b"c")
    assert seated.commitment.repeatable
    assert seated.message == message.seated
    [whole_game] = session.receive(tell.frame(tell.seated("m2")))
    assert isinstance(whole_game, Seated)
    assert whole_game.deals is None


@pytest.mark.parametrize(("seat", "side"), [(0, 0), (1, 1), (2, 0), (3, 1)])
def test_a_bot_is_told_its_side_and_how_it_ended_there(tell: type[Tell], seat: int, side: int) -> None:
    sides = [games_pb2.Side(seats=[1, 3]), games_pb2.Side(seats=[2, 4])]
    session = opened(tell)
    [seated] = session.receive(tell.frame(tell.seated(seat=seat, sides=sides)))
    assert isinstance(seated, Seated)
    assert (seated.sides, seated.side) == (((0, 2), (1, 3)), side)
    ended = play.Finished(match_id="m1", termination="TERMINATION_COMPLETED", ranks=[2, 1], scores=[-30, 520])
    [finished] = session.receive(tell.frame(play.Update(finished=ended)))
    assert isinstance(finished, Finished)
    assert (finished.rank, finished.score) == ((2, -30), (1, 520))[side]


def test_a_bot_that_is_told_no_sides_or_ranks_has_none(tell: type[Tell]) -> None:
    session = opened(tell)
    [seated] = session.receive(tell.frame(tell.seated()))
    assert isinstance(seated, Seated) and seated.side is None
    void = play.Finished(match_id="m1", termination="TERMINATION_VOID")
    [finished] = session.receive(tell.frame(play.Update(finished=void)))
    assert isinstance(finished, Finished)
    assert (finished.rank, finished.score) == (None, None)


def test_a_decision_holds_all_that_a_bot_needs(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1", seat=3), seed="s")
    asked = tell.plays(
        "2C 3C",
        decision_id=7,
        move_time=tell.seconds(2),
        bank=tell.seconds(59.25),
        view=tell.hearts_view(deal=5),
    )
    [decision] = session.receive(tell.frame(asked))
    assert isinstance(decision, Decision)
    assert (decision.id, decision.seat, decision.match.id) == (7, 3, "m1")
    assert (decision.move_time, decision.bank) == (2.0, 59.25)
    assert decision.view is not None
    assert decision.view is decision.view
    assert decision.view.deal == 5
    assert decision.message == asked.decision
    assert decision.chance is decision.chance
    assert (
        repr(decision) == "Decision(match='m1', id=7, seat=3, "
        "legal=LegalActions(actions=(PlayCard(2C), PlayCard(3C))))"
    )


def test_chance_follows_from_seed_match_seat_and_decision(tell: type[Tell]) -> None:
    def draws(seed: str, match_id: str, seat: int, decision_id: int) -> list[int]:
        session = opened(tell, tell.seated(match_id, seat=seat), seed=seed)
        asked = tell.plays("2C", match_id=match_id, decision_id=decision_id)
        [decision] = session.receive(tell.frame(asked))
        assert isinstance(decision, Decision)
        return [decision.chance.draw(256) for _ in range(8)]

    same = draws("s", "m", 0, 1)
    assert same == draws("s", "m", 0, 1)
    others = [draws("t", "m", 0, 1), draws("s", "n", 0, 1), draws("s", "m", 1, 1), draws("s", "m", 0, 2)]
    assert same not in others


def test_answers_to_a_frame_share_a_frame(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"), tell.seated("m2"))
    requests_of(session)
    frame = tell.frame(tell.plays("2C 3C", "m1"), tell.plays("9H JD", "m2", 4))
    for decision in session.receive(frame):
        assert isinstance(decision, Decision)
        session.answer(decision, decision.legal.actions[1])
    assert requests_of(session) == [
        play.PlayRequest(
            frames_received=2,
            answers=[
                play.Answer(match_id="m1", decision_id=1, index=1),
                play.Answer(match_id="m2", decision_id=4, index=1),
            ],
        )
    ]


@pytest.mark.parametrize("limit", [0, 400])
def test_frames_are_split_at_the_limit(tell: type[Tell], limit: int) -> None:
    session = Session(play.Hello())
    requests_of(session)
    count = 1000
    session.receive(tell.frame(tell.welcome(max_frame_bytes=limit)))
    seats = [tell.seated(f"match-{number:04}-{'x' * 40}") for number in range(count)]
    session.receive(tell.frame(*seats))
    session.leave()
    requests = requests_of(session)
    assert len(requests) > 1
    assert max(request.ByteSize() for request in requests) <= (limit or MAX_FRAME_BYTES)
    ready = [ready.match_id for request in requests for ready in request.ready]
    assert ready == [seat.seated.match_id for seat in seats]
    assert [request.HasField("bye") for request in requests] == [False] * (len(requests) - 1) + [True]
    assert {request.frames_received for request in requests} == {2}


@pytest.mark.parametrize(
    ("limits", "frames"),
    [
        ({}, 16),
        ({"max_unacknowledged_frames": 64}, 16),
        ({"max_unacknowledged_frames": 8}, 2),
        ({"max_unacknowledged_frames": 1}, 1),
    ],
)
def test_frames_are_acknowledged_when_nothing_else_is_sent(
    tell: type[Tell], limits: Any, frames: int
) -> None:
    session = Session(play.Hello())
    session.receive(tell.frame(tell.welcome(**limits)))
    requests_of(session)
    for received in range(1, frames):
        session.receive(tell.frame(tell.notice("UNSPECIFIED")))
        assert requests_of(session) == [], received
    session.receive(tell.frame(tell.notice("UNSPECIFIED")))
    assert requests_of(session) == [play.PlayRequest(frames_received=1 + frames)]
    assert requests_of(session) == []


@pytest.mark.parametrize(("limits", "size"), [({}, 64 * 1024), ({"max_unacknowledged_bytes": 4096}, 1024)])
def test_bytes_are_acknowledged_when_nothing_else_is_sent(tell: type[Tell], limits: Any, size: int) -> None:
    session = Session(play.Hello())
    session.receive(tell.frame(tell.welcome(**limits)))
    requests_of(session)
    session.receive(tell.frame(tell.notice("UNSPECIFIED", text="x" * (size // 2 - 50))))
    assert requests_of(session) == []
    session.receive(tell.frame(tell.notice("UNSPECIFIED", text="x" * (size // 2 + 50))))
    assert requests_of(session) == [play.PlayRequest(frames_received=3)]


def test_it_leaves_after_the_matches_that_it_wanted(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"), tell.seated("m2"), matches=2)
    requests_of(session)
    session.receive(tell.frame(tell.finished("m1")))
    assert not session.leaving
    [finished] = session.receive(tell.frame(tell.finished("m2"), tell.notice("HEARTBEAT")))
    assert isinstance(finished, Finished)
    assert requests_of(session) == [play.PlayRequest(frames_received=3, bye=play.Bye())]
    assert session.left
    session.leave()
    assert requests_of(session) == []


def test_a_void_match_is_not_counted(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"), matches=1)
    session.receive(tell.frame(tell.finished("m1", "VOID")))
    assert (session.finished, session.leaving) == (0, False)
    session.receive(tell.frame(tell.seated("m1", attempt=2), tell.finished("m1", "FORFEIT")))
    assert (session.finished, session.leaving) == (1, True)


def test_it_leaves_a_referee_that_drains_when_its_matches_are_over(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    session.receive(tell.frame(tell.notice("DRAINING")))
    assert (session.draining, session.leaving) == (True, False)
    session.receive(tell.frame(tell.finished("m1")))
    assert session.leaving


def test_it_leaves_a_referee_that_drains_at_once_without_a_match(tell: type[Tell]) -> None:
    session = opened(tell)
    session.receive(tell.frame(tell.notice("DRAINING")))
    assert session.leaving


def test_answers_given_before_leaving_are_sent(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    requests_of(session)
    [decision] = session.receive(tell.frame(tell.plays("2C")))
    assert isinstance(decision, Decision)
    session.answer(decision, Card("2C"))
    session.leave()
    [request] = requests_of(session)
    assert len(request.answers) == 1
    assert request.HasField("bye")


@pytest.mark.parametrize("dropped", [False, True])
def test_a_bot_that_does_not_listen_hears_of_its_note_alone(tell: type[Tell], *, dropped: bool) -> None:
    session = Session(play.Hello(versions=[1], entry="bot"), wants_closed=False)
    session.receive(tell.frame(tell.welcome()))
    [decision] = session.receive(tell.frame(tell.seated(), tell.plays("2C 3C")))[1:]
    assert isinstance(decision, Decision)
    session.answer(decision, Card("2C"))
    closed = play.Closed(
        match_id="m1", decision_id=1, reason=play.CLOSE_REASON_ANSWERED, note_dropped=dropped
    )
    heard = session.receive(tell.frame(play.Update(closed=closed)))
    assert [type(each) for each in heard] == ([Closed] if dropped else [])


@pytest.mark.parametrize("close", ["closed", "finished", "answered"])
def test_a_decision_that_is_closed_is_not_answered(tell: type[Tell], close: str) -> None:
    session = opened(tell, tell.seated("m1"))
    [decision] = session.receive(tell.frame(tell.plays("2C")))
    assert isinstance(decision, Decision)
    if close == "answered":
        session.answer(decision, Card("2C"))
    else:
        session.receive(tell.frame(tell.closed() if close == "closed" else tell.finished()))
    requests_of(session)
    session.answer(decision, Card("2C"))
    session.give_up(decision)
    assert requests_of(session) == []


def test_a_decision_given_up_is_answered_with_no_action(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    requests_of(session)
    [decision] = session.receive(tell.frame(tell.plays("2C")))
    assert isinstance(decision, Decision)
    session.give_up(decision)
    [request] = requests_of(session)
    [answer] = request.answers
    assert answer.WhichOneof("answer") == "action"
    assert answer.action.WhichOneof("kind") is None


def test_it_knows_where_it_is_in_its_matches(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"), tell.seated("m2"), tell.seated("m3"))
    for sequence in (1, 2):
        event = events_pb2.Event(sequence=sequence, trick_taken=events_pb2.TrickTaken(seat=2))
        [happened] = session.receive(tell.frame(tell.happened(event, "m2")))
        assert isinstance(happened, Happened)
        assert (happened.match.id, happened.sequence) == ("m2", sequence)
    session.receive(tell.frame(tell.finished("m3")))
    assert session.resume_points() == [
        play.ResumePoint(match_id="m1", sequence=0),
        play.ResumePoint(match_id="m2", sequence=2),
    ]


@pytest.mark.parametrize(
    ("reason", "name"),
    [(play.REASON_STALE_DECISION, "STALE_DECISION"), (play.REASON_INTERNAL, "INTERNAL"), (77, "77")],
)
def test_a_refusal_has_its_reason_by_name(tell: type[Tell], reason: int, name: str) -> None:
    session = opened(tell, tell.seated("m1"))
    message = tell.refused(decision_id=3, reason=reason, still_open=True, text="why")
    [refused] = session.receive(tell.frame(message))
    assert isinstance(refused, Refused)
    assert (refused.reason, refused.decision_id, refused.still_open, refused.text) == (name, 3, True, "why")
    assert refused.match is not None
    [other] = session.receive(tell.frame(tell.refused("elsewhere", reason=reason)))
    assert isinstance(other, Refused)
    assert other.match is None


def test_the_end_of_a_match_is_typed(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    message = tell.finished(
        ranks=[1, 2],
        scores=[310, -40],
        capped=True,
        faults=[play.FaultCounts(late=2), play.FaultCounts(sessions_lost=1)],
        forfeited=[2],
        secret=b"s",
        times=[play.SeatTime(answered=3, total=tell.seconds(1.5), longest=tell.seconds(0.75))],
    )
    [finished] = session.receive(tell.frame(message))
    assert isinstance(finished, Finished)
    assert (finished.ranks, finished.scores, finished.capped) == ((1, 2), (310, -40), True)
    assert (finished.faults[0].late, finished.faults[1].sessions_lost) == (2, 1)
    assert (finished.forfeited, finished.secret) == ((1,), b"s")
    assert finished.times == (SeatTime(answered=3, total=1.5, longest=0.75),)


def test_a_newer_session_ends_this_one(tell: type[Tell]) -> None:
    session = opened(tell)
    with pytest.raises(Replaced, match="this session was replaced: by another") as caught:
        session.receive(tell.frame(tell.notice("REPLACED", text="by another")))
    assert caught.value.reason == "REPLACED"


def test_kinds_of_updates_that_are_unknown_are_passed_over(tell: type[Tell]) -> None:
    session = opened(tell)
    assert session.receive(tell.frame(play.Update(), tell.seated("m1")))[0].message.match_id == "m1"


def test_the_closing_of_a_decision_of_a_match_that_is_over_is_passed_over(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    session.receive(tell.frame(tell.finished("m1")))
    assert session.receive(tell.frame(tell.closed())) == []


@pytest.mark.parametrize("kind", ["plays", "finished", "happened"])
def test_matches_without_a_seat_are_an_error(tell: type[Tell], kind: str) -> None:
    updates = {
        "plays": tell.plays("2C", "m9"),
        "finished": tell.finished("m9"),
        "happened": tell.happened(events_pb2.Event(), "m9"),
    }
    with pytest.raises(ProtocolError, match="match 'm9', in which the bot has no seat"):
        opened(tell, updates[kind])


@pytest.mark.parametrize("is_back", [False, True])
def test_a_message_before_the_welcome_is_an_error(tell: type[Tell], is_back: bool) -> None:
    session = opened(tell) if is_back else Session(play.Hello())
    if is_back:
        session.rejoin()
    with pytest.raises(ProtocolError, match="sent a message before its welcome"):
        session.receive(tell.frame(tell.seated("m1"), tell.welcome()))


def test_another_version_is_an_error(tell: type[Tell]) -> None:
    session = Session(play.Hello())
    with pytest.raises(ProtocolError, match="the referee speaks version 2 of the protocol, not 1"):
        session.receive(tell.frame(tell.welcome(version=2)))
