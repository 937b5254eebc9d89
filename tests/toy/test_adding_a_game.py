"""docs/adding-a-game.md, followed with the toy: each step that the page names does what it says."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from fairdeal import Decision
from fairdeal.bots import make
from referee import record
from referee import transcript as shown
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.registry import GAMES
from referee.shapes import fields_of
from referee.testing import play
from referee.updates import Commitment, Happened
from referee.wire import encode
from referee.wire.tables import EVENTS, VIEWS
from tournaments.cli.games import show_games

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "adding-a-game.md").read_text()
BLOCKS: Final = re.findall(r"<!-- (tests/toy/\S+) -->\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMITMENT: Final = Commitment(
    scheme="fairdeal/1", epoch_id="m.1", commit=bytes(32), manifest=bytes(32), repeatable=True
)


def test_the_page_has_ten_steps() -> None:
    steps = re.findall(r"^## (\d+)\. ", PAGE, re.MULTILINE)
    assert steps == [str(number) for number in range(1, 11)]


@pytest.mark.parametrize(("file", "block"), BLOCKS, ids=[file for file, _block in BLOCKS])
def test_what_the_page_shows_of_the_toy_is_what_the_toy_is(file: str, block: str) -> None:
    assert bare(block) in bare((ROOT / file).read_text())


def bare(code: str) -> str:
    """Return code without blank lines and indentation, which a method on the page has not."""
    return "".join(f"{line.strip()}\n" for line in code.splitlines() if line.strip())


def test_every_file_of_the_toy_is_shown() -> None:
    files = {f"tests/toy/bury/{path.name}" for path in (ROOT / "tests/toy/bury").glob("*.py")}
    files |= {f"tests/toy/{name}" for name in ("bury.proto", "tables.py", "transcript.py")}
    assert {file for file, _block in BLOCKS} == files


def test_every_path_that_the_page_names_is_there() -> None:
    paths = {path for path in re.findall(r"`([\w./-]+/[\w./-]*)`", PAGE) if "NAME" not in path}
    assert paths
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


# Steps 1 to 4: the referee plays it


def test_what_holds_for_every_game_holds_for_the_toy() -> None:
    """Run the tests of all games with the toy as the only one."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "bury_plugin", "-p", "no:cacheprovider"]
    ended = subprocess.run(
        [*command, "tests/games/test_every_game.py"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests" / "toy")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    assert "bury" not in GAMES


def test_every_field_that_a_seat_is_told_can_be_converted(bury: Any) -> None:
    from referee.games.bury.rules import CardsBuried, Dealt
    from referee.games.bury.view import BuryDealStarted, BuryView, CardBuried

    for struct in (Dealt, CardsBuried, BuryView, BuryDealStarted, CardBuried):
        assert fields_of(struct)


# Steps 5 and 6: it plays over the wire


class Watching:
    """The house bot random, which keeps what it was told of the toy on the wire."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.views: list[Any] = []
        self._random = make("random")

    def act(self, decision: Decision) -> Any:
        self.views.append(decision.view)
        return self._random.act(decision)

    def on_event(self, happened: Any) -> None:
        self.events.append(happened.event)


def test_a_whole_match_is_played_in_the_arena(protocol: Any) -> None:
    bots = [Watching(), Watching()]
    played = play("bury", bots, seed="spring")
    assert max(played.outcome.scores) >= 25
    assert sum(played.outcome.ranks) in (2, 3)
    assert not any(count for faults in played.outcome.faults for count in (faults.illegal, faults.malformed))
    assert played.log == play("bury", [Watching(), Watching()], seed="spring").log
    for bot in bots:
        assert {type(event).__name__ for event in bot.events} >= {"CardPlayed", "TrickTaken", "DealScored"}
        # the SDK knows the toy's own messages only after step 7
        assert set(bot.views) == {None}


def test_what_a_seat_is_told_stands_on_the_wire(bury: Any, protocol: Any) -> None:
    from referee.games.bury.view import BuryDealStarted, BuryView

    hand = bury.cards[:6]
    told = protocol.Update.FromString(encode(Happened("m", 1, BuryDealStarted(2, bury.sides[1][0], hand))))
    event = told.happened.event
    assert event.WhichOneof("kind") == "bury_deal_started"
    assert (event.bury_deal_started.deal, event.bury_deal_started.first) == (2, 2)
    assert list(event.bury_deal_started.hand) == [card + 1 for card in hand]
    described = protocol.Update.DESCRIPTOR.file.pool.FindMessageTypeByName("fairdeal.v1.BuryView")
    assert [field.name for field in described.fields] == [name for name, _shape in fields_of(BuryView)]


def test_without_its_entries_the_wire_carries_nothing_of_a_game(bury: Any) -> None:
    from referee.games.bury.view import BuryDealStarted, BuryView, CardBuried

    assert not {BuryDealStarted, CardBuried} & set(EVENTS)
    assert BuryView not in VIEWS
    assert {CardPlayed, TrickTaken, DealScored} <= set(EVENTS)


# Steps 8 and 9: people read of it


def test_a_record_is_shown(bury: Any, protocol: Any, transcript: None, tmp_path: Path) -> None:
    played = play("bury", [make("random"), make("random")], seed="spring", deals=1)
    owners = [(entry, "") for entry in played.setup.entries]
    header = record.header_line(played.setup, owners, bury, COMMITMENT, software="test", started="2026-11-21")
    path = tmp_path / "m.jsonl.gz"
    path.write_bytes(record.encode(header, played.log, bytes(32)))
    text = "\n".join(shown.lines(record.read(path)))
    assert re.search(r"Deal 1: seat \d seat\d leads, .H is left over", text)
    assert len(re.findall(r"seat \d seat\d buries .H", text)) == 2


def test_the_command_line_tells_of_it(bury: Any, capsys: pytest.CaptureFixture[str]) -> None:
    show_games("bury", as_json=False)
    told = capsys.readouterr().out
    assert bury.deck in " ".join(told.split())
    assert "sweep_points = 3  (0 to 100)" in told
