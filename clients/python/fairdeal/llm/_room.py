"""Room for so many calls at once, shared by all processes that call a provider from the same folder."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from fairdeal.errors import BadSetting

_LOOK_SECONDS: Final = 0.1  # between looks at whether another process has ended a call


class Room:
    """Lets at most ``number`` calls to ``provider`` run at once; with a ``folder``, in all its processes.

    A place is a lock on a file, which the operating system takes back from a process that ends.

    Raises:
        BadSetting: the folder cannot be used, or this system has no such locks.
    """

    def __init__(self, provider: str, number: int, folder: Path | None = None) -> None:
        self._inside = asyncio.Semaphore(number)
        self._paths: list[Path] = []
        if folder is None:
            return
        name = hashlib.sha256(provider.encode()).hexdigest()[:16]
        self._paths = [folder / f"{name}.{place}.lock" for place in range(number)]
        try:
            import fcntl  # noqa: F401 - on Unix

            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._paths[0], os.O_RDWR | os.O_CREAT, 0o600))
        except ImportError:
            raise BadSetting("--folder: this system has no locks on files: leave it out") from None
        except OSError as error:
            raise BadSetting(f"--folder {folder}: {error.strerror}") from None

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a place, and keep it while the context lasts."""
        async with self._inside:
            if not self._paths:
                yield
                return
            while (held := self._taken()) is None:  # noqa: ASYNC110 - other processes set no event
                await asyncio.sleep(_LOOK_SECONDS)
            try:
                yield
            finally:
                os.close(held)

    def _taken(self) -> int | None:
        """Return a file with a lock, None when all places are taken."""
        import fcntl

        for path in self._paths:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
            else:
                return file
        return None
