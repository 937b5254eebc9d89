"""What goes wrong while a person plays: lost sessions, house bots that fail, tables without room."""

import asyncio
import gzip
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from referee.match.faults import Termination
from tests.server.conftest import UNHURRIED
from tests.tournaments.web.site import Event, Site, site
from tests.workspace import PATIENCE
from tournaments.web.people import person_of

pytestmark = pytest.mark.asyncio


async def until(stream: AsyncGenerator[Event, None], wanted: str) -> dict[str, Any]:
    async for kind, data in stream:
        if kind == wanted:
            return data
    raise AssertionError("the stream ended")


def session_of(pages: Site, *, is_person: bool) -> Any:
    """Return a session at the only table: of the person, or of a bot."""
    core = pages.served.referee.core
    (setup,) = core.matches.setups
    owners = zip(setup.entries, setup.instance_by_seat, strict=True)
    owner = next(owner for owner in owners if bool(person_of(owner)) is is_person)
    return core.sessions.get(owner)


async def test_who_has_lost_the_session_is_told_and_takes_the_seat_again(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path) as pages:
        await pages.enter()
        await pages.play("piquet", answers=0)
        stream = pages.events("/play/events")
        assert (await anext(stream))[0] == "table"
        assert (await pages.post("/play/return", {})).status_code == 409, "the seat is not lost"
        assert pages.served.referee.end_session(session_of(pages, is_person=True).number)
        told = await until(stream, "free")
        assert told == {"why": "an organiser has ended the session", "seated": True}
        assert (await pages.post("/play/return", {})).status_code == 204
        await until(stream, "table")
        await stream.aclose()
        assert (await pages.go_on())[-1][1]["termination"] == "completed"


async def test_a_match_that_is_given_up_says_so(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path) as pages:
        await pages.enter()
        await pages.play("piquet", answers=0)
        stream = pages.events("/play/events")
        await until(stream, "table")
        assert (await pages.post("/play/leave", {})).status_code == 204
        await until(stream, "end")
        assert await until(stream, "free") == {"why": "You gave this match up.", "seated": False}
        await stream.aclose()
    (report,) = pages.served.reports
    assert [counts.total for counts in report.outcome.faults] == [0, 0]
    assert b'"kind":"resign"' in gzip.decompress(report.path.read_bytes())


@pytest.mark.parametrize("how", ["ended", "failed"])
async def test_a_house_bot_that_is_lost_ends_the_match_without_a_result(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path) as pages:
        await pages.enter()
        await pages.play("piquet", answers=0)
        stream = pages.events("/play/events")
        await until(stream, "table")
        if how == "ended":
            assert pages.served.referee.end_session(session_of(pages, is_person=False).number)
            why = "an organiser has ended the session"
        else:
            monkeypatch.setattr("tournaments.web.seats.play", Mock(side_effect=LookupError("AS")))
            session = session_of(pages, is_person=False)
            pages.served.referee._wakers[session]()
            why = "the bot failed (LookupError); the log says where"
        assert (await until(stream, "end"))["termination"] == "void"
        told = await until(stream, "free")
        assert told["why"] == f"greedy lost its seat, so the match has no result: {why}"
        await stream.aclose()
        monkeypatch.undo()
        assert (await pages.play("piquet"))[-1][0] == "end"


async def test_a_table_for_which_there_is_no_room_is_refused_with_the_remedy(tmp_path: Path) -> None:
    async with site(tmp_path, replace(UNHURRIED, sessions=3)) as pages:
        await pages.enter()
        refused = await pages.post("/play/table", {"game": "hearts", "deals": 1, "bot": "greedy"})
        text = (
            "no table can be opened now: the referee has no room for another session;"
            " the organiser can allow more: fairdeal serve --limit sessions=NUMBER"
        )
        assert (refused.status_code, refused.json()["text"]) == (429, text)
        assert not pages.served.referee.core.matches.setups
        assert not pages.served.referee.core.sessions.present
        assert (await pages.play("piquet"))[-1][0] == "end", "which takes two sessions"


async def test_a_bot_for_which_there_is_no_room_after_a_restart_ends_the_match(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        await pages.enter()
        await pages.play("hearts", answers=0)
        cookies = pages.client.cookies
    async with (
        asyncio.timeout(PATIENCE),
        site(tmp_path, replace(UNHURRIED, sessions=2), cookies=cookies) as pages,
    ):
        stream = pages.events("/play/events")
        while "no room for another session" not in (await until(stream, "free"))["why"]:
            pass
        await stream.aclose()
    (report,) = pages.served.reports
    assert report.outcome.termination is Termination.VOID


async def test_another_table_right_after_one_was_given_up_is_not_ended_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda _below: 0)  # the bots' seats are those from before
    async with asyncio.timeout(PATIENCE), site(tmp_path, pause=3600) as pages:
        lost: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: lost.append(context))
        await pages.enter()
        table = {"game": "piquet", "deals": 1, "bot": "greedy"}
        for _ in range(2):
            assert (await pages.post("/play/table", table)).status_code == 204
            stream = pages.events("/play/events")
            await until(stream, "table")
            assert (await pages.post("/play/leave", {})).status_code == 204
            await until(stream, "end")
            await stream.aclose()
        assert (await pages.post("/play/table", table)).status_code == 204
        pages.served.referee.review()
        for _ in range(9):
            await asyncio.sleep(0)
        assert pages.served.referee.core.matches.setups
        assert lost == []


async def test_tables_are_not_opened_as_fast_as_somebody_likes(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path) as pages:
        hall = pages.pages._hall
        assert hall
        now = 0
        hall._now = lambda: now
        await pages.enter()

        async def opened() -> int:
            asked = await pages.post("/play/table", {"game": "piquet", "deals": 1, "bot": "greedy"})
            await pages.post("/play/leave", {})
            stream = pages.events("/play/events")
            await until(stream, "free")
            await stream.aclose()
            return asked.status_code

        assert [await opened() for _ in range(3)] == [204, 204, 429]
        now = 1_000_000
        assert await opened() == 204
