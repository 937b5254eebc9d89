"""Plays matches on a cluster: many to a batch, each batch once, and what a lost worker played once more."""

import asyncio
import hashlib
import pickle
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from referee.dealing.decks import epoch_id_of
from referee.dealing.keys import KeySource
from referee.files import atomic
from referee.match.effects import MatchSetup, Owner
from referee.server.runtime import FinishedMatch
from referee.storage import record_files
from tournaments.executors import bot_files
from tournaments.executors.batches import Batch, PlayedBatch, PlayedMatch, packed
from tournaments.executors.cluster import BatchLost, Cluster, ClusterFailed, joined
from tournaments.hosting import cpu_use
from tournaments.plan.cluster import Needs, RayCluster
from tournaments.plan.instances import instances
from tournaments.plan.plan import Plan
from tournaments.running.errors import RunFailed
from tournaments.running.executor import Executor, Machines
from tournaments.running.hosted import Lost

MAX_LOSSES: Final = 5
"""How often the worker of a match may be lost: it is the match, or its bots, that end it."""
_AHEAD: Final = 2  # batches for each processor, so that none of them waits for the next one
_MOST_AHEAD: Final = 20_000  # matches, however many processors there are: each takes memory here
_FIRST: Final = 8  # matches of the first batches, which show how long they take
_SECONDS: Final = 60.0  # of play in a batch: its start costs three, and a worker that is lost loses it
_LEAST: Final = 12  # parts of a batch that are the least to give when few matches are left

_Needs = tuple[tuple[str, float], ...]
Match = tuple[MatchSetup, tuple[Owner, ...]]


