"""The process that follows the results of one tournament for a referee; `Elsewhere` starts it.

First it is given the plan, then it is asked as `frames` says, until its standard input ends.
"""

import asyncio
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, Final

from referee.core.observer import trace_of
from referee.server.slices import Slices
from tournaments.plan.plan import Plan
from tournaments.standings import beside
from tournaments.standings.following import Following
from tournaments.standings.frames import BEAT, MethodCall, Part, read, written
from tournaments.store import Store, StoreError

NICE: Final = 5  # whoever plays goes first, but ladders pair by these ratings
_ITEMS: Final = 50  # in a part


class Follower:
    """Answers what a referee asks; ``given`` and ``told`` are the pipes from and to it.

    ``opened`` returns the store. When that fails, the caller gets the error, and the next call tries again.
    """

    def __init__(self, opened: Callable[[], Store], plan: Plan, given: Any, told: Any) -> None:
        self._opened = opened
        self._plan = plan
        self._following: Following | None = None
        self._given = given
        self._told = told
        self._answers: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Answer until there is no more to answer."""
        beating = asyncio.create_task(self._beat())
        try:
            while True:
                asked: MethodCall = await asyncio.to_thread(read, self._given)
                if asked.number:
                    answer = asyncio.create_task(self._answer(asked))
                    self._answers.add(answer)
                    answer.add_done_callback(self._answers.discard)
                elif self._following:  # else it finds what is stored
                    self._following.changed(**asked.given)
        except EOFError:
            for task in (*self._answers, beating):
                task.cancel()
            if self._following:
                await self._following.close()

    async def _beat(self) -> None:
        with suppress(BrokenPipeError):
            while True:
                await asyncio.sleep(BEAT)
                self._tell(Part(0, []))

    async def _answer(self, asked: MethodCall) -> None:
        try:
            if self._following is None:
                self._following = Following(self._opened(), self._plan, Slices().run)
            items = _items(await getattr(self._following, asked.method)(**asked.given))
            for begin in range(0, len(items) or 1, _ITEMS):
                end = begin + _ITEMS
                self._tell(Part(asked.number, items[begin:end], is_last=end >= len(items)))
                await asyncio.sleep(0)
        except BrokenPipeError:
            pass  # the referee has gone, and its questions end
        except StoreError as error:
            self._tell(Part(asked.number, [], error=type(error)(str(error))))
        except Exception as error:  # noqa: BLE001 - the referee goes on without this process
            sys.stderr.write(f"{trace_of(error)}\n")
            self._tell(Part(asked.number, [], error=beside.Failed()))

    def _tell(self, part: Part) -> None:
        self._told.write(written(part))
        self._told.flush()


def _items(answer: Any) -> list[Any]:
    """Return what an answer is made of; `Elsewhere` puts it together again."""
    if isinstance(answer, list):
        return answer
    if isinstance(answer, dict):
        return [*answer.items()]
    return [answer.margins, *answer.standings, *answer.crosstable.items()]


def main() -> None:
    """Follow the results of the plan on standard input."""
    plan = beside.asked(NICE)
    with ExitStack() as held:
        opened = partial(_held, held, plan)
        asyncio.run(Follower(opened, plan, sys.stdin.buffer, sys.stdout.buffer).run())


def _held(held: ExitStack, plan: Plan) -> Store:
    return held.enter_context(Store.read(plan))


if __name__ == "__main__":
    main()
