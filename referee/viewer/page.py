"""A match as one HTML page that replays it: it opens from a file and fetches nothing.

The scripts are modules in ``web/``. A file that a browser opens from disk cannot load modules, so they are
put into the page one after the other, without their imports and exports. Every text that comes from outside
is data, which the scripts show as text.
"""

import base64
import hashlib
import json
import re
from importlib import resources
from string import Template
from typing import Any, Final

MODULES: Final = ("cards.js", "frames.js", "games.js", "table.js", "record.js", "replay.js")
"""In the order in which they need each other."""

_IMPORT: Final = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=const |function |async function |class )", re.MULTILINE)


def page(data: dict[str, Any]) -> str:
    """Return the page of a match, given what `referee.viewer.frames.frames` returns."""
    script = "\n".join(_EXPORT.sub("", _IMPORT.sub("", _file(name))) for name in MODULES)
    style = _file("replay.css")
    # "<" as an escape, so that no text can end the element
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    policy = (
        f"default-src 'none'; script-src {_allowed(script)}; style-src {_allowed(style)}; base-uri 'none'"
    )
    return Template(_file("replay.html")).substitute(
        policy=policy,
        style=style,
        script=script,
        data=f'<script type="application/json" id="data">{text}</script>',
    )


def _file(name: str) -> str:
    return (resources.files(__package__) / "web" / name).read_text(encoding="utf-8")


def _allowed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