class Distributor:
    """Plays matches on a cluster for the owner of a tournament, who keeps store, records and keys.

    ``here`` is the referee of the owner: it closes attempts that were lost, so that they have records, too.
    ``failed`` hears why the run cannot go on.
    """

    def __init__(
        self,
        plan: Plan,
        cluster: Cluster,
        keys: KeySource,
        here: Executor,
        *,
        bot_seed: str,
        on_lost: Callable[[Lost], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self._plan = plan
        self._cluster = cluster
        self._keys = keys
        self._here = here
        self._bot_seed = bot_seed
        self._on_lost = on_lost
        self._failed = failed
        self._rules = plan.ray or RayCluster()
        self._queue: list[Match] = []
        self._waiting: dict[tuple[str, int], asyncio.Future[FinishedMatch]] = {}
        self._matches: dict[str, Match] = {}
        self._keeping: set[str] = set()  # matches that are over, and whose records are being written
        self._losses: Counter[str] = Counter()
        self._fitting: set[_Needs] = set()  # needs that a machine had
        self._tasks: set[asyncio.Task[None]] = set()
        self._out: Counter[_Needs] = Counter()  # batches that the cluster has, by what they need
        self._full = min(max(_FIRST, plan.concurrency), self._rules.batch)
        cluster.on_machines = self.flush  # one that joins does not wait until a batch is over

    @property
    def machines(self) -> Machines:
        """Return the machines as they are now."""
        return Machines(len(self._cluster.machines), self._cluster.processors, len(self._waiting))

    @property
    def room(self) -> int:
        """Return how many more matches it takes now."""
        most = max(1, self._cluster.processors) * _AHEAD * self._full
        return min(most, _MOST_AHEAD) - len(self._waiting)

    def takes(self, entries: Sequence[str]) -> bool:
        """Return whether it plays the matches of these entries: a remote one is where the owner is."""
        return self._plan.remotes.isdisjoint(entries)

    def play(self, setup: MatchSetup, owners: tuple[Owner, ...]) -> asyncio.Future[FinishedMatch]:
        """Play a match with the next `flush`."""
        future = asyncio.get_running_loop().create_future()
        self._waiting[setup.match_id, setup.attempt] = future
        self._matches[setup.match_id] = setup, owners
        self._queue.append((setup, owners))
        return future

    def cancel(self, match_id: str) -> None:
        """End a match without a result, unless it has one; what a worker says of it later is not heard."""
        if match_id in self._matches and match_id not in self._keeping:
            self._close(*self._matches[match_id])

    def flush(self) -> None:
        """Give what is queued to workers that are free: matches with the same needs together.

        The batches are of a length, and shorter as fewer matches are left, so that all end together.
        """
        queue = [each for each in self._queue if self._is_waited_for(each[0])]
        self._queue = []
        processors = max(1, self._cluster.processors)
        by_needs: dict[_Needs, list[Match]] = {}
        for each in queue:
            by_needs.setdefault(tuple(sorted(self._needs(each[0]).items())), []).append(each)
        for needs, matches in by_needs.items():
            while matches and self._out[needs] < processors:
                size = min(self._full, max(-(-len(matches) // processors), -(-self._full // _LEAST)))
                task = asyncio.create_task(self._batch(matches[:size], needs))
                self._tasks.add(task)
                task.add_done_callback(self._batch_over)
                self._out[needs] += 1
                del matches[:size]
            self._queue += matches

    async def close(self) -> None:
        """Wait for no batch any more."""
        self._cluster.on_machines = lambda: None
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _batch_over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self._failed(error)

    def _is_waited_for(self, setup: MatchSetup) -> bool:
        return (setup.match_id, setup.attempt) in self._waiting

    def _needs(self, setup: MatchSetup) -> Mapping[str, float]:
        """Return what the bots of a match need of a machine, all together; without a word, one processor."""
        needs = [
            self._rules.needs[entry]
            for entry in dict.fromkeys(setup.entries)
            for _instance in instances(self._plan, entry)[: setup.entries.count(entry)]
            if entry in self._rules.needs
        ]
        return _together(needs) if needs else {"CPU": 1.0}

    async def _batch(self, matches: list[Match], needs: _Needs) -> None:
        """Have a batch played.

        Raises:
            RunFailed: it cannot be played.
            OSError: a record cannot be written.
        """
        self._check(matches[0][0], needs)
        epochs = {epoch_id_of(setup) for setup, _owners in matches}
        keys = await asyncio.to_thread(lambda: {epoch: self._keys.secret(epoch) for epoch in epochs})
        repeatable = self._keys.repeatable
        batch = Batch(self._plan, self._bot_seed, keys, repeatable, tuple(matches))
        try:
            answer = await self._cluster.play(packed(batch), dict(needs))
        except BatchLost as error:
            self._out[needs] -= 1
            self._lost(matches, str(error))
            return
        self._out[needs] -= 1
        played: PlayedBatch = pickle.loads(answer)
        self._measure(played)
        self.flush()  # the worker does not wait until the results are stored
        for lost in played.lost:
            self._on_lost(lost)
        whole = [match for match in played.matches if self._is_whole(match)]
        self._keeping |= {match.match_id for match in whole}
        await asyncio.to_thread(self._write, whole)
        for match in whole:  # at once, so that what begins in their place begins together
            self._take(match)
        left = [each for each in matches if self._is_waited_for(each[0])]
        if played.failed:
            raise RunFailed(f"a worker cannot play: {played.failed}")
        if left:
            self._lost(left, "it came back damaged, or not at all")

    def _check(self, setup: MatchSetup, needs: _Needs) -> None:
        """Refuse what no machine has, for which the cluster would wait in vain.

        Raises:
            RunFailed: there is no such machine, and there was none.
        """
        if needs in self._fitting or not self._cluster.machines:  # lost machines may come back
            return
        if not self._cluster.has(dict(needs)):
            names = " and ".join(dict.fromkeys(setup.entries))
            wanted = ", ".join(f"{name} {amount:g}" for name, amount in needs)
            raise RunFailed(
                f"no machine of the cluster has what the bots of {names} need together ({wanted}): add one"
                " that has, or ask for less in the resources of these entries"
            )
        self._fitting.add(needs)

    def _measure(self, played: PlayedBatch) -> None:
        """Have the next batches be as long as they are to be."""
        if played.matches and played.seconds:
            number = int(_SECONDS * len(played.matches) / played.seconds)
            self._full = min(max(number, self._plan.concurrency), self._rules.batch)

    def _is_whole(self, played: PlayedMatch) -> bool:
        """Return whether a match is waited for, and its record came as it was sent."""
        is_waited_for = (played.match_id, played.attempt) in self._waiting
        return is_waited_for and hashlib.sha256(played.record).hexdigest() == played.sha256

    def _write(self, matches: Sequence[PlayedMatch]) -> None:
        for match in matches:
            path = self._path(match)
            record_files.folder_of(path).mkdir(mode=0o700, exist_ok=True)
            record_files.make_folder(path)
            atomic.write(path, match.record, durable=self._plan.durable)

    def _path(self, match: PlayedMatch) -> Path:
        folder = self._plan.folder / record_files.FOLDER
        return record_files.path_of(folder, match.match_id, match.attempt)

    def _take(self, played: PlayedMatch) -> None:
        """Report a match whose record is kept."""
        self._keeping.discard(played.match_id)
        setup, _owners = self._matches[played.match_id]
        report = FinishedMatch(
            setup=setup,
            outcome=played.outcome,
            path=self._path(played),
            sha256=played.sha256,
            started=played.started,
            duration=played.duration,
        )
        self._report(report)

    def _report(self, report: FinishedMatch) -> None:
        setup = report.setup
        future = self._waiting.pop((setup.match_id, setup.attempt), None)
        if future is None:
            return  # it was closed meanwhile
        del self._matches[setup.match_id]
        if report.outcome.ranks:
            self._losses.pop(setup.match_id, None)
        if not future.done():
            future.set_result(report)

    def _lost(self, matches: Sequence[Match], why: str) -> None:
        """Close attempts that were lost with their worker, which is nobody's fault.

        Raises:
            RunFailed: the worker of one was lost too often.
        """
        for setup, owners in matches:
            if not self._is_waited_for(setup):
                continue
            self._losses[setup.match_id] += 1
            if self._losses[setup.match_id] >= MAX_LOSSES:
                raise RunFailed(
                    f"the worker of match {setup.match_id} was lost {MAX_LOSSES} times ({why}): see what the"
                    " machines of the cluster lack, and run it again; nothing is lost"
                )
            self._close(setup, owners)

    def _close(self, setup: MatchSetup, owners: tuple[Owner, ...]) -> None:
        """End an attempt here without a result, with a record that reveals its key."""
        future = self._here.play(setup, owners)
        future.add_done_callback(self._closed)
        self._here.cancel(setup.match_id)

    def _closed(self, over: asyncio.Future[FinishedMatch]) -> None:
        if over.cancelled():
            return
        if isinstance(error := over.exception(), Exception):
            self._failed(error)
        else:
            self._report(over.result())


def _together(needs: Sequence[Needs]) -> dict[str, float]:
    found: Counter[str] = Counter()
    for each in needs:
        own = {"CPU": each.cpus, "GPU": each.gpus, "memory": each.memory, **each.labels}
        for name, amount in own.items():
            found[name] += amount  # type: ignore[assignment]
    return {name: amount for name, amount in found.items() if amount}


@asynccontextmanager
async def distributing(
    plan: Plan,
    keys: KeySource,
    here: Executor,
    *,
    bot_seed: str,
    on_lost: Callable[[Lost], None],
    failed: Callable[[Exception], None],
) -> AsyncIterator[Distributor | None]:
    """Join the cluster of a plan, or start it, and leave it with the context; None for a plan without one.

    Raises:
        RunFailed: there is no such cluster, or it cannot be sent the files of the bots.
        OSError: these cannot be read, or its log cannot be written.
    """
    if plan.ray is None:
        yield None
        return

    def gone(error: ClusterFailed) -> None:
        failed(RunFailed(str(error)))

    processors = plan.ray.processors or cpu_use.COUNT
    log = plan.folder / "logs" / "ray.log"
    try:
        commands = [entry.command for entry in plan.entries if entry.command]
        sent = plan.ray.folders == "sent"
        files = await asyncio.to_thread(bot_files.of_commands, commands, plan.base, sent=sent)
        async with joined(plan.ray.address, log, files, processors=processors, failed=gone) as cluster:
            distributor = Distributor(
                plan,
                cluster,
                keys,
                here,
                bot_seed=bot_seed,
                on_lost=on_lost,
                failed=failed,
            )
            try:
                yield distributor
            finally:
                await distributor.close()
    except (ClusterFailed, bot_files.TooMuch) as error:
        raise RunFailed(str(error)) from None
