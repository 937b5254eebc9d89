"""Ctrl-C for code that has to clean up; elsewhere it ends the process silently."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[None]:
    """Have Ctrl-C raise KeyboardInterrupt while the context lasts."""
    is_main = threading.current_thread() is threading.main_thread()
    if not (is_main and signal.getsignal(signal.SIGINT) is signal.SIG_DFL):
        yield  # Ctrl-C was not changed, or this thread cannot change it
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
