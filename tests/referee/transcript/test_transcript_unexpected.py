"""Records that are not as expected, as text: what is not known is shown, what is damaged is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.cards import Seat
from referee.codec.json import tagged
from referee.games.events import BidMade, DealScored
from referee.games.registry import GAMES
from referee.storage import record
from referee.storage.record import Record, RecordError
from referee.transcript import WIDTH, lines
from tests.referee.recorded import STARTED, RecordedTable, blind_spades, euchre_with_faults, normal


def small(*log: Any, **header: Any) -> Record:
    """Return a record of a few lines with the header of a real one."""
    table = RecordedTable("hearts", arrivals=["decline"] * 4)
    setup, deals = table.setup, table.deals
    owners = [(entry, "") for entry in setup.entries]
    head = record.header_line(setup, owners, table.game, deals.commitment, software="", started=STARTED)
    return Record({**head, **header}, tuple(log))


def events(*some: Any) -> list[dict[str, Any]]:
    return [tagged(event) for event in some]


@pytest.mark.parametrize(
    "line",
    [
        {"type": "kitty_opened", "seat": 1, "cards": ["2C"]},
        {"type": "input", "kind": "paused", "at": 5},
        {"type": "drafted", "seat": 0, "choice": "keep", "kept": "2C", "discarded": "3C"},
        {"type": "card_played", "seat": 9, "suit": "C"},
        {"type": "deal_scored", "deal": 1, "points": 7},
    ],
)
def test_a_line_that_is_not_known_is_shown_as_it_stands(line: dict[str, Any]) -> None:
    rest = json.dumps({name: value for name, value in line.items() if name != "type"})
    assert list(lines(small(line)))[-1] == f"  {line['type']} {rest}"


@pytest.mark.parametrize("play", [blind_spades, euchre_with_faults])
def test_no_line_stops_the_text(play: Callable[[], RecordedTable], tmp_path: Path) -> None:
    played = play().record(tmp_path)
    for number, line in enumerate(played.lines):
        for name in line.keys() - {"type"}:
            damaged = list(played.lines)
            damaged[number] = {**line, name: None}
            assert any(text.startswith("Reveal") for text in lines(Record(played.header, tuple(damaged))))


def test_a_game_that_is_not_known_is_shown_by_what_all_games_share() -> None:
    score = DealScored(1, (62, -40), (62, -40))
    text = normal(lines(small(*events(BidMade(Seat(2), 0), score), game="whist", options={"rubber": True})))
    assert text[0] == "Match m-0001, attempt 1: whist, 1 deal"
    assert "options rubber = true" in text
    assert text[-4:] == ["seat 2 random-1 bids nil", "side 0 1", "points 62 -40", "total 62 -40"]


def test_partners_share_a_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(GAMES["hearts"]), "sides", ((Seat(0), Seat(2)), (Seat(1), Seat(3))))
    score = events(DealScored(1, (62, -40), (62, -40), (2, 0)))
    no_faults = {"malformed": 0, "illegal": 0, "disconnected": 0, "late": 0, "sessions_lost": 0}
    outcome = {
        "type": "outcome",
        "termination": "completed",
        "ranks": [2, 1],
        "scores": [62, 70],
        "capped": False,
        "faults": [no_faults] * 4,
        "forfeited": [],
        "times": [{"answered": 0, "total": 0, "longest": 0}] * 4,
    }
    text = normal(lines(small(*score, outcome)))
    assert "side 0+2 1+3" in text and "bags 2 0" in text
    ranking = text.index("rank score")
    assert text[ranking + 1 : ranking + 3] == [
        "1 70 seat 1 greedy + seat 3 slow",
        "2 62 seat 0 careful + seat 2 random-1",
    ]


def test_what_a_terminal_would_obey_is_spelled_out() -> None:
    text = list(lines(small(entries=["\x1b[2J\u202eeerg", "b\nc", "\ud800", "x" * 300])))
    assert all(line.isprintable() and len(line) <= WIDTH for line in text)
    assert r"  seat 0      \x1b[2J\u202eeerg" in text
    assert r"  seat 1      b\nc" in text
    assert r"  seat 2      \ud800" in text


@pytest.mark.parametrize(
    ("name", "value"),
    [("entries", 7), ("game", []), ("faults", 3), ("clock", {"move": 1}), ("options", None)],
)
def test_a_header_with_something_else_in_it_is_refused_in_one_line(name: str, value: Any) -> None:
    with pytest.raises(RecordError, match=r"^the record's header is damaged \(.+\); get a whole copy"):
        list(lines(small(**{name: value})))


def test_a_header_that_lacks_a_field_is_refused_in_one_line() -> None:
    whole = small().header
    for name in whole.keys() - {"type", "format", "bound"}:  # which only the verifier reads
        rest = {key: value for key, value in whole.items() if key != name}
        with pytest.raises(RecordError, match=rf"^the record's header is damaged \(KeyError: '{name}'\)"):
            list(lines(Record(rest, ())))
