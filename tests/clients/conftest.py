"""What the tests of the SDK share: the referee's messages, and a referee on a socket that plays a script."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from grpc import aio

from fairdeal import Card, _connection
from fairdeal._session import Session
from fairdeal.v1 import actions_pb2, cards_pb2, events_pb2, games_pb2, views_pb2
from fairdeal.v1 import play_service_pb2 as play
from tests.workspace import PATIENCE


def numbers(names: str) -> list[int]:
    """Return the wire's numbers of some cards."""
    return [Card(name).number for name in names.split()]


def trick(leader: int, names: str, winner: int | None = None) -> cards_pb2.Trick:
    won = 0 if winner is None else winner + 1
    return cards_pb2.Trick(leader=leader + 1, cards=numbers(names), winner=won)


def requests_of(session: Session) -> list[play.PlayRequest]:
    """Return what a session sends now."""
    return [play.PlayRequest.FromString(frame) for frame in session.take_frames()]


class Tell:
    """Makes updates, short to write."""

    numbers = staticmethod(numbers)
    trick = staticmethod(trick)

    @staticmethod
    def frame(*updates: play.Update) -> bytes:
        return play.PlayResponse(updates=updates).SerializeToString()

    @staticmethod
    def welcome(version: int = 1, **fields: Any) -> play.Update:
        return play.Update(welcome=play.Welcome(version=version, **fields))

    @staticmethod
    def seated(match_id: str = "m1", seat: int = 0, game: str = "hearts", **fields: Any) -> play.Update:
        return play.Update(seated=play.Seated(match_id=match_id, seat=seat + 1, game=game, **fields))

    @staticmethod
    def plays(names: str, match_id: str = "m1", decision_id: int = 1, **fields: Any) -> play.Update:
        """Ask which of some cards is played."""
        legal = actions_pb2.Legal()
        legal.actions.actions.extend(actions_pb2.Action(play_card=number) for number in numbers(names))
        return Tell.decision(legal, match_id, decision_id, **fields)

    @staticmethod
    def choose(
        names: str, minimum: int, maximum: int, match_id: str = "m1", decision_id: int = 1
    ) -> play.Update:
        """Ask which of some cards are chosen."""
        choice = actions_pb2.ChooseCards(cards=numbers(names), minimum=minimum, maximum=maximum)
        return Tell.decision(actions_pb2.Legal(choose_cards=choice), match_id, decision_id)

    @staticmethod
    def decision(
        legal: actions_pb2.Legal, match_id: str = "m1", decision_id: int = 1, **fields: Any
    ) -> play.Update:
        return play.Update(
            decision=play.Decision(match_id=match_id, decision_id=decision_id, legal=legal, **fields)
        )

    @staticmethod
    def happened(event: events_pb2.Event, match_id: str = "m1") -> play.Update:
        return play.Update(happened=play.Happened(match_id=match_id, event=event))

    @staticmethod
    def trick_taken(sequence: int, match_id: str = "m1") -> play.Update:
        """Send an event of a number."""
        taken = events_pb2.TrickTaken(seat=2)
        return Tell.happened(events_pb2.Event(sequence=sequence, trick_taken=taken), match_id)

    @staticmethod
    def closed(decision_id: int = 1, match_id: str = "m1", **fields: Any) -> play.Update:
        return play.Update(closed=play.Closed(match_id=match_id, decision_id=decision_id, **fields))

    @staticmethod
    def refused(match_id: str = "m1", **fields: Any) -> play.Update:
        return play.Update(refused=play.Refused(match_id=match_id, **fields))

    @staticmethod
    def finished(match_id: str = "m1", termination: str = "COMPLETED", **fields: Any) -> play.Update:
        kind = f"TERMINATION_{termination}"
        return play.Update(finished=play.Finished(match_id=match_id, termination=kind, **fields))

    @staticmethod
    def notice(kind: str, text: str = "") -> play.Update:
        return play.Update(notice=play.Notice(kind=f"NOTICE_KIND_{kind}", text=text))

    @staticmethod
    def redirect(address: str) -> play.Update:
        return play.Update(redirect=play.Redirect(address=address))

    @staticmethod
    def seconds(number: float) -> Duration:
        duration = Duration()
        duration.FromNanoseconds(round(number * 1e9))
        return duration

    @staticmethod
    def option(name: str, **value: Any) -> games_pb2.OptionValue:
        return games_pb2.OptionValue(name=name, **value)

    @staticmethod
    def hearts_view(**fields: Any) -> views_pb2.View:
        return views_pb2.View(hearts=views_pb2.HeartsView(**fields))

    @staticmethod
    def two_handed_spades_view(**fields: Any) -> views_pb2.View:
        return views_pb2.View(two_handed_spades=views_pb2.TwoHandedSpadesView(**fields))

    @staticmethod
    def spades_view(**fields: Any) -> views_pb2.View:
        return views_pb2.View(spades=views_pb2.SpadesView(**fields))

    @staticmethod
    def euchre_view(**fields: Any) -> views_pb2.View:
        return views_pb2.View(euchre=views_pb2.EuchreView(**fields))

    @staticmethod
    def piquet_view(**fields: Any) -> views_pb2.View:
        return views_pb2.View(piquet=views_pb2.PiquetView(**fields))

    @staticmethod
    def listed(*actions: Mapping[str, Any]) -> actions_pb2.Legal:
        """Return a list of legal actions, each as the fields of its message."""
        return actions_pb2.Legal(actions={"actions": [actions_pb2.Action(**action) for action in actions]})


