"""The cheap client: many streams in one process, whose bots draw a legal answer and look at nothing else."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable
from random import Random
from typing import Final

from fairdeal.v1 import play_service_pb2 as play
from tournaments.bench.echo import METHOD as ECHO
from tournaments.bench.http2 import open_stream

PLAY: Final = "/fairdeal.v1.PlayService/Play"


class Delays:
    """How long after an answer the next question came, in seconds, at the tables of all streams."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._answered: dict[str, float] = {}
        self._seen: list[float] = []

    def asked(self, table: str) -> None:
        """Note that a question came."""
        if (began := self._answered.pop(table, None)) is not None:
            self._seen.append(self._clock() - began)

    def answered(self, table: str) -> None:
        """Note that an answer goes out."""
        self._answered[table] = self._clock()

    def take(self) -> list[float]:
        """Return what was seen since the last call, sorted."""
        seen, self._seen = sorted(self._seen), []
        return seen


class CardPlayer:
    """The bot of one stream: frames in, frames out."""

    def __init__(self, entry: str, tables: int, delays: Delays, *, events: bool = False) -> None:
        hello = play.Hello(versions=[1], entry=entry, tables=tables, events=events, redirects=True)
        hello.agent = "fairdeal-bench"
        self.sent_to: str | None = None
        self.entry: Final = entry
        self.first: Final = [play.PlayRequest(hello=hello).SerializeToString()]
        self.decisions = 0
        self._frames = 0
        self._delays = delays
        self._draw = Random(entry).random

    def hear(self, messages: list[bytes]) -> Iterable[bytes]:
        """Answer everything in some frames with one."""
        request = play.PlayRequest()
        for message in messages:
            for update in play.PlayResponse.FromString(message).updates:
                if update.HasField("decision"):
                    self._decide(update.decision, request.answers.add())
                elif update.HasField("seated"):
                    request.ready.add(match_id=update.seated.match_id)
                elif update.HasField("redirect"):
                    self.sent_to = update.redirect.address
        self._frames += len(messages)
        request.frames_received = self._frames
        return [request.SerializeToString()]

    def next_place(self, address: str) -> str | None:
        """Return where to begin the next stream, None for nowhere; ``address`` is that of the first one."""
        place, self.sent_to, self._frames = self.sent_to, None, 0
        if place is None:
            return None
        return f"{address.rpartition(':')[0]}{place}" if place else address

    def take_seats(self, message: bytes) -> Iterable[bytes]:
        """Take the seats in a frame, and answer nothing."""
        self._frames += 1
        request = play.PlayRequest(frames_received=self._frames)
        for update in play.PlayResponse.FromString(message).updates:
            if update.HasField("seated"):
                request.ready.add(match_id=update.seated.match_id)
        return [request.SerializeToString()]

    def _decide(self, decision: play.Decision, answer: play.Answer) -> None:
        self.decisions += 1
        self._delays.asked(decision.match_id)
        answer.match_id, answer.decision_id = decision.match_id, decision.decision_id
        legal = decision.legal
        if legal.HasField("actions"):
            answer.index = int(self._draw() * len(legal.actions.actions))
        elif legal.HasField("choose_cards"):
            chosen = legal.choose_cards.cards[: legal.choose_cards.minimum]
            answer.action.choose_cards.cards.extend(chosen)
        else:
            answer.action.choose_combinations.SetInParent()
        self._delays.answered(decision.match_id)


class EchoPlayer:
    """The client of one echo stream: every message is answered by one of a size, in bytes.

    ``delays`` are shared by the streams. Messages bear no name: the reply that is out the longest counts as
    answered by the next message, once all ``in_flight`` have come.
    """

    def __init__(self, size: int, delays: "EchoDelays") -> None:
        self.first: Final = ()
        self.decisions = 0
        self._reply = bytes(size)
        self._delays = delays

    def hear(self, messages: list[bytes]) -> Iterable[bytes]:
        """Answer each message."""
        self.decisions += len(messages)
        for _ in messages:
            self._delays.turn()
        return [self._reply] * len(messages)


class EchoDelays(Delays):
    """The same of an echo with some messages in flight."""

    def __init__(self, in_flight: int) -> None:
        super().__init__()
        self._first = in_flight
        self._out: deque[float] = deque()

    def turn(self) -> None:
        """Note that a message came, and that its reply goes out."""
        now = self._clock()
        if self._first:
            self._first -= 1
        else:
            self._seen.append(now - self._out.popleft())
        self._out.append(now)


async def play_cards(address: str, players: Iterable[CardPlayer], trusted: str | None = None) -> None:
    """Play over a stream each until the server ends them, wherever it sends their bots."""
    await asyncio.gather(*(_play(address, each, trusted) for each in players))


async def _play(address: str, player: CardPlayer, trusted: str | None) -> None:
    at: str | None = address
    while at is not None:
        stream = await open_stream(at, PLAY, player.first, player.hear, trusted)
        await stream.ended
        at = player.next_place(address)


async def reply(address: str, players: Iterable[EchoPlayer]) -> None:
    """Echo over a stream each until the server ends them."""
    streams = [await open_stream(address, ECHO, each.first, each.hear) for each in players]
    await asyncio.gather(*(stream.ended for stream in streams))
