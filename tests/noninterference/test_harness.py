"""The harness itself: variants are others in truth, and what observers know decides which there are."""

from collections.abc import Sequence
from typing import Any

import pytest

from referee.games.registry import GAMES
from referee.match.messages import Index
from tests.choices import Choices
from tests.noninterference.adaptor import Fact, Observer
from tests.noninterference.adaptors import ADAPTORS
from tests.noninterference.check import Tally, check_phase, check_windows
from tests.noninterference.drive import drive
from tests.noninterference.trace import trace
from tests.noninterference.variant import base, variant
from tests.noninterference.window import Leak, Window

every_game = pytest.mark.parametrize("name", GAMES)
every_phase = pytest.mark.parametrize(
    ("name", "phase"), [(name, phase) for name, game in GAMES.items() for phase in game.phases]
)


@every_phase
def test_a_variant_is_another_course_that_its_observers_cannot_tell(name: str, phase: str) -> None:
    adaptor, others = ADAPTORS[name], 0
    accepted = 0
    for number in range(20):
        window = drive(adaptor, phase, "truth", number)
        at = max((at for at, there in enumerate(window.phases) if there == phase), default=0)
        target, chance = adaptor.observers[number % len(adaptor.observers)], Choices(name, phase, number)
        swap = adaptor.swap(window.past(at), target, chance)
        if swap and (found := variant(window, at, swap, target, adaptor.observers)):
            accepted += 1
            assert target in found.observers
            assert found.truth.deals[0] != window.past(at) or found.given
            others += found.truth.deals[0][0] != window.past(at)[0]
    assert accepted > 0
    assert others > 0, "no other cards were dealt"


@every_game
def test_a_window_is_a_function_of_its_key(name: str) -> None:
    windows = [drive(ADAPTORS[name], "play", "same") for _ in range(2)]
    assert windows[0].moves == windows[1].moves
    at = len(windows[0].moves)
    observers = ADAPTORS[name].observers
    one, two = (trace(window, at, base(window, at), observers) for window in windows)
    for observer in observers:
        sent = [one.after(observer, move) for move in range(at + 1)]
        assert sent == [two.after(observer, move) for move in range(at + 1)]
        assert any(sent)
    assert drive(ADAPTORS[name], "play", "other").moves != windows[0].moves


def _stood_to_the_end(window: Window) -> bool:
    """Return whether after a restart a bot is back only when its clock goes on already."""
    restarts = [move for move in window.moves if move.kind == "restarted"]
    backs = [move for move in window.moves if move.kind == "back"]
    first = [next((m for m in backs if m.now >= move.now), None) for move in restarts]
    return any(m and m.now >= move.now + move.grace for move, m in zip(restarts, first, strict=True))


@every_game
def test_windows_hold_whatever_can_come(name: str) -> None:
    windows = [drive(ADAPTORS[name], "play", "all", number) for number in range(80)]
    moves = [move for window in windows for move in window.moves]
    assert {move.kind for move in moves} == {"answer", "tick", "lost", "back", "restarted"}
    answers = [move for move in moves if move.kind == "answer"]
    ops = [op for move in moves for op in move.ops]
    assert any(not move.ops for move in answers), "no stale answer"
    assert any(isinstance(move.given, Index) for move in answers), "no answer by index"
    assert any(op.action is None for op in ops), "no wrong answer"
    assert any(op.default for op in ops), "no default action"
    backs = [
        (move.after, window.happened[number])
        for window in windows
        for number, move in enumerate(window.moves)
        if move.kind == "back"
    ]
    assert any(after == 0 for after, _happened in backs), "no bot that has none of its events"
    assert any(0 < after < happened for after, happened in backs), "no bot that has some of its events"
    assert any(after == happened for after, happened in backs), "no bot that has all of its events"
    assert any(_stood_to_the_end(window) for window in windows), "no bot that is back after the grace"
    assert any(not window.over[-1] and not window.hides_faults(len(window.moves)) for window in windows) == (
        name == "hearts"
    )
    assert {window.deal for window in windows} >= {1, 2, 3, 4}
    whole = [window for window in windows if window.setup.deals is None]
    assert any(window.over[-1] for window in whole)
    assert {window.over[-1] for window in windows if window not in whole} == {False, True}
    assert any(len(window.moves) > 10 and window.over[-1] for window in windows)


@pytest.mark.parametrize(
    ("name", "phase", "word"),
    [
        ("hearts", "pass", "dealt"),
        ("hearts", "play", "got"),
        ("spades", "bid", "sees"),
        ("euchre", "upcard", "dealt"),
        ("euchre", "play", "upcard"),
        ("piquet", "blank", "dealt"),
        ("piquet", "further", "cards"),
        ("piquet", "play", "said"),
        ("two_handed_spades", "draft", "offered"),
        ("two_handed_spades", "bid", "kept"),
    ],
)
def test_an_oracle_that_knows_too_little_takes_the_rules_for_a_leak(
    name: str, phase: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind: Any = type(ADAPTORS[name])
    real = kind.facts

    def facts(self: Any, event: Any, observer: Observer, past: Sequence[Any]) -> tuple[Fact, ...]:
        return tuple(fact for fact in real(self, event, observer, past) if fact[0] != word)

    monkeypatch.setattr(kind, "facts", facts)
    with pytest.raises(Leak, match=name):
        check_windows(ADAPTORS[name], phase, 120, Tally(), "ignorant")


@every_game
def test_an_oracle_that_knows_all_leaves_no_variants(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(ADAPTORS[name]), "facts", lambda self, event, observer, past: ((event,),))
    with pytest.raises(AssertionError, match="too few positions"):
        check_phase(ADAPTORS[name], "play", 1, "omniscient")


def test_a_phase_that_a_game_does_not_have_is_no_phase_without_positions() -> None:
    with pytest.raises(AssertionError, match="hearts has no phase draft"):
        check_phase(ADAPTORS["hearts"], "draft", 1)
