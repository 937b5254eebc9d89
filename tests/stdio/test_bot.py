"""What the bridge takes note of: when the program has no more to do, and answers that come too late."""

import asyncio
from typing import Any

import pytest

from fairdeal import _updates
from fairdeal.stdio._bot import PipedBot
from fairdeal.v1 import actions_pb2
from tests.clients import conftest as sdk
from tests.stdio.conftest import MadeDecisions
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio


class InProcessBot(PipedBot):
    """A bot whose program is the test."""

    def __init__(self, tell: Any, *, matches: int = 0) -> None:
        self.told: list[bytes] = []
        self.warned: list[str] = []
        super().__init__(self.told.append, matches=matches, say=lambda text: None, warn=self.warned.append)
        self._make = tell

    async def sit(self, match_id: str, attempt: int = 1) -> Any:
        seated = _updates.seated(self._make.seated(match_id, attempt=attempt).seated)
        await self.on_seated(seated)
        return seated

    def finish(self, seated: Any, termination: str = "COMPLETED") -> None:
        message = self._make.finished(seated.id, termination).finished
        self.on_finished(_updates.finished(seated, message))


async def test_the_program_has_no_more_to_do_when_its_matches_are_over(tell: type[sdk.Tell]) -> None:
    bot = InProcessBot(tell, matches=2)
    first, second, third = [await bot.sit(match_id) for match_id in ("m1", "m2", "m3")]
    bot.finish(first)
    assert not bot.is_over
    bot.finish(second, "VOID")  # it is played again
    assert not bot.is_over
    assert bot.is_playing
    bot.finish(third, "CANCELLED")
    assert bot.is_over
    assert not bot.is_playing


async def test_a_match_that_the_referee_has_forgotten_counts(tell: type[sdk.Tell]) -> None:
    bot = InProcessBot(tell, matches=1)
    seated = await bot.sit("m1")
    bot.on_refused(_updates.refused(seated, tell.refused("m1", reason=7, text="it is gone").refused))
    assert bot.is_over
    assert bot.warned == ["match m1: the referee does not go on with it: MATCH_NOT_FOUND it is gone"]


async def test_the_program_has_no_more_to_do_when_the_referee_leaves(tell: type[sdk.Tell]) -> None:
    bot = InProcessBot(tell)
    seated = await bot.sit("m1")
    bot.on_notice(_updates.notice(tell.notice("DRAINING").notice))
    assert not bot.is_over
    bot.finish(seated)
    assert bot.is_over


async def test_another_notice_says_nothing_of_that(tell: type[sdk.Tell]) -> None:
    bot = InProcessBot(tell)
    bot.on_notice(_updates.notice(tell.notice("UNSPECIFIED").notice))
    assert not bot.is_over


async def test_an_answer_may_come_while_its_decision_is_being_closed(
    tell: type[sdk.Tell], asked: MadeDecisions
) -> None:
    bot = InProcessBot(tell)
    acting = asyncio.create_task(bot.act(asked.plays("2C 3C")))
    await asyncio.sleep(0)
    acting.cancel()
    bot.hear(b"0")  # before the task has taken note
    with pytest.raises(asyncio.CancelledError):
        await acting
    bot.hear(b"0")
    assert bot.warned == ["the bot's line '0' belongs to no open decision, and is ignored"]


async def test_a_wrong_line_is_answered_by_nothing_so_that_it_costs_a_fault(
    tell: type[sdk.Tell], asked: MadeDecisions
) -> None:
    bot = InProcessBot(tell)
    acting = asyncio.create_task(bot.act(asked.plays("2C 3C")))
    await asyncio.sleep(0)
    bot.hear(b"7")
    async with asyncio.timeout(PATIENCE):
        assert await acting == actions_pb2.Action()
    assert [text.partition(":")[0] for text in bot.warned] == ["match m1, decision 1"]


async def test_lines_that_nobody_asked_for_are_told_once(tell: type[sdk.Tell]) -> None:
    bot = InProcessBot(tell)
    for _ in range(3):
        bot.hear(b"0")
    assert (len(bot.warned), bot.strays) == (1, 3)


async def test_what_is_told_of_a_decision_is_told_again_for_the_next(tell: type[sdk.Tell]) -> None:
    bot = InProcessBot(tell)
    seated = await bot.sit("m1")
    for decision_id in (1, 1, 2):
        late = tell.closed(decision_id, reason=2, fault=3).closed
        bot.on_closed(_updates.closed(seated, late))
    text = "the time ran out while there was no session; the referee played the default action"
    assert bot.warned == [f"match m1, decision {number}: {text}" for number in (1, 2)]
