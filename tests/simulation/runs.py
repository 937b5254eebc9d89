"""Runs of worlds, each named by its seed."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.simulation.world import World

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
GIVEN: Final = os.environ.get("FAIRDEAL_SIM_SEED")
"""A seed whose world alone is run, with its trace told if it fails."""

_MEMORY: Final = Path("/dev/shm")


class WorldFailed(AssertionError):
    """A world in which something went wrong; the text names its seed and how to run it again."""


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder, in memory where the machine has that: every write of the referee is synced."""
    in_memory = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK)
    folder = Path(tempfile.mkdtemp(prefix="fairdeal-sim-", dir=_MEMORY if in_memory else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def run(seed: int) -> World:
    """Run the world of a seed to its end and return it.

    Raises:
        WorldFailed: something went wrong.
    """
    trace: list[str] = []
    with scratch() as folder:
        world = World(seed, folder, trace.append if GIVEN else None)
        try:
            world.run()
        except Exception as error:
            again = f"FAIRDEAL_SIM_SEED={seed} python -m pytest tests/simulation/test_simulation.py -k seed"
            text = f"seed {seed}: {type(error).__name__}: {error}\nto see all of it: {again}"
            raise WorldFailed("\n".join([*trace, text])) from error
        finally:
            world.drop()
    return world


def trace_of(seed: int) -> list[str]:
    """Return all that happens in the world of a seed, line by line."""
    trace: list[str] = []
    with scratch() as folder:
        world = World(seed, folder, trace.append)
        try:
            world.run()
        finally:
            world.drop()
    return trace
