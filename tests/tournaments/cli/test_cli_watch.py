"""`fairdeal watch`, against a referee behind a real socket."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import RunningServer, match_setup, serving
from tests.tournaments.conftest import CompletedCommand, Fairdeal

pytestmark = pytest.mark.asyncio


async def watched(served: RunningServer, fairdeal: Fairdeal, *words: str) -> CompletedCommand:
    """Watch a match of one decision, which is cancelled."""
    over = served.referee.play(match_setup())
    for entry in "ab":
        guest = await served.guest(entry)
        await guest.ready()
        await guest.taken()
    watching: Any = served.referee.watching
    begin = watching._catch_up

    async def begin_and_end(*given: Any) -> None:
        await begin(*given)
        served.referee.cancel("m-1")

    watching._catch_up = begin_and_end
    done = await asyncio.to_thread(fairdeal, "watch", "m-1", *words, "--server", served.address)
    await over
    return done


async def test_a_match_is_watched_to_its_end_and_then_shown_in_full(
    tmp_path: Path, fairdeal: Fairdeal
) -> None:
    async with serving(tmp_path) as served:
        text = (await watched(served, fairdeal)).out
        assert text.startswith("Match m-1, attempt 1: Two-handed spades\n  seat 0      a\n  seat 1      b\n")
        assert "Deal 1: " in text
        assert text.endswith("\nOutcome: cancelled\n")
        shown = await asyncio.to_thread(fairdeal, "watch", "m-1", "--server", served.address)
        assert "the match was cancelled" in shown.out


async def test_for_programs_each_line_is_an_object(tmp_path: Path, fairdeal: Fairdeal) -> None:
    async with serving(tmp_path) as served:
        done = await watched(served, fairdeal, "--json")
        told = [json.loads(line) for line in done.out.splitlines()]
        assert [next(iter(each)) for each in told] == ["match", "step", "step", "finished"]


async def test_without_a_match_it_lists_what_is_played(tmp_path: Path, fairdeal: Fairdeal) -> None:
    async with serving(tmp_path) as served:
        served.referee.play(match_setup())
        server = ("--server", served.address)
        listed = await asyncio.to_thread(fairdeal, "watch", *server)
        assert listed.out == "m-1 1 two_handed_spades a b\n"
        unknown = await asyncio.to_thread(fairdeal, "watch", "m-2", *server)
        assert (unknown.status, unknown.out) == (1, "")
        assert "there is no match of this id (MATCH_NOT_FOUND)" in unknown.err
