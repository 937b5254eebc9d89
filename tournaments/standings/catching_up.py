"""The process that folds many results into a checkpoint: here it would hold up the loop of a referee."""

import asyncio
import io
import logging
import os
import pickle
import sys
from types import MappingProxyType
from typing import Any, Final

from tournaments.plan.plan import Plan
from tournaments.standings.live import Live
from tournaments.store import Store, StoreError

_PROGRAM: Final = "tournaments.standings.catching_up"
_FAILED: Final = "results are folded by the referee itself: the process for that has failed"
_NICE: Final = 15  # whoever plays goes first

_log: Final = logging.getLogger(__name__)


async def catch_up(plan: Plan) -> None:
    """Let a process of its own fold all results of a store, and keep a checkpoint there.

    A failure is logged: then the next report folds what the last checkpoint lacks.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", _PROGRAM),
            stdin=asyncio.subprocess.PIPE,
            process_group=0,  # Ctrl-C is for the server; of its session, so that it can be nice
        )
    except OSError as error:
        _log.warning("%s (%s)", _FAILED, error.strerror)
        return
    try:
        await process.communicate(_dumped(plan))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        _log.warning(_FAILED)


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: object) -> Any:
        return (_read_only, (dict(value),)) if isinstance(value, MappingProxyType) else NotImplemented


def _read_only(values: dict[str, Any]) -> MappingProxyType[str, Any]:
    return MappingProxyType(values)


def _dumped(plan: Plan) -> bytes:
    written = io.BytesIO()
    _Pickler(written).dump(plan)
    return written.getvalue()


def main() -> str | None:
    """Fold the results of the plan on standard input, and return what is wrong."""
    os.nice(_NICE)
    plan: Plan = pickle.load(sys.stdin.buffer)
    try:
        with Store.read(plan) as store:
            Live(store, plan).folded()
    except StoreError as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main())
