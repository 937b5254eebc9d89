"""Links between the pages: each leads somewhere."""

from pathlib import Path
from typing import Final

import pytest

from tests.docs.conftest import Page

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = sorted(
    str(path.relative_to(ROOT)) for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
)


@pytest.mark.parametrize("name", PAGES)
def test_links_between_pages_lead_somewhere(page: type[Page], name: str) -> None:
    shown = page(name)
    for link in shown.links:
        target, _, anchor = link.partition("#")
        path = (shown.path.parent / target).resolve() if target else shown.path
        assert path.exists(), link
        if anchor:
            assert anchor in page(str(path.relative_to(ROOT))).anchors, link
