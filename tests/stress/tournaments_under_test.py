"""A server of tournaments in a process of its own, for `pipes.Process`: it knows how late its loop was.

The configuration is the ``folder`` of the server; commands are the methods of `LoopUnderTest`.
"""

import asyncio
import json
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from referee.core.observer import Observer
from referee.match.effects import MatchSetup, Outcome
from tests.stress.pipes import commands, resident, say
from tests.stress.processes import percentile
from tests.tournaments.served import serving
from tournaments.cli.signals import keep_pauses_short
from tournaments.plan.plan import Server
from tournaments.serving.many_tournaments import replace, serve_tournaments


class Tables(Observer):
    """Counts the matches that are being played, and those that are over."""

    def __init__(self) -> None:
        self.playing = 0
        self.finished = 0
        self.answered_ = 0
        self.changed = asyncio.Event()

    def match_opened(self, setup: MatchSetup, *, recovered: bool) -> None:
        self.playing += 1
        self.changed.set()

    def match_finished(self, setup: MatchSetup, outcome: Outcome) -> None:
        self.playing -= 1
        self.finished += 1

    def answered(self, setup: MatchSetup, seat: object, elapsed: int) -> None:
        self.answered_ += 1


class LoopUnderTest:
    """The loop of the server, looked at every few milliseconds."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._late: list[float] = []

    async def look(self) -> None:
        while True:
            due, worked = time.monotonic() + 0.002, time.process_time()
            await asyncio.sleep(0.002)
            late, by_itself = time.monotonic() - due, time.process_time() - worked
            # what the machine itself is late is neither computed here nor anybody's fault
            self._late.append(1000 * min(late, by_itself))

    async def play(self, tables: int) -> dict[str, Any]:
        """Return once so many matches are being played."""
        while self._tables.playing < tables:
            self._tables.changed.clear()
            await self._tables.changed.wait()
        return {}

    async def figures(self) -> dict[str, Any]:
        """Return by how many milliseconds the loop was late since the last time that this was asked.

        Counted is only what the processor did for this process meanwhile, in any of its threads.
        """
        late, self._late = self._late or [0.0], []  # nobody may have looked since the last time
        return {
            "late": [percentile(late, share) for share in (0.5, 0.99, 1)],
            "looks": len(late),
            "playing": self._tables.playing,
            "finished": self._tables.finished,
            "answered": self._tables.answered_,
            "resident": resident(),
            "worst": sorted(late)[-8:],
            "cpu": time.process_time(),
        }


async def main(folder: Path) -> None:
    """Serve until the parent has enough."""
    tables, stopping = Tables(), asyncio.Event()
    loop = LoopUnderTest(tables)

    def said(line: str) -> None:
        say(event="said", line=line)
        if line.startswith("fairdeal listens on "):
            say(event="listening", address=line.split()[3].rstrip(";"))

    hosting = replace(serving(folder, said), server=Server(listen="127.0.0.1:0"), observer=tables)
    async with asyncio.TaskGroup() as group:
        looking = group.create_task(loop.look())
        group.create_task(serve_tournaments(hosting, stopping))
        async for command in commands():
            name = command.pop("command")
            say(event="reply", to=name, **await getattr(loop, name)(**command))
        stopping.set()
        looking.cancel()


if __name__ == "__main__":
    keep_pauses_short()
    with suppress(KeyboardInterrupt):
        asyncio.run(main(Path(json.loads(sys.argv[1])["folder"])))
