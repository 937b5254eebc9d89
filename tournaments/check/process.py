"""The bot under check: a process, started as in a tournament, or a remote bot that connects by itself."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from tournaments.hosting import bot_process
from tournaments.hosting.command import check_command
from tournaments.plan.plan import Hosting
from tournaments.text import last_lines

GRACE: Final = 2.0
"""Seconds from SIGTERM to SIGKILL, as in a tournament."""

SEED: Final = "check-bot"
_LINES: Final = 12  # lines of its output that are shown
_MOST_PRINTED: Final = 8192  # bytes that are read for them
_MOST_STARTS: Final = 100  # a bot that leaves after each match is restarted for each


class CannotStart(Exception):
    """The command cannot be executed; the text is one line for people."""


@dataclass(frozen=True, slots=True)
class Exited:
    """How the bot's process ended.

    ``status`` is text for people, ``code`` the exit status or 128 + the signal; ``output`` are the last lines
    that it printed, ``left`` the processes that it left running.
    """

    status: str
    code: int
    output: tuple[str, ...]
    left: tuple[str, ...]

    @property
    def was_killed(self) -> bool:
        """Return whether it was killed, because it did not obey SIGTERM."""
        return self.code == 128 + signal.SIGKILL

    @property
    def text(self) -> str:
        """Return status and output in one line."""
        if not self.output:
            return f"its process {self.status} and printed nothing"
        return f"its process {self.status}; its last output: {' | '.join(self.output)}"


class CheckedBot(Protocol):
    """The bot under check. ``exited`` is how its process ended, None while it runs or if it is remote."""

    exited: Exited | None

    @property
    def is_ours(self) -> bool:
        """Return whether we have started it and may end it."""

    @property
    def may_start(self) -> bool:
        """Return whether `start` would bring it back."""

    async def start(self) -> None:
        """Start it, or ask the author to.

        Raises:
            CannotStart: the command cannot be executed.
            HostFailed: this machine cannot start it now.
        """

    def printed(self) -> tuple[str, ...]:
        """Return the last lines that it printed, as far as we have them."""

    async def stop(self) -> None:
        """End it with all its processes."""


class CommandBot:
    """A bot that is a command; ``changed`` is called when its process has ended.

    What that has started has ``settle`` seconds to end after it. ``seed`` is that of its draws.
    """

    is_ours = True

    def __init__(
        self,
        command: tuple[str, ...],
        *,
        entry: str,
        instance: str,
        token: str,
        address: str,
        folder: Path,
        settle: float,
        changed: Callable[[], None],
        seed: str = SEED,
    ) -> None:
        self.exited: Exited | None = None
        self.starts = 0
        self._report = folder / "left"
        self._folder = folder
        self._changed = changed
        self._process: bot_process.HostedBot | None = None
        self._watching: asyncio.Task[None] | None = None
        self._words = command
        self._command = bot_process.HostedCommand(
            entry=entry,
            instance=instance,
            command=(
                *(sys.executable, "-P", "-m", "tournaments.check.reaper"),
                *(str(self._report), str(settle)),
                *command,
            ),
            cwd=Path.cwd(),
            environment={
                "FAIRDEAL_ADDRESS": address,
                "FAIRDEAL_TOKEN": token,
                "FAIRDEAL_ENTRY": entry,
                "FAIRDEAL_INSTANCE": instance,
                "FAIRDEAL_SEED": seed,
                "PYTHONUNBUFFERED": "1",
            },
            hosting=Hosting(),
        )

    @property
    def may_start(self) -> bool:
        """Return whether it is not running, and was not started too often."""
        return self._process is None or (self.exited is not None and self.starts < _MOST_STARTS)

    async def start(self) -> None:
        """Start the command.

        Raises:
            CannotStart: it cannot be executed.
            HostFailed: this machine cannot start it now.
        """
        if problem := check_command(self._words, self._command.cwd):
            raise CannotStart(problem)
        self.starts += 1
        self._report.unlink(missing_ok=True)
        former, self.exited = self.exited, None  # other callers wait meanwhile, and do not start it again
        try:
            self._process = await bot_process.start(self._command, self._folder)
        except BaseException as error:
            self.exited = former  # a start that failed, or was cancelled, leaves nothing that runs
            if isinstance(error, bot_process.HostingError) and not isinstance(error, bot_process.HostFailed):
                raise CannotStart(str(error)) from None
            raise
        self._watching = asyncio.create_task(self._watch(self._process))

    def printed(self) -> tuple[str, ...]:
        """Return the last lines that it printed in all its runs, made safe for a terminal."""
        log = self._folder / self._command.log
        with suppress(OSError):  # there is no log, or the bot has broken it
            lines = log.read_bytes()[-_MOST_PRINTED:].splitlines()
            return last_lines(b"\n".join(line for line in lines if not line.startswith(b"--- ")), _LINES)
        return ()

    async def stop(self) -> None:
        """End it with all its processes: SIGTERM, and SIGKILL after the grace."""
        if self._process and self._watching:
            await self._process.stop(GRACE)
            await self._watching

    async def _watch(self, process: bot_process.HostedBot) -> None:
        ended = await process.wait()
        status = ended.status
        left: tuple[str, ...] = ()
        with suppress(FileNotFoundError):  # the reaper was killed with it
            left = tuple(self._report.read_text(errors="replace").splitlines())
        if left and left[0].startswith("failed "):
            status = f"could not be executed ({os.strerror(int(left[0].removeprefix('failed ')))})"
            left = ()
        self.exited = Exited(status, ended.code, ended.last_output, left)
        self._changed()


class RemoteBot:
    """A remote bot, which its author starts; ``ask`` is called when it is wanted."""

    is_ours = False

    def __init__(self, ask: Callable[[], None]) -> None:
        self.exited: Exited | None = None
        self._ask = ask

    @property
    def may_start(self) -> bool:
        """Return True: it can be asked for at any time."""
        return True

    def printed(self) -> tuple[str, ...]:
        """Return nothing: its output goes elsewhere."""
        return ()

    async def start(self) -> None:
        """Ask the author to start it."""
        self._ask()

    async def stop(self) -> None:
        """Do nothing: its author ends it."""
