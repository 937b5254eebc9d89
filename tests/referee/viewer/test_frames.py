"""Frames of a match: what each seat saw, who was asked, and all that the transcript says."""

from itertools import pairwise
from typing import Any

import pytest

from referee.codec.json import plain
from referee.games.registry import GAMES
from referee.match.messages import Decision
from referee.storage.record import Record
from referee.transcript import lines
from referee.verify import Ear, Past, trusted
from referee.viewer import frames
from tests.tournaments.kept import KEPT

View = dict[str, Any]


@pytest.fixture(scope="module", params=GAMES)
def match(request: pytest.FixtureRequest) -> Past:
    (file,) = (KEPT / f"{request.param}-finished").rglob("*.jsonl.gz")
    return trusted(file.read_bytes())


@pytest.fixture(scope="module")
def data(match: Past) -> dict[str, Any]:
    return frames(match)


def whole(data: dict[str, Any]) -> list[list[View]]:
    """Return for each frame what everybody knows, and then what each seat knows."""
    known: list[View] = [{} for _ in range(1 + len(data["entries"]))]
    found = []
    for frame in data["frames"]:
        changes = [frame.get("public", {}), *frame.get("seats", [{}] * len(data["entries"]))]
        merged = [was | now for was, now in zip(known, changes, strict=True)]
        known = [{name: value for name, value in view.items() if value is not None} for view in merged]
        found.append([known[0], *(known[0] | own for own in known[1:])])
    return found


def test_a_frame_shows_each_seat_what_it_was_told(match: Past, data: dict[str, Any]) -> None:
    views, ears = whole(data), [Ear(seat) for seat in range(len(data["entries"]))]
    place = asked = 0
    for _line, _given, held, effects in match.steps():
        new = {
            seat: plain(update.view)
            for seat, ear in enumerate(ears)
            for update in ear.new([*held, *effects])
            if isinstance(update, Decision)
        }
        for seat, view in new.items():
            assert view.pop("seat") == seat
        shown = (
            at
            for at in range(place, len(views))
            if all(
                views[at][1 + seat] == view and seat in data["frames"][at]["asked"]
                for seat, view in new.items()
            )
        )
        found = next(shown, None)
        assert found is not None
        place, asked = found, asked + len(new)
    assert asked > 20


def test_cards_that_may_be_played_are_held_and_the_one_played_is_among_them(data: dict[str, Any]) -> None:
    views = whole(data)
    played = 0
    for at, frame in enumerate(data["frames"]):
        for seat, asked in frame["asked"].items():
            if "cards" in asked:
                assert set(asked["cards"]) <= set(views[at][1 + seat]["hand"])
            before, after = (views[each][1 + seat].get("hand", []) for each in (at, at + 1))
            if gone := set(before) - set(after):
                assert "cards" not in asked or gone <= set(asked["cards"])
                played += 1
    assert played > 10


def test_a_deal_is_shown_to_its_last_trick_before_the_next_begins(data: dict[str, Any]) -> None:
    publics = [each[0] for each in whole(data)]
    ends = [was for was, now in pairwise(publics) if was["deal"] != now["deal"]]
    full = len(publics[-1]["tricks"])
    assert [len(end["tricks"]) for end in ends] == [full] * (publics[-1]["deal"] - 1)


def test_the_text_is_that_of_the_transcript(match: Past, data: dict[str, Any]) -> None:
    text = [line for frame in data["frames"] for line in frame["text"]]
    transcript = list(lines(Record(match.lines[0], match.lines[1:])))
    reveal = transcript[-2:]
    assert text + reveal == transcript[-len(text) - 2 :]
    assert "Reveal" in reveal[1]


def test_the_time_that_an_answer_took(match: Past, data: dict[str, Any]) -> None:
    total = dict.fromkeys(range(len(data["entries"])), 0)
    seen = set()
    for frame in data["frames"]:
        for seat, thought in frame.get("thought", {}).items():
            if (frame["at"], seat) not in seen:  # a step that ends a deal has two frames
                seen.add((frame["at"], seat))
                total[seat] += thought
    assert list(total.values()) == [time["total"] for time in match.lines[-2]["times"]]
