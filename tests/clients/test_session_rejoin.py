"""A session that goes on over a new stream, frame by frame, without a socket."""

from typing import Any

import pytest

from fairdeal import Card, Closed, Decision, Finished, Happened, ProtocolError, Refused, Seated
from fairdeal._player import Player
from fairdeal._player import play as play_bot
from fairdeal._session import Session
from fairdeal.updates import Termination, Update
from fairdeal.v1 import play_service_pb2 as play
from tests.clients.conftest import Tell, requests_of
from tests.draws import draw

NOT_FOUND = play.REASON_MATCH_NOT_FOUND


def opened(tell: Any, *updates: play.Update, **hello: Any) -> Session:
    """Return a session that has sent its hello and got a welcome and these updates."""
    session = Session(play.Hello(versions=[1], entry="bot", **hello))
    requests_of(session)
    session.receive(tell.frame(tell.welcome(), *updates))
    requests_of(session)
    return session


def back(tell: Any, session: Session, *updates: play.Update) -> tuple[list[Update], list[play.PlayRequest]]:
    """Let a session go on over a new stream; return what the bot is told and what is sent after the hello."""
    session.rejoin()
    [hello] = requests_of(session)
    assert hello.HasField("hello")
    told = session.receive(tell.frame(tell.welcome(), *updates))
    return told, requests_of(session)


def asked(tell: Any, session: Session, decision_id: int = 1, match_id: str = "m1") -> Decision:
    """Ask a bot, and return the decision that it gets."""
    [decision] = session.receive(tell.frame(tell.plays("2C 3C", match_id, decision_id)))
    assert isinstance(decision, Decision)
    return decision


def answers(requests: list[play.PlayRequest]) -> list[tuple[str, int, int]]:
    found = [answer for request in requests for answer in request.answers]
    return [(answer.match_id, answer.decision_id, answer.index) for answer in found]


def test_the_first_request_tells_where_the_bot_is(tell: type[Tell]) -> None:
    hello: dict[str, Any] = {"instance": "i", "games": ["hearts"], "tables": 5, "events": True, "agent": "a"}
    session = opened(
        tell, tell.seated("m1"), tell.seated("m2", attempt=2), tell.seated("m3"), matches=3, **hello
    )
    session.receive(tell.frame(tell.trick_taken(1, "m2"), tell.trick_taken(2, "m2"), tell.finished("m1")))
    session.rejoin()
    points = [
        play.ResumePoint(match_id="m2", sequence=2, attempt=2),
        play.ResumePoint(match_id="m3"),
    ]
    expected = play.Hello(versions=[1], entry="bot", matches=2, resume=points, **hello)
    assert requests_of(session) == [play.PlayRequest(hello=expected)]
    assert requests_of(session) == []


