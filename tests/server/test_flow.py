"""How much is sent at once, and to whom no more."""

import asyncio

import grpc
import pytest

import fairdeal
from fairdeal.v1 import play_service_pb2 as pb
from referee.core.limits import DEFAULT, Limits
from referee.match.faults import Termination
from tests.server.conftest import Chancer, Serve, Setup
from tests.workspace import PATIENCE

# so that a bot can bring it about that much is to be told
PATIENT = Limits(answers_per_second=1 << 20, bytes_per_second=1 << 30)

pytestmark = pytest.mark.asyncio


async def test_a_bot_at_many_tables_is_told_of_all_in_one_frame(serve: Serve, setup: Setup) -> None:
    tables = 16
    async with serve() as served:
        many, other = await served.guest("a", tables=tables), await served.guest("b", tables=tables)
        assert served.referee.core.sessions.free_tables(("a", "")) == tables
        for number in range(tables):
            served.referee.play(setup(match_id=f"m-{number}"))
        assert served.referee.core.sessions.free_tables(("a", "")) == 0
        seats = await many.hear()
        assert [update.WhichOneof("kind") for update in seats.updates] == tables * ["seated"]
        await many.ready(tables)
        await other.ready(tables)
        asked = await many.hear()
        # each frame of answers brings the next one of decisions: those of the tables where it is its turn
        heard = [update.decision.match_id for update in asked.updates]
        assert 1 < len(heard) == len(set(heard)) < tables
        answers = [pb.Answer(match_id=match_id, decision_id=1, index=0) for match_id in heard]
        await many.say(answers=answers)
        await other.until("decision", tables)
        assert len(other.frames) == 4  # welcome, seats, its own first decisions, those after the other's


async def test_updates_that_do_not_fit_in_one_frame_come_in_several(serve: Serve) -> None:
    refusals = 1_500
    async with serve(limits=PATIENT) as served:
        guest = await served.guest("a")
        for first in range(0, refusals, 250):
            answers = [pb.Answer(match_id=f"x{n}", index=0) for n in range(first, first + 250)]
            await guest.say(answers=answers)
        await guest.until("refused", refusals)
    assert [refused.match_id for refused in guest.of("refused")] == [f"x{n}" for n in range(refusals)]
    assert len(guest.frames) > 2
    assert all(frame.ByteSize() <= DEFAULT.frame_bytes for frame in guest.frames)


async def test_a_bot_that_does_not_read_is_cut_off_and_the_others_play_on(
    serve: Serve, setup: Setup, chancer: type[Chancer]
) -> None:
    async with serve(limits=PATIENT) as served:
        slow = await served.guest("a")
        match = served.referee.play(setup("hearts"))
        await slow.ready()
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            for entry in "bcd":
                group.create_task(fairdeal.run_async(chancer(), served.address, entry=entry, matches=1))
            nonsense = [pb.Answer(match_id="x", index=0) for _ in range(100)]
            while served.referee.core.sessions.is_here(("a", "")):
                await slow.say(answers=nonsense, frames_received=0)
                await served.list_games()  # this has been answered, so that has been read
            served.referee.abandon(("a", ""))
            report = await match
        ending = await slow.end()
    assert (ending.code, ending.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "SLOW_READER")
    assert ending.text == "the bot does not acknowledge the frames that it receives (frames_received)"
    sizes = [frame.ByteSize() for frame in slow.frames]
    assert len(sizes) <= DEFAULT.unacknowledged_frames
    assert sum(sizes) < DEFAULT.unacknowledged_bytes + DEFAULT.frame_bytes
    outcome = report.outcome
    assert outcome.termination is Termination.COMPLETED
    assert (outcome.forfeited, outcome.ranks[0]) == ((0,), 4)
    assert outcome.faults[0].sessions_lost == 1
    assert [faults.total for faults in outcome.faults[1:]] == [0, 0, 0]


async def test_a_bot_that_acknowledges_is_told_more_than_fits_at_once(serve: Serve) -> None:
    async with serve() as served:
        guest = await served.guest("a")
        for number in range(1, 2 * DEFAULT.unacknowledged_frames):
            await guest.say(answers=[pb.Answer(match_id="x", decision_id=number, index=0)])
            await guest.until("refused", number)
        assert len(guest.frames) == 2 * DEFAULT.unacknowledged_frames


async def test_a_bot_that_acknowledges_late_goes_on_where_it_was(serve: Serve) -> None:
    async with serve() as served:
        guest = await served.guest("a")
        refused = 0
        while len(guest.frames) < DEFAULT.unacknowledged_frames:
            refused += 1
            await guest.say(answers=[pb.Answer(match_id="x", index=0)], frames_received=0)
            await guest.until("refused", refused)
        await guest.say(answers=[pb.Answer(match_id="held back", index=0)], frames_received=0)
        await served.list_games()
        await guest.say()
        assert (await guest.until("refused", refused + 1)).match_id == "held back"
        assert len(guest.frames) == DEFAULT.unacknowledged_frames + 1
