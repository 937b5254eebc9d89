"""What the programs that serve say: lines for people on standard output, logs on standard error."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from referee.core.observer import Observer
from referee.server.logs import Form, Logs, configure, taking_records


@contextmanager
def logs(form: Form, level: int, **fields: object) -> Iterator[Observer]:
    """Write a log while the context lasts; every line has these fields, too."""
    log = configure(sys.stderr, form, level).bind(**fields)
    with taking_records(log):
        yield Logs(log, lambda: time.monotonic_ns() // 1000)


def say(text: str) -> None:
    """Print a line; when nobody reads the output any more, matches go on all the same."""
    try:
        typer.echo(text)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
