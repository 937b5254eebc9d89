"""Plays a batch of matches with a referee and bots of its own: ``python -m`` this module, by `worker`.

It reads the batch and the archive of the bots' files, if they are sent, from standard input, whose end means
that nobody waits for it any more, and writes what became of it to standard output.
"""

import asyncio
import os
import pickle
import shutil
import socket
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from referee.files import private
from referee.games.registry import GAMES
from referee.match.clock import SECOND
from referee.match.effects import MatchSetup, Owner
from referee.server.listen import listening
from referee.server.play_service import PlayService
from referee.server.runtime import FinishedMatch
from referee.server.tokens import TokenFile
from tournaments.executors import bot_files
from tournaments.executors.batches import Batch, GivenKeys, PlayedBatch, PlayedMatch, packed
from tournaments.hosting.cpu_share import shared
from tournaments.plan.plan import Plan
from tournaments.running.hidden_files import hidden_from
from tournaments.running.hosted import Conditions, Lost
from tournaments.running.hosted_bots import HostedBots
from tournaments.running.live_bots import LiveBots
from tournaments.running.presence import Presence, Whereabouts
from tournaments.running.referee_host import RefereeHost, open_referee_host

_READY: Final = (Presence.READY, Presence.LOST)  # lost bots forfeit at once


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """A match of the batch that is being played."""

    owners: tuple[Owner, ...]
    over: asyncio.Future[FinishedMatch]
    is_unattended: bool


class BatchRunner:
    """Plays the matches of a batch at a referee host, ``concurrency`` of the plan at once."""

    def __init__(self, batch: Batch, plan: Plan, host: RefereeHost) -> None:
        self._plan = plan
        self._host = host
        self._to_do = {setup.match_id: (setup, owners) for setup, owners in batch.matches}
        self._entries = {entry.name: entry for entry in plan.entries}
        self._tables: list[_Table] = []
        self._changed = asyncio.Event()
        self._begun: int | None = None
        self.done: list[FinishedMatch] = []
        self.lost: list[Lost] = []
        conditions = Conditions(
            base=plan.base,
            logs=plan.folder / "logs",
            seed=batch.bot_seed,
            patience=plan.clock.start / SECOND,
            hosting=plan.hosting,
            # the owner's files, too: they may be on a disk that is shared, or on this machine
            hidden=lambda entry: (plan.folder, *hidden_from(batch.plan, entry)),
            now=_now,
        )
        self.bots = HostedBots(host, conditions, changed=self._changed.set, on_lost=self.lost.append)
        self._where = Whereabouts(host.referee, self.bots, self._is_unattended, _now)
        self._live = LiveBots(plan.hosting.keep, plan.hosting.max_live)
        host.on_arrival(lambda _owner: self._changed.set())

    @property
    def seconds(self) -> float:
        """Return how long it plays by now."""
        return 0.0 if self._begun is None else (_now() - self._begun) / SECOND

    async def run(self) -> str:
        """Play all matches; return why it cannot go on, an empty text at the end."""
        while self._to_do or self._tables:
            self._changed.clear()
            self._take()
            if self.bots.failed:
                return self.bots.failed
            lost = {owner[0]: lost for owner, lost in self.bots.lost.items()}
            if len(lost) > 1 and not self.done:
                words = "\n".join(each.last_words for each in lost.values())
                return f"{len(lost)} bots are lost and nothing is played yet: see what they lack\n{words}"
            self._begin()
            due = self._tend()
            if not self._changed.is_set() and (self._to_do or self._tables):
                await self._wait(due)
        return ""

    def _take(self) -> None:
        for table in [table for table in self._tables if table.over.done()]:
            report = table.over.result()
            self._tables.remove(table)
            self._host.referee.settle(report)
            self.done.append(report)

    def _begin(self) -> None:
        """Begin what can be played; what a lost bot forfeits comes last."""
        for setup, owners in list(self._in_order()):
            if len(self._tables) >= self._plan.concurrency:
                return
            if all(self._where.of(owner) in _READY for owner in owners):
                del self._to_do[setup.match_id]
                self._play(setup, owners)

    def _in_order(self) -> Iterator[tuple[MatchSetup, tuple[Owner, ...]]]:
        whole = [each for each in self._to_do.values() if self.bots.lost.keys().isdisjoint(each[1])]
        yield from whole
        if self.done or not (whole or self._tables):
            yield from [each for each in self._to_do.values() if each not in whole]

    def _play(self, setup: MatchSetup, owners: tuple[Owner, ...]) -> None:
        lost = [owner for owner in owners if owner in self.bots.lost]
        sides = [[owners[seat] for seat in side] for side in GAMES[setup.game].sides]
        # the first of two sides to forfeit would lose to one that forfeits as well
        is_unattended = len(sides) == 2 and all(any(owner in lost for owner in side) for side in sides)
        if is_unattended and len(lost) == len(owners):
            setup = replace(setup, clock=replace(setup.clock, start=0))  # there are no bots to wait for
        if self._begun is None:
            self._begun = _now()
        over = self._host.referee.play(setup, owners)
        over.add_done_callback(lambda _over: self._changed.set())
        self._tables.append(_Table(owners, over, is_unattended))
        if not is_unattended:
            for owner in lost:
                self._host.referee.abandon(owner)

    def _is_unattended(self, owner: Owner) -> bool:
        return any(table.is_unattended and owner in table.owners for table in self._tables)

    def _tend(self) -> int | None:
        """Start the bots that are needed next, and end idle ones; return when to look again."""
        gone = self.bots.lost.keys()
        near = [[owner for owner in owners if owner not in gone] for _setup, owners in self._to_do.values()]
        playing = [owner for table in self._tables for owner in table.owners if owner not in gone]
        room = near[: self._plan.concurrency]
        change = self._live.change(playing, room, self.bots.live, len(self.bots.ending), _now())
        for owner in change.end:
            self.bots.retire(owner)
        for owner in change.start:
            if owner not in self.bots.ending:
                self.bots.start(self._entries[owner[0]], owner)
        return change.due

    async def _wait(self, due: int | None) -> None:
        try:
            async with asyncio.timeout(None if due is None else max(0, due - _now()) / SECOND):
                await self._changed.wait()
        except TimeoutError:
            pass  # then an idle bot is ended


