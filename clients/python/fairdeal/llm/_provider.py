"""Calls to a server of models over HTTP: the only part that needs the package httpx."""

import asyncio
import json
import math
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from fairdeal.errors import BadSetting, FairdealError
from fairdeal.llm._asking import Reply
from fairdeal.llm._request import BadStream, Streamed, body
from fairdeal.llm.settings import ModelSettings

if TYPE_CHECKING:
    import httpx

_CONNECT_SECONDS: Final = 10.0
_ERROR_BYTES: Final = 2048  # of an error's text that are read
_SHOWN: Final = 200
_REFUSED: Final = frozenset({401, 402, 403, 404})  # the key, the account, the model or the address
_TRY_AGAIN: Final = frozenset({408, 409, 425, 429})  # and all from 500 on
_FINISH: Final = re.compile("[a-z_]{1,20}")  # which a key is not: they have digits or are longer
_PROBE: Final = 'This is a test of the connection. Reply with {"action": "ready"} and nothing else.'


class ModelRefused(FairdealError):
    """The provider refuses the calls: the key, the model or the address is wrong, or the account is empty."""


class ProviderFailed(FairdealError):
    """The provider did not answer in time."""


class CallFailed(Exception):
    """A call brought no reply; another may. ``retry_after`` is how many seconds the provider asks to wait.

    ``begun`` is what came of a reply before the call failed.
    """

    def __init__(self, text: str, retry_after: float = 0.0, begun: Reply | None = None) -> None:
        super().__init__(text)
        self.retry_after = retry_after
        self.begun = begun


class CallRejected(Exception):
    """The provider does not take this request, however often it is sent."""


class OutOfTime(Exception):
    """The time for a call is over.

    ``why``: "time" where the reply had begun, "provider" where nothing came, "room" where there was no room.
    ``begun`` is what came of the reply.
    """

    def __init__(self, why: Literal["time", "provider", "room"], begun: Reply | None = None) -> None:
        super().__init__("the time was over")
        self.why = why
        self.begun = begun


def key_of(settings: ModelSettings) -> str:
    """Return the key from the environment, empty for a server without keys.

    Raises:
        BadSetting: the variable is not set, or holds something that is no key.
    """
    if settings.key_from is None:
        return ""
    key = os.environ.get(settings.key_from, "").strip()
    if not key:
        raise BadSetting(f"--key-from: {settings.key_from} is not set: put the key into the environment")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise BadSetting(f"--key-from: what {settings.key_from} holds is no key: it is one word of ASCII")
    return key


