"""The page that replays a match: one file that fetches nothing and shows other people's texts as texts."""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

import referee.viewer
from referee.verify import Past, trusted
from referee.viewer import frames, page
from referee.viewer.page import MODULES
from tests.tournaments.kept import KEPT

WEB = Path(referee.viewer.__file__).parent / "web"
HOSTILE = "</script><script>alert(1)</script><!--&\u2028$data"


@pytest.fixture(scope="module")
def match() -> Past:
    (file,) = (KEPT / "hearts-finished").rglob("*.jsonl.gz")
    return trusted(file.read_bytes())


@pytest.fixture(scope="module")
def data(match: Past) -> dict[str, Any]:
    return frames(match)


def within(html: str, tag: str) -> str:
    found = re.fullmatch(rf".*?<{tag}[^>]*>(.*?)</{tag.split()[0]}>.*", html, re.DOTALL)
    assert found
    return found[1]


def test_it_allows_its_own_script_and_style_and_nothing_else(data: dict[str, Any]) -> None:
    html = page(data)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    allowed = dict(part.split(" ", 1) for part in policy[1].split("; "))
    for name, tag in (("script-src", 'script type="module"'), ("style-src", "style")):
        digest = hashlib.sha256(within(html, tag).encode()).digest()
        assert allowed[name] == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert (allowed["default-src"], allowed["base-uri"]) == ("'none'", "'none'")


def test_it_names_no_address_but_that_of_svg(data: dict[str, Any]) -> None:
    assert set(re.findall(r"[a-z]+://[^\"'` ]+", page(data))) == {"http://www.w3.org/2000/svg"}


def test_the_viewer_is_small() -> None:
    assert sum(file.stat().st_size for file in WEB.iterdir()) < 150_000


def test_no_text_of_others_ends_the_data(data: dict[str, Any]) -> None:
    html = page({**data, "entries": [HOSTILE] * 4})
    text = within(html, 'script type="application/json" id="data"')
    assert "<" not in text
    assert json.loads(text)["entries"] == [HOSTILE] * 4


def test_the_same_match_gives_the_same_bytes(match: Past, data: dict[str, Any]) -> None:
    assert page(data) == page(frames(match))


def test_the_modules_can_stand_in_one_script() -> None:
    names: list[str] = []
    for module in MODULES:
        text = (WEB / module).read_text()
        names += re.findall(r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)", text, re.MULTILINE)
        for imported in re.findall(r'^import .* from "\./(.*)";$', text, re.MULTILINE):
            assert MODULES.index(imported) < MODULES.index(module)
    assert len(names) == len(set(names)) > 30
    assert {*MODULES} == {file.name for file in WEB.glob("*.js")}