async def play(batch: Batch, folder: Path, archive: bytes = b"") -> PlayedBatch:
    """Play a batch in a folder that is made for it, and return what became of its matches.

    The bots' files are those of this machine, or come in an ``archive``.

    Raises:
        CannotListen, OSError: this machine lacks something.
    """
    async with AsyncExitStack() as stack:
        private.make_folder(folder)
        if archive:
            base = folder / "bots"
            base.mkdir()
            bot_files.unpack(archive, base)
            batch = replace(batch, plan=replace(batch.plan, base=base))
        plan = replace(batch.plan, folder=folder, store=None, source=None, ray=None)
        opened = open_referee_host(
            folder=folder,
            keys=GivenKeys(batch.keys, repeatable=batch.repeatable),
            limits=plan.limits,
            durable=False,
            others=TokenFile(folder / "tokens"),  # there are none: only bots that are started here come in
        )
        host = await stack.enter_async_context(opened)
        services = [PlayService(host.referee)]
        at_socket = listening(host.referee, f"unix:{folder}/s", services=services, watched=False)
        host.address = (await stack.enter_async_context(at_socket)).address
        host.share = stack.enter_context(shared())
        runner = BatchRunner(batch, plan, host)
        try:
            failed = await runner.run()
            seconds = runner.seconds
            await runner.bots.dismiss()
        finally:
            await host.referee.close()
            await runner.bots.close()
        return PlayedBatch(tuple(map(_read, runner.done)), tuple(runner.lost), failed, seconds)


def _read(report: FinishedMatch) -> PlayedMatch:
    setup = report.setup
    record = report.path.read_bytes()
    how = (report.outcome, record, report.sha256, report.started, report.duration)
    return PlayedMatch(setup.match_id, setup.attempt, *how)


def _now() -> int:
    return time.monotonic_ns() // 1000


def main() -> None:
    """Read a batch, play it, and write what became of it."""
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    data, archive = (sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(8))) for _ in range(2))
    batch: Batch = pickle.loads(data)
    place = Path(tempfile.mkdtemp(prefix="fairdeal-"))
    threading.Thread(target=_end_with_worker, args=(place,), daemon=True).start()
    try:
        played = asyncio.run(play(batch, place / "batch", archive))
    except Exception as error:  # noqa: BLE001 - the owner of the tournament is to hear of each
        traceback.print_exc()
        played = PlayedBatch((), (), f"{type(error).__name__}: {error} (on {socket.gethostname()})")
    shutil.rmtree(place, ignore_errors=True)
    answer.write(packed(played))
    answer.flush()
    os._exit(0)  # whatever the thread is waiting for


def _end_with_worker(place: Path) -> None:
    """End this process, and so its bots, when the worker that waits for it is gone."""
    os.read(0, 1)
    shutil.rmtree(place, ignore_errors=True)
    os._exit(1)


if __name__ == "__main__":
    main()
