"""A cluster of Ray on loopback, started in silence by a program of its own: a head, and machines that play.

The program prints a line of JSON: the cluster's addresses, and the processes of its head and raylets. For
each line that it reads it adds a machine. The cluster ends with its standard input.
"""

import json
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.workspace import PATIENCE, Workspace
from tournaments.executors import silence

_OBJECTS = 80 << 20  # bytes: the least that Ray takes
_STARTS = 3  # a busy machine may take longer than the 15 seconds that Ray gives its own processes


class RayCluster:
    """A cluster; ``environment`` is what its users need."""

    def __init__(self, process: subprocess.Popen[str], environment: dict[str, str]) -> None:
        self.environment = environment
        self._process = process
        told = self._line()
        self.address: str = told["address"]
        self.client_address: str = told["client"]  # for those who are on none of its machines
        self.head: int = told["head"]  # the process that knows all machines
        self.raylets: list[int] = told["raylets"]

    def add(self) -> None:
        """Add a machine."""
        assert self._process.stdin
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self.raylets.append(self._line()["raylet"])

    def _line(self) -> Any:
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, "the cluster has ended"
        return json.loads(line)


@contextmanager
def ray_cluster(workspace: Workspace, machines: int, *, client: bool = False) -> Iterator[RayCluster]:
    """Start a cluster whose machines have a processor each, and whose head plays nothing."""
    folder = Path(tempfile.mkdtemp(prefix="fairdeal-", dir="/tmp"))  # sockets below it: a short path
    environment = silence.silenced(workspace.environment, folder)
    environment["RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S"] = str(int(PATIENCE))  # by itself 30
    command = [sys.executable, "-m", "tests.ray_cluster", str(machines), str(int(client))]
    pipe = subprocess.PIPE
    try:
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment, text=True) as process:
            try:
                yield RayCluster(process, environment)
            finally:
                process.communicate()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Start the cluster, and add to it what is asked for."""
    from ray.cluster_utils import Cluster

    cluster: Any = Cluster(shutdown_at_exit=True)

    def started(**how: Any) -> Any:
        how |= {"num_gpus": 0, "include_dashboard": False, "object_store_memory": _OBJECTS}
        for _start in range(_STARTS - 1):
            with suppress(Exception):
                return cluster.add_node(node_ip_address=silence.LOOPBACK, **how)
        return cluster.add_node(node_ip_address=silence.LOOPBACK, **how)

    def raylet(node: Any) -> int:
        return int(node.all_processes["raylet"][0].process.pid)

    machines, client = map(int, sys.argv[1:])
    port = _free() if client else None
    head = started(num_cpus=0, ray_client_server_port=port).all_processes["gcs_server"][0].process.pid
    raylets = [raylet(started(num_cpus=1)) for _machine in range(machines)]
    address = f"ray://{silence.LOOPBACK}:{port}"
    _tell({"address": cluster.address, "client": address, "head": head, "raylets": raylets})
    for _line in sys.stdin:
        _tell({"raylet": raylet(started(num_cpus=1))})


def _tell(value: object) -> None:
    sys.__stdout__.write(json.dumps(value) + "\n")
    sys.__stdout__.flush()


def _free() -> int:
    with socket.socket() as free:
        free.bind((silence.LOOPBACK, 0))
        return int(free.getsockname()[1])


if __name__ == "__main__":
    main()
