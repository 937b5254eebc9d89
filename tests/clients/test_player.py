"""What can be a bot, and which of its methods is called when."""

import logging
from functools import partial
from typing import Any

import pytest

import fairdeal
from fairdeal import BadAnswer, BadSetting, Card, Decision, Seated
from fairdeal._player import Player, name_of, play
from fairdeal._session import Session
from fairdeal.v1 import events_pb2
from fairdeal.v1 import play_service_pb2 as pb
from tests.clients.conftest import Tell, requests_of


class First:
    def act(self, decision: Decision) -> Any:
        return decision.legal.actions[0]


def first(decision: Decision) -> Any:
    return decision.legal.actions[0]


class Async:
    async def act(self, decision: Decision) -> Any:
        return decision.legal.actions[0]


class AsyncHook(First):
    async def on_seated(self, seated: Seated) -> None: ...


class Callable:
    def __call__(self, decision: Decision) -> Any:
        return decision.legal.actions[0]


class AsyncCallable:
    async def __call__(self, decision: Decision) -> Any:
        return decision.legal.actions[0]


async def async_first(decision: Decision) -> Any:
    return decision.legal.actions[0]


def driven(tell: Any, bot: Any, *updates: pb.Update, on_error: Any = "stop") -> list[pb.PlayRequest]:
    """Send a bot these updates and return what it sends."""
    player = Player(bot, on_error)
    session = Session(pb.Hello())
    requests_of(session)
    play(session, player, session.receive(tell.frame(tell.welcome(), *updates)))
    return requests_of(session)


@pytest.mark.parametrize("bot", [First(), First, first, Callable(), partial(first), lambda d: Card("2C")])
def test_objects_classes_and_functions_can_play(tell: type[Tell], bot: Any) -> None:
    [request] = driven(tell, bot, tell.seated(), tell.plays("2C 3C"))
    assert [answer.index for answer in request.answers] == [0]


@pytest.mark.parametrize("bot", [None, 3, object(), object, "First", int, Callable])
def test_what_cannot_act_is_no_bot(bot: Any) -> None:
    with pytest.raises(BadSetting, match=r"is not a bot: give a function, or an object"):
        Player(bot, "stop")


@pytest.mark.parametrize(
    ("bot", "is_async"),
    [
        (First(), False),
        (First, False),
        (first, False),
        (Callable(), False),
        (Async(), True),
        (Async, True),
        (AsyncHook(), True),
        (async_first, True),
        (AsyncCallable(), True),
    ],
)
def test_coroutine_functions_are_found(bot: Any, is_async: bool) -> None:
    assert Player(bot, "stop").is_async is is_async


@pytest.mark.parametrize(
    ("bot", "name"),
    [(First(), "First"), (First, "First"), (first, "first"), (Callable(), "Callable")],
)
def test_a_bot_has_the_name_of_its_class_or_function(bot: Any, name: str) -> None:
    assert name_of(bot) == name


class HookRecorder:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []

    def act(self, decision: Decision) -> Any:
        self.told.append(("act", decision))
        return decision.legal.actions[0]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("on_"):
            raise AttributeError(name)
        return lambda update: self.told.append((name, update))


def test_each_update_has_its_hook(tell: type[Tell]) -> None:
    diary = HookRecorder()
    event = events_pb2.Event(sequence=1, trick_taken=events_pb2.TrickTaken(seat=1))
    driven(
        tell,
        diary,
        tell.notice("UNSPECIFIED"),
        tell.seated(),
        tell.happened(event),
        tell.plays("2C"),
        tell.closed(),
        tell.refused(decision_id=1),
        tell.refused("elsewhere"),
        tell.finished(),
    )
    assert [name for name, _ in diary.told] == [
        "on_notice",
        "on_seated",
        "on_event",
        "act",
        "on_closed",
        "on_refused",
        "on_refused",
        "on_finished",
    ]


def test_events_are_wanted_by_those_who_have_a_hook_for_them() -> None:
    assert Player(HookRecorder(), "stop").wants_events
    assert not Player(First(), "stop").wants_events
    assert not Player(first, "stop").wants_events