class Provider:
    """A server of models; `opened` makes it."""

    def __init__(self, settings: ModelSettings, key: str, client: "httpx.AsyncClient") -> None:
        self.settings = settings
        self._key = key
        self._client = client

    async def probe(self, seconds: float) -> None:
        """Send one small request, so that a wrong key or model is found before a match begins.

        Raises:
            ModelRefused: the provider takes no such calls.
            ProviderFailed: it does not answer, or not as a server of models does.
        """
        request = body(self.settings, [{"role": "user", "content": _PROBE}], None)
        where = f"{self.settings.base_url} does not answer"
        try:
            await self.ask(request, asyncio.get_running_loop().time() + seconds)
        except CallRejected as error:
            raise ModelRefused(str(error)) from None
        except CallFailed as error:
            raise ProviderFailed(f"{where}: {error}") from None
        except OutOfTime:
            raise ProviderFailed(f"{where} within {seconds:g} s") from None

    async def ask(self, request: Mapping[str, Any], until: float) -> Reply:
        """Return the reply to a request; ``until`` is a time of the loop's clock.

        Raises:
            ModelRefused, CallFailed, CallRejected, OutOfTime: see their docstrings.
        """
        import httpx

        streamed: Streamed | None = None
        begun = False
        try:
            async with (
                asyncio.timeout_at(until),
                self._client.stream("POST", self.settings.url, json=request) as response,
            ):
                if response.status_code != 200:
                    await self._raise(response)
                kind = response.headers.get("content-type", "")
                if "html" in kind.lower():
                    raise BadStream("it answered with a page, text/html, and no reply: look at base_url")
                streamed = Streamed(is_stream="json" not in kind.lower())
                async for data in response.aiter_raw():
                    begun = True
                    streamed.feed(data)
                    if streamed.is_over:
                        break
                return self._masked(streamed.reply())
        except TimeoutError:
            if streamed is None or not begun:
                raise OutOfTime("provider") from None
            raise OutOfTime("time", self._masked(streamed.so_far())) from None
        except httpx.TimeoutException as error:
            waited = _CONNECT_SECONDS if isinstance(error, httpx.ConnectTimeout) else self.settings.idle
            said = f"nothing came for {waited:g} s"
        except (httpx.HTTPError, BadStream) as error:
            said = self._said(str(error) or type(error).__name__)
        raise CallFailed(said, begun=self._masked(streamed.so_far()) if streamed and begun else None)

    async def _raise(self, response: "httpx.Response") -> None:
        """Raise what a status other than 200 means."""
        code, settings = response.status_code, self.settings
        text = bytearray()
        async for data in response.aiter_raw():
            text += data
            if len(text) > _ERROR_BYTES:
                break
        said = f"HTTP status {code}: {self._said(_message(bytes(text[:_ERROR_BYTES])))}"
        if code in _REFUSED:
            key = f"the key in {settings.key_from}" if settings.key_from else "key_from, if it wants a key"
            look = f"look at {key}" if code != 404 else f"look at base_url and the model {settings.model!r}"
            raise ModelRefused(f"{settings.base_url} refuses the calls ({said}): {look}")
        if code in _TRY_AGAIN or code >= 500:
            raise CallFailed(said, _seconds(response.headers.get("retry-after", ""), datetime.now(UTC)))
        if 300 <= code < 400 and (place := response.headers.get("location")):
            said = f"HTTP status {code}: it has moved to {self._said(place)}"
        raise CallRejected(f"{settings.base_url} does not take the request ({said})")

    def _masked(self, reply: Reply) -> Reply:
        """Return a reply without the key: the transcript has all of it, and the record its finish."""
        finish = reply.finish if _FINISH.fullmatch(reply.finish) else "other"
        return replace(
            reply,
            text=self._without_key(reply.text),
            reasoning=self._without_key(reply.reasoning),
            finish=finish,
        )

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "(the key)") if self._key else text

    def _said(self, text: str) -> str:
        """Return what a provider said as one line without the key, which some send back."""
        text = self._without_key(text)
        line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
        return line[:_SHOWN] or "no reason"


@asynccontextmanager
async def opened(settings: ModelSettings) -> AsyncIterator[Provider]:
    """Open the connections to a provider, and close them with the context.

    Raises:
        BadSetting: the key is missing, or the package httpx is.
    """
    key = key_of(settings)
    try:
        import httpx
    except ImportError:
        raise BadSetting("language models need the package httpx: pip install 'fairdeal[llm]'") from None
    headers = {"Accept": "text/event-stream, application/json", "Accept-Encoding": "identity"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    timeout = httpx.Timeout(settings.idle, connect=_CONNECT_SECONDS, pool=None)
    async with httpx.AsyncClient(headers=headers, timeout=timeout) as client:
        yield Provider(settings, key, client)


def _message(data: bytes) -> str:
    """Return the message in the body of an error, or the body."""
    text = data.decode(errors="replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    error = found.get("error", found) if isinstance(found, dict) else found
    message = error.get("message", error) if isinstance(error, dict) else error
    return str(message)


def _seconds(retry_after: str, now: datetime) -> float:
    """Return how long a Retry-After asks to wait, 0 where it says nothing that can be read."""
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(retry_after) - now).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0
