"""Two cores as the processes of one referee: a front that gathers bots, and a worker that seats them."""

from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.routes import ASKING_AGAIN, HOME, PATIENCE, Homeward, Outward, WorkerReport, players_of
from referee.match.messages import Reason
from tests.referee.driven_core import DrivenBot, DrivenCore

GAMES = ("hearts", "two_handed_spades")


class Front:
    """A front with two workers that are not there; ``called`` is what it asks them for."""

    def __init__(self) -> None:
        self.called: list[tuple[int, str, int]] = []
        self._tables = 0
        self.routes = Outward(
            GAMES,
            lambda match_id: int(match_id) if match_id.isdigit() else None,
            lambda *call: self.called.append(call),
        )
        for number in (1, 2):
            self.routes.set_worker(number, f":{number}")
        self.core = DrivenCore(open_tables=GAMES, routes=self.routes)

    def arrive(self, entry: str, game: str = "hearts", **hello: Any) -> DrivenBot:
        return self.core.arrive(entry, redirects=True, games=[game], **hello)

    def arrive_for_table(self) -> list[DrivenBot]:
        """Have two bots come that make a table."""
        self._tables += 1
        return [self.arrive(f"{name}{self._tables}", "two_handed_spades") for name in "xy"]


@pytest.fixture
def front() -> Front:
    return Front()


def sent_to(bot: DrivenBot) -> list[str]:
    assert bot.session.is_through == bool(bot.of("redirect"))
    return [each.address for each in bot.of("redirect")]


def review(core: DrivenCore, after: int = 0) -> None:
    core.now += after
    core.core.review(core.now)
    core.turn()


def test_bots_of_one_table_are_sent_to_one_worker_and_the_next_table_to_the_other(front: Front) -> None:
    bots = [front.arrive(f"b{number}") for number in range(8)]
    assert [sent_to(bot) for bot in bots] == [[":1"]] * 4 + [[":2"]] * 4
    assert not front.core.opened and not front.core.core.sessions.welcomed


def test_tables_go_to_the_worker_with_the_fewest_bots(front: Front) -> None:
    front.routes.report(1, WorkerReport(sessions=9))
    front.routes.report(2, WorkerReport(sessions=4))
    bots = [front.arrive(f"b{number}", "two_handed_spades") for number in range(6)]
    assert [sent_to(bot) for bot in bots] == [[":2"]] * 6
    more = [front.arrive(f"c{number}", "two_handed_spades") for number in range(2)]
    assert [sent_to(bot) for bot in more] == [[":1"]] * 2  # ten are, or will soon be, at the other


def test_a_bot_that_sits_at_a_worker_is_sent_back_there(front: Front) -> None:
    front.routes.report(2, WorkerReport(playing=frozenset({("b", "x")})))
    assert sent_to(front.arrive("b", instance="x")) == [":2"]
    assert sent_to(front.arrive("b")) == []
    front.core.core.drain()
    assert sent_to(front.arrive("b", instance="x")) == [":2"]


def test_a_bot_whose_match_is_over_asks_the_worker_that_played_it(front: Front) -> None:
    assert sent_to(front.arrive("b", resume=[pb.ResumePoint(match_id="2")])) == [":2"]
    unknown = front.arrive("c", resume=[pb.ResumePoint(match_id="of earlier")])
    assert sent_to(unknown) == [] and len(unknown.of("refused")) == 1


def test_a_bot_whose_worker_tells_late_of_its_seat_is_sent_there_then(front: Front) -> None:
    bot = front.arrive("b")
    front.routes.report(1, WorkerReport(playing=frozenset({("b", "")})))
    review(front.core)
    assert sent_to(bot) == [":1"]


def test_a_worker_that_is_started_again_is_found_where_it_listens_now(front: Front) -> None:
    front.routes.report(1, WorkerReport(playing=frozenset({("b", "")})))
    front.routes.set_worker(1, ":11")
    assert sent_to(front.arrive("b")) == [":11"]


def test_a_worker_that_tells_of_itself_before_it_listens_gets_no_tables_yet(front: Front) -> None:
    front.routes.lose_worker(1)
    front.routes.report(1, WorkerReport())
    assert [sent_to(bot) for bot in front.arrive_for_table()] == [[":2"]] * 2
    front.routes.set_worker(1, ":11")
    assert [sent_to(bot) for bot in front.arrive_for_table()] == [[":11"]] * 2


