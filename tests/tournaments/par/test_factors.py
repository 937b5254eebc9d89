"""The command that measures how much par helps."""

import sys

import pytest

from tests.tournaments.par import factors


def test_too_few_decks_for_a_par_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["factors", "--decks", "20"])
    with pytest.raises(SystemExit, match="2"):
        factors.main()
    assert "--decks 20: a par needs 30 matches or more" in capsys.readouterr().err