class ServerStream:
    """The referee's end of one bot's stream."""

    def __init__(self, context: Any, requests: list[play.PlayRequest]) -> None:
        self._context = context
        self._requests = requests
        self.metadata = dict(context.invocation_metadata())

    async def send(self, *updates: play.Update) -> None:
        """Send one frame."""
        await self._context.write(play.PlayResponse(updates=updates))

    async def next(self) -> play.PlayRequest | None:
        """Return the bot's next frame, None at the end of its stream."""
        request = await self._context.read()
        if request is aio.EOF:
            return None
        self._requests.append(request)
        return request

    async def rest(self) -> list[play.PlayRequest]:
        """Return the bot's frames up to the end of its stream."""
        found = []
        while (request := await self.next()) is not None:
            found.append(request)
        return found

    async def answer(self) -> play.Answer:
        """Return the next answer, the only one of its frame."""
        while (request := await self.next()) and not request.answers:
            pass
        assert request is not None
        [answer] = request.answers
        return answer

    async def lose_answer(self, tell: type[Tell]) -> None:
        """Welcome a bot, seat it, tell it one event and ask it until it has answered."""
        await self.next()
        await self.send(tell.welcome(), tell.seated("m1"), tell.trick_taken(1))
        await self.send(tell.plays("2C 3C"))
        await self.answer()

    async def abort(self, code: grpc.StatusCode, text: str, reason: str) -> None:
        """End the stream with an error."""
        metadata = (("fairdeal-reason", reason), ("fairdeal-incident", "1a2b")) if reason else ()
        await self._context.abort(code, text, metadata)


Script = Callable[[ServerStream], Awaitable[None]]


class ScriptedReferee:
    """A referee that plays a script with each bot that dials in; ``requests`` is what it was sent."""

    def __init__(self) -> None:
        self.address = ""
        self.requests: list[play.PlayRequest] = []
        self.failures: list[BaseException] = []

    def handler(self, script: Script) -> grpc.GenericRpcHandler:
        async def run(_requests: Any, context: Any) -> None:
            try:
                await script(ServerStream(context, self.requests))
            except (AssertionError, AttributeError, LookupError, TypeError, ValueError) as failure:
                self.failures.append(failure)
                raise

        method = grpc.stream_stream_rpc_method_handler(
            run, play.PlayRequest.FromString, play.PlayResponse.SerializeToString
        )
        return grpc.method_handlers_generic_handler("fairdeal.v1.PlayService", {"Play": method})


@asynccontextmanager
async def scripted(
    script: Script, address: str = "127.0.0.1:0", credentials: grpc.ServerCredentials | None = None
) -> AsyncIterator[ScriptedReferee]:
    referee = ScriptedReferee()
    server = aio.server(options=(("grpc.so_reuseport", 0),))
    server.add_generic_rpc_handlers((referee.handler(script),))
    port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    referee.address = address if address.startswith("unix:") else f"127.0.0.1:{port}"
    await server.start()
    try:
        yield referee
    finally:
        await server.stop(None)
        for failure in referee.failures:
            raise failure  # what went wrong in the script says more than what it led to


OpenReferee = Callable[..., AbstractAsyncContextManager[ScriptedReferee]]
"""Opens a referee that says what a script says."""


@pytest.fixture
def tell() -> type[Tell]:
    """Return the maker of updates."""
    return Tell


@pytest.fixture
def referee() -> OpenReferee:
    """Return the starter of scripted referees: a script, and an address or credentials if they matter."""
    return scripted


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the variables of hosted bots out of the tests."""
    names: Sequence[str] = ("ADDRESS", "TOKEN", "ENTRY", "INSTANCE", "SEED", "CA", "CERT", "KEY")
    for name in names:
        monkeypatch.delenv(f"FAIRDEAL_{name}", raising=False)


@pytest.fixture(autouse=True)
def long_goodbye(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait until a bot's last frame has arrived, however busy the machine is."""
    monkeypatch.setattr(_connection, "_GOODBYE_SECONDS", PATIENCE)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an attempt to dial take its time: only the network is to say that nobody is there."""
    monkeypatch.setattr(_connection, "_LEAST_PATIENCE", PATIENCE)


@pytest.fixture
def one_by_one() -> Callable[..., Script]:
    """Return the maker of a script that plays one of some scripts with each stream, in turn."""

    def made(*scripts: Script) -> Script:
        left = list(scripts)

        async def script(stream: ServerStream) -> None:
            await left.pop(0)(stream)

        return script

    return made


@pytest.fixture
def log_lines(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Return what gives the lines that bots have logged."""
    return lambda: [record.getMessage() for record in caplog.records if record.name == "fairdeal"]


@pytest.fixture
def lost() -> Iterator[asyncio.Event]:
    """Return what is set once a bot has logged that its session is lost."""
    event = asyncio.Event()

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "dialling again" in record.getMessage():
                event.set()

    handler, log = Handler(), logging.getLogger("fairdeal")
    log.addHandler(handler)
    yield event
    log.removeHandler(handler)