def test_a_class_makes_an_object_for_each_match(tell: type[Tell]) -> None:
    made: list[Any] = []

    class CountingFirst(First):
        def __init__(self) -> None:
            made.append(self)
            self.matches: list[str] = []

        def on_seated(self, seated: Seated) -> None:
            self.matches.append(seated.id)

        def act(self, decision: Decision) -> Any:
            self.matches.append(decision.match.id)
            return super().act(decision)

        def on_finished(self, finished: Any) -> None:
            self.matches.append(finished.match.id)

    driven(
        tell,
        CountingFirst,
        tell.notice("UNSPECIFIED"),
        tell.seated("m1"),
        tell.seated("m2"),
        tell.plays("2C", "m2"),
        tell.plays("2C", "m1"),
        tell.finished("m1"),
        tell.finished("m2"),
        tell.seated("m1"),
        tell.seated("m1", attempt=2),
        tell.refused("m1"),
        tell.seated("m1", attempt=2),
    )
    assert [each.matches for each in made] == [["m1"] * 3, ["m2"] * 3, ["m1"] * 2, ["m1"], ["m1"]]


def test_an_exception_of_the_bot_goes_through(tell: type[Tell]) -> None:
    def fails(decision: Decision) -> Any:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        driven(tell, fails, tell.seated(), tell.plays("2C"))
    with pytest.raises(BadAnswer):
        driven(tell, lambda decision: None, tell.seated(), tell.plays("2C"))


@pytest.mark.parametrize(
    ("error", "what"),
    [(ZeroDivisionError, "act raised ZeroDivisionError"), (BadAnswer, "act returned an illegal answer")],
)
def test_an_exception_can_cost_a_fault_instead(
    tell: type[Tell], caplog: pytest.LogCaptureFixture, error: type[Exception], what: str
) -> None:
    def fails_once(decision: Decision) -> Any:
        if decision.id > 1:
            return Card("3C")
        if error is BadAnswer:
            return Card("AS")
        raise error

    asked = (tell.plays("2C 3C", "m1", decision_id=1), tell.plays("2C 3C", "m2", decision_id=2))
    updates = (tell.seated("m1"), tell.seated("m2"), *asked)
    [request] = driven(tell, fails_once, *updates, on_error="fault")
    given_up, answered = request.answers
    assert given_up.action.WhichOneof("kind") is None
    assert answered.index == 1
    [record] = caplog.records
    follows = "the referee gets no answer and counts a fault (malformed)"
    assert record.levelno == logging.ERROR
    assert record.getMessage() == f"match m1, decision 1: {what}; {follows}"
    assert record.exc_info is not None
    assert record.exc_info[0] is error


def test_an_exception_is_logged_once_and_not_again_as_a_fault(
    tell: type[Tell], caplog: pytest.LogCaptureFixture
) -> None:
    def fails(decision: Decision) -> Any:
        raise ZeroDivisionError

    def gives_up(decision_id: int) -> tuple[Any, Any]:
        refused = tell.refused(decision_id=decision_id, reason=pb.REASON_MALFORMED_ACTION, text="empty")
        return refused, tell.closed(decision_id, fault=pb.FAULT_MALFORMED)

    session, player = Session(pb.Hello(entry="me")), Player(fails, "fault")
    for updates in ([tell.welcome(), tell.seated(), tell.plays("2C")], gives_up(1), gives_up(2)):
        play(session, player, session.receive(tell.frame(*updates)))
    assert [record.getMessage().partition(";")[0] for record in caplog.records] == [
        "match m1, decision 1: act raised ZeroDivisionError",
        "match m1, decision 2: the answer was refused: MALFORMED_ACTION empty",
        "match m1, decision 2: MALFORMED: the referee played the default action",
    ]


