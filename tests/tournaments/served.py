"""Programs that serve, as tests have them: in this process, without a network."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Trusting
from referee.core.limits import Limits
from referee.core.observer import UNOBSERVED
from referee.server.listen import Listening
from tests.tournaments.cup import HeldBot
from tests.workspace import ALONE
from tournaments.plan.plan import Server
from tournaments.serving.many_tournaments import ManyTournaments


def serving(folder: Path, say: Callable[[str], None]) -> ManyTournaments:
    """Return the settings of a server of the tournaments in a folder; ``say`` gets its lines."""
    return ManyTournaments(
        folder=folder,
        server=Server(),
        access=Trusting(),
        tokens=None,
        limits=Limits(),
        durable=False,
        drain=0,
        allow_commands=False,
        observer=UNOBSERVED,
        say=say,
    )


class Visitor(HeldBot):
    """A bot that is held until its `open` is set, and leaves when the referee is about to."""

    def __init__(self, *wishes: Any, **also: Any) -> None:
        super().__init__(*wishes, **also)
        self.is_told_to_leave = False
        self.open.clear()

    async def _answer(self, frame: pb.PlayResponse) -> None:
        kinds = [update.notice.kind for update in frame.updates if update.HasField("notice")]
        self.is_told_to_leave |= pb.NOTICE_KIND_DRAINING in kinds
        await super()._answer(frame)


class Lines(list[str]):
    """What a program has said; a test waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = asyncio.Event()

    def say(self, line: str) -> None:
        self.append(line)
        self._changed.set()

    def with_text(self, text: str) -> list[str]:
        return [line for line in self if text in line]

    async def has(self, text: str) -> str:
        async with asyncio.timeout(ALONE):
            while not self.with_text(text):
                self._changed.clear()
                await self._changed.wait()
        return self.with_text(text)[0]


@asynccontextmanager
async def nowhere(*_referee: object, **_options: object) -> AsyncIterator[Listening]:
    """Listen at no address: bots open their sessions at the referee itself."""

    async def drain() -> None:
        pass

    yield Listening("127.0.0.1:1", drain)
