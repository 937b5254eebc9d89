"""The scripts and styles of the pages: their own, those of the viewer, and those of a site."""

from importlib import resources
from typing import Final

from tournaments.site.assets import assets

_KINDS: Final = {"js": "text/javascript", "css": "text/css"}
_VIEWER: Final = ("cards.js", "frames.js", "games.js", "table.js", "replay.css")
_OF_SITES: Final = ("site.css", "tables.js", "viewer.js")
_OWN: Final = (
    "follow.js",
    "list.js",
    "live.js",
    "play.js",
    "shared.js",
    "streams.js",
    "web.css",
    "words.js",
)


def asset(name: str) -> tuple[str, bytes] | None:
    """Return the media type and the bytes of a script or a style, None where there is none of this name."""
    if name in _VIEWER:
        data = (resources.files("referee.viewer") / "web" / name).read_bytes()
    elif name in _OWN:
        data = (resources.files("tournaments.web") / "assets" / name).read_bytes()
    elif name in _OF_SITES:
        data = assets()[f"assets/{name}"]
    else:
        return None
    return _KINDS[name.rpartition(".")[2]], data
