"""Referees and bots in processes of their own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.stress.processes import Processes


@pytest_asyncio.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    processes = Processes(tmp_path)
    try:
        yield processes
    finally:
        await processes.close()
