"""How soon the referee sees that a bot is gone, and what then becomes of its seat."""

import os
import signal
import time
from collections.abc import Callable
from typing import Final

import grpc
import pytest

from tests.rounds import rounds
from tests.stress.pipes import Process
from tests.stress.processes import LONG, ROUNDS, Processes

pytestmark = pytest.mark.asyncio

SECOND: Final = 1_000_000
# Where nothing is seen at once, a bot that is gone is missed by its silence: after 8 s, or never.
SOON: Final = SECOND if LONG else 5 * SECOND  # the machine may be shared, in short runs with other tests
HOUR: Final = 3_600_000  # milliseconds
# one lets go after 5 s without a word and 3 s without an answer; in the short run after 1 s each
FROZEN: Final = (
    ({"keepalive_timeout_seconds": 3}, 10 * SECOND)
    if LONG
    else ({"keepalive_seconds": 1, "keepalive_timeout_seconds": 1}, 7 * SECOND)
)
MOVES: Final = (SECOND, 10 * SECOND, 60 * SECOND)
"""To answer in, of which a busy machine may take so much that time runs out before the bot has left."""
CLOSING_CANCELS: Final = tuple(map(int, grpc.__version__.split(".")[:2])) >= (1, 83)
WAYS: Final = (
    "half-close",
    "cancel",
    pytest.param(
        "channel close",
        marks=pytest.mark.skipif(
            not CLOSING_CANCELS, reason="before grpcio 1.83 a closed channel leaves its calls open"
        ),
    ),
    "exit",
    "kill",
    "bye",
)


async def thoughtful(processes: Processes, address: str, entry: str, matches: list[str]) -> Process:
    """Return a bot that is asked something in all its matches, and thinks about it forever."""
    bot = await processes.bots(address, {entry: matches}, think=(HOUR, HOUR))
    await bot.ask("think", decisions=len(matches))
    return bot


async def send(bot: Process, signal_: signal.Signals) -> int:
    """Send a signal to a bot's process; return when, in microseconds."""
    at = time.monotonic_ns() // 1000
    os.kill(bot.pid, signal_)
    return at


@pytest.mark.parametrize(
    ("given", "limits", "within", "times"),
    [
        pytest.param(signal.SIGKILL, {}, SOON, 20 if LONG else 2, id="killed"),
        pytest.param(signal.SIGSTOP, *FROZEN, 3 if LONG else 1, id="frozen"),
    ],
)
async def test_a_bot_that_is_gone_is_missed_soon(
    processes: Processes,
    figure: Callable[[str], None],
    given: signal.Signals,
    limits: dict[str, int],
    within: int,
    times: int,
) -> None:
    for number, trying in rounds(*ROUNDS):
        with trying:
            took = await missed_after(processes, given, limits, times)
            told = f"{times} seen after {min(took) / 1000:.1f} to {max(took) / 1000:.1f} ms"
            figure(f"round {number}: {told}")
            assert 0 < max(took) <= within
            break
        await processes.close()


async def missed_after(
    processes: Processes, given: signal.Signals, limits: dict[str, int], times: int
) -> list[int]:
    """Return after how many microseconds the referee missed bots, each of which got a signal."""
    served, address = await processes.server(limits=limits)
    await served.ask("play", matches={f"m-{number}": [f"a{number}", f"b{number}"] for number in range(times)})
    took = []
    for number in range(times):
        await processes.bots(address, {f"b{number}": [f"m-{number}"]})
        bot = await thoughtful(processes, address, f"a{number}", [f"m-{number}"])
        sent = await send(bot, given)
        lost = await served.until("seat_lost", match=f"m-{number}", entry=f"a{number}")
        took.append(lost["at"] - sent)
    return took


@pytest.mark.parametrize("way", WAYS)
async def test_whoever_leaves_in_any_way_leaves_a_seat_whose_clock_runs_on(
    processes: Processes, figure: Callable[[str], None], way: str
) -> None:
    for move, trying in rounds(*MOVES):
        with trying:
            await leaves(processes, figure, way, move)
            break
        await processes.close()


async def leaves(processes: Processes, figure: Callable[[str], None], way: str, move: int) -> None:
    served, address = await processes.server()
    await served.ask("play", matches={"patient": ["a", "b"]})
    prompt = {"move": move, "bank": 0, "lag": 0}
    await served.ask("play", matches={"prompt": ["a", "b"]}, clock=prompt, max_faults=1)
    await processes.bots(address, {"b": ["patient", "prompt"]})
    bot = await thoughtful(processes, address, "a", ["patient", "prompt"])
    left = time.monotonic_ns() // 1000
    if way == "kill":
        await send(bot, signal.SIGKILL)
    elif way == "exit":
        await bot.tell("leave", way=way)
    else:
        await bot.ask("leave", way=way)
    # there is nobody to be asked, and time goes by
    await served.until("finished", match="prompt")
    counts = (await served.ask("figures"))["counts"]
    assert (counts.get("disconnected"), counts.get("forfeit")) == (1, 1)
    assert "late" not in counts
    lost = [(await served.until("seat_lost", match=match, entry="a")) for match in ("patient", "prompt")]
    figure(f"{way}: seen after {(lost[0]['at'] - left) / 1000:.1f} ms")
    assert max(seat["at"] for seat in lost) - left <= SOON
    # a bot that comes back takes the seat as it is
    await processes.bots(address, {"a": ["patient"]})
    await served.until("over")
    figures = await served.ask("figures")
    assert figures["counts"]["completed"] == 1
    assert figures["counts"]["disconnected"] == 1
    assert figures["counts"]["opened"] == 2
    if way not in ("exit", "kill"):
        assert (await bot.ask("ended"))["endings"] == ["OK" if way in ("half-close", "bye") else "CANCELLED"]
