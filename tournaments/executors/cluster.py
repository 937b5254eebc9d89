"""A cluster of Ray as the owner of a tournament sees it: batches go there, answers or losses come back."""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

from referee.files import private
from tournaments.executors import silence
from tournaments.executors.bot_files import BotFiles
from tournaments.executors.messages import ClusterRefused, Join, Joined, Task, TaskAnswer
from tournaments.plan.cluster import ray_is_installed
from tournaments.standings import frames

MISSING: Final = (
    "executor = \"ray\" needs Ray, which is not installed: pip install 'fairdeal[ray]', or leave executor out"
)
_COMMAND: Final = (sys.executable, "-m", "tournaments.executors.driver")
# Ray gives what it starts with a cluster 15 seconds to answer, and no setting changes that: ray issue 65983
_STARTS: Final = 3
_JOIN_SECONDS: Final = 120.0  # for the cluster of others to answer: Ray itself tries for a quarter of an hour
_LEAVE_SECONDS: Final = 20.0  # for a cluster that this process has started to end


class ClusterFailed(Exception):
    """The cluster cannot be used, or is gone; the text says why and what to do."""


class BatchLost(Exception):
    """A worker is gone without an answer."""


class Cluster:
    """A cluster that answers; ``failed`` hears of its end.

    ``machines`` are those that play, each with what it has by the names of Ray; ``on_machines`` is called
    when they have changed.
    """

    def __init__(
        self,
        driver: asyncio.subprocess.Process,
        joined: Joined,
        log: Path,
        failed: Callable[[ClusterFailed], None],
    ) -> None:
        self.machines = _playing(joined)
        self.on_machines: Callable[[], None] = lambda: None
        self._driver = driver
        self._log = log
        self._failed = failed
        self._number = 0
        self._waiting: dict[int, asyncio.Future[bytes]] = {}

    @property
    def processors(self) -> int:
        """Return how many there are in all."""
        return int(sum(machine["CPU"] for machine in self.machines))

    def has(self, needs: Mapping[str, float]) -> bool:
        """Return whether a machine has what is needed."""
        return any(
            all(machine.get(name, 0) >= amount for name, amount in needs.items()) for machine in self.machines
        )

    def play(self, batch: bytes, needs: Mapping[str, float]) -> asyncio.Future[bytes]:
        """Give a batch to a worker that has what it needs; the future fails with `BatchLost`."""
        self._number += 1
        future = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        assert self._driver.stdin
        self._driver.stdin.write(frames.written(Task(self._number, batch, needs)))
        return future

    async def listen(self) -> None:
        """Hand out what the cluster answers, until it is gone."""
        with suppress(EOFError, ConnectionError):
            while True:
                message = await _read(self._driver)
                if isinstance(message, Joined):
                    self.machines = _playing(message)
                    self.on_machines()
                    continue
                future = self._waiting.pop(message.number)
                if future.done():  # nobody waits for it any more
                    continue
                if isinstance(message, TaskAnswer):
                    future.set_result(message.played)
                else:
                    future.set_exception(BatchLost(message.text))
        text = f"the connection to the cluster is gone: run it again when it is back; its log: {self._log}"
        self._failed(ClusterFailed(text))


def _playing(joined: Joined) -> list[Mapping[str, float]]:
    """Return the machines that play: the head of a cluster may be one without processors."""
    return [machine for machine in joined.machines if machine.get("CPU")]


@asynccontextmanager
async def joined(
    address: str, log: Path, files: BotFiles, *, processors: int, failed: Callable[[ClusterFailed], None]
) -> AsyncIterator[Cluster]:
    """Join the cluster at an address, or with "local" start one on this machine, which ends with the context.

    ``processors`` are those of a local cluster, ``files`` those of the bots. What Ray says goes to ``log``.
    ``failed`` is called when the connection is lost.

    Raises:
        ClusterFailed: Ray is not installed, or there is no such cluster.
        OSError: the log or the folder of a local cluster cannot be made.
    """
    if not ray_is_installed():
        raise ClusterFailed(MISSING)
    private.make_folder(log.parent)
    why = ""
    for _start in range(_STARTS if address == "local" else 1):
        async with _driver(address, log, files, processors) as driver:
            answer = await _answer(driver, None if address == "local" else _JOIN_SECONDS)
            if isinstance(answer, Joined):
                cluster = Cluster(driver, answer, log, failed)
                listening = asyncio.create_task(cluster.listen())
                try:
                    yield cluster
                finally:
                    listening.cancel()
                return
            why = answer.text.rstrip(". ")
    raise _refused(why, address, log)


@asynccontextmanager
async def _driver(
    address: str, log: Path, files: BotFiles, processors: int
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start the process that speaks to a cluster, and end it with the context."""
    with tempfile.TemporaryDirectory(prefix="fairdeal-", dir=_short(), ignore_cleanup_errors=True) as folder:
        is_local = address == "local"
        environment = silence.silenced(os.environ, Path(folder)) if is_local else dict(os.environ)
        restored = silence.restored(os.environ) if is_local else {}
        with await asyncio.to_thread(open, log, "ab", opener=private.opener) as errors:
            driver = await asyncio.create_subprocess_exec(
                *_COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
                start_new_session=True,  # Ctrl-C at the terminal is for the owner
            )
        try:
            assert driver.stdin
            driver.stdin.write(frames.written(Join(address, Path(folder), processors, restored, files)))
            yield driver
        finally:
            await _leave(driver)


async def _answer(driver: asyncio.subprocess.Process, seconds: float | None) -> Joined | ClusterRefused:
    try:
        async with asyncio.timeout(seconds):
            answer: Joined | ClusterRefused = await _read(driver)
    except (EOFError, ConnectionError):
        return ClusterRefused("it ended without a word")
    except TimeoutError:
        driver.kill()  # it hears nothing while it tries
        return ClusterRefused(f"it said nothing within {seconds:g} s")
    return answer


def _refused(why: str, address: str, log: Path) -> ClusterFailed:
    if address == "local":
        return ClusterFailed(
            f"Ray does not start on this machine, tried {_STARTS} times: {why}; what it starts must answer"
            f" within 15 seconds, so try it when the machine is less busy, or see its log: {log}"
        )
    return ClusterFailed(
        f"no cluster of Ray answers at {address!r}: {why}; see that it runs and that RAY_AUTH_TOKEN or"
        f' RAY_AUTH_TOKEN_PATH has its token, or write address = "local"; the log: {log}'
    )


async def _read(driver: asyncio.subprocess.Process) -> Any:
    """Return the next message.

    Raises:
        EOFError, ConnectionError: there is none.
    """
    assert driver.stdout
    (size,) = frames.HEAD.unpack(await driver.stdout.readexactly(frames.HEAD.size))
    return frames.decoded(await driver.stdout.readexactly(size))


async def _leave(driver: asyncio.subprocess.Process) -> None:
    """Let the driver end, which ends what it has started, and end it if that takes too long."""
    assert driver.stdin
    driver.stdin.close()
    try:
        async with asyncio.timeout(_LEAVE_SECONDS):
            await driver.wait()
    except TimeoutError:
        driver.kill()  # Ray's own watch then ends a cluster that it has started
        await driver.wait()


def _short() -> str | None:
    """Return a folder whose path leaves room for Ray's sockets, None for the usual one."""
    return "/tmp" if len(os.fsencode(tempfile.gettempdir())) > 20 else None
