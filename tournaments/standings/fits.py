"""Fits of many results, made in a process of their own: in a thread they would hold up a loop."""

import asyncio
import json
import logging
import sys
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeVar

from referee.core.steps import Steps
from tournaments.standings.fold import Standings
from tournaments.standings.frames import SILENCE
from tournaments.standings.orderings import Rated
from tournaments.standings.shapes import NOTHING_FITTED, Skill, Skills

T = TypeVar("T")

_PROGRAM: Final = "tournaments.standings.fitter"

_log: Final = logging.getLogger(__name__)


class _Silent(OSError):
    """The process was given up: it was stopped, perhaps."""


class Fitted(NamedTuple):
    """Skills by fits of the standings at a ``moment``; whole ones do not go on from earlier fits."""

    moment: object = None
    is_whole: bool = False
    skills: Skills = NOTHING_FITTED


class Fits:
    """The latest fits of one tournament, and the process that makes the next ones, one at a time.

    The process lives until `close`, and keeps the matches that it was told and its last fits.
    """

    def __init__(self) -> None:
        self.latest = Fitted()
        self._told: Rated | None = None  # the matches that the process knows
        self._goes_on = False
        self._was_silent = False
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Return whether a fit is being made."""
        return self._task is not None and not self._task.done()

    @property
    def is_slow(self) -> bool:
        """Return whether a fit is being made that does not go on from the latest one."""
        return self.is_busy and not self._goes_on

    def beginning(self, standings: Standings, moment: object, *, whole: bool) -> Steps[None]:
        """Begin a fit of standings, which must not change meanwhile; ``moment`` tells them from others.

        The process is told only the matches that it does not know yet, and everything again when some that it
        knows are withdrawn. A fit that need not be ``whole`` goes on from the last one where there is one.
        """
        told, self._told = self._told, None  # if this is interrupted, everything is told again
        if self._process is None or self._process.returncode is not None:
            told = None
        new = (yield from standings.rated.going_beyond(told)) if told else None
        is_anew = new is None
        terms = standings.terms
        texts = yield from (standings.rated if new is None else new).dumping(terms["names"])
        asked = {**terms, "anew": is_anew, "whole": whole}
        self._told, self._goes_on = standings.rated.copy(), not (is_anew or whole)
        self._task = asyncio.create_task(self._fit(moment, [json.dumps(asked), *texts, ""], is_anew=is_anew))

    async def wait(self) -> None:
        """Wait until no fit is being made; it raises CancelledError when the process is ended."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def close(self) -> None:
        """End the process."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self._end()

    async def _fit(self, moment: object, asked: list[str], *, is_anew: bool) -> None:
        try:
            self.latest = Fitted(moment, *(await self._answer(asked)))
            self._was_silent = False
        except (OSError, ValueError) as error:
            self._told = None
            await self._end()
            _log.warning("the standings are not fitted: %s", error)
            # all is told again to another process, but when that was of no use, the running ratings are shown
            # until there are more results
            is_first_silence = isinstance(error, _Silent) and not self._was_silent
            self._was_silent = isinstance(error, _Silent)
            if is_anew and not is_first_silence:
                self.latest = Fitted(moment, is_whole=True)

    async def _answer(self, asked: list[str]) -> tuple[bool, Skills]:
        """Return whether the fits are whole, and the skills by them."""
        if self._process is None or self._process.returncode is not None:
            self._process = await _started()
        given, taken = self._process.stdin, self._process.stdout
        assert given and taken
        for text in asked:
            given.write(f"{text}\n".encode())
            await _in_time(given.drain())
        head = await _read(taken)
        found: tuple[dict[str, Skill], dict[str, Skill]] = ({}, {})
        for skills, number in zip(found, head["skills"], strict=True):
            for _ in range(number):
                data = await _read(taken)
                name: str = data.pop("name")
                skills[name] = Skill(**data)
                await asyncio.sleep(0)  # the loop goes first
        return head["is_whole"], Skills(*found)

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _started() -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", _PROGRAM),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        process_group=0,  # Ctrl-C at the terminal is for the server; of its session, so that it can be nice
    )


async def _read(lines: asyncio.StreamReader) -> Any:
    while (line := await _in_time(lines.readline())) == b"\n":
        pass  # it is still there
    if not line.endswith(b"\n"):
        raise OSError("their process ended")
    return json.loads(line)


async def _in_time(waiting: Awaitable[T]) -> T:
    try:
        async with asyncio.timeout(SILENCE):
            return await waiting
    except TimeoutError:
        raise _Silent(f"their process says nothing for {SILENCE:g} s, and is ended") from None
