"""The command `fairdeal`."""

import atexit
import gc
import signal


def main() -> None:
    """Run the command line; Ctrl-C ends it silently until a command handles signals itself.

    The start is mostly imports, in which an interrupt would print a traceback.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # unless SIGINT is to be ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # what is loaded stays: the collector need not look through it again and again, nor once more at the end
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)
    from tournaments.cli import app

    app.main()
