"""The decoder alone: bytes become a request or a `WireError`, and what is decoded can be kept."""

import json
import os
from typing import Final

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import Seat
from referee.codec import proto
from referee.core.limits import DEFAULT
from referee.games.registry import GAMES
from referee.match.clock import Micros
from referee.match.effects import Input
from referee.match.messages import Index, Request
from referee.storage import record as records
from tests.choices import Choices
from tests.fuzz import texts
from tests.fuzz.attack import record
from tests.fuzz.mutate import BYTES, FIELDS, mutate
from tests.fuzz.wiretree import build, parse

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
FRAMES: Final = 50_000 if LONG else 2_500


def names(request: Request) -> list[str]:
    """Return all names in a request."""
    hello = request.hello
    of_hello = [hello.entry, hello.instance, hello.agent, *hello.games, *hello.resume] if hello else []
    return [*of_hello, *request.ready, *request.declines, *(answer.match_id for answer in request.answers)]


def decoded(frame: bytes) -> bool:
    """Return whether a frame is one, and see that what it says can be kept and read again."""
    try:
        request = proto.decode(frame, DEFAULT.tables_per_session)
    except proto.WireError as error:
        assert texts.is_end(str(error)), f"{error} is not a text for {frame.hex()}"
        return False
    assert all(len(name) <= proto.MAX_NAME and name.isprintable() for name in names(request)), frame.hex()
    for answer in request.answers[:20]:
        said = answer.given if isinstance(answer.given, Index) else answer.given()
        given = Input("answer", Micros(0), Seat(0), answer.decision_id, said)
        line = json.dumps(records.input_line(given))
        assert records.read_input(json.loads(line)) == given, frame.hex()
    return True


@pytest.mark.parametrize("game", GAMES)
def test_wrong_frames_are_requests_or_wire_errors(game: str) -> None:
    recorded = record(game)
    fine = 0
    for number in range(FRAMES):
        chance = Choices("decoder", game, number)
        fine += decoded(mutate(chance.one(recorded), chance.one(recorded), chance))
    assert FRAMES // 5 < fine < FRAMES * 4 // 5


def test_junk_is_a_request_or_a_wire_error() -> None:
    chance = Choices("junk")
    fine = sum(decoded(chance.junk(chance.below(12))) for _ in range(FRAMES))
    assert 0 < fine < FRAMES // 5


@pytest.mark.parametrize("game", GAMES)
def test_frames_are_what_they_were_when_nothing_is_made_wrong(game: str) -> None:
    for frame in record(game):
        assert build(parse(frame, pb.PlayRequest.DESCRIPTOR)) == frame
        assert decoded(frame)


@pytest.mark.parametrize("kind", FIELDS)
def test_every_way_to_make_fields_wrong_does(kind: str) -> None:
    frames = record("piquet")
    changed = 0
    for number, frame in enumerate(frames):
        nodes = parse(frame, pb.PlayRequest.DESCRIPTOR)
        FIELDS[kind](nodes, Choices(kind, number))
        changed += build(nodes) != frame
    assert changed > len(frames) // 3


@pytest.mark.parametrize("kind", BYTES)
def test_every_way_to_make_bytes_wrong_does(kind: str) -> None:
    frames = record("piquet")
    made = [BYTES[kind](frame, frames[0], Choices(kind, number)) for number, frame in enumerate(frames)]
    assert sum(was != now for was, now in zip(frames, made, strict=True)) > len(frames) // 2
