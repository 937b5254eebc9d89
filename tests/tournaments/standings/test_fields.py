"""The simulated tournaments of docs/statistics.md: what is kept of them, and where they stop."""

import sys
from pathlib import Path

import pytest

from tests.tournaments import fields
from tests.tournaments.fields import Kind, play, simulated

TINY = Kind(name="one against one, once", spread=2.0)
OTHER = Kind(name="another one", spread=0.0)


def test_a_run_that_was_broken_off_goes_on_with_what_it_kept(tmp_path: Path) -> None:
    keep = tmp_path / "kept.jsonl"
    play([TINY], 1, float("inf"), keep)
    found = play([TINY], 2, float("inf"), keep)
    assert found == {TINY.name: simulated(TINY, 2)}
    assert len(keep.read_text().splitlines()) == 2


def test_without_time_each_kind_still_has_one_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "CHUNK", 1)
    found = play([TINY, OTHER], 9, 0.0, None)
    assert [each.tournaments for each in found.values()] == [1, 1]


def test_words_that_no_kind_has_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fields", "1", "bridge"])
    with pytest.raises(SystemExit, match="2"):
        fields.main()
    assert "words that the name of a kind has" in capsys.readouterr().err
