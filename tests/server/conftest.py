"""A referee behind a real socket, and bots at the level of frames that say what they like."""

import asyncio
import dataclasses
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
import pytest_asyncio

import fairdeal
from fairdeal.v1 import match_service_pb2 as match_pb
from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Access, Trusting
from referee.core.core import Core, OpenTable
from referee.core.limits import Limits
from referee.core.observer import UNOBSERVED, Observer
from referee.core.session import Session
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import KeySource, SeededKeys
from referee.games.registry import GAMES
from referee.match.clock import PROFILES, ClockSettings
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy
from referee.server.listen import Service, listening
from referee.server.runtime import REJOIN_GRACE, FinishedMatch, Referee
from referee.server.tls import Tls
from referee.storage.journal import Journal
from tests.workspace import PATIENCE

PLAY: Final = "/fairdeal.v1.PlayService/Play"
LIST_GAMES: Final = "/fairdeal.v1.MatchService/ListGames"
# none of the times that are limited runs out, or has a frame sent, however slow the machine is
UNHURRIED: Final = Limits(
    hello_seconds=3600,
    idle_seconds=86_400,
    heartbeat_seconds=3600,
    keepalive_timeout_seconds=3600,
    handshake_seconds=3600,
)

# nor does anything that is counted by the second run out, however fast it is
UNLIMITED: Final = dataclasses.replace(
    UNHURRIED,
    calls_per_second=1 << 20,
    strangers_per_second=1 << 20,
    hellos_per_second=1 << 20,
    hellos_awaited=1 << 20,
    frames_per_second=1 << 20,
    answers_per_second=1 << 20,
    bytes_per_second=1 << 30,
)


def microseconds() -> int:
    return time.monotonic_ns() // 1000


class HeldClock:
    """A clock in microseconds that stands until it is let go, and goes with real time from then on."""

    def __init__(self) -> None:
        self._since: int | None = None

    def __call__(self) -> int:
        return 0 if self._since is None else microseconds() - self._since

    def let_go(self) -> None:
        self._since = microseconds()


class WatchedReferee(Referee):
    """A referee whose sessions can be waited for."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sessions: list[weakref.ref[Session]] = []
        self._gone = 0
        self._changed = asyncio.Event()

    def connect(self, token: str | None, wake: Callable[[], None], peer: str = "") -> Session:
        session = super().connect(token, wake, peer)
        self.sessions.append(weakref.ref(session))
        self._changed.set()
        return session

    def disconnect(self, session: Session) -> None:
        super().disconnect(session)
        self._gone += 1
        self._changed.set()

    async def come(self, count: int = 1) -> None:
        """Wait until so many sessions in all have come."""
        await self._until(lambda: len(self.sessions) >= count)

    async def gone(self, count: int = 1) -> None:
        """Wait until so many sessions in all have come and gone."""
        await self._until(lambda: self._gone >= count)

    async def _until(self, seen: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not seen():
                self._changed.clear()
                await self._changed.wait()


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ended, as a client sees it."""

    code: grpc.StatusCode
    text: str
    reason: str
    incident: str


