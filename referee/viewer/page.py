"""A match as one HTML page that replays it: it opens from a file and fetches nothing.

The scripts are modules in ``web/``. A file that a browser opens from disk cannot load modules, so they are
put into the page one after the other, without their imports and exports. Every text that comes from outside
is data, which the scripts show as text.
"""

import base64
import gzip
import hashlib
import json
import re
from dataclasses import dataclass
from importlib import resources
from string import Template
from typing import Any, Final

MODULES: Final = ("cards.js", "frames.js", "games.js", "table.js", "record.js", "replay.js")
"""In the order in which they need each other."""

_IMPORT: Final = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=const |function |async function |class )", re.MULTILINE)


def page(data: dict[str, Any]) -> str:
    """Return the page of a match, given what `referee.viewer.frames.frames` returns."""
    script, style = _script(), _file("replay.css")
    # "<" as an escape, so that no text can end the element
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    policy = (
        f"default-src 'none'; script-src {_allowed(script)}; style-src {_allowed(style)}; base-uri 'none'"
    )
    return Template(_file("replay.html")).substitute(
        policy=policy,
        style=style,
        script=script,
        viewer=_file("viewer.html"),
        data=f'<script type="application/json" id="data">{text}</script>',
    )


@dataclass(frozen=True, slots=True)
class Parts:
    """The viewer as files of a site: its ``script`` and ``style``, and the ``body`` for each page of a match.

    The script is no module, so that it is loaded from a disk, too.
    """

    script: str
    style: str
    body: str


def parts() -> Parts:
    """Return the viewer for a site, whose pages hold their match as `packed`."""
    return Parts(f'"use strict";\n{{\n{_script()}}}\n', _file("replay.css"), _file("viewer.html"))


def packed(data: dict[str, Any]) -> str:
    """Return a match for a page with the `parts` of a viewer: base64 of about an eighth of its size."""
    text = json.dumps(data, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(text, mtime=0)).decode()


def _script() -> str:
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _file(name))) for name in MODULES)


def _file(name: str) -> str:
    return (resources.files(__package__) / "web" / name).read_text(encoding="utf-8")


def _allowed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
