"""A real server that is attacked while good bots play on."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

import fairdeal
from fairdeal.bots import make
from fairdeal.testing import ServedReferee, serving
from referee.core.limits import Limits
from referee.match.clock import PROFILES
from referee.match.faults import Termination

GAME: Final = "two_handed_spades"
LIMITS: Final = Limits(
    calls_per_second=1 << 20, hellos_per_second=1 << 20, keepalive_timeout_seconds=600, heartbeat_seconds=0
)
PATIENCE: Final = 600.0  # seconds until an attack of the long counts gives up; a short one takes a few


async def play_one(served: ServedReferee) -> None:
    """Have two bots play a match, in which neither may have a fault nor lose its session."""
    outcome = (await served.play("one", "other")).outcome
    assert outcome.termination is Termination.COMPLETED
    assert [(faults.total, faults.sessions_lost) for faults in outcome.faults] == [(0, 0), (0, 0)]


async def play_on(served: ServedReferee, over: asyncio.Event) -> None:
    """Have one match played after another until it is over."""
    while not over.is_set():
        await play_one(served)


@asynccontextmanager
async def attacked(capfd: Any, address: str = "127.0.0.1:0") -> AsyncIterator[ServedReferee]:
    """Serve a referee, where bots play before, while and after it is attacked; nobody may complain."""
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))
    over = asyncio.Event()
    async with (
        asyncio.timeout(PATIENCE),
        serving(GAME, deals=1, clock=PROFILES["debug"], limits=LIMITS, address=address) as served,
    ):
        bots = [
            asyncio.create_task(fairdeal.run_async(make("random"), served.address, entry=entry))
            for entry in ("one", "other")
        ]
        try:
            await play_one(served)  # so both are here
            async with asyncio.TaskGroup() as group:
                group.create_task(play_on(served, over))
                yield served
                over.set()
            await play_one(served)
            assert len(served.referee.core.matches) == 0
        finally:
            for bot in bots:
                bot.cancel()
            await asyncio.gather(*bots, return_exceptions=True)
    assert not complaints
    # gRPC writes there too: what its core refuses, and older versions where a caller was gone
    assert "/referee/" not in capfd.readouterr().err


@pytest.fixture
def attack(capfd: pytest.CaptureFixture[str]) -> Callable[..., AbstractAsyncContextManager[ServedReferee]]:
    """Return a function that serves a referee for an attack."""
    return lambda **more: attacked(capfd, **more)


@pytest.fixture
def unix_address(tmp_path: Path) -> str:
    return f"unix:{tmp_path}/s"
