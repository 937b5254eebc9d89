"""A bot that comes back after the end of its match has had that match, and gets no other in its place."""

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from tests.referee.driven_core import DrivenCore


@pytest.mark.parametrize(("matches", "is_seated"), [(1, False), (2, True), (0, True)])
def test_a_match_that_ended_meanwhile_is_one_of_those_wanted(
    driven_core: type[DrivenCore], matches: int, is_seated: bool
) -> None:
    room = driven_core(open_tables=["piquet"])
    first, second = room.arrive("a", matches=1), room.arrive("b", matches=1)
    first.ready()
    second.ready()
    room.play_out()
    second.leave()

    point = pb.ResumePoint(match_id=room.finished[0].setup.match_id, sequence=0)
    back = room.arrive("b", matches=matches, resume=[point])
    room.arrive("c", matches=1)
    assert [finished.match_id for finished in back.of("finished")] == [point.match_id]
    assert bool(back.of("seated")) is is_seated
