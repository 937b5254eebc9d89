"""The pages: who is let in, what every answer carries, and what of a running table is shown."""

import asyncio
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response

from referee.core.access import Denied
from referee.match.messages import Reason
from referee.server.addresses import CannotListen
from tests.server.conftest import UNHURRIED, match_setup
from tests.server.kept_records import keep
from tests.tournaments.web.site import Site, scope_of, site
from tests.workspace import PATIENCE
from tournaments.web import address
from tournaments.web.address import NoWeb, WebAddress, web_address
from tournaments.web.app import Pages
from tournaments.web.fence import FencedApp, address_of
from tournaments.web.made_once import MadeOnce
from tournaments.web.people import Entrance, Person, is_house, person_of
from tournaments.web.serving import pages_served

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


async def test_a_match_that_is_over_is_replayed_and_its_record_sent(tmp_path: Path) -> None:
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


# Where


async def test_other_machines_need_tls_or_that_it_is_wanted() -> None:
    with pytest.raises(NoWeb, match="other machines could reach it: add TLS"):
        web_address("0.0.0.0:80", None, plays=False, insecure=False)
    assert web_address("0.0.0.0:80", None, plays=False, insecure=True).listen == "0.0.0.0:80"


async def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "find_spec", lambda name: None)
    with pytest.raises(NoWeb, match=r"pip install 'fairdeal\[web\]'"):
        web_address("127.0.0.1:80", None, plays=False, insecure=False)


@pytest.mark.parametrize("listen", ["nonsense", "unix:/tmp/x", "127.0.0.1"])
async def test_what_is_no_address(listen: str) -> None:
    with pytest.raises(NoWeb, match="is no address for pages; write HOST:PORT"):
        web_address(listen, None, plays=False, insecure=True)


