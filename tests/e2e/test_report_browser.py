"""The page of a report in a real browser, from a file, with every way out leading to this test.

Without a browser these tests are skipped; with FAIRDEAL_BROWSER=1 there must be one.
"""

import json
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Final

import pytest

from tests.sample_report import played
from tests.workspace import PATIENCE
from tournaments.report.page import page
from tournaments.standings.shapes import Report

IS_NEEDED: Final = os.environ.get("FAIRDEAL_BROWSER") == "1"
NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
# What a browser asks its maker for, whatever the page and the flags; that a page holds no address at all, not
# even one of these, is tested on its text.
MAKERS: Final = re.compile(r"[A-Z]+ (https?://)?[a-z0-9.-]+\.(google|googleapis|gvt1)\.com[:/]")
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--proxy-bypass-list=<-loopback>",
)


class Outside:
    """A proxy that lets nothing through and keeps the first line of every request, but of those to makers."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with suppress(OSError), connection, connection.makefile("rb") as lines:
                line = lines.readline().decode("latin-1").strip()
                if line == "end":
                    return
                if line and not MAKERS.match(line):
                    self.requests.append(line)
                connection.sendall(
                    b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                )

    def close(self) -> None:
        with socket.create_connection(self._listener.getsockname()) as last:
            last.sendall(b"end\n")
        self._thread.join()
        self._listener.close()


class Browser:
    """A browser without a window; each page gets a profile of its own."""

    def __init__(self, program: str, folder: Path, outside: Outside) -> None:
        self._words = [program, *FLAGS, f"--proxy-server=http://{outside.address}"]
        self._folder = folder

    def run(self, html: str, *words: str) -> str:
        """Open a page from a file and return what the browser prints."""
        file = self._folder / "report.html"
        file.write_text(html, encoding="utf-8")
        profile = f"--user-data-dir={self._folder / 'profile'}"
        command = [*self._words, profile, *words, file.as_uri()]
        return subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE).stdout.decode()

    def dom(self, html: str) -> str:
        """Return the page as the browser has understood it."""
        return self.run(html, "--dump-dom")

    def pages(self, html: str) -> int:
        """Return how many sheets of paper a page takes."""
        file = self._folder / "report.pdf"
        self.run(html, f"--print-to-pdf={file}", "--no-pdf-header-footer")
        return len(re.findall(rb"/Type /Page\b", file.read_bytes()))


@pytest.fixture
def outside() -> Iterator[Outside]:
    outside = Outside()
    try:
        yield outside
    finally:
        outside.close()


@pytest.fixture
def browser(tmp_path: Path, outside: Outside) -> Browser:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        missing = f"no browser is installed: none of {', '.join(NAMES)} is there"
        assert not IS_NEEDED, missing
        pytest.skip(missing)
    return Browser(program, tmp_path, outside)


@pytest.mark.parametrize("number", [5, 12])
def test_a_browser_shows_every_table_and_plot_and_fetches_nothing(
    browser: Browser, outside: Outside, number: int
) -> None:
    html = page(played(number, 40))
    dom = browser.dom(html)
    for tag in ("table", "tr", "td", "svg", "path", "rect", "section", "caption", "figure"):
        assert dom.count(f"<{tag}") == html.count(f"<{tag}") > 0, tag
    assert dom.count("paul-the-octopus" if number > 5 else "prudent") > 5
    assert outside.requests == []


def test_a_request_of_the_page_would_reach_this_test(browser: Browser, outside: Outside) -> None:
    html = page(played(2, 5))
    asking = html.replace("<h1>", '<img src="http://elsewhere.invalid/picture.png"><h1>')
    browser.dom(asking)
    assert outside.requests == [], "the page's own policy has forbidden it"
    browser.dom(re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", asking))
    assert outside.requests == ["GET http://elsewhere.invalid/picture.png HTTP/1.1"]


def test_a_name_that_is_a_script_does_not_run(browser: Browser, outside: Outside) -> None:
    name = "<script>document.title='ran'</script><svg onload=\"document.title='ran'\">"
    data = played(3, 9)
    standings = tuple(replace(each, entry=each.entry + name) for each in data.report.standings)
    html = page(replace(data, plan=replace(data.plan, name=name), report=Report(standings, {})))
    # the policy alone must not be what saves us
    dom = browser.dom(re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", html))
    assert dom.count("<script") == 1, "that of the page"
    assert "<title>ran" not in dom
    assert "&lt;script&gt;" in dom
    assert outside.requests == []


SEARCHED_AND_SORTED: Final = """<script>
const input = document.querySelector("input[type=search]");
input.value = "greedy";
input.dispatchEvent(new Event("input"));
const shown = [...document.querySelectorAll("#standings tbody tr")].filter((row) => !row.hidden);
const buttons = [...document.querySelectorAll("#standings th button")];
const button = buttons.find((each) => each.textContent === "Competitor");
button.click();
const names = () => [...document.querySelectorAll("#standings tbody th")].map((each) => each.textContent);
const up = names();
button.click();
document.title = JSON.stringify([shown.length, up, names()]);
</script></body>"""


def test_the_standings_can_be_searched_and_sorted(browser: Browser, outside: Outside) -> None:
    data = played(6, 9)
    html = page(data)
    policy = '<meta http-equiv="Content-Security-Policy"[^>]*>'
    tried = re.sub(policy, "", html).replace("</body>", SEARCHED_AND_SORTED)
    (title,) = re.findall("<title>(.*)</title>", browser.dom(tried))
    shown, up, down = json.loads(title)
    names = sorted((each.entry for each in data.report.standings), key=str.lower)
    assert (shown, up, down) == (1, names, names[::-1])
    assert "<button" in browser.dom(html), "its policy allows its own script"
    assert outside.requests == []


@pytest.mark.parametrize(("number", "least", "most"), [(5, 2, 4), (41, 8, 40)])
def test_a_report_can_be_printed(browser: Browser, number: int, least: int, most: int) -> None:
    assert least <= browser.pages(page(played(number, 40))) <= most
