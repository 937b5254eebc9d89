"""Where referees under test listen."""

import os
import socket
from typing import Any

from tests.draws import draw


def free_port(key: object) -> int:
    """Return a port that stays free while a referee is down.

    It is none of those that the system gives to who dials, or who asks for any port, nor one that tests
    which run at the same time may choose.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    for number in range(100):
        port = 20_000 + 1_000 * (worker % 10) + draw(1_000, os.getpid(), key, number)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise AssertionError("no port is free")


def listening(workspace: Any, *words: object, address: str = "127.0.0.1:0") -> tuple[Any, str]:
    """Start `fairdeal serve` without haste, which logs errors only; return the process and its address."""
    serving = workspace.start(
        "serve", "--listen", address, "--log-level", "error", "--clock", "debug", *words
    )
    return serving, serving.says(r"listens on (\S+);")[1]
