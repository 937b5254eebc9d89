"""How a language model is asked."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args
from urllib.parse import urlsplit

from fairdeal.errors import BadSetting
from fairdeal.words import PROFILES, Profile

NAME: Final = "llm"
"""The name of this bot, beside those of the house bots."""

ReplyForm = Literal["json", "schema", "tool"]
FORMS: Final[tuple[ReplyForm, ...]] = get_args(ReplyForm)

DEFAULT_REPLY_TOKENS: Final = 4096
DEFAULT_CALLS: Final = 8
DEFAULT_IDLE: Final = 120.0

_OWN: Final = ("messages", "model", "response_format", "stream", "stream_options", "tool_choice", "tools")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """A model and how it is asked, at any server that speaks OpenAI's ``/v1/chat/completions``.

    ``key_from`` names the environment variable that holds the key, None for a server without keys. ``words``
    is the profile of the texts, ``prompt`` a text that comes before them. ``reply``: "json" for an object in
    the text, "schema" for a ``response_format``, "tool" for a call of a function. A reply has at most
    ``reply_tokens``; ``request`` holds further fields of the request, such as ``temperature``. ``calls`` is
    how many calls the provider gets at a time, and ``idle`` how many seconds it may send nothing.

    Raises:
        BadSetting: one of them is wrong; the text names it as on the command line.
    """

    model: str
    base_url: str
    key_from: str | None = None
    words: Profile = "full"
    prompt: str = ""
    reply: ReplyForm = "json"
    reply_tokens: int = DEFAULT_REPLY_TOKENS
    request: Mapping[str, Any] = field(default_factory=dict)
    calls: int = DEFAULT_CALLS
    idle: float = DEFAULT_IDLE

    def __post_init__(self) -> None:
        if problem := _problem(self):
            raise BadSetting(f"--{problem[0].replace('_', '-')}: {problem[1]}")

    @property
    def url(self) -> str:
        """Return the address of the calls."""
        return f"{self.base_url.rstrip('/')}/chat/completions"


def _problem(settings: ModelSettings) -> tuple[str, str] | None:
    """Return the setting that is wrong and what is wrong with it."""
    given = settings.model
    if not given.strip() or not given.isprintable():
        return "model", "name the model as its server does"
    if why := wrong_address(settings.base_url):
        return "base_url", why
    if settings.key_from is not None and (why := wrong_variable(settings.key_from)):
        return "key_from", why
    if settings.words not in PROFILES:
        return "words", f"must be {' or '.join(PROFILES)}, not {settings.words!r}"
    if settings.reply not in FORMS:
        return "reply", f"must be {' or '.join(FORMS)}, not {settings.reply!r}"
    if settings.reply != "json" and settings.words == "plain":
        return "reply", f"{settings.reply} lists what is legal, which plain leaves out: take full"
    if settings.reply_tokens < 1:
        return "reply_tokens", "must be 1 or more"
    if settings.calls < 1:
        return "calls", "must be 1 or more"
    if not settings.idle > 0:
        return "idle", "must be more than 0 seconds"
    if why := wrong_request(settings.request):
        return "request", why
    return None


def wrong_request(request: Mapping[str, Any]) -> str | None:
    """Return what is wrong with further fields of a request, None if nothing is."""
    own = sorted(set(request) & set(_OWN))
    if own:
        return f"{own[0]} is set by fairdeal: leave it out"
    if "max_tokens" in request:
        return "max_tokens is what reply_tokens says: leave it out"
    try:
        json.dumps(request, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return "must hold what JSON can: texts, finite numbers, lists and tables of few levels"
    return None


def wrong_address(url: str) -> str | None:
    """Return what is wrong with the address of a server, None if nothing is."""
    try:
        parts = urlsplit(url)
        _port = parts.port
    except ValueError:
        return "must be a URL, such as http://127.0.0.1:8000/v1"
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isprintable() or " " in url:
        return "must begin with http:// or https:// and a host, such as http://127.0.0.1:8000/v1"
    if parts.username or parts.password or parts.query or parts.fragment:
        return "must hold no name, key or query: the key comes from the variable that key_from names"
    return None


def wrong_variable(name: str) -> str | None:
    """Return what is wrong with the name of the variable, which may be a key that somebody wrote there."""
    if _VARIABLE.fullmatch(name) and len(name) <= 64:
        return None
    return "must be the name of an environment variable, such as OPENAI_API_KEY, and never the key itself"


def request_fields(text: str) -> dict[str, Any]:
    """Return the further fields of a request from their JSON text.

    Raises:
        BadSetting: it is no JSON object.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BadSetting(f'--request: must be a JSON object such as {{"temperature": 0}}, not {text[:80]!r}')
    return found