class Caller:
    """A bot at the level of frames; ``heard`` are all updates that it has read."""

    def __init__(self, address: str, authorization: str | None = None) -> None:
        self.channel = grpc.aio.insecure_channel(address)
        metadata = grpc.aio.Metadata(("authorization", authorization)) if authorization else None
        self.call: Any = self.channel.stream_stream(PLAY)(metadata=metadata)
        self.frames: list[pb.PlayResponse] = []
        self.heard: list[pb.Update] = []

    async def send(self, frame: bytes) -> None:
        """Send a frame; a stream that is over takes none, and `end` tells why."""
        async with asyncio.timeout(PATIENCE):
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await self.call.write(frame)

    async def say(self, **fields: Any) -> None:
        """Send a frame with these fields of a PlayRequest; it acknowledges all frames read."""
        frame = pb.PlayRequest(**{"frames_received": len(self.frames), **fields})
        await self.send(frame.SerializeToString())

    async def hello(self, entry: str, **fields: Any) -> pb.Welcome:
        """Say hello and return the welcome."""
        await self.say(hello=pb.Hello(**{"versions": [1], "entry": entry, "tables": 16, **fields}))
        welcome: pb.Welcome = await self.until("welcome")
        return welcome

    async def hear(self) -> pb.PlayResponse | None:
        """Read a frame; None at the end of the stream."""
        async with asyncio.timeout(PATIENCE):
            data = await self.call.read()
        if data is grpc.aio.EOF:
            return None
        frame = pb.PlayResponse.FromString(data)
        self.frames.append(frame)
        self.heard.extend(frame.updates)
        return frame

    def of(self, kind: str) -> list[Any]:
        """Return the updates of a kind that were heard, without their wrapping."""
        return [getattr(update, kind) for update in self.heard if update.HasField(kind)]

    async def until(self, kind: str, count: int = 1) -> Any:
        """Read until so many updates of a kind were heard in all, and return the last one."""
        while len(self.of(kind)) < count:
            assert await self.hear(), f"the stream ended without {kind}"
        return self.of(kind)[-1]

    async def ready(self, matches: int = 1) -> None:
        """Wait for so many seats and take them all, in one frame."""
        await self.until("seated", matches)
        await self.say(ready=[pb.Ready(match_id=seated.match_id) for seated in self.of("seated")])

    async def taken(self) -> None:
        """Wait until the referee has taken all that was said: it refuses an answer that was said last."""
        refusals = len(self.of("refused"))
        await self.say(answers=[pb.Answer(match_id="no such match")])
        await self.until("refused", refusals + 1)

    async def answer(self, index: int = 0) -> None:
        """Answer the decision that was heard last by a position in its list."""
        decision = self.of("decision")[-1]
        answer = pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id, index=index)
        await self.say(answers=[answer])

    async def end(self) -> Ending:
        """Read to the end of the stream and return how it ended."""
        try:
            while await self.hear():
                pass
        except grpc.aio.AioRpcError:
            pass  # what it says stands in the call too
        async with asyncio.timeout(PATIENCE):
            trailing = dict(tuple(await self.call.trailing_metadata() or ()))
            code, text = await self.call.code(), await self.call.details()
        return Ending(code, text, trailing.get("fairdeal-reason", ""), trailing.get("fairdeal-incident", ""))


@dataclass(slots=True)
class RunningServer:
    """A referee that is served, and what can be seen of it from around."""

    referee: WatchedReferee
    folder: Path
    address: str = ""
    drain: Callable[[], Awaitable[None]] | None = None
    arrived: list[Any] = field(default_factory=list)
    reports: list[FinishedMatch] = field(default_factory=list)
    callers: list[Caller] = field(default_factory=list)

    def caller(self, authorization: str | None = None) -> Caller:
        """Return a bot that has dialled and said nothing yet."""
        caller = Caller(self.address, authorization)
        self.callers.append(caller)
        return caller

    async def guest(self, entry: str, **hello: Any) -> Caller:
        """Return a bot that was welcomed."""
        caller = self.caller()
        await caller.hello(entry, **hello)
        return caller

    async def list_games(self, data: bytes = b"") -> match_pb.ListGamesResponse:
        """Ask for the games; ``data`` is the request."""
        async with grpc.aio.insecure_channel(self.address) as channel, asyncio.timeout(PATIENCE):
            ask: Any = channel.unary_unary(LIST_GAMES)
            return match_pb.ListGamesResponse.FromString(await ask(data))

    @property
    def journal(self) -> bytes:
        """Return all that stands in the journal."""
        return b"".join(path.read_bytes() for path in sorted((self.folder / "journal").iterdir()))


def server_tasks() -> set[asyncio.Task[Any]]:
    """Return the tasks that run, except those of gRPC's clients."""
    return {task for task in asyncio.all_tasks() if "_AioCall." not in repr(task)}


