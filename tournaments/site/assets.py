"""The files that all pages of a site share."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import metadata, resources
from typing import Final

from referee import viewer
from tournaments import report, site

POLICY: Final = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'"
)
"""What a page may load: files of its own site, also from a disk, and nothing else."""


@cache
def assets() -> Mapping[str, bytes]:
    """Return the files by path."""
    replay = viewer.parts()
    style = _text(report, "report.css") + _text(site, "site.css")
    return {
        "assets/site.css": style.encode(),
        "assets/tables.js": _text(report, "report.js").encode(),
        "assets/viewer.css": replay.style.encode(),
        "assets/viewer.js": replay.script.encode(),
    }


@cache
def viewer_body() -> str:
    """Return what the page of a match holds of the viewer."""
    return viewer.parts().body


@cache
def version() -> str:
    """Return a text that changes whenever pages of the same match may come out differently."""
    found = hashlib.sha256(metadata.version("fairdeal").encode())
    for package in (report, site):
        for file in sorted((resources.files(package) / "templates").iterdir(), key=lambda each: each.name):
            found.update(file.read_bytes())
    found.update(viewer_body().encode())
    return found.hexdigest()


def _text(package: object, name: str) -> str:
    return (resources.files(package.__name__) / "templates" / name).read_text("utf-8")  # type: ignore[attr-defined]
