"""What a process that computes for another one does first; no process is started."""

import os
import signal
import threading
from types import SimpleNamespace

import pytest

from tournaments import worker_pool


def test_it_ignores_ctrl_c_stands_back_and_ends_with_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []

    def ended(status: int) -> None:
        done.append(f"ended with {status}")

    parent = SimpleNamespace(join=lambda: done.append("the parent is over"))
    with monkeypatch.context() as patch:
        patch.setattr(signal, "signal", lambda number, how: done.append((number, how)))
        patch.setattr(os, "nice", lambda by: done.append(f"nice {by}"))
        patch.setattr(os, "_exit", ended)
        patch.setattr(worker_pool, "parent_process", lambda: parent)
        worker_pool._begin(7)
        for each in threading.enumerate():
            if each.name.endswith("(_end_with_parent)"):
                each.join()
    assert done == [(signal.SIGINT, signal.SIG_IGN), "nice 7", "the parent is over", "ended with 1"]