@asynccontextmanager
async def serving(
    folder: Path,
    *,
    address: str = "127.0.0.1:0",
    keys: KeySource | None = None,
    access: Access = Trusting(),  # noqa: B008 - holds nothing
    open_tables: Sequence[OpenTable] = (),
    durable: bool = False,
    on_opened: Callable[[MatchSetup], None] = lambda setup: None,
    limits: Limits = UNHURRIED,
    observer: Observer = UNOBSERVED,
    tls: Tls | None = None,
    services: Callable[[WatchedReferee], Sequence[Service]] | None = None,
    blocked: Callable[[], Collection[str]] = frozenset,
    rejoin_grace: int = REJOIN_GRACE,
    now: Callable[[], int] = microseconds,
) -> AsyncIterator[RunningServer]:
    """Serve a referee while the context lasts; it leaves no task behind."""
    before = server_tasks()
    (folder / "records").mkdir(parents=True, exist_ok=True)
    given = keys or SeededKeys("spring")
    ids = iter(range(1_000))
    arrived: list[str] = []
    reports: list[FinishedMatch] = []
    referee = WatchedReferee(
        Core(
            deals=lambda setup, rules: MatchDeals(setup, rules, given),
            access=access,
            server="referee/test",
            open_tables=open_tables,
            new_match_id=lambda game: f"{game}-{next(ids)}",
            limits=limits,
            observer=observer,
            blocked=blocked,
        ),
        keys=given,
        journal=Journal(folder / "journal", durable=durable),
        records=folder / "records",
        now=now,
        rejoin_grace=rejoin_grace,
        on_arrived=arrived.append,
        on_opened=on_opened,
        on_finished=reports.append,
    )
    served = RunningServer(referee, folder, arrived=arrived, reports=reports)
    try:
        chosen = services(referee) if services else None
        async with listening(referee, address, tls=tls, services=chosen) as at:
            served.address, served.drain = at.address, at.drain
            try:
                yield served
            finally:
                for caller in served.callers:
                    await caller.channel.close()
    finally:
        await referee.close()
    if left := server_tasks() - before:
        await asyncio.wait(left, timeout=PATIENCE)
    assert server_tasks() <= before, "the server left tasks behind"


Serve = Callable[..., AbstractAsyncContextManager[RunningServer]]
"""Serves a referee in this process."""
Setup = Callable[..., MatchSetup]
"""Sets a match up."""


def match_setup(
    game: str = "two_handed_spades",
    match_id: str = "m-1",
    *,
    entries: Iterable[str] = "abcd",
    deals: int | None = 1,
    clock: ClockSettings = PROFILES["debug"],
    faults: FaultPolicy = FaultPolicy(),  # noqa: B008 - immutable
    **options: object,
) -> MatchSetup:
    """Return a match of the first entries that are given, as many as it has seats."""
    rules = GAMES[game]
    return MatchSetup(
        match_id=match_id,
        game=game,
        options=rules.bind(options),
        deals=deals,
        entries=tuple(entries)[: rules.seats],
        clock=clock,
        faults=faults,
    )


class Chancer:
    """A bot of the SDK that answers by chance, and keeps what it was told of its matches."""

    def __init__(self) -> None:
        self.seated: dict[str, fairdeal.Seated] = {}
        self.finished: dict[str, fairdeal.Finished] = {}

    def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
        legal = decision.legal
        if isinstance(legal, fairdeal.LegalChoice):
            return decision.chance.choose(legal.cards, legal.minimum, legal.maximum)
        if isinstance(legal, fairdeal.LegalCombinations):
            return decision.chance.choose(legal.combinations, legal.minimum, legal.maximum)
        return decision.chance.choice(legal.actions)

    def on_seated(self, seated: fairdeal.Seated) -> None:
        self.seated[seated.id] = seated

    def on_finished(self, finished: fairdeal.Finished) -> None:
        self.finished[finished.match.id] = finished


# These are classes and functions, which keep nothing: hence they may serve a whole session


@pytest.fixture(scope="session")
def chancer() -> type[Chancer]:
    return Chancer


@pytest.fixture
def held_clock() -> HeldClock:
    return HeldClock()


@pytest.fixture(scope="session")
def setup() -> Setup:
    return match_setup


@pytest_asyncio.fixture
async def open_caller() -> AsyncIterator[Callable[[str], Caller]]:
    """Return a function that dials an address for a bot that outlives the server."""
    async with AsyncExitStack() as stack:

        def dial(address: str) -> Caller:
            caller = Caller(address)
            stack.push_async_callback(caller.channel.close)
            return caller

        yield dial


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Return a function that serves a referee, in a folder of the test's own unless one is given."""
    names = iter(range(1_000))
    yield lambda folder=None, **options: serving(folder or tmp_path / f"server{next(names)}", **options)
