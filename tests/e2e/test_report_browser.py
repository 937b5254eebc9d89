"""The page of a report in a real browser, from a file, with every way out leading to this test.

Without a browser these tests are skipped; with FAIRDEAL_BROWSER=1 there must be one.
"""

import json
import re
from dataclasses import replace
from typing import Final

import pytest

from tests.e2e.browser import Browser, Outside
from tests.sample_report import played
from tournaments.report.page import page
from tournaments.standings.shapes import Report


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
