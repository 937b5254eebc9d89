"""Blocked entries: a core refuses them at once, and its next review ends those that are there."""

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Tokens, token_digest
from referee.core.limits import Limits
from referee.match.messages import Reason
from tests.referee.driven_core import DrivenBot, DrivenCore

BLOCKED = (Reason.ENDED_BY_ORGANISER, "an organiser has blocked the entry a; ask them why")
TOKENS = Tokens({"a": token_digest("token-a"), "b": token_digest("token-b")})


def why(guest: DrivenBot) -> tuple[Reason, str] | None:
    ended = guest.session.ended
    return (ended.reason, ended.text) if ended else None


@pytest.fixture
def blocked() -> set[str]:
    return {"a"}


def test_a_stranger_that_names_a_blocked_entry_is_refused_by_its_hello(blocked: set[str]) -> None:
    core = DrivenCore(blocked=lambda: blocked)
    assert why(core.connect()) is None  # nobody knows yet who this is
    refused = core.arrive("a")
    assert why(refused) == BLOCKED
    assert refused.heard == []
    assert why(core.arrive("b")) is None
    blocked.clear()
    assert why(core.arrive("a")) is None


def test_the_token_of_a_blocked_entry_opens_no_stream(blocked: set[str]) -> None:
    core = DrivenCore(access=TOKENS, blocked=lambda: blocked)
    assert why(core.connect("token-a")) == BLOCKED
    assert why(core.connect("token-b")) is None


def test_refused_streams_of_a_blocked_entry_count_for_nothing(blocked: set[str]) -> None:
    core = DrivenCore(access=TOKENS, blocked=lambda: blocked, limits=Limits(sessions=1))
    for _ in range(3):
        refused = core.connect("token-a")
        assert why(refused) == BLOCKED
        refused.leave()
    assert why(core.connect("token-b")) is None


def test_a_hello_is_refused_whose_entry_was_blocked_after_its_stream_was_opened(blocked: set[str]) -> None:
    blocked.clear()
    core = DrivenCore(access=TOKENS, blocked=lambda: blocked)
    stream = core.connect("token-a")
    blocked.add("a")
    stream.say(hello=pb.Hello(versions=[1], entry="a"))
    assert why(stream) == BLOCKED


def test_who_is_there_is_ended_by_the_next_review_and_nobody_else(blocked: set[str]) -> None:
    blocked.clear()
    core = DrivenCore(access=TOKENS, blocked=lambda: blocked)
    silent = core.connect("token-a")
    welcomed, other = core.arrive("a", token="token-a"), core.arrive("b", token="token-b")
    blocked.add("a")
    core.core.review(core.now)
    assert [why(guest) for guest in (silent, welcomed, other)] == [BLOCKED] * 2 + [None]
