"""A kit's random bot and a referee that breaks its word: loud on standard error, and a line that is kept.

All other cases are those of tests/data/kept_vectors.json, which the kits' own tests play.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairdeal.v1 import cards_pb2 as cards
from fairdeal.v1 import play_service_pb2 as play
from referee.dealing.scheme import enc
from tests.kits.conftest import Dialler
from tests.kits.kits import Kit

pytestmark = pytest.mark.asyncio

GAME = ("--game", "two_handed_spades", "--matches", 1, "--connect-timeout", 100)
SECRETS = [bytes(32), bytes(range(32))]
COMMITS = [hashlib.sha256(enc(b"fairdeal/1/commit", b"set-1", secret)).digest() for secret in SECRETS]
DOES_NOT_OPEN = "what it reveals does not open its commitment"


def _match(match_id: str, commit: bytes, secret: bytes) -> bytes:
    """Return a frame in which a match of the set begins and ends."""
    told = play.Commitment(scheme="fairdeal/2", epoch_id="set-1", commit=commit, manifest=b"m")
    seated = play.Seated(
        match_id=match_id, attempt=1, game="two_handed_spades", seat=cards.SEAT_1, commitment=told
    )
    ended = play.Finished(
        match_id=match_id, termination="TERMINATION_COMPLETED", secret=secret, scores=[1, 0]
    )
    updates = [
        play.Update(welcome=play.Welcome(version=1, max_frame_bytes=32768)),
        play.Update(seated=seated),
        play.Update(finished=ended),
    ]
    return play.PlayResponse(updates=updates).SerializeToString()


@pytest.fixture
def play_once(
    dial: Dialler, scripted: Callable[..., Any], kit: Kit, tmp_path: Path
) -> Callable[[bytes], Any]:
    """Return a function that has a bot play a frame and keep its lines in one file, and returns its end."""

    async def run(frame: bytes) -> Any:
        async def script(context: Any) -> None:
            await context.write(frame)
            while await context.read() is not grpc.aio.EOF:
                pass

        async with scripted(script) as address:
            bot = dial(kit, "--connect", address, *GAME, FAIRDEAL_KEEP=str(tmp_path / "kept.jsonl"))
            return await asyncio.to_thread(bot.done)

    return run


async def test_a_referee_that_breaks_its_word(play_once: Any, tmp_path: Path) -> None:
    honest = await play_once(_match("m1", COMMITS[0], SECRETS[0]))
    assert (honest.status, honest.complaints) == (0, "")
    lying = await play_once(_match("m2", COMMITS[0], SECRETS[1]))
    other = f"epoch set-1 has another commitment than before: {COMMITS[1].hex()}, it was {COMMITS[0].hex()}"
    second = await play_once(_match("m3", COMMITS[1], SECRETS[1]))
    for done, match_id, what in ((lying, "m2", DOES_NOT_OPEN), (second, "m3", other)):
        assert done.status == 0, done
        (line,) = done.complaints.splitlines()
        assert line.endswith(
            f"BREACH by the referee in match {match_id}, attempt 1: {what};"
            " keep this and show it to the organiser"
        )
    lines = [json.loads(text) for text in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert [(line["match_id"], line["type"]) for line in lines] == [
        ("m1", "seated"),
        ("m1", "finished"),
        ("m2", "seated"),
        ("m2", "breach"),
        ("m2", "finished"),
        ("m3", "breach"),
        ("m3", "seated"),
        ("m3", "finished"),
    ]
    assert [line["breach"] for line in lines if line["type"] == "breach"] == [DOES_NOT_OPEN, other]