def test_a_bot_with_a_seat_here_stays_though_a_worker_tells_of_a_seat_there(front: Front) -> None:
    for number in (1, 2):
        front.routes.lose_worker(number)
    bots = front.arrive_for_table()
    front.routes.set_worker(1, ":1")
    front.routes.report(1, WorkerReport(playing=frozenset(bot.session.identity for bot in bots)))
    review(front.core)
    bots[0].leave()
    again = front.arrive(bots[0].session.identity[0], "two_handed_spades")
    assert [sent_to(bot) for bot in (*bots, again)] == [[]] * 3
    assert len(again.of("seated")) == 1
    bots[0] = again
    for bot in bots:
        bot.ready()
    front.core.play_out()
    review(front.core)
    assert [sent_to(bot) for bot in bots] == [[":1"]] * 2


def test_a_bot_that_does_not_follow_is_refused_with_the_reason(front: Front) -> None:
    bot = front.core.arrive("b")
    assert bot.session.ended and bot.session.ended.reason is Reason.UNSUPPORTED_VERSION
    assert "does not follow" in bot.session.ended.text


def test_where_a_bot_waits_the_missing_ones_are_asked_for_once_in_a_while(front: Front) -> None:
    front.routes.report(1, WorkerReport(sessions=9, players={"hearts": 2}))
    front.routes.report(2, WorkerReport(sessions=8, players={"hearts": 8}))
    front.arrive("b")
    review(front.core)
    assert front.called == []
    review(front.core, PATIENCE)
    assert front.called == [(2, "hearts", 3)]
    review(front.core, PATIENCE)
    assert front.called == [(2, "hearts", 3)]
    front.arrive("c")
    review(front.core, ASKING_AGAIN)
    review(front.core, PATIENCE)
    assert front.called == [(2, "hearts", 3), (2, "hearts", 3)]


class Worker:
    """A worker with its own open tables."""

    def __init__(self, *games: str) -> None:
        self.routes = Homeward(games or ("hearts",))
        self.core = DrivenCore(open_tables=games or ("hearts",), routes=self.routes)

    def arrive(self, count: int, **hello: Any) -> list[DrivenBot]:
        return [self.core.arrive(f"b{n}", **{"redirects": True, **hello}) for n in range(count)]


def test_bots_that_cannot_be_seated_go_home_when_they_have_waited() -> None:
    worker = Worker()
    bots = worker.arrive(3)
    review(worker.core)
    review(worker.core, PATIENCE - 1)
    assert [sent_to(bot) for bot in bots] == [[], [], []]
    review(worker.core, 1)
    assert [sent_to(bot) for bot in bots] == [[HOME]] * 3
    assert not worker.core.core.sessions.welcomed


def test_a_bot_that_others_can_make_a_table_for_later_stays() -> None:
    worker = Worker()
    bots = worker.arrive(5)
    assert len(worker.core.opened) == 1
    for _ in range(3):
        review(worker.core, PATIENCE)
    assert [sent_to(bot) for bot in bots] == [[]] * 5


def test_bots_that_want_no_further_match_make_no_table() -> None:
    worker = Worker()
    bots = [*worker.arrive(4, matches=1), worker.core.arrive("late", redirects=True)]
    assert players_of(worker.core.core.sessions.welcomed, ("hearts",)) == {"hearts": 1}
    review(worker.core)
    review(worker.core, PATIENCE)
    assert [sent_to(bot) for bot in bots] == [[]] * 4 + [[HOME]]


def test_a_bot_that_does_not_follow_stays() -> None:
    worker = Worker()
    (bot,) = worker.arrive(1, redirects=False)
    review(worker.core)
    review(worker.core, PATIENCE)
    assert sent_to(bot) == []


def test_bots_that_the_front_asks_for_go_home_after_their_match() -> None:
    worker = Worker()
    bots = worker.arrive(5)
    worker.routes.call(worker.core.core.sessions.welcomed, "hearts", 2)
    review(worker.core)
    assert [sent_to(bot) for bot in bots] == [[]] * 4 + [[HOME]]  # first who has no seat
    for bot in bots[:4]:
        bot.ready()
    worker.core.play_out()
    assert len(worker.core.finished) == 1
    review(worker.core)
    assert [sent_to(bot) for bot in bots] == [[HOME], [], [], [], [HOME]]


def test_nobody_is_sent_home_from_a_worker_that_leaves() -> None:
    worker = Worker()
    (bot,) = worker.arrive(1)
    worker.core.core.drain()
    review(worker.core)
    review(worker.core, PATIENCE)
    assert sent_to(bot) == []
