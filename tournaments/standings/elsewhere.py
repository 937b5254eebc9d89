"""The standings of a tournament with many results, made by a process of their own.

A result takes a millisecond to fold, and is folded again when another one comes late. On the loop of a
referee that would hold up the matches, and in a thread, too, since it holds the interpreter.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Final

from referee.core.observer import trace_of
from tournaments.plan.plan import Plan
from tournaments.standings import beside
from tournaments.standings.following import Rated
from tournaments.standings.frames import HEAD, SILENCE, MethodCall, Part, decoded, written
from tournaments.standings.shapes import Report, Standing

_PROGRAM: Final = "tournaments.standings.follower"


class Elsewhere:
    """Asks the process that follows the results of a plan; it starts when it is first asked.

    Besides what `Followed` says, each call raises `beside.Failed` when the process has failed, was ended or
    hangs: it told on standard error what it knows. It raises OSError when the process cannot be started.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._process: asyncio.subprocess.Process | None = None
        self._starting = asyncio.Lock()
        self._reading: asyncio.Task[None] | None = None
        self._numbers: Iterator[int] = count(1)
        self._waiting: dict[int, asyncio.Future[list[Any]]] = {}
        self._items: dict[int, list[Any]] = {}  # of answers that have begun
        self._is_closed = False
        self.has_answered = False

    def changed(self, serial: int) -> None:
        """See `Followed`."""
        if self._process and self._process.stdin:  # else it finds what is stored
            self._process.stdin.write(written(MethodCall(0, "changed", {"serial": serial})))

    async def ratings(self) -> Rated:
        """See `Followed`."""
        return dict(await self._ask("ratings"))

    async def report(self, *, is_playing: bool) -> Report:
        """See `Followed`."""
        margins, *items = await self._ask("report", is_playing=is_playing)
        standings = tuple(item for item in items if isinstance(item, Standing))
        return Report(standings, dict(items[len(standings) :]), margins)

    async def lines(self, encoded: Callable[[Standing], bytes], *, is_playing: bool) -> list[bytes]:
        """See `Followed`."""
        lines: list[bytes] = await self._ask("lines", encoded=encoded, is_playing=is_playing)
        return lines

    async def close(self) -> None:
        """End the process; another one is not started."""
        self._is_closed = True
        async with self._starting:
            process = self._process
        if process and process.returncode is None:
            process.kill()
            await process.wait()
        if self._reading:
            await asyncio.wait({self._reading})

    async def _ask(self, method: str, **given: Any) -> list[Any]:
        async with self._starting:
            if self._process is None and not self._is_closed:
                self._process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-P", "-m", _PROGRAM),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    process_group=0,  # Ctrl-C is for the server; of its session, so that it can be nice
                )
                assert self._process.stdin and self._process.stdout
                self._process.stdin.write(beside.dumped(self._plan))
                self._reading = asyncio.create_task(self._read(self._process.stdout))
        if self._process is None or self._is_closed or self._reading is None or self._reading.done():
            raise beside.Failed
        number = next(self._numbers)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        assert self._process.stdin
        self._process.stdin.write(written(MethodCall(number, method, given)))
        try:
            items: list[Any] = await answer
            return items
        finally:
            del self._waiting[number]
            self._items.pop(number, None)

    async def _read(self, told: asyncio.StreamReader) -> None:
        try:
            while True:
                async with asyncio.timeout(SILENCE):
                    (size,) = HEAD.unpack(await told.readexactly(HEAD.size))
                    data = await told.readexactly(size)
                self._take(decoded(data))
                await asyncio.sleep(0)  # the loop goes first
        except (asyncio.IncompleteReadError, OSError):  # also of `timeout`
            pass  # it has ended, or hangs
        except Exception as error:  # noqa: BLE001 - whatever cannot be read, the referee goes on without it
            sys.stderr.write(f"{trace_of(error)}\n")
        finally:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(beside.Failed())

    def _take(self, part: Part) -> None:
        if (answer := self._waiting.get(part.number)) is None or answer.done():
            return  # whoever asked has gone
        items = self._items.setdefault(part.number, [])
        items += part.items
        self.has_answered |= not isinstance(part.error, beside.Failed)
        if part.error is not None:
            answer.set_exception(part.error)
        elif part.is_last:
            answer.set_result(items)
