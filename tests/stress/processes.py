"""Referees and bots in processes of their own, and what is reckoned from what they say."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.stress.pipes import Process

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
"""Whether the counts are those of the long run."""
ROUNDS: Final = range(3 if LONG else 5)
"""How often at most something is measured."""
CALM: Final = {"keepalive_timeout_seconds": 600, "strangers_per_second": 1 << 20}
"""Limits of a referee that takes no bot for gone because the machine stands still, nor many for a flood."""


class Processes:
    """The processes of one test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.processes: list[Process] = []

    async def server(self, cores: str = "", limits: Mapping[str, int] | None = None) -> tuple[Process, str]:
        """Start a referee; return it with its address."""
        folder = self._folder / f"server{len(self.processes)}"
        config = {"folder": str(folder), "limits": {**CALM, **(limits or {})}}
        served = await Process.start("server_under_test", config, cores=cores)
        self.processes.append(served)
        return served, (await served.until("listening"))["address"]

    async def bots(self, address: str, bots: dict[str, list[str]], cores: str = "", **config: Any) -> Process:
        """Start bots, each with the matches that it plays."""
        process = await Process.start("bots", {"address": address, "bots": bots, **config}, cores=cores)
        self.processes.append(process)
        return process

    async def close(self) -> None:
        """End all processes."""
        for process in self.processes:
            await process.stop()


def pairs(count: int, tables: int, name: str = "") -> dict[tuple[str, str], list[str]]:
    """Return so many pairs of entries with the ids of the matches that each plays."""
    return {
        (f"{name}a{pair}", f"{name}b{pair}"): [f"{name}{pair}-{table}" for table in range(tables)]
        for pair in range(count)
    }


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which such a share of all lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
