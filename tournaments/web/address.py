"""Where pages are served, as the command line says; it can be read where the extra is not installed."""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final
from urllib.parse import urlsplit

from referee.server.addresses import is_address
from referee.server.exposure import exposure
from referee.server.tls import Tls

_USUAL: Final = {"http": ":80", "https": ":443"}


class NoWeb(Exception):
    """Pages cannot be served so; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class WebAddress:
    """Where the pages are served; ``plays`` says whether people may play.

    ``url`` is where browsers find them when that is elsewhere, at a reverse proxy, such as
    https://play.example.org.
    """

    listen: str
    tls: Tls | None = None
    plays: bool = False
    url: str = ""


def web_address(
    listen: str, tls: Tls | None, *, plays: bool, insecure: bool, url: str | None = None
) -> WebAddress:
    """Return where pages are served.

    Raises:
        NoWeb: the extra is not installed, it is no address, or other machines could reach it without TLS.
    """
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise NoWeb("--http: pages need the extra web: pip install 'fairdeal[web]'")
    if listen.startswith("unix:") or not is_address(listen):
        raise NoWeb(f"--http {listen}: is no address for pages; write HOST:PORT")
    if why := None if insecure else exposure(listen, tls=tls is not None, tokens=True):
        raise NoWeb(f"--http {listen}: {why}")
    return WebAddress(listen, tls, plays, _checked(url) if url else "")


def _checked(url: str) -> str:
    """Return where browsers find the pages, without a slash at its end."""
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_one = False
    if not is_one or parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
        text = "write where browsers find the pages, such as https://play.example.org"
        raise NoWeb(f"--http-url {url}: {text}")
    # browsers leave the usual port out, and what they send is compared with this
    return f"{parts.scheme}://{parts.netloc.removesuffix(_USUAL[parts.scheme])}".lower()