def test_the_next_hello_is_made_of_the_first(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"), matches=3)
    back(tell, session, tell.seated("m1"), tell.finished("m1"))
    session.rejoin()
    [request] = requests_of(session)
    assert (request.hello.matches, list(request.hello.resume)) == (2, [])


def test_a_bot_without_a_limit_has_none_later(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"), tell.finished("m1"))
    session.rejoin()
    assert requests_of(session)[0].hello.matches == 0


def test_acknowledgements_start_afresh(tell: type[Tell]) -> None:
    session = opened(tell)
    for _ in range(10):
        session.receive(tell.frame(tell.notice("UNSPECIFIED")))
    session.receive(tell.frame(tell.notice("HEARTBEAT")))
    session.rejoin()
    assert session.welcomed is False
    assert [request.frames_received for request in requests_of(session)] == [0]
    session.receive(tell.frame(tell.welcome()))
    assert session.welcomed is True
    for _ in range(14):
        session.receive(tell.frame(tell.notice("UNSPECIFIED")))
        assert requests_of(session) == []
    session.receive(tell.frame(tell.notice("UNSPECIFIED")))
    assert requests_of(session) == [play.PlayRequest(frames_received=16)]


def test_a_seat_told_again_is_taken_again_and_not_told(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    told, requests = back(tell, session, tell.seated("m1"))
    assert told == []
    assert requests == [play.PlayRequest(frames_received=1, ready=[play.Ready(match_id="m1")])]


def test_a_new_attempt_is_a_new_match(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1", attempt=1), matches=1)
    session.receive(tell.frame(tell.trick_taken(1)))
    first = asked(tell, session)
    told, _ = back(tell, session, tell.seated("m1", attempt=2), tell.trick_taken(1), tell.plays("2C 3C"))
    void, seated, happened, second = told
    assert isinstance(void, Finished) and isinstance(seated, Seated)
    assert (void.match.attempt, void.termination, void.rank) == (1, Termination.VOID, None)
    assert (seated.attempt, session.finished) == (2, 0)
    assert isinstance(happened, Happened) and isinstance(second, Decision)
    session.answer(first, Card("3C"))
    assert requests_of(session) == []
    session.answer(second, Card("2C"))
    assert answers(requests_of(session)) == [("m1", 1, 0)]


def test_only_new_events_are_told(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    session.receive(tell.frame(tell.trick_taken(1), tell.trick_taken(2)))
    repeated = [tell.trick_taken(sequence) for sequence in (1, 2, 3, 3, 4)]
    told, _ = back(tell, session, tell.seated("m1"), *repeated)
    assert [happened.sequence for happened in told if isinstance(happened, Happened)] == [3, 4]
    assert len(told) == 2


@pytest.mark.parametrize(("known", "next_one"), [(0, 2), (3, 5)])
def test_an_event_left_out_is_an_error(tell: type[Tell], known: int, next_one: int) -> None:
    session = opened(tell, tell.seated("m1"), *(tell.trick_taken(number + 1) for number in range(known)))
    with pytest.raises(ProtocolError, match=f"event {next_one} of match 'm1' follows event {known}: the ref"):
        session.receive(tell.frame(tell.trick_taken(next_one)))


def test_an_answer_that_was_lost_is_sent_again(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    session.answer(asked(tell, session), Card("3C"))
    assert answers(requests_of(session)) == [("m1", 1, 1)]
    told, requests = back(tell, session, tell.seated("m1"), tell.plays("2C 3C"))
    assert told == []
    assert answers(requests) == [("m1", 1, 1)]
    told, requests = back(tell, session, tell.seated("m1"), tell.plays("2C 3C"))
    assert (told, answers(requests)) == ([], [("m1", 1, 1)])


def test_an_answer_that_was_never_sent_waits_for_its_decision(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    session.answer(asked(tell, session), Card("3C"))
    session.rejoin()
    assert answers(requests_of(session)) == []
    session.receive(tell.frame(tell.welcome(), tell.seated("m1")))
    assert answers(requests_of(session)) == []
    session.receive(tell.frame(tell.plays("2C 3C")))
    assert answers(requests_of(session)) == [("m1", 1, 1)]


def test_a_decision_given_up_is_given_up_again(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    session.give_up(asked(tell, session))
    _, [request] = back(tell, session, tell.seated("m1"), tell.plays("2C 3C"))
    [answer] = request.answers
    assert answer.WhichOneof("answer") == "action"
    assert answer.action.WhichOneof("kind") is None


@pytest.mark.parametrize("when", ["before the hello", "before the decision", "after the decision"])
def test_a_bot_that_thinks_on_answers_once_over_the_new_stream(tell: type[Tell], when: str) -> None:
    session = opened(tell, tell.seated("m1"))
    decision = asked(tell, session)
    session.rejoin()
    if when == "before the hello":
        session.answer(decision, Card("3C"))
    sent = requests_of(session)
    told = session.receive(tell.frame(tell.welcome(), tell.seated("m1")))
    if when == "before the decision":
        session.answer(decision, Card("3C"))
    sent += requests_of(session)
    assert answers(sent) == []
    told += session.receive(tell.frame(tell.plays("2C 3C")))
    if when == "after the decision":
        assert answers(requests_of(session)) == []
        session.answer(decision, Card("3C"))
    assert told == []
    assert answers(requests_of(session)) == [("m1", 1, 1)]


def test_an_answer_that_was_taken_is_not_repeated(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    session.answer(asked(tell, session), Card("3C"))
    told, requests = back(tell, session, tell.seated("m1"), tell.plays("2C 3C", decision_id=2))
    [decision] = told
    assert isinstance(decision, Decision)
    assert (decision.id, answers(requests)) == (2, [])
    session.answer(decision, Card("2C"))
    assert answers(requests_of(session)) == [("m1", 2, 0)]


def test_an_open_decision_does_not_get_the_answer_to_an_earlier_one(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    session.answer(asked(tell, session, 1), Card("3C"))
    asked(tell, session, 2)
    told, requests = back(tell, session, tell.seated("m1"), tell.plays("2C 3C", decision_id=2))
    assert (told, answers(requests)) == ([], [])


def test_a_decision_that_ran_out_meanwhile_is_not_answered(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    late = asked(tell, session)
    back(tell, session, tell.seated("m1"), tell.plays("2C 3C", decision_id=2))
    session.answer(late, Card("3C"))
    assert requests_of(session) == []


@pytest.mark.parametrize("stale", [1, 2])
def test_decisions_that_are_over_are_passed_over(tell: type[Tell], stale: int) -> None:
    session = opened(tell, tell.seated("m1"))
    for number in (1, 2):
        session.answer(asked(tell, session, number), Card("3C"))
    [closed] = session.receive(tell.frame(tell.closed(2)))
    assert isinstance(closed, Closed)
    told, requests = back(tell, session, tell.seated("m1"), tell.plays("2C 3C", decision_id=stale))
    assert (told, answers(requests)) == ([], [])


def test_the_closing_of_an_earlier_decision_leaves_the_open_one(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    asked(tell, session, 1)
    decision = asked(tell, session, 2)
    session.receive(tell.frame(tell.closed(1)))
    session.answer(decision, Card("3C"))
    assert answers(requests_of(session)) == [("m1", 2, 1)]


def test_a_match_that_ended_meanwhile_counts(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"), matches=1)
    told, requests = back(tell, session, tell.finished("m1", ranks=[1, 2]))
    [finished] = told
    assert isinstance(finished, Finished)
    assert session.finished == 1
    assert requests[-1].HasField("bye")


def test_a_match_that_the_referee_does_not_know_is_forgotten(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"), tell.seated("m2"), matches=2)
    decision = asked(tell, session)
    told, _ = back(tell, session, tell.refused("m1", reason=NOT_FOUND), tell.seated("m2"))
    [refused] = told
    assert isinstance(refused, Refused)
    assert refused.match is decision.match
    assert (refused.decision_id, refused.reason) == (0, "MATCH_NOT_FOUND")
    assert [point.match_id for point in session.resume_points()] == ["m2"]
    assert (session.finished, session.leaving) == (1, False)  # it is over, one way or another
    session.answer(decision, Card("2C"))
    assert requests_of(session) == []


def test_the_refusal_of_an_answer_leaves_the_match(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    session.receive(tell.frame(tell.refused("m1", decision_id=1, reason=NOT_FOUND)))
    assert session.playing == 1


def test_draining_is_the_matter_of_one_stream(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"), tell.seated("m2"))
    session.receive(tell.frame(tell.notice("DRAINING")))
    back(tell, session, tell.seated("m1"), tell.finished("m1"), tell.finished("m2"))
    assert (session.draining, session.leaving) == (False, False)


def test_a_referee_that_drains_is_left_with_the_last_match_that_it_does_not_know(tell: type[Tell]) -> None:
    session = opened(tell, tell.seated("m1"))
    back(tell, session, tell.notice("DRAINING"))
    assert not session.leaving
    session.receive(tell.frame(tell.refused("m1", reason=NOT_FOUND)))
    assert session.leaving


def test_a_heartbeat_is_acknowledged_at_once_and_not_told(tell: type[Tell]) -> None:
    session = opened(tell)
    assert session.receive(tell.frame(tell.notice("HEARTBEAT"))) == []
    assert requests_of(session) == [play.PlayRequest(frames_received=2)]
    assert requests_of(session) == []


class Answers:
    """One seat of a referee that asks a fixed number of times, with an event after each answer."""

    def __init__(self, tell: Any, decisions: int) -> None:
        self._tell = tell
        self._decisions = decisions
        self.given: list[int] = []

    def told(self, after: int | None) -> list[play.Update]:
        """Return what is told from an event on, or in reply to the last answer."""
        start = len(self.given) - 1 if after is None else after
        events = [self._tell.trick_taken(number + 1) for number in range(max(0, start), len(self.given))]
        if len(self.given) == self._decisions:
            return [*events, self._tell.finished("m1")]
        return [*events, self._tell.plays("2C 3C 4C 5C", decision_id=len(self.given) + 1)]

    def take(self, answer: play.Answer) -> bool:
        """Take an answer; False when it repeats one that was taken."""
        if answer.decision_id <= len(self.given):
            assert self.given[answer.decision_id - 1] == answer.index
            return False
        assert answer.decision_id == len(self.given) + 1
        self.given.append(answer.index)
        return True


@pytest.mark.parametrize("seed", range(50))
def test_no_answer_is_lost_or_doubled_when_streams_break_anywhere(tell: type[Tell], seed: int) -> None:
    drawn = 0

    def happens(percent: int) -> bool:
        nonlocal drawn
        drawn += 1
        return draw(100, seed, drawn) < percent

    referee_side, told, acts = Answers(tell, 12), [], []

    class EventBot:
        def act(self, decision: Decision) -> Any:
            acts.append(decision.id)
            return decision.legal.actions[decision.id % 4]

        def on_event(self, happened: Happened) -> None:
            told.append(happened.sequence)

        def on_seated(self, seated: Seated) -> None:
            told.append(0)

    player = Player(EventBot(), "stop")
    session = Session(play.Hello(versions=[1], entry="bot", matches=1, events=True))
    for _stream in range(1000):
        [opening, *_] = requests_of(session)
        after = {point.match_id: point.sequence for point in opening.hello.resume}.get("m1", 0)
        frames = [tell.frame(tell.welcome(), tell.seated("m1")), tell.frame(*referee_side.told(after))]
        while frames and not happens(20):
            play_bot(session, player, session.receive(frames.pop(0)))
            for request in requests_of(session):
                if happens(20):
                    frames.clear()
                    break  # lost with the stream
                fresh = [answer for answer in request.answers if referee_side.take(answer)]
                frames.extend(tell.frame(*referee_side.told(None)) for _ in fresh)
        if session.left:
            break
        session.rejoin()
    assert session.finished == 1
    assert referee_side.given == [number % 4 for number in range(1, 13)]
    assert acts == list(range(1, 13))
    assert told == list(range(13))
