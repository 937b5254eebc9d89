"""`fairdeal serve --workers`: real processes, real bots, and kill -9."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fairdeal
from fairdeal import Decision, Finished, Seated
from tests.e2e.places import free_port, listening
from tests.workspace import PATIENCE, Workspace

pytestmark = pytest.mark.asyncio

GAME = "two_handed_spades"
WORDS = ("--workers", "2", "--game", GAME, "--deals", "1")


class HeldInMatch:
    """A bot that stops at its third decision until it may go on."""

    def __init__(self, address: str, name: str) -> None:
        self.name = name
        self.is_held, self.may_go_on = asyncio.Event(), asyncio.Event()
        self.matches: list[str] = []
        self.ends: list[Finished] = []
        playing = fairdeal.run_async(self, address, entry=name, games=[GAME], tables=1, matches=1)
        self.task = asyncio.create_task(playing)

    def on_seated(self, seated: Seated) -> None:
        self.matches.append(seated.id)

    def on_finished(self, finished: Finished) -> None:
        self.ends.append(finished)

    async def act(self, decision: Decision) -> fairdeal.Answer:
        if decision.id == 3:
            self.is_held.set()
            await self.may_go_on.wait()
        assert isinstance(decision.legal, fairdeal.LegalActions)
        return decision.legal.actions[0]

    async def over(self) -> Finished:
        self.may_go_on.set()
        async with asyncio.timeout(PATIENCE):
            await self.task
        (end,) = self.ends
        return end


async def held(address: str, *names: str) -> list[HeldInMatch]:
    """Return bots that are all in the midst of their matches: one of two waits for the other."""
    bots = [HeldInMatch(address, name) for name in names]
    waiting = {asyncio.create_task(bot.is_held.wait()) for bot in bots}
    async with asyncio.timeout(PATIENCE):
        while len(waiting) > len(bots) // 2:
            held = {bot.task for bot in bots}
            done, _others = await asyncio.wait(waiting | held, return_when=asyncio.FIRST_COMPLETED)
            for failed in done & held:
                failed.result()
            waiting -= done
    for each in waiting:
        each.cancel()
    return bots


def workers_of(pid: int) -> dict[int, int]:
    """Return the processes of the workers, by their number, which their folder tells."""
    found = {}
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        for file in Path(f"/proc/{child}/fd").iterdir():
            place = file.readlink()
            if place.name == "lock" and place.parent.parent.name == "workers":
                found[int(place.parent.name)] = int(child)
    return found


def faultless(end: Finished) -> bool:
    """Return whether a match was played to its end without faults, and no seat lost its bot."""
    return end.termination is fairdeal.Termination.COMPLETED and not any(
        (each.malformed, each.illegal, each.disconnected, each.late, each.sessions_lost) != (0,) * 5
        for each in end.faults
    )


async def test_a_worker_that_is_killed_takes_only_its_own_tables_which_go_on(workspace: Workspace) -> None:
    serving, address = await asyncio.to_thread(listening, workspace, *WORDS)
    bots = await held(address, "a", "b", "c", "d")
    of_first = [bot for bot in bots if "-w1-" in bot.matches[0]]
    of_second = [bot for bot in bots if "-w2-" in bot.matches[0]]
    assert len(of_first) == len(of_second) == 2
    os.kill(workers_of(serving.process.pid)[1], signal.SIGKILL)
    for bot in of_second:
        bot.may_go_on.set()
    for bot in of_second:
        assert faultless(await bot.over())
    await asyncio.to_thread(serving.says, r"worker 1 has ended \(signal 9\) and is started again")
    for bot in of_first:
        bot.may_go_on.set()
    for bot in of_first:
        assert faultless(await bot.over())
        assert len(bot.matches) == 1
    done = await asyncio.to_thread(serving.stopped, signal.SIGTERM)
    assert (done.status, done.err) == (0, "")
    assert len(workspace.records("fairdeal-serve").paths()) == 2


async def test_workers_end_with_a_front_that_is_killed_and_their_matches_go_on(
    workspace: Workspace, eventually: Callable[..., Any]
) -> None:
    port = f"127.0.0.1:{free_port('front')}"

    def start() -> Any:
        serving, _address = listening(workspace, *WORDS, "--drain", "0", address=port)
        return serving

    serving = await asyncio.to_thread(start)
    bots = await held(port, "a", "b", "c", "d")
    processes = workers_of(serving.process.pid).values()
    await asyncio.to_thread(serving.stopped, signal.SIGKILL)
    gone = [f"/proc/{each}" for each in processes]
    await asyncio.to_thread(eventually, lambda: not any(map(os.path.exists, gone)), "the workers are gone")
    again = await asyncio.to_thread(start)
    for bot in bots:
        bot.may_go_on.set()
    for bot in bots:
        assert faultless(await bot.over())
        assert len(bot.matches) == 1
    assert (await asyncio.to_thread(again.stopped, signal.SIGTERM)).status == 0
