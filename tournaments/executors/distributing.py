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
from tournaments.running.executor import Executor, Machines
from tournaments.running.hosted import Lost
from tournaments.running.progress import RunFailed

MAX_LOSSES: Final = 5
"""How often the worker of a match may be lost: it is the match, or its bots, that end it."""
_AHEAD: Final = 2  # batches for each processor, so that none of them waits for the next one

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
        self._losses: Counter[str] = Counter()
        self._fitting: set[frozenset[tuple[str, float]]] = set()  # needs that a machine had
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def machines(self) -> Machines:
        """Return the machines as they are now."""
        return Machines(len(self._cluster.machines), self._cluster.processors, len(self._waiting))

    @property
    def room(self) -> int:
        """Return how many more matches it takes now."""
        return max(1, self._cluster.processors) * _AHEAD * self._rules.batch - len(self._waiting)

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
        """End a match without a result; what a worker says of it later is not heard."""
        if match_id in self._matches:
            self._close(*self._matches[match_id])

    def flush(self) -> None:
        """Give what is queued to workers: evenly, and matches with the same needs together."""
        queue = [each for each in self._queue if self._is_waited_for(each[0])]
        self._queue.clear()
        by_needs: dict[tuple[tuple[str, float], ...], list[Match]] = {}
        for each in queue:
            by_needs.setdefault(tuple(sorted(self._needs(each[0]).items())), []).append(each)
        for needs, matches in by_needs.items():
            size = -(-len(matches) // max(1, self._cluster.processors))
            size = min(size, self._rules.batch)
            for first in range(0, len(matches), size):
                task = asyncio.create_task(self._batch(matches[first : first + size], dict(needs)))
                self._tasks.add(task)
                task.add_done_callback(self._batch_over)

    async def close(self) -> None:
        """Wait for no batch any more."""
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

    async def _batch(self, matches: list[Match], needs: Mapping[str, float]) -> None:
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
            answer = await self._cluster.play(packed(batch), needs)
        except BatchLost as error:
            self._lost(matches, str(error))
            return
        played: PlayedBatch = pickle.loads(answer)
        for lost in played.lost:
            self._on_lost(lost)
        for match in played.matches:
            await self._take(match)
        left = [each for each in matches if self._is_waited_for(each[0])]
        if played.failed:
            raise RunFailed(f"a worker cannot play: {played.failed}")
        if left:
            self._lost(left, "it was not among what the worker answered")

    def _check(self, setup: MatchSetup, needs: Mapping[str, float]) -> None:
        """Refuse what no machine has, for which the cluster would wait in vain.

        Raises:
            RunFailed: there is no such machine, and there was none.
        """
        key = frozenset(needs.items())
        if key in self._fitting or not self._cluster.machines:  # lost machines may come back
            return
        if not self._cluster.has(needs):
            names = " and ".join(dict.fromkeys(setup.entries))
            wanted = ", ".join(f"{name} {amount:g}" for name, amount in needs.items())
            raise RunFailed(
                f"no machine of the cluster has what the bots of {names} need together ({wanted}): add one"
                " that has, or ask for less in the resources of these entries"
            )
        self._fitting.add(key)

    async def _take(self, played: PlayedMatch) -> None:
        """Keep the record of a match that is waited for, and report it."""
        key = played.match_id, played.attempt
        if key not in self._waiting:
            return
        setup, _owners = self._matches[played.match_id]
        path = record_files.path_of(self._plan.folder / record_files.FOLDER, *key)
        if hashlib.sha256(played.record).hexdigest() != played.sha256:
            self._lost([self._matches[played.match_id]], "its record came back damaged")
            return
        await asyncio.to_thread(_write, path, played.record, self._plan.durable)
        report = FinishedMatch(
            setup=setup,
            outcome=played.outcome,
            path=path,
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


def _write(path: Path, record: bytes, durable: bool) -> None:
    record_files.folder_of(path).mkdir(mode=0o700, exist_ok=True)
    record_files.make_folder(path)
    atomic.write(path, record, durable=durable)


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
