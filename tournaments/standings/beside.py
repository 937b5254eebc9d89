"""Work on a plan in a process of its own: here it would hold up the loop of a referee.

The plan and the answer are pickled: both processes are of this program.
"""

import asyncio
import io
import os
import pickle
import sys
from collections.abc import Callable
from threading import Thread
from types import MappingProxyType
from typing import Any, Final

from tournaments.plan.plan import Plan
from tournaments.store import Store, StoreError

NICE: Final = 15  # whoever plays goes first


class Failed(Exception):
    """The process has failed, or was ended; it told on standard error what it knows."""


async def answer(program: str, plan: Plan) -> bytes:
    """Start a module as a program with a plan, and return what it writes; it ends when this is cancelled.

    Raises:
        Failed: its exit status is not 0.
        OSError: it cannot be started.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", program),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        process_group=0,  # Ctrl-C is for the server; of its session, so that it can be nice
    )
    assert process.stdin and process.stdout
    try:
        # its input stays open, so that it ends when this process does
        process.stdin.write(dumped(plan))
        written = await process.stdout.read()
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise Failed
    return written


def asked(nice: int = NICE) -> Plan:
    """Return the plan that the program was given, and let others go first."""
    os.nice(nice)
    plan: Plan = pickle.load(sys.stdin.buffer)
    return plan


def asked_once() -> Plan:
    """Return the only thing that the program is asked, see `asked`; it ends with the process that asks."""
    plan = asked()
    Thread(target=_end_with_input, daemon=True).start()
    return plan


def answer_of_store(make: Callable[[Plan, Store], object]) -> str | None:
    """Answer what the program is asked once with what is made of the plan's store, pickled.

    Returns what is wrong with the store, for `sys.exit`.
    """
    plan = asked_once()
    try:
        with Store.read(plan) as store:
            made = make(plan, store)
    except StoreError as error:
        return str(error)
    sys.stdout.buffer.write(pickle.dumps(made))
    return None


def _end_with_input() -> None:
    # past the buffer, whose lock would be held when the program ends by itself
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: object) -> Any:
        return (_read_only, (dict(value),)) if isinstance(value, MappingProxyType) else NotImplemented


def _read_only(values: dict[str, Any]) -> MappingProxyType[str, Any]:
    return MappingProxyType(values)


def dumped(plan: Plan) -> bytes:
    """Return a plan as it is given to such a program."""
    written = io.BytesIO()
    _Pickler(written).dump(plan)
    return written.getvalue()
