"""What an attempt at a match is played with."""

from dataclasses import fields
from pathlib import Path

from referee.match.effects import MatchSetup
from tournaments.running.attempts import setup_of
from tournaments.store import Issued
from tournaments.tournament_file.reader import load

TEXT = """game = "two_handed_spades"
match = { deals = 3 }
event_grid = 50
clock = "fast"
faults = { policy = "forfeit" }
[[entries]]
name = "one"
bot = "greedy"
[[entries]]
name = "two"
bot = "random"
"""


def test_a_match_is_set_up_as_its_plan_says(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(TEXT)
    plan = load(tmp_path / "cup.toml")
    issued = Issued(
        serial=1, match_id="cup-1", round=1, entries=("two", "one"), versions=(None, None), attempt=2
    )
    setup = setup_of(plan, issued)
    of_plan = {"game", "options", "deals", "clock", "faults", "event_grid"}
    assert {name: getattr(setup, name) for name in of_plan} == {name: getattr(plan, name) for name in of_plan}
    assert (setup.match_id, setup.attempt, setup.entries) == ("cup-1", 2, ("two", "one"))
    assert of_plan | {"match_id", "attempt", "entries"} == {field.name for field in fields(MatchSetup)}
