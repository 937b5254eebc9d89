"""The process that speaks to a cluster of Ray for the owner of a tournament: ``python -m`` this module.

Ray changes the process that uses it: it sets handlers for signals, keeps threads, and reads settings from the
environment when it is imported. So it has a process of its own, which ends with its standard input. A
cluster that it has started ends with it, also when it is killed: Ray watches over that.
"""

import os
import re
import shutil
import sys
import threading
import time
from concurrent.futures import Future
from typing import Any, BinaryIO

import ray

from tournaments.executors import worker
from tournaments.executors.messages import ClusterRefused, Join, Joined, Task, TaskAnswer, TaskLost, said
from tournaments.executors.silence import LOOPBACK
from tournaments.standings import frames

_OBJECTS = 128 << 20  # bytes for what tasks return, in shared memory
_LOOK_SECONDS = 2.0  # between two looks at the machines of the cluster
_GRAVE = re.compile(r"\[[^]]* [CEF] .*")  # a line of Ray's own processes: critical, an error, fatal
_MOST_GRAVE = 20  # lines of each process


class _Owner:
    """The owner of the tournament, who hears from several threads."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._one_by_one = threading.Lock()

    def tell(self, message: object) -> None:
        """Send a message; an owner that is gone needs none."""
        with self._one_by_one:
            try:
                self._file.write(frames.written(message))
                self._file.flush()
            except OSError:
                os._exit(1)  # it would wait for tasks that nobody wants


def main() -> None:
    """Join a cluster, and give it tasks until standard input ends."""
    owner = _Owner(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # what Ray prints goes into the log
    asked = sys.stdin.buffer
    join: Join = frames.read(asked)
    try:
        _join(join)
        joined = _joined()
    except Exception as error:  # noqa: BLE001 - Ray has many, and the owner is to hear of each
        _tell_log(join)
        owner.tell(ClusterRefused(said(error)))
        sys.exit(1)
    owner.tell(joined)
    threading.Thread(target=_follow, args=(owner, joined), daemon=True).start()
    # what is lost is played again by the owner, as another attempt; the cluster does nothing twice
    play = ray.remote(max_retries=0)(worker.play)
    # once in the cluster, and from there once to each machine
    archive = ray.put(join.files.archive) if join.files.archive else b""
    files = join.files._replace(archive=b"")
    rest = (dict(join.restored), files, archive)
    while True:
        try:
            task: Task = frames.read(asked)
        except EOFError:
            break
        _submit(play, task, rest, owner)
    ray.shutdown()
    if join.address == "local":
        shutil.rmtree(join.folder, ignore_errors=True)  # an owner that was killed does not do it


def _join(join: Join) -> None:
    if join.address != "local":
        ray.init(join.address, log_to_driver=False)
        return
    ray.init(
        "local",
        num_cpus=join.processors,
        include_dashboard=False,
        object_store_memory=_OBJECTS,
        log_to_driver=False,
        _node_ip_address=LOOPBACK,
        _temp_dir=os.environ["RAY_TMPDIR"],
    )


def _joined() -> Joined:
    cluster: Any = ray
    return Joined(tuple(node["Resources"] for node in cluster.nodes() if node["Alive"]))


def _follow(owner: _Owner, told: Joined) -> None:
    """Tell the owner of the machines of the cluster whenever they have changed."""
    while True:
        time.sleep(_LOOK_SECONDS)
        try:
            joined = _joined()
        except Exception as error:  # noqa: BLE001 - a cluster that is gone is noticed by its tasks
            sys.stderr.write(f"the machines of the cluster are not told: {said(error)}\n")
            continue
        if joined != told:
            told = joined
            owner.tell(joined)


def _tell_log(join: Join) -> None:
    """Tell the log what the processes of a local cluster complain of: their own go with its folder."""
    if join.address != "local":
        return
    for log in sorted(join.folder.rglob("logs/*")):
        if log.is_file() and not log.is_symlink():
            lines = [line for line in log.read_text(errors="replace").splitlines() if _GRAVE.match(line)]
            for line in lines[-_MOST_GRAVE:]:
                sys.stderr.write(f"{log.name}: {line}\n")


def _submit(play: Any, task: Task, rest: tuple[Any, ...], owner: _Owner) -> None:
    needs = dict(task.needs)
    known = {"num_cpus": needs.pop("CPU", 1), "num_gpus": needs.pop("GPU", 0)}
    known["memory"] = needs.pop("memory", 0)

    def over(future: Future[bytes]) -> None:
        if error := future.exception():
            owner.tell(TaskLost(task.number, said(error)))
        else:
            owner.tell(TaskAnswer(task.number, future.result()))

    answer = play.options(**known, resources=needs or None).remote(task.batch, *rest)
    answer.future().add_done_callback(over)


if __name__ == "__main__":
    main()
