"""The page that replays a match, in a real browser; and its modules in Node, beside what the rules say."""

import json
import re
import shutil
import subprocess
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any, Final

import pytest

import referee.viewer
from referee.games.registry import GAMES
from referee.verify import Past, trusted
from referee.viewer import frames, page
from tests.e2e.browser import Browser, Outside
from tests.tournaments.kept import KEPT

WEB: Final = Path(referee.viewer.__file__).parent / "web"
NODE: Final = shutil.which("node")
HOSTILE: Final = "<img src=x onerror=\"document.title='ran'\"></script><script>document.title='ran'</script>"

# clicks from the first step to the last, and tells what it saw
STEPPER: Final = """<script type="module">
const seen = [];
const button = document.getElementById("next");
document.getElementById("first").click();
for (let last = ""; last !== location.hash; button.click()) {
  last = location.hash;
  const hands = [...document.querySelectorAll(".hand")];
  const cards = hands.map((hand) => hand.querySelectorAll(".card").length);
  const played = document.querySelectorAll(".middle .card").length;
  const dim = document.querySelectorAll(".card.dim").length;
  const scores = [...document.querySelectorAll(".scores td")].map((cell) => cell.textContent);
  seen.push([cards, played, dim, scores]);
  if (seen.length > 5000) break;
}
const outcome = document.getElementById("outcome").textContent;
parent.postMessage({ title: document.title, seen, outcome }, "*");
</script>"""
FRAMES: Final = """<pre id="told"></pre><script>
const told = {};
addEventListener("message", (event) => {
  told[event.data.title] = event.data;
  document.getElementById("told").textContent = JSON.stringify(told);
});
</script>"""


@cache
def match(game: str) -> Past:
    (file,) = (KEPT / f"{game}-finished").rglob("*.jsonl.gz")
    return trusted(file.read_bytes())


def _without_policy(html: str) -> str:
    return re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)


def test_every_game_is_stepped_through_to_its_end(browser: Browser, outside: Outside, tmp_path: Path) -> None:
    inner = ""
    for game in GAMES:
        data = {**frames(match(game)), "title": game}
        (tmp_path / f"{game}.html").write_text(_without_policy(page(data)) + STEPPER)
        inner += f'<iframe src="{game}.html"></iframe>'
    dom = browser.run(FRAMES + inner, "--virtual-time-budget=60000", "--dump-dom")
    found = re.search(r'<pre id="told">(.*?)</pre>', dom, re.DOTALL)
    assert found
    told = {title.split(":")[0]: each for title, each in json.loads(unescape(found[1])).items()}
    assert set(told) == set(GAMES)
    for game, each in told.items():
        data, outcome = frames(match(game)), match(game).lines[-2]
        assert len(each["seen"]) == len(data["frames"])
        tricks = data["frames"][-1]["public"]["tricks"]
        most = max(
            len(trick["cards"]) for trick in tricks
        )  # where a seat sits out, fewer than there are seats
        assert {played for _cards, played, _dim, _scores in each["seen"]} == {*range(most + 1)}
        assert any(dim for _cards, _played, dim, _scores in each["seen"])
        left = each["seen"][-1][0]  # where a seat sits out, it keeps its hand
        assert left.count(0) == most
        assert each["seen"][-1][3] == [str(score) for score in outcome["scores"]]
        assert each["outcome"].startswith(f"{outcome['termination']}: 1. ")
    assert outside.requests == []


def test_names_that_are_scripts_do_not_run(browser: Browser, outside: Outside) -> None:
    data = frames(match("hearts"))
    html = page({**data, "entries": [HOSTILE, "a\u202e\n2. b", "long" * 50, "c"]})
    # the policy alone must not be what saves us
    for each in (html, _without_policy(html)):
        dom = browser.dom(each)
        assert dom.count("<script") == 2, "the data and the page's own"
        assert "<title>ran" not in dom
        assert "<img" not in dom
        assert "&lt;img src=x" in dom
        shown = re.sub("(?s)<script.*?</script>", "", dom)
        assert "\u202e" not in shown
        assert "\u2068a\ufffd\ufffd2. b\u2069" in shown
        assert "long" * 15 not in shown
        assert '<div class="hand"' in dom, "it was drawn under its own policy"
    assert outside.requests == []


COMPARE: Final = """
import { readFileSync } from "node:fs";
const { expand } = await import(process.argv[1] + "/frames.js");
const { fromRecord } = await import(process.argv[1] + "/record.js");
const held = (seat) => [...(seat.hand ?? [])].sort();
const shown = ({ deal, public: { trick, tricks }, seats }) =>
  JSON.stringify([deal, trick?.cards ?? [], tricks.map((each) => each.cards), seats.map(held)]);
const begun = (frame) => frame.public.trick || frame.public.tricks?.length;
const played = (data) => expand(data).filter(begun);
for (const { data, text } of JSON.parse(readFileSync(0))) {
  const dropped = fromRecord(text);
  const told = new Set(played(dropped).map(shown));
  const missing = played(data).filter((frame) => !told.has(shown(frame)));
  const { sides, outcome } = dropped;
  const views = expand(data).flatMap((frame) => [frame.public, ...frame.seats]);
  const wrong = missing.length + views.filter((view) => Object.values(view).includes(null)).length;
  console.log(JSON.stringify([data.game, played(data).length, wrong, sides, outcome.ranks]));
}
for (const text of ["", "{", '{"type":"header"}']) {
  try {
    fromRecord(text);
  } catch (error) {
    console.log(error.message);
  }
}
"""


@pytest.mark.process
@pytest.mark.skipif(NODE is None, reason="Node is not installed")
def test_a_dropped_record_shows_the_same_hands_and_tricks() -> None:
    given: list[dict[str, Any]] = [
        {"data": frames(match(game)), "text": "\n".join(map(json.dumps, match(game).lines))} for game in GAMES
    ]
    assert NODE
    words = [NODE, "--input-type=module", "-e", COMPARE, WEB.as_uri()]
    done = subprocess.run(words, input=json.dumps(given), capture_output=True, text=True, check=False)
    assert done.stderr == ""
    *games, empty, cut, other = done.stdout.splitlines()
    for line, name in zip(games, GAMES, strict=True):
        game, steps, wrong, sides, ranks = json.loads(line)
        assert (game, wrong) == (name, 0)
        assert steps > 20
        assert [tuple(side) for side in sides] == list(GAMES[name].sides)
        assert ranks == match(name).lines[-2]["ranks"]
    assert empty == cut == "line 1 is not JSON: this is no record of fairdeal, or it is cut off"
    assert other == "the first line is no header: this is no record of fairdeal"
