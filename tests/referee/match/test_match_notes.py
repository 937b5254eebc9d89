"""Notes with answers: what is kept of them, and that nobody is told anything by them."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.codec import proto
from referee.games.registry import GAMES
from referee.match import notes
from referee.match.effects import Append, Input, Tell
from referee.match.messages import Closed, Index
from referee.match.notes import NOTE_BYTES
from tests.referee.driven import Driven, pick

OF = 1
"""The seat that gives notes."""

Note = Callable[[int], bytes]

NOTES: dict[str, Note] = {
    "short": lambda number: b"%d" % number,
    "long": lambda number: bytes([97 + number % 26]) * NOTE_BYTES,
    "too long": lambda number: b"a" * (NOTE_BYTES + 1),
    "no text": lambda number: b"\xff\xfe",
    "now and then": lambda number: b"a" * (number % 3 * NOTE_BYTES),
}


def kept(match: Any) -> list[str]:
    return [given.note for given in match.inputs if given.note is not None]


def answer(match: Driven, note: bytes, seat: int = 0) -> Closed:
    """Answer a seat's open decision with a note, and return how it was closed."""
    decision = match.decision(seat)
    assert decision is not None
    match.give("answer", seat, decision.decision_id, pick(decision.legal), note=note)
    closed: Closed = match.told(seat, Closed)[-1]
    return closed


@pytest.mark.parametrize(
    ("note", "text"),
    [
        (b"", None),
        (b"a", "a"),
        ("♠".encode(), "♠"),
        (b"a" * NOTE_BYTES, "a" * NOTE_BYTES),
        (b"a" * (NOTE_BYTES + 1), None),
        (b"\xff", None),
    ],
)
def test_a_note_is_kept_or_its_sender_is_told(note: bytes, text: str | None) -> None:
    match = Driven().begin()
    closed = answer(match, note)
    assert kept(match) == ([] if text is None else [text])
    assert closed.note_dropped == bool(note and text is None)
    assert closed.fault is None


def test_a_wrong_answer_is_one_fault_with_a_note_that_is_dropped() -> None:
    match = Driven().begin()
    match.give("answer", 0, 1, Index(0), note=b"\xff")
    (closed,) = match.told(0, Closed)
    assert closed.fault is not None
    assert closed.note_dropped


def test_each_seat_has_an_equal_part_of_what_a_match_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "MATCH_BYTES", 2 * NOTE_BYTES)
    match = Driven("two_handed_spades").begin()
    dropped: dict[int, list[bool]] = {0: [], 1: []}
    while min(map(len, dropped.values())) < 3:
        (seat,) = match.asked
        size = NOTE_BYTES // 2 if seat else NOTE_BYTES
        dropped[seat].append(answer(match, b"a" * size, seat).note_dropped)
    assert (dropped[0][:3], dropped[1][:3]) == ([False, True, True], [False, False, True])


@pytest.mark.parametrize("grid", [0, 10])
@pytest.mark.parametrize("game", GAMES)
def test_other_notes_tell_nobody_anything(game: str, grid: int) -> None:
    """Play the same deal with other notes of one seat: all effects are the same but for them."""

    def effects(note: Note) -> list[Any]:
        match = Driven(game, event_grid=grid).begin()
        number = 0
        while match.outcome is None and number < 6:
            asked = match.asked
            if not asked:
                match.give("tick", at=match.wake)
            for seat in asked:
                if (decision := match.decision(seat)) is None:
                    continue  # the grid has let it be told meanwhile that it is closed
                given = pick(decision.legal, seat, decision.decision_id)
                number += seat == OF
                more = {"note": note(number)} if seat == OF else {}
                match.give("answer", seat, decision.decision_id, given, at=match.now + 1, **more)
        return [shown(effect) for step in match.steps for effect in step]

    without = effects(lambda number: b"")
    for kind, note in NOTES.items():
        assert effects(note) == without, kind


def shown(effect: Any) -> Any:
    """Return an effect without what its own seat and the record have of a note, an update as its bytes."""
    match effect:
        case Append(Input(kind, at, seat, decision_id, given, grace)):
            return Input(kind, at, seat, decision_id, given, grace)
        case Tell(seat, Closed(match_id, decision_id, reason, fault)) if seat == OF:
            return seat, proto.encode(Closed(match_id, decision_id, reason, fault))
        case Tell(seat, update):
            return seat, proto.encode(update)
    return effect
