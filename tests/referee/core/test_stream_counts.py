"""Who is let in while others open more streams than they may: each attack as calls of a pure object."""

from collections.abc import Callable

import pytest

from referee.core.access import Bearer, token_digest
from referee.core.limits import BURST_SECONDS, Limits
from referee.core.session import Ended
from referee.core.stream_counts import StreamCounts
from referee.match.clock import SECOND
from referee.match.messages import Reason

HERE = "unix"  # all bots of a machine may have one address


def bearer(name: str) -> Bearer:
    return Bearer(name, token_digest(name))


def let_in(entrance: StreamCounts, who: Bearer | None, peer: str = HERE) -> Reason | None:
    """Open a stream and return why it is refused."""
    return reason(lambda: entrance.enter(who, peer))


def reason(step: Callable[[], None]) -> Reason | None:
    try:
        step()
    except Ended as ended:
        return ended.reason
    return None


def opened(entrance: StreamCounts, who: Bearer | None, count: int, peer: str = HERE) -> int:
    """Open streams and return how many are let in."""
    return sum(let_in(entrance, who, peer) is None for _ in range(count))


@pytest.mark.parametrize("peers", [1, 10_000])
def test_strangers_leave_room_for_everybody_with_a_token(peers: int) -> None:
    entrance = StreamCounts(Limits())
    held = [opened(entrance, None, 20_000 // peers, f"p{n}") for n in range(peers)]
    assert sum(held) == (Limits().hellos_awaited if peers == 1 else Limits().sessions // 2)
    assert sum(let_in(entrance, bearer(f"b{n}"), "p0") is None for n in range(2048)) == 2048


def test_one_token_leaves_room_for_every_other() -> None:
    entrance = StreamCounts(Limits())
    assert opened(entrance, bearer("greedy"), 20_000) == 2 * Limits().sessions_per_entry
    assert sum(let_in(entrance, bearer(f"b{n}")) is None for n in range(2048)) == 2048


def test_who_has_a_token_is_not_counted_by_its_address() -> None:
    entrance = StreamCounts(Limits(sessions_per_peer=2, hellos_awaited=1))
    assert [let_in(entrance, bearer(name)) for name in "abc"] == [None] * 3
    assert let_in(entrance, None) is None
    assert let_in(entrance, None) is Reason.TOO_MANY_SESSIONS
    entrance.owes_nothing(None, HERE)
    assert let_in(entrance, None) is None
    entrance.owes_nothing(None, HERE)
    assert let_in(entrance, None) is Reason.TOO_MANY_SESSIONS
    assert let_in(entrance, bearer("d")) is None


def test_a_hello_with_a_token_is_not_taken_for_that_of_a_stranger() -> None:
    entrance = StreamCounts(Limits(hellos_awaited=1))
    assert opened(entrance, None, 5) == 1
    for _ in range(3):
        assert let_in(entrance, bearer("a")) is None
        entrance.owes_nothing(bearer("a"), HERE)
        assert let_in(entrance, None) is Reason.TOO_MANY_SESSIONS


def test_a_renewed_token_is_not_charged_for_the_one_before() -> None:
    entrance = StreamCounts(Limits(sessions_per_entry=1))
    before, after = (Bearer("a", token_digest(token)) for token in ("one", "two"))
    assert opened(entrance, before, 5) == 2
    assert opened(entrance, after, 5) == 2


@pytest.mark.parametrize("who", [None, bearer("a")], ids=["a stranger", "with a token"])
def test_a_stream_that_is_gone_makes_room(who: Bearer | None) -> None:
    entrance = StreamCounts(Limits(sessions=4, sessions_per_entry=1))
    assert opened(entrance, who, 5) == 2
    for _ in range(3):
        entrance.owes_nothing(who, HERE)
        assert opened(entrance, who, 5) == 0  # it has said hello, or is over: its stream is there
        entrance.leave(who, HERE)
        assert opened(entrance, who, 5) == 1


@pytest.mark.parametrize(
    ("who", "other"), [(None, bearer("b")), (bearer("a"), bearer("b")), (bearer("a"), None)]
)
def test_streams_are_opened_at_a_pace(who: Bearer | None, other: Bearer | None) -> None:
    entrance = StreamCounts(Limits(strangers_per_second=5, hellos_per_second=5))

    def at_once(now: int, count: int = 1000) -> int:
        return sum(reason(lambda: entrance.check_pace(who, HERE, now)) is None for _ in range(count))

    assert at_once(0) == 5 * BURST_SECONDS
    assert at_once(SECOND) == 5
    assert reason(lambda: entrance.check_pace(who, HERE, SECOND)) is Reason.RATE_LIMITED
    assert reason(lambda: entrance.check_pace(other, HERE, SECOND)) is None


def test_strangers_elsewhere_have_a_pace_of_their_own() -> None:
    entrance = StreamCounts(Limits(strangers_per_second=1))
    for _ in range(BURST_SECONDS):
        entrance.check_pace(None, "p", 0)
    assert reason(lambda: entrance.check_pace(None, "p", 0)) is Reason.RATE_LIMITED
    assert reason(lambda: entrance.check_pace(None, "another", 0)) is None
