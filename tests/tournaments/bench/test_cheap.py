"""The client that costs little: HTTP/2 by hand, and bots that look at nothing but the legal answers."""

import asyncio
import struct
from collections.abc import Iterable

import pytest

from fairdeal.v1 import play_service_pb2 as play
from tournaments.bench.cheap import CardPlayer, Delays, EchoDelays, EchoPlayer
from tournaments.bench.http2 import HttpCall

PING, SETTINGS, HEADERS, DATA, GO_AWAY = 6, 4, 1, 0, 7


class Wire(asyncio.Transport):
    """What a stream writes."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += bytes(data)


def frame(kind: int, payload: bytes, flags: int = 0) -> bytes:
    return len(payload).to_bytes(3, "big") + struct.pack(">BBI", kind, flags, 1) + payload


def message(content: bytes) -> bytes:
    return struct.pack(">BI", 0, len(content)) + content


def connected(heard: list[bytes]) -> tuple[HttpCall, Wire]:
    def hear(messages: list[bytes]) -> Iterable[bytes]:
        heard.extend(messages)
        return [each.upper() for each in messages]

    stream, wire = HttpCall("/a.B/C", [b"first"], hear), Wire()
    stream.connection_made(wire)
    return stream, wire


@pytest.mark.asyncio
@pytest.mark.parametrize("piece", [1, 7, 10_000])
async def test_messages_are_heard_whole_however_the_bytes_come_in(piece: int) -> None:
    heard: list[bytes] = []
    stream, wire = connected(heard)
    assert wire.written.startswith(b"PRI * HTTP/2.0")
    assert wire.written.endswith(frame(DATA, message(b"first")))
    wire.written = b""
    body = message(b"one") + message(b"") + message(b"three" * 100)
    data = frame(SETTINGS, b"") + frame(HEADERS, b"...") + frame(DATA, body[:50]) + frame(DATA, body[50:])
    for at in range(0, len(data), piece):
        stream.data_received(data[at : at + piece])
    assert heard == [b"one", b"", b"three" * 100]
    assert frame(DATA, message(b"ONE")) in wire.written
    assert not stream.ended.done()


@pytest.mark.asyncio
async def test_a_ping_is_answered_and_an_answer_to_one_is_not() -> None:
    stream, wire = connected([])
    wire.written = b""
    stream.data_received(frame(PING, b"12345678", flags=1))
    assert wire.written == b""
    stream.data_received(frame(PING, b"12345678"))
    assert wire.written[3:5] == bytes([PING, 1])
    assert wire.written.endswith(b"12345678")


@pytest.mark.asyncio
@pytest.mark.parametrize("last", [frame(GO_AWAY, b"12345678"), frame(HEADERS, b"", flags=5), None])
async def test_a_stream_ends_with_its_server(last: bytes | None) -> None:
    stream, _ = connected([])
    if last is None:
        stream.connection_lost(None)
    else:
        stream.data_received(last)
    assert stream.ended.done()


def test_a_card_player_takes_its_seats_and_answers_every_kind_of_question() -> None:
    player = CardPlayer("bot0", 3, Delays())
    (hello,) = map(play.PlayRequest.FromString, player.first)
    assert (hello.hello.entry, hello.hello.tables) == ("bot0", 3)
    told = play.PlayResponse()
    told.updates.add().seated.match_id = "m"
    asked = [told.updates.add().decision for _ in range(3)]
    for number, decision in enumerate(asked, 1):
        decision.match_id, decision.decision_id = "m", number
    for card in (5, 6):
        asked[0].legal.actions.actions.add().play_card = card
    asked[1].legal.choose_cards.cards.extend([5, 6, 7])
    asked[1].legal.choose_cards.minimum = 2
    asked[2].legal.choose_combinations.SetInParent()
    (said,) = map(play.PlayRequest.FromString, player.hear([told.SerializeToString()]))
    assert (said.frames_received, [ready.match_id for ready in said.ready]) == (1, ["m"])
    assert [answer.decision_id for answer in said.answers] == [1, 2, 3]
    assert said.answers[0].index in (0, 1)
    assert said.answers[0].WhichOneof("answer") == "index"
    assert list(said.answers[1].action.choose_cards.cards) == [5, 6]
    assert said.answers[2].action.HasField("choose_combinations")
    assert player.decisions == 3


def test_a_card_player_goes_where_it_is_sent_and_begins_anew_there() -> None:
    player = CardPlayer("bot0", 1, Delays())
    for address, place in ((":7448", "127.0.0.1:7448"), ("", "127.0.0.1:7447")):
        told = play.PlayResponse()
        told.updates.add().redirect.address = address
        player.hear([told.SerializeToString()])
        assert player.next_place("127.0.0.1:7447") == place
        (said,) = map(play.PlayRequest.FromString, player.hear([b""]))
        assert said.frames_received == 1
    assert player.next_place("127.0.0.1:7447") is None


class Ticking:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_delay_is_from_an_answer_to_the_next_question_of_its_match() -> None:
    clock = Ticking()
    delays = Delays(clock)
    delays.asked("a")
    delays.answered("a")
    clock.now = 1.0
    delays.answered("b")
    clock.now = 3.0
    delays.asked("a")
    delays.asked("b")
    delays.asked("b")
    assert delays.take() == [2.0, 3.0]
    assert delays.take() == []


def test_an_echo_answers_each_message_and_its_delays_begin_when_all_are_on_the_way() -> None:
    delays = EchoDelays(2)
    player = EchoPlayer(3, delays)
    assert player.hear([b"x", b"y"]) == [bytes(3)] * 2
    assert delays.take() == []
    player.hear([b"z"])
    assert len(delays.take()) == 1
    assert player.decisions == 3
