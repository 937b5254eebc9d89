"""Referees and bots in processes of their own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.stress.stage import Stage


@pytest_asyncio.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    stage = Stage(tmp_path)
    try:
        yield stage
    finally:
        await stage.close()
