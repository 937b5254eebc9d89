"""What every answer carries, and who is answered: not by any host's name, nor however often."""

import time
from collections.abc import Callable, Collection
from ipaddress import ip_address
from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.core.limits import Allowances
from referee.server.shares import holder

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


_OFTEN: Final = "There were too many requests from this address: wait a second."
_UNNAMED: Final = "0.0.0.0"  # whom a proxy names by no address
_PART: Final = 1 << 16  # bytes that are sent at once, so that no more waits for a client who does not read


class FencedApp:
    """Checks who asks for what, and puts the headers of safety on every answer.

    One address is answered ``per_second`` times a second; this machine's own as often as it asks. ``now`` is
    a clock in microseconds.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str],
        failed: Callable[[str, BaseException], None],
        per_second: int,
        now: Callable[[], int] = lambda: time.monotonic_ns() // 1000,
    ) -> None:
        self._app = app
        self._failed = failed
        self._hosts = frozenset(hosts)
        self._calls = Allowances(per_second)
        self._now = now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return

        async def fenced(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _value in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *((name, value) for name, value in _HEADERS if name not in given),
                ]
            body = memoryview(message.get("body", b""))
            while len(body) > _PART:
                part = bytes(body[:_PART])
                await send({"type": message["type"], "body": part, "more_body": True})
                body = body[_PART:]
            await send({**message, "body": bytes(body)} if "body" in message else message)

        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        if self._hosts and _name_of(host) not in self._hosts:
            # another name that leads here is how a foreign page would read this one
            refusal = Response(f"This server is not {host[:100]!r}.", 421, media_type="text/plain")
            await refusal(scope, receive, fenced)
            return
        name = holder(address_of(Request(scope)))
        if name and not self._calls.take(name, self._now()):
            await Response(_OFTEN, 429, {"retry-after": "1"}, "text/plain")(scope, receive, fenced)
            return
        try:
            await self._app(scope, receive, fenced)
        except ClientDisconnect:
            pass  # before the request was whole
        except Exception as error:  # noqa: BLE001 - it is answered by now, without its text
            self._failed("a page", error)


def address_of(request: Request) -> str:
    """Return the address that a request comes from; a reverse proxy on this machine says for whom it asks."""
    address = request.client.host if request.client else ""
    if not holder(address) and (said := request.headers.getlist("x-forwarded-for")):
        return _bare(said[-1].rpartition(",")[2].strip())  # what comes before, the client may have made up
    return address


def _bare(said: str) -> str:
    """Return an address that a proxy tells without its port; all that are none count as one."""
    bare = said[1:].partition("]")[0] if said.startswith("[") else said
    if bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        return str(ip_address(bare))
    except ValueError:
        return _UNNAMED


def _name_of(host: str) -> str:
    return host.rpartition("]")[0][1:] if host.startswith("[") else host.partition(":")[0].lower()
