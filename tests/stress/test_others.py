"""Bots that do not read, or hardly, cost the others nothing."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.rounds import rounds
from tests.stress.pipes import Process
from tests.stress.processes import LONG, ROUNDS, Processes, pairs, percentile

MEBIBYTE: Final = 1 << 20
BAD: Final = 200 if LONG else 20  # of each kind
# below a few milliseconds it is the machine that is measured, when others use it too
LITTLE: Final = 0 if LONG else 20  # ms
# twelve tables that play some 1,000 decisions a second: 15 or 2 s
DEALS: Final = 20 if LONG else 3
THINK: Final = (5, 15)
# Whoever says nothing is soon asked the next thing, and told what was played for it. A first match fills
# what the referee may keep for a bot, in one half of them with more deals. Then a second one goes on at the
# pace of the standard clock.
FILLING: Final = {"clock": {"move": 10_000, "bank": 0, "lag": 0}, "max_faults": 1 << 30}
FILLS = (2, 15) if LONG else (1, 4)
LIMITS: Final = {"hellos_awaited": 1024} if LONG else {"queued_bytes": 32 * 1024}
GOING_ON: Final = {"deals": 1000, "clock": {"move": 2_000_000, "bank": 0}, "max_faults": 1 << 30, "spread": 2}


def by_match(playing: dict[tuple[str, str], list[str]]) -> dict[str, Any]:
    return {match: pair for pair, ids in playing.items() for match in ids}


def by_entry(playing: dict[tuple[str, str], list[str]]) -> dict[str, list[str]]:
    return {entry: ids for pair, ids in playing.items() for entry in pair}


async def bad_bots(processes: Processes, served: Process, address: str) -> None:
    """Seat bots that do not read at tables of their own, and send them as much as they can take."""
    for kind in ("never reads", "reads slowly"):
        playing = pairs(BAD // 2, 2, kind.partition(" ")[2])
        matches = [{ids[table]: pair for pair, ids in playing.items()} for table in range(2)]
        await served.ask("play", matches=matches[1], **GOING_ON)
        for number, deals in enumerate(FILLS):
            some = dict(list(matches[0].items())[number::2])
            await served.ask("play", matches=some, deals=deals, **FILLING)
        await processes.bots(address, by_entry(playing), kind=kind)
    await served.ask("reach", count="completed", least=BAD, within=300)


async def wait_of_others(processes: Processes, *, with_bad: bool) -> tuple[float, dict[str, Any]]:
    """Return the 99th percentile of how long others wait for their next decision, and the referee's figures.

    That is from one bot's answer until the other's decision, in milliseconds.
    """
    served, address = await processes.server(limits=LIMITS)
    playing = pairs(6, 2)
    before = await served.ask("figures")
    if with_bad:
        await bad_bots(processes, served, address)
    await served.ask("play", matches=by_match(playing), deals=DEALS)
    bots = await processes.bots(address, by_entry(playing), think=THINK)
    await bots.until("finished", within=300)
    waited = (await bots.ask("figures"))["waited"]
    figures = await served.ask("figures")
    assert figures["counts"]["completed"] == 12 + with_bad * BAD
    await processes.close()
    figures["grown"] = (figures["resident"] - before["resident"]) / MEBIBYTE
    return percentile(waited, 0.99) / 1000, figures


@pytest.mark.asyncio
async def test_bots_that_do_not_read_harm_nobody_else(
    processes: Processes, figure: Callable[[str], None]
) -> None:
    for number, trying in rounds(*ROUNDS):
        alone, _ = await wait_of_others(processes, with_bad=False)
        beside, figures = await wait_of_others(processes, with_bad=True)
        cut_off = figures["ended"].get("SLOW_READER", 0)
        figure(
            f"round {number}: 99% waited up to {alone:.2f} ms alone, {beside:.2f} ms beside {BAD} bots that"
            f" never read and {BAD} that read slowly; of those"
            f" {cut_off} were cut off; memory grew by {figures['grown']:.1f} MiB"
        )
        assert figures["grown"] <= 200
        with trying:
            assert beside <= max(2 * alone, LITTLE)
            break