def test_a_bot_may_give_a_decision_up_with_a_note(tell: type[Tell], caplog: pytest.LogCaptureFixture) -> None:
    asked = (tell.seated(), tell.plays("2C 3C"))
    [request] = driven(tell, lambda _decision: fairdeal.Noted(None, {"gave_up": "replies"}), *asked)
    [answer] = request.answers
    assert answer.HasField("action")
    assert answer.action.WhichOneof("kind") is None
    assert answer.note == b'{"gave_up":"replies"}'
    assert caplog.records == []
    with pytest.raises(BadAnswer, match="answered None"):  # one that forgot to return is told so
        driven(tell, lambda _decision: None, *asked)


class NeverAsked:
    def act(self, decision: Decision) -> Any:
        raise AssertionError("it was asked")


def forced(tell: type[Tell], asked: pb.Update) -> list[pb.Answer]:
    """Return what is answered for a bot that is not to be asked where one answer is legal."""
    player, session = Player(NeverAsked(), "stop", play_forced=True), Session(pb.Hello())
    requests_of(session)
    play(session, player, session.receive(tell.frame(tell.welcome(), tell.seated(), asked)))
    [request] = requests_of(session)
    return list(request.answers)


def test_what_is_forced_is_played_without_asking_the_bot(tell: type[Tell]) -> None:
    [card] = forced(tell, tell.plays("2C"))
    assert card.index == 0
    assert card.HasField("index")
    for offered, number in (("2C 3C", 2), ("2C 3C", 0), ("", 0)):
        [chosen] = forced(tell, tell.choose(offered, number, number))
        assert list(chosen.action.choose_cards.cards) == tell.numbers(offered)[:number]
        assert chosen.action.HasField("choose_cards")


@pytest.mark.parametrize("asks", [("2C 3C", 1, 2), ("2C 3C", 1, 1), ("2C 3C", 0, 1)])
def test_what_is_not_forced_is_asked(tell: type[Tell], asks: Any) -> None:
    with pytest.raises(AssertionError, match="it was asked"):
        forced(tell, tell.choose(*asks))


def test_an_exception_of_a_hook_can_be_logged_instead(
    tell: type[Tell], caplog: pytest.LogCaptureFixture
) -> None:
    class Fails(First):
        def on_seated(self, seated: Seated) -> None:
            raise ZeroDivisionError

    [request] = driven(tell, Fails(), tell.seated(), tell.plays("2C"), on_error="fault")
    assert [answer.index for answer in request.answers] == [0]
    assert [record.getMessage() for record in caplog.records] == ["the bot failed in on_seated"]


def test_faults_and_refusals_are_logged_for_a_bot_without_hooks(
    tell: type[Tell], caplog: pytest.LogCaptureFixture
) -> None:
    driven(
        tell,
        first,
        tell.seated(),
        tell.closed(1, reason=pb.CLOSE_REASON_ANSWERED),
        tell.closed(2, reason=pb.CLOSE_REASON_DEFAULTED, fault=pb.FAULT_LATE),
        tell.refused(decision_id=3, reason=pb.REASON_STALE_DECISION, text="too late"),
        tell.refused("m9", decision_id=4, reason=pb.REASON_MATCH_NOT_FOUND, text="no such match"),
        tell.refused("m1", reason=pb.REASON_MATCH_NOT_FOUND, text="no such match"),
    )
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("WARNING", "match m1, decision 2: LATE: the referee played the default action"),
        ("WARNING", "match m1, decision 3: the answer was refused: STALE_DECISION too late"),
        ("WARNING", "match unknown, decision 4: the answer was refused: MATCH_NOT_FOUND no such match"),
        ("WARNING", "match m1: the referee does not go on with it: MATCH_NOT_FOUND no such match"),
    ]


def test_a_note_that_was_dropped_is_logged(tell: type[Tell], caplog: pytest.LogCaptureFixture) -> None:
    closed = pb.Closed(match_id="m1", decision_id=1, reason=pb.CLOSE_REASON_ANSWERED, note_dropped=True)
    driven(tell, First(), tell.seated(), tell.plays("2C 3C"), pb.Update(closed=closed))
    assert "match m1, decision 1: the referee did not keep the note" in caplog.text
