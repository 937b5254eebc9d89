"""A session: what is put into frames, when they go out, and when the bot is cut off."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import Seat, card
from referee.codec import proto
from referee.core.limits import DEFAULT
from referee.core.session import Ended, Session, check_versions
from referee.games.events import CardPlayed
from referee.match.messages import Closed, CloseReason, Happened, Hello, Notice, NoticeKind, Reason

CLOSED = Closed("m", 1, CloseReason.ANSWERED)


def hello(**fields: Any) -> Hello:
    return Hello(**{"versions": (1,), "entry": "e", "resume": {}, **fields})


def opened(**fields: Any) -> Session:
    """Return an open session whose welcome was sent and acknowledged."""
    session = Session()
    session.open(hello(**fields), epoch=7, server="referee/test")
    session.release(0)
    assert session.next_frame() is not None
    session.acknowledge(1)
    return session


def note(text: str) -> Notice:
    return Notice(NoticeKind.HEARTBEAT, text)


def sized(size: int) -> Notice:
    """Return an update that takes so many bytes of a frame."""
    return next(
        n
        for length in range(size)
        if len(proto.in_frame(proto.encode(n := note("x" * (size - length))))) == size
    )


def frames_of(session: Session) -> list[bytes]:
    frames = []
    while (frame := session.next_frame()) is not None:
        frames.append(frame)
    return frames


def texts(frames: Iterable[bytes]) -> list[str]:
    return [update.notice.text for frame in frames for update in pb.PlayResponse.FromString(frame).updates]


def tell(session: Session, *updates: Any) -> None:
    for update in updates:
        session.tell(update)
    session.release(0)


# Opening


def test_the_welcome_tells_the_limits() -> None:
    session = Session()
    session.open(hello(tables=5), epoch=7, server="referee/test")
    session.release(0)
    (frame,) = frames_of(session)
    (update,) = pb.PlayResponse.FromString(frame).updates
    assert update.welcome == pb.Welcome(
        version=1,
        epoch=7,
        max_frame_bytes=32 * 1024,
        max_unacknowledged_frames=64,
        max_unacknowledged_bytes=256 * 1024,
        max_tables=5,
        heartbeat={"seconds": 15},
        server="referee/test",
    )
    assert session.identity == ("e", "")


@pytest.mark.parametrize("versions", [(1,), (2, 1), (1, 1, 9)])
def test_a_version_that_both_speak_is_found(versions: tuple[int, ...]) -> None:
    assert opened(versions=versions).ended is None


@pytest.mark.parametrize(("versions", "spoken"), [((), "none"), ((2,), "2"), ((0, 3), "0, 3")])
def test_without_a_common_version_both_sides_versions_are_told(
    versions: tuple[int, ...], spoken: str
) -> None:
    with pytest.raises(Ended) as caught:
        check_versions(hello(versions=versions))
    assert caught.value.reason is Reason.UNSUPPORTED_VERSION
    assert caught.value.text == f"this referee speaks version 1 of the protocol, the bot: {spoken}"


@pytest.mark.parametrize(
    ("tables", "matches", "seats", "free"),
    [
        (1, 0, 0, 1),
        (4, 0, 1, 3),
        (4, 0, 4, 0),
        (4, 0, 6, 0),
        (4, 2, 0, 2),
        (4, 9, 3, 1),
        (DEFAULT.tables_per_session + 1, 0, 0, DEFAULT.tables_per_session),
        (2**32 - 1, 0, 0, DEFAULT.tables_per_session),
    ],
)
def test_tables_are_free_up_to_both_limits(tables: int, matches: int, seats: int, free: int) -> None:
    session = opened(tables=tables, matches=matches)
    session.seats.update({f"m-{number}": Seat(0) for number in range(seats)})
    assert session.free_tables == free


def test_a_session_given_more_matches_than_it_wants_has_no_table_free() -> None:
    session = opened(tables=4, matches=1)
    session.matches_left = -1
    assert session.free_tables == 0


@pytest.mark.parametrize("how", ["leaving", "ended"])
def test_a_session_that_goes_takes_no_more_tables(how: str) -> None:
    session = opened(tables=4)
    if how == "leaving":
        session.leaving = True
    else:
        session.end(Reason.REPLACED, "gone")
    assert session.free_tables == 0


# Frames


def test_nothing_goes_out_before_it_is_released() -> None:
    session = opened()
    session.tell(note("a"))
    assert session.next_frame() is None
    session.release(0)
    session.tell(note("b"))
    assert texts(frames_of(session)) == ["a"]
    session.release(0)
    assert texts(frames_of(session)) == ["b"]


def test_all_that_is_ready_shares_a_frame() -> None:
    session = opened()
    tell(session, *(note(str(number)) for number in range(100)))
    (frame,) = frames_of(session)
    assert texts([frame]) == [str(number) for number in range(100)]


@pytest.mark.parametrize(("last", "frames"), [(100, [3, 1]), (101, [2, 2])])
def test_frames_are_filled_to_32_kib_and_no_further(last: int, frames: list[int]) -> None:
    session = opened()
    sizes = [20_000, DEFAULT.frame_bytes - 20_100, last, 5_000]
    tell(session, *map(sized, sizes))
    assert [len(pb.PlayResponse.FromString(frame).updates) for frame in frames_of(session)] == frames


@given(st.lists(st.integers(0, 12_000), min_size=1, max_size=20))
def test_a_split_keeps_the_order_and_the_limit(sizes: list[int]) -> None:
    session = opened()
    updates = [note("x" * size) for size in sizes]
    tell(session, *updates)
    frames = frames_of(session)
    assert texts(frames) == [update.text for update in updates]
    assert all(len(frame) <= DEFAULT.frame_bytes for frame in frames)
    assert b"".join(frames) == b"".join(proto.in_frame(proto.encode(update)) for update in updates)


def test_that_a_decision_is_closed_waits_for_the_next_frame() -> None:
    session = opened()
    tell(session, CLOSED)
    assert session.next_frame() is None
    tell(session, note("x"), CLOSED)
    (frame,) = frames_of(session)
    kinds = [update.WhichOneof("kind") for update in pb.PlayResponse.FromString(frame).updates]
    assert kinds == ["closed", "notice", "closed"]
    tell(session, CLOSED)
    assert session.next_frame() is None


@pytest.mark.parametrize("wanted", [True, False])
def test_events_are_for_those_that_want_them(wanted: bool) -> None:
    session = opened(events=wanted)
    tell(session, Happened("m", 1, CardPlayed(Seat(0), card("2C"))), note("x"))
    (frame,) = frames_of(session)
    kinds = [update.WhichOneof("kind") for update in pb.PlayResponse.FromString(frame).updates]
    assert kinds == (["happened", "notice"] if wanted else ["notice"])


# Flow control


def one_by_one(session: Session, update: Notice, limit: int) -> list[bytes]:
    """Send an update again and again, each in a frame of its own; return the frames that went out."""
    frames = []
    for _ in range(limit):
        tell(session, update)
        frames += frames_of(session)
    return frames


def test_64_frames_may_be_unacknowledged() -> None:
    session = opened()
    frames = one_by_one(session, note("x"), 70)
    assert len(frames) == DEFAULT.unacknowledged_frames == 64
    session.acknowledge(1)
    assert session.next_frame() is None
    session.acknowledge(2)
    assert texts(frames_of(session)) == ["x"] * 6
    assert session.ended is None


def test_256_kib_may_be_unacknowledged() -> None:
    session = opened()
    frames = one_by_one(session, sized(20_000), 17)
    assert len(frames) == 1 + DEFAULT.unacknowledged_bytes // 20_000
    session.acknowledge(2)
    assert len(frames_of(session)) == 1
    assert session.next_frame() is None


def test_a_bot_may_be_behind_by_256_kib_and_no_byte_more() -> None:
    session = opened()
    one_by_one(session, note("x"), DEFAULT.unacknowledged_frames)
    tell(session, *[sized(16_384)] * 15, sized(16_284), sized(100))
    assert not session.is_behind
    tell(session, note(""))
    assert session.is_behind
    assert DEFAULT.queued_bytes == 256 * 1024


def test_a_bot_that_reads_is_never_cut_off() -> None:
    session, received = opened(), 1
    for _ in range(200):
        tell(session, note("x" * 9_000), note("x" * 9_000))
        received += len(frames_of(session))
        session.acknowledge(received)
        assert not session.is_behind


def test_acknowledging_less_than_before_changes_nothing() -> None:
    session = opened()
    one_by_one(session, note("x"), 64)
    session.acknowledge(10)
    session.acknowledge(3)
    assert len(one_by_one(session, note("y"), 20)) == 9


@pytest.mark.parametrize("too_many", [2, 3, 2**64 - 1])
def test_acknowledging_frames_never_sent_breaks_the_protocol(too_many: int) -> None:
    session = opened()
    with pytest.raises(Ended) as caught:
        session.acknowledge(too_many)
    assert caught.value.reason is Reason.PROTOCOL_VIOLATION


@given(st.lists(st.tuples(st.integers(1, 40_000), st.integers(0, 3)), max_size=60))
def test_unacknowledged_frames_are_bounded_whatever_a_bot_acknowledges(steps: list[tuple[int, int]]) -> None:
    session = opened()
    sent: list[int] = []
    received = 0
    for size, acknowledged in steps:
        tell(session, note("x" * (size % 12_000)))
        sent += [len(frame) for frame in frames_of(session)]
        received = min(len(sent), received + acknowledged)
        session.acknowledge(1 + received)
        assert len(sent) - received <= DEFAULT.unacknowledged_frames
        assert sum(sent[received:]) < DEFAULT.unacknowledged_bytes + DEFAULT.frame_bytes


# The end


def test_frames_before_the_end_are_still_sent_and_none_after() -> None:
    session = opened()
    session.tell(note("last words"))
    session.end(Reason.REPLACED, "gone")
    session.tell(note("too late"))
    session.release(0)
    assert texts(frames_of(session)) == ["last words"]


def test_the_first_reason_to_end_is_the_one() -> None:
    session = opened()
    session.end(Reason.REPLACED, "first")
    session.end(Reason.SLOW_READER, "second")
    assert session.ended is not None
    assert (session.ended.reason, session.ended.text) == (Reason.REPLACED, "first")
