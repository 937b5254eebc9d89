"""A core and bots that want no more matches: they play what they play, and are given nothing else."""

from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from tests.referee.driven_core import DrivenCore

DRAINING = pb.NOTICE_KIND_DRAINING


def told(guest: Any) -> list[Any]:
    return [notice.kind for notice in guest.of("notice")]


@pytest.fixture
def core() -> DrivenCore:
    return DrivenCore(open_tables=["two_handed_spades"])


def test_a_retiring_bot_plays_on_and_gets_no_new_table(core: DrivenCore) -> None:
    one, other = core.arrive("a"), core.arrive("b")
    one.say(no_more_matches=True)
    assert told(one) == [DRAINING] and told(other) == []
    assert core.core.sessions.is_here(("a", "")) and core.core.sessions.free_tables(("a", "")) == 0
    one.ready()
    other.ready()
    core.play_out()
    (table,) = core.finished
    assert not table.match.outcome.forfeited
    assert len(one.of("seated")) == 1  # the open table is free again, and both are there
    third = core.arrive("c")
    assert {guest.session.identity[0] for guest in (other, third) if guest.session.seats} == {"b", "c"}


def test_a_retiring_bot_without_matches_is_notified_at_once_and_counts_as_away(core: DrivenCore) -> None:
    idle = core.arrive("a")
    idle.say(no_more_matches=True)
    assert told(idle) == [DRAINING]
    assert not core.core.sessions.is_here(("a", ""))
    core.arrive("b")
    assert idle.of("seated") == []
    idle.say(bye=pb.Bye())
    assert idle.session.ended is None


def test_a_repeated_wish_to_retire_is_answered_once(core: DrivenCore) -> None:
    bot = core.arrive("a")
    for _ in range(3):
        bot.say(no_more_matches=True)
    assert told(bot) == [DRAINING]


def test_a_void_match_gives_no_table_back(core: DrivenCore) -> None:
    bot, _other = core.arrive("a", matches=1), core.arrive("b")
    bot.say(no_more_matches=True)
    core.core.void(("a", ""), core.now)
    core.turn()
    assert core.core.sessions.free_tables(("a", "")) == 0


def test_a_returning_bot_can_retire_in_its_hello(core: DrivenCore) -> None:
    bot, other = core.arrive("a"), core.arrive("b")
    bot.ready()
    other.ready()
    (seated,) = bot.of("seated")
    bot.leave()
    resume = [pb.ResumePoint(match_id=seated.match_id)]
    hello = pb.Hello(versions=[1], entry="a", tables=4, resume=resume)
    back = core.connect().say(hello=hello, no_more_matches=True)
    assert told(back) == [DRAINING]
    back.ready()
    core.play_out()
    assert back.of("finished") and len(back.of("seated")) == 1


def test_a_bot_that_retires_in_its_first_hello_is_not_seated(core: DrivenCore) -> None:
    core.arrive("b")
    bot = core.connect().say(hello=pb.Hello(versions=[1], entry="a"), no_more_matches=True)
    assert (told(bot), bot.of("seated")) == ([DRAINING], [])
