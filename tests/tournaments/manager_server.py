"""A manager of fake tournaments behind a real socket, and who calls there."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import grpc
import pytest

from fairdeal.v1 import tournament_service_pb2 as pb
from fairdeal.v1 import tournament_service_pb2_grpc as pb_grpc
from referee.core.access import Access, Role
from referee.core.limits import Limits
from referee.core.observer import Observer
from referee.server.listen import listening
from referee.server.slices import Slices
from referee.server.tokens import TokenFile
from tests.tournaments.fake_tournament import Disk, FakeTournament, created
from tests.workspace import PATIENCE
from tournaments.service.manager import Manager
from tournaments.service.service import TournamentService

CUP: Final = """\
game = "hearts"
format = "ladder"
clock = "fast"
entries = [
    { name = "a", remote = true, version = "1" },
    { name = "b", remote = true },
    { name = "c", bot = "greedy" },
    { name = "d", bot = "random" },
]
"""


class Watchful(Observer):
    """Keeps what failed."""

    def __init__(self) -> None:
        self.failures: list[str] = []

    def failed(self, what: str, error: BaseException, match_id: str = "") -> None:
        self.failures.append(f"{what}: {error!r}")


@dataclass(frozen=True, slots=True)
class ServedManager:
    """A manager that is served; ``boss`` is an organiser's token."""

    manager: Manager
    disk: Disk
    tokens: TokenFile
    boss: str
    address: str
    service: TournamentService

    def cup(self, text: str = CUP, name: str = "cup") -> FakeTournament:
        """Make a tournament."""
        made: FakeTournament = created(self.manager, text, name)
        return made


@asynccontextmanager
async def serving(
    folder: Path,
    *,
    address: str = "127.0.0.1:0",
    heartbeat: float = 0,
    tls: Any = None,
    access: Callable[[Access], Access] = lambda tokens: tokens,
) -> AsyncIterator[ServedManager]:
    """Serve a manager while the context lasts: nothing fails there. ``access`` may go before the tokens."""
    tokens = TokenFile(folder / "tokens.json")
    boss = tokens.add("boss", Role.ORGANISER)
    disk = Disk()
    manager = Manager(disk.open, folder / "desk", tokens)
    service = TournamentService(manager, heartbeat, Slices())
    observer = Watchful()
    # all of a referee that a server without bots looks at
    referee: Any = SimpleNamespace(
        core=SimpleNamespace(
            access=access(tokens), limits=Limits(calls_per_second=100_000), observer=observer
        ),
        sessions_over=lambda: asyncio.sleep(0),
    )
    async with listening(referee, address, tls=tls, services=[service]) as at:
        yield ServedManager(manager, disk, tokens, boss, at.address, service)
    assert observer.failures == []


class Organiser:
    """Calls as an organiser, or with another token, or none."""

    def __init__(self, channel: grpc.aio.Channel, boss: str) -> None:
        self.stub: Any = pb_grpc.TournamentServiceStub(channel)
        self.token: str | None = boss

    @property
    def metadata(self) -> Any:
        return grpc.aio.Metadata(("authorization", f"Bearer {self.token}")) if self.token else None

    async def __call__(self, rpc: str, **fields: Any) -> Any:
        """Return the answer to a request with these fields."""
        request = getattr(pb, f"{rpc}Request")(**fields)
        async with asyncio.timeout(PATIENCE):
            return await getattr(self.stub, rpc)(request, metadata=self.metadata)

    async def refused(self, rpc: str, **fields: Any) -> tuple[str, str]:
        """Return the reason and the text of a refusal."""
        error = await self.error(rpc, **fields)
        return dict(tuple(error.trailing_metadata()))["fairdeal-reason"], error.details()

    async def error(self, rpc: str, **fields: Any) -> Any:
        """Return how a call fails."""
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await self(rpc, **fields)
        return caught.value

    def watch(self, name: str = "cup") -> Any:
        """Begin to watch a tournament."""
        return self.stub.WatchTournament(pb.WatchTournamentRequest(tournament=name))


@asynccontextmanager
async def opened(folder: Path, **options: Any) -> AsyncIterator[tuple[ServedManager, Organiser]]:
    async with (
        serving(folder, **options) as served,
        grpc.aio.insecure_channel(served.address) as channel,
    ):
        yield served, Organiser(channel, served.boss)


CUP_STATUS: Final = "cup (hearts, ladder): {}; 7 of 12 matches played, 2 being played\n"
CUP_MESSAGE: Final = pb.Tournament(
    name="cup",
    game="hearts",
    format=pb.TOURNAMENT_FORMAT_LADDER,
    state=pb.TOURNAMENT_STATE_CREATED,
    planned=12,
    issued=10,
    played=7,
    playing=2,
    attempts={"completed": 7},
    matches_per_set=1,
)
ENTRIES: Final = [
    pb.TournamentEntry(
        name="a", version="1", kind=pb.ENTRY_KIND_REMOTE, state=pb.ENTRY_STATE_ACTIVE, present=False
    ),
    pb.TournamentEntry(name="b", kind=pb.ENTRY_KIND_REMOTE, state=pb.ENTRY_STATE_ACTIVE),
    pb.TournamentEntry(name="c", kind=pb.ENTRY_KIND_HOUSE, state=pb.ENTRY_STATE_ACTIVE),
    pb.TournamentEntry(name="d", kind=pb.ENTRY_KIND_HOUSE, state=pb.ENTRY_STATE_ACTIVE),
]


def cup_message(state: Any = pb.TOURNAMENT_STATE_CREATED, owner: str = "") -> pb.Tournament:
    message = pb.Tournament()
    message.CopyFrom(CUP_MESSAGE)
    message.entries.extend(ENTRIES)
    message.state = state
    message.owner = owner
    message.is_running = state == pb.TOURNAMENT_STATE_RUNNING
    return message
