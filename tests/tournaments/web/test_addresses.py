"""Where the pages are found, behind a proxy too, and how much one address may ask for."""

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
from tests.server.conftest import UNHURRIED
from tests.tournaments.web.site import scope_of, site
from tests.workspace import PATIENCE
from tournaments.web import address
from tournaments.web.address import NoWeb, WebAddress, web_address
from tournaments.web.app import Pages
from tournaments.web.fence import FencedApp, address_of
from tournaments.web.serving import pages_served

pytestmark = pytest.mark.asyncio


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
