"""The pages: who is let in, what every answer carries, and what of a running table is shown."""

import asyncio
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.core.running_match import RunningMatch
from referee.storage.recorder import FinishedMatch, Recorder
from tests.server.conftest import UNHURRIED, match_setup
from tests.server.kept_records import keep
from tests.tournaments.web.site import Site, site
from tests.workspace import PATIENCE
from tournaments.web.app import Pages
from tournaments.web.made_once import MadeOnce
from tournaments.web.people import Entrance, Person, is_house, person_of

pytestmark = pytest.mark.asyncio

HOSTILE = "</script><img src=x onerror=alert(1)>"
PERSON = {"accept": "text/html,*/*"}


async def test_every_answer_has_a_policy_that_allows_nothing_from_elsewhere(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        for path in ("/", "/matches/m-1", "/assets/play.js", "/assets/no.js", "/no", "/play", "/enter/x"):
            answer = await pages.client.get(path)
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["../app.py", "..%2fapp.py", "/etc/passwd", "pages/base.html.j2"])
async def test_only_its_own_scripts_and_styles_are_sent(tmp_path: Path, path: str) -> None:
    async with site(tmp_path) as pages:
        assert (await pages.client.get(f"/assets/{path}")).status_code == 404


async def test_a_name_of_another_host_is_refused(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        for host in ("evil.example", "evil.example:80", "", "127.0.0.1.evil.example"):
            assert (await pages.client.get("/", headers={"host": host})).status_code in (400, 421)
        for host in ("localhost:1234", "127.0.0.1", "[::1]:80"):
            assert (await pages.client.get("/", headers={"host": host})).status_code == 200


async def test_the_list_is_told_of_matches_that_begin_and_end(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        pages.pages.pace = 0
        told = pages.events("/events")
        async with asyncio.timeout(PATIENCE):
            assert await anext(told) == ("changed", {})
            pages.served.referee.play(match_setup())
            assert await anext(told) == ("changed", {})
            assert "m-1" in (await pages.client.get("/")).text
            pages.served.referee.cancel("m-1")
            assert await anext(told) == ("changed", {})
            assert "m-1" not in (await pages.client.get("/")).text
        await told.aclose()


async def test_names_are_shown_as_text(tmp_path: Path) -> None:
    turning = "\u202e\u2066\n\x1b[2J"
    async with site(tmp_path) as pages:
        pages.served.referee.play(match_setup(match_id="m-1", entries=[HOSTILE, f"{turning}b"]))
        text = (await pages.client.get("/")).text
        assert HOSTILE not in text
        assert "&lt;/script&gt;" in text
        assert "\ufffd\ufffd\ufffd\ufffd[2Jb</bdi>" in text
        for path in (f"/matches/{HOSTILE}", f"/enter/{HOSTILE}", f"/{HOSTILE}"):
            missing = await pages.client.get(path, headers=PERSON)
            assert missing.status_code == 404
            assert missing.headers["content-type"].startswith("text/html")
            assert HOSTILE not in missing.text


async def test_why_there_is_no_answer_is_told_on_a_page_to_people_and_as_a_text_to_scripts(
    tmp_path: Path,
) -> None:
    async with site(tmp_path) as pages:
        page = await pages.client.get("/matches/m-2", headers=PERSON)
        assert (page.status_code, "<h1" in page.text) == (404, True)
        assert '<a href="/tables">Tables</a>' in page.text
        assert "There is no such page." in (await pages.client.get("/no", headers=PERSON)).text
        script = await pages.client.get("/matches/m-2")
        assert (script.status_code, script.headers["content-type"]) == (404, "application/json")


# Watching


async def test_a_running_table_is_shown_without_hands_and_late(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        await pages.enter()
        came = await pages.play("hearts", answers=6)
        shown = []
        async with asyncio.timeout(PATIENCE):
            async for kind, data in pages.events(f"/matches/{came[0][1]['match_id']}/events"):
                shown.append((kind, data))
                if kind == "step" and len(shown) > 8:
                    break
        assert shown[0] == ("table", {**came[0][1], "seat": None})
        assert all(not data["view"]["hand"] for _kind, data in shown[1:])
        own = [data for kind, data in came if kind == "step"]
        assert len(shown) - 1 <= len(own) - 3
        await pages.go_on()


async def test_a_match_that_is_over_is_replayed_and_its_record_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, written, is_asked_for = Recorder.keep, Pages._written, threading.Event()

    def kept_late(self: Recorder, table: RunningMatch) -> FinishedMatch:
        assert is_asked_for.wait(PATIENCE)
        return write(self, table)

    async def waited_for(self: Pages, match_id: str) -> None:
        is_asked_for.set()
        await written(self, match_id)

    monkeypatch.setattr(Recorder, "keep", kept_late)
    monkeypatch.setattr(Pages, "_written", waited_for)
    async with site(tmp_path) as pages:
        await pages.enter()
        match_id = (await pages.play("piquet"))[0][1]["match_id"]
        assert pages.served.referee.being_written, "its record is waited for"
        assert 'id="data"' in (await pages.client.get(f"/matches/{match_id}")).text
    (report,) = pages.served.reports
    async with site(tmp_path) as pages:
        replay = await pages.client.get(f"/matches/{match_id}")
        assert 'id="data"' in replay.text
        assert replay.text == (await pages.client.get(f"/matches/{match_id}")).text
        assert (await pages.client.get(f"/matches/{match_id}/record")).content == report.path.read_bytes()


async def test_a_replay_is_made_for_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def made(_self: Any, _key: Any, _make: Any, peer: str = "") -> str:
        return f"made for {peer}"

    monkeypatch.setattr(MadeOnce, "get", made)
    async with site(tmp_path) as pages:
        keep(pages.served.referee.records, match_setup())
        far = {"x-forwarded-for": "192.0.2.7"}
        assert "made for 192.0.2.7" in (await pages.client.get("/matches/m-1", headers=far)).text


async def test_a_match_whose_deals_are_still_to_be_played_is_not_replayed(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        keep(pages.served.referee.records, replace(match_setup(), epoch="set-1"))
        for path in ("/matches/m-1", "/matches/m-1/record"):
            answer = await pages.client.get(path)
            assert (answer.status_code, answer.json()["text"][:13]) == (409, "other matches")


async def test_a_table_that_is_not_shown(tmp_path: Path) -> None:
    async with site(tmp_path, replace(UNHURRIED, watchers=0)) as pages:
        pages.served.referee.play(match_setup())
        for _ in range(3):  # until it is written
            await asyncio.sleep(0)
        assert (await pages.client.get("/matches/m-1/events")).status_code == 429
        missing = await pages.client.get("/matches/m-2/events")
        assert (missing.status_code, missing.json()) == (404, {"text": "no match of this id is being played"})


async def test_without_playing_there_are_no_such_pages(tmp_path: Path) -> None:
    async with site(tmp_path, plays=False) as pages:
        for path in ("/play", "/play/events", "/enter/x"):
            assert (await pages.client.get(path)).status_code == 404
        assert (await pages.post("/play/table", {})).status_code == 404


# Who may play


async def test_a_link_lets_one_in_once(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        link = f"/enter/{pages.door.invite()}"
        assert (await pages.client.get(link)).status_code == 200  # looking at it does not use it up
        origin = {"origin": pages.address}
        wrong = await pages.client.post(link, data={"name": "no name"}, headers=origin)
        assert (wrong.status_code, "A name has letters" in wrong.text) == (200, True)
        foreign = await pages.client.post(link, data={"name": "a"}, headers={"origin": "http://evil.example"})
        assert foreign.status_code == 403
        answer = await pages.client.post(link, data={"name": "anna"}, headers=origin)
        assert answer.status_code == 303
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith(f"{pages.door.cookie}=")
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert (await pages.client.get(link)).status_code == 404
        assert (await pages.client.get("/play")).status_code == 200


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_cookie_that_was_given_by_tls_comes_by_tls_alone(tmp_path: Path, scheme: str) -> None:
    async with site(tmp_path) as pages:
        address = f"{scheme}://127.0.0.1"
        link = f"{address}/enter/{pages.door.invite()}"
        answer = await pages.client.post(link, data={"name": "anna"}, headers={"origin": address})
        assert ("Secure" in answer.headers["set-cookie"]) == (scheme == "https")


async def request_of(pages: Site, **headers: str) -> int:
    answer = await pages.client.post("/play/table", content=b"{}", headers=headers)
    return answer.status_code


async def test_what_another_site_sends_is_refused(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        await pages.enter()
        json = {"content-type": "application/json"}
        assert await request_of(pages, **json) == 403
        assert await request_of(pages, **json, origin="http://evil.example") == 403
        assert await request_of(pages, origin=pages.address) == 415
        kind = {"content-type": "Application/JSON; charset=utf-8"}
        assert await request_of(pages, **kind, origin=pages.address) == 400
        assert await request_of(pages, **json, origin=pages.address) == 400
        long = await pages.client.post(
            "/play/table", content=b" " * 5000, headers={**json, "origin": pages.address}
        )
        assert long.status_code == 413


async def test_without_a_cookie_of_its_own_nobody_plays(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path) as pages:
        for cookie in (
            "",
            "anna:abc:def",
            "anna",
            "anna:abc:",
            ":::",
            "é:é:é",
        ):
            pages.client.cookies.clear()
            headers = {"cookie": f"{pages.door.cookie}={cookie}".encode("latin-1")}
            assert (await pages.client.get("/play/events", headers=headers)).status_code == 403  # type: ignore[arg-type]


async def test_a_cookie_is_good_after_a_restart_and_for_nobody_else(tmp_path: Path) -> None:
    door = Entrance(tmp_path)
    anna = door.enter(door.invite(), "anna")
    cookie = door.cookie_of(anna)
    assert Entrance(tmp_path).known(cookie) == anna
    assert Entrance(tmp_path).cookie == door.cookie
    assert Entrance(tmp_path).known(cookie.replace("anna", "anne")) is None
    (tmp_path / "other").mkdir()
    assert Entrance(tmp_path / "other").known(cookie) is None
    assert Entrance(tmp_path / "other").cookie != door.cookie, "both may be servers of one host"
    assert (tmp_path / "web-key").stat().st_mode & 0o077 == 0


async def test_who_holds_a_seat_is_told_by_its_owner() -> None:
    anna = Person("anna", "0123456789ab")
    assert person_of(anna.owner) == anna
    assert person_of(anna.house("greedy", 2)) is None
    assert is_house(anna.house("greedy", 2)) and not is_house(anna.owner)
    for instance in ("", "web", "web-abc", "web-abc-1", "web-0123456789ab-evil"):  # bots choose theirs
        assert person_of(("greedy", instance)) is None and not is_house(("greedy", instance))
