"""What one seat knew of a match, from its record."""

from itertools import pairwise

import pytest

from referee.cards import Seat
from referee.codec.json import tagged
from referee.games.registry import GAMES
from referee.match.effects import Faulted, Input, Outcome, Substituted
from referee.match.messages import Decision
from referee.storage.record import RecordError
from referee.transcript import lines
from referee.verify import Ear, Past, past, seen_by
from tests.referee.recorded import RecordedTable
from tests.referee.verify.edited import data_of, edited, played

OWN = ("input", "faulted", "substituted")


def told(table: RecordedTable, seat: Seat) -> list[dict[str, object]]:
    """Return what the game tells a seat of the events of a match."""
    events = [entry for entry in table.log if not isinstance(entry, Input | Faulted | Substituted | Outcome)]
    projected = [table.game.project(event, seat) for event in events]
    return [tagged(event) for event in projected if event is not None]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("grid", [0, 50_000])
def test_a_seat_is_shown_the_events_as_it_was_told_of_them(game: str, grid: int) -> None:
    table = RecordedTable(game, event_grid=grid) if grid else played(game)
    match = past(table.encoded())
    for seat in range(table.game.seats):
        seen = seen_by(match, seat)
        *rest, outcome = seen.lines
        assert [line for line in rest if line["type"] not in (*OWN, "time")] == told(table, Seat(seat))
        assert all(line.get("seat", seat) == seat for line in rest if line["type"] in OWN)
        assert outcome["type"] == "outcome"


@pytest.mark.parametrize("game", GAMES)
def test_it_is_shown_as_text(game: str) -> None:
    match = past(data_of(game))
    for seat in range(GAMES[game].seats):
        text = list(lines(seen_by(match, seat)))
        assert not [line for line in text if "{" in line or match.lines[-1]["secret"] in line]
        assert text[-1].startswith("    seat")


def test_instances_of_others_are_not_shown() -> None:
    whole = past(data_of("hearts"))
    header = {**whole.lines[0], "instances": ["a", "b", "c", "d"]}
    match = Past(whole.header, whole.deals, (header, *whole.lines[1:]))
    seen = seen_by(match, 2).header
    assert seen["instances"] == ["", "", "c", ""]
    assert "bound" in header and "bound" not in seen  # a hash of the instances among others


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("grid", [0, 50_000])
def test_no_time_is_told_at_which_nothing_was(game: str, grid: int) -> None:
    match = past(RecordedTable(game, event_grid=grid).encoded() if grid else data_of(game))
    times = 0
    for seat in range(GAMES[game].seats):
        seen = seen_by(match, seat).lines
        for line, following in pairwise(seen):
            assert line["type"] != "time" or following["type"] not in ("time", "input", "outcome")
            times += line["type"] == "time"
    assert times


def test_a_record_that_does_not_verify_is_not_replayed() -> None:
    changed = edited(data_of("hearts"), lambda lines: lines[-2].update(capped=True))
    with pytest.raises(RecordError, match=r"does not verify, so its match cannot be replayed: line .*capped"):
        past(changed)


@pytest.mark.parametrize("game", GAMES)
def test_an_answer_stands_after_all_that_the_seat_was_told_before_it(game: str) -> None:
    match = past(RecordedTable(game, event_grid=50_000).encoded())
    ear = Ear(Seat(0))
    updates = [
        update for _, _, held, effects in match.steps() for update in (*ear.new(held), *ear.new(effects))
    ]
    known = {update.decision_id: update.sequence for update in updates if isinstance(update, Decision)}
    told_so_far = 0
    for line in seen_by(match, 0).lines:
        if line["type"] == "input" and line["kind"] == "answer":
            assert told_so_far == known[line["decision_id"]]
        told_so_far += line["type"] not in (*OWN, "time")
    assert known
