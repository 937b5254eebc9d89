"""The process that follows the results of one tournament for a referee; `Elsewhere` starts it.

First it is given the plan, then it is asked as `frames` says, until its standard input ends.
"""

import asyncio
import sys
from typing import Any, Final

from referee.core.observer import trace_of
from referee.server.slices import Slices
from tournaments.plan.plan import Plan
from tournaments.standings import beside
from tournaments.standings.following import Following
from tournaments.standings.frames import Asked, Part, read, written
from tournaments.store import Store, StoreError

NICE: Final = 5  # whoever plays goes first, but ladders pair by these ratings
_ITEMS: Final = 50  # in a part


class Follower:
    """Answers what a referee asks; ``given`` and ``told`` are the pipes from and to it."""

    def __init__(self, store: Store, plan: Plan, given: Any, told: Any) -> None:
        self._following = Following(store, plan, Slices().run)
        self._given = given
        self._told = told
        self._answers: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Answer until there is no more to answer."""
        try:
            while True:
                asked: Asked = await asyncio.to_thread(read, self._given)
                if not asked.number:
                    self._following.changed(**asked.given)
                    continue
                answer = asyncio.create_task(self._answer(asked))
                self._answers.add(answer)
                answer.add_done_callback(self._answers.discard)
        except EOFError:
            for answer in self._answers:
                answer.cancel()
            await self._following.close()

    async def _answer(self, asked: Asked) -> None:
        try:
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


def main() -> str | None:
    """Follow the results of the plan on standard input, and return what is wrong."""
    plan = beside.asked(NICE)
    try:
        with Store.read(plan) as store:
            asyncio.run(Follower(store, plan, sys.stdin.buffer, sys.stdout.buffer).run())
    except StoreError as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main())
