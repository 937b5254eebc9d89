"""Processes that compute for this one, and end with it, however it ends."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process


@contextmanager
def worker_pool(workers: int, *, niceness: int = 0) -> Iterator[ProcessPoolExecutor]:
    """Start as many processes as there is work for, at most ``workers``; they end when the context does.

    They ignore Ctrl-C, which is for the process that started them. Work that is not done then is dropped,
    also in the middle: it may be long, or read something that never ends.
    """
    others = set(active_children())
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin, (niceness,))
    try:
        yield pool
    finally:
        for process in set(active_children()) - others:
            process.terminate()
        pool.shutdown(cancel_futures=True)  # waits for them


def _begin(niceness: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(niceness)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