async def test_an_address_that_is_taken(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        with socket.create_server(("127.0.0.1", 0)) as other:
            place = f"127.0.0.1:{other.getsockname()[1]}"
            made = Pages(pages.served.referee)
            with pytest.raises(CannotListen):
                async with pages_served(WebAddress(place), made):
                    pass


@pytest.mark.parametrize(
    ("client", "forwarded", "expected"),
    [
        ("192.0.2.7", None, "192.0.2.7"),
        ("192.0.2.7", "198.51.100.1", "192.0.2.7"),
        ("127.0.0.1", None, "127.0.0.1"),
        ("127.0.0.1", "203.0.113.9, 198.51.100.1", "198.51.100.1"),
        ("127.0.0.1", "198.51.100.1:51000", "198.51.100.1"),
        ("127.0.0.1", "[2001:db8::1]:443", "2001:db8::1"),
        ("127.0.0.1", "unknown", "0.0.0.0"),  # which has a share, unlike this machine
        ("127.0.0.1", "203.0.113.9,", "0.0.0.0"),
        ("127.0.0.1", "203.0.113.9\n198.51.100.1", "198.51.100.1"),  # in a line each
    ],
)
async def test_a_proxy_is_believed_on_this_machine_alone(
    client: str, forwarded: str | None, expected: str
) -> None:
    headers = [(b"x-forwarded-for", line.encode()) for line in (forwarded or "").splitlines()]
    assert address_of(Request({"type": "http", "client": (client, 1), "headers": headers})) == expected


async def test_one_address_does_not_hold_all_streams(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path, replace(UNHURRIED, watchers=4)) as pages:
        far = {"headers": {"x-forwarded-for": "192.0.2.7"}}
        with pages.served.referee.watching.counted("192.0.2.7"):
            refused = await pages.client.get("/events", **far)
            assert (refused.status_code, "from this address" in refused.json()["text"]) == (429, True)
        told = pages.events("/events")
        assert await anext(told) == ("changed", {})
        await told.aclose()


async def test_who_watches_a_table_is_of_the_share_of_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    peers = []

    def refuse(_match_id: str, *, peer: str = "") -> None:
        peers.append(peer)
        raise Denied(Reason.RATE_LIMITED, "there are too many")

    async with site(tmp_path) as pages:
        monkeypatch.setattr(pages.served.referee.watching, "watch", refuse)
        refused = await pages.client.get("/matches/m-1/events", headers={"x-forwarded-for": "192.0.2.7"})
        assert (refused.status_code, peers) == (429, ["192.0.2.7"])


# Behind a reverse proxy


@pytest.mark.parametrize(
    "url",
    ["play.example.org", "ftp://a", "https://", "https://a/b", "https://a?b", "https://u:p@a", "https://a:x"],
)
async def test_what_is_not_where_browsers_find_pages(url: str) -> None:
    with pytest.raises(NoWeb, match="write where browsers find the pages, such as https://"):
        web_address("127.0.0.1:80", None, plays=True, insecure=False, url=url)


async def test_people_play_behind_a_proxy(tmp_path: Path) -> None:
    web = web_address("127.0.0.1:0", None, plays=True, insecure=False, url="https://Play.example.org/")
    assert web.url == "https://play.example.org"
    for plain, port in (("https://a", ":443"), ("http://a", ":80"), ("https://[::1]", ":443")):
        given = web_address("127.0.0.1:0", None, plays=True, insecure=False, url=plain + port)
        assert given.url == plain, "as browsers write it in what they send"
    async with site(tmp_path, url=web.url) as pages, pages_served(web, pages.pages) as address:
        assert address == web.url
        link, origin = f"/enter/{pages.door.invite()}", {"origin": web.url}
        answer = await pages.client.post(link, data={"name": "anna"}, headers=origin)
        assert (answer.status_code, "Secure" in answer.headers["set-cookie"]) == (303, True)
        foreign = {"origin": "https://play.example.org.evil.example"}
        assert (await pages.client.post(link, data={"name": "b"}, headers=foreign)).status_code == 403


async def test_the_name_at_a_proxy_is_answered(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path) as pages:
        web = WebAddress("127.0.0.1:0", url="https://play.example.org")
        async with pages_served(replace(web, url=""), pages.pages) as address:
            port = address.rpartition(":")[2]
            assert await status_of(port, "play.example.org") == 421
        async with pages_served(replace(web, listen=f"127.0.0.1:{port}"), pages.pages):
            assert await status_of(port, "play.example.org") == 200
            assert await status_of(port, "evil.example") == 421


@pytest.mark.parametrize(("listen", "host"), [("127.0.0.2", "127.0.0.2"), ("LOCALHOST", "localhost")])
async def test_the_address_where_they_listen_is_answered_as_browsers_write_it(
    tmp_path: Path, listen: str, host: str
) -> None:
    async with (
        asyncio.timeout(PATIENCE),
        site(tmp_path) as pages,
        pages_served(WebAddress(f"{listen}:0"), pages.pages) as address,
    ):
        assert await status_of(address.rpartition(":")[2], host, listen) == 200


async def status_of(port: str, host: str, at: str = "127.0.0.1") -> int:
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"http://{at}:{port}/tables", headers={"host": host})
        return answer.status_code


# How often, and how much


async def test_one_address_is_answered_so_often_and_another_all_the_same(tmp_path: Path) -> None:
    now = 0
    async with site(tmp_path) as pages:
        app = FencedApp(pages.app._app, (), pages.pages.failed, 1, lambda: now)
        to = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=to, base_url="http://127.0.0.1") as client:

            async def asked(address: str) -> int:
                return (await client.get("/favicon.ico", headers={"x-forwarded-for": address})).status_code

            assert [await asked("192.0.2.7") for _ in range(3)] == [204, 204, 429]
            assert await asked("192.0.2.8") == 204
            assert [await asked("127.0.0.1") for _ in range(3)] == [204] * 3
            now = 1_000_000
            assert await asked("192.0.2.7") == 204


async def test_a_large_answer_is_sent_in_parts(tmp_path: Path) -> None:
    data = bytes(range(256)) * 1000
    sent: list[bytes] = []

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))

    await FencedApp(Response(data), (), pytest.fail, 1)(scope_of("/"), never, send)
    assert b"".join(sent) == data
    assert max(map(len, sent)) <= 1 << 16


async def never() -> Any:
    raise AssertionError("nothing is read")
