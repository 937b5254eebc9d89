"""Texts that several commands print."""

import pytest

from tournaments.cli import wording
from tournaments.cli.wording import also, fitted, tell


def test_a_long_line_goes_on_below_and_a_path_is_never_broken() -> None:
    path = f"cup.fairdeal/records/{'x-' * 30}1.1.jsonl.gz"
    text = f"{path}: verified: hearts, completed"
    assert fitted(text, 80).splitlines() == [f"{path}:", "    verified: hearts, completed"]
    assert fitted(text, 200) == text


def test_lines_for_programs_stay_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "word " * 40 + "end"
    tell(text)
    assert capsys.readouterr().out == text + "\n"
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(wording.sys.stdout, "isatty", lambda: True, raising=False)
    tell(text)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) <= 80


def test_beside_sets_it_is_said_that_matches_are_counted() -> None:
    assert [also(number, "left out", 2) for number in (0, 1, 4)] == [
        "",
        ", 1 match left out",
        ", 4 matches left out",
    ]
    assert also(4, "left out", 1) == ", 4 left out"
