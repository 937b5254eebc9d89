"""The line of progress of `fairdeal compare`."""

from io import StringIO

import pytest
from rich.console import Console

from tournaments.cli.live_line import LiveLine


class Clock:
    """A clock in seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def written(steps: list[tuple[float, str]], *, terminal: bool) -> str:
    """Return what is printed when progress is shown after so many seconds each."""
    text, clock = StringIO(), Clock()
    console = Console(file=text, width=40, force_terminal=terminal, color_system=None)
    with LiveLine(console, clock) as line:
        line.note("begun")
        for seconds, progress in steps:
            clock.now += seconds
            line.show(lambda progress=progress: progress)  # type: ignore[misc]
        line.end("over")
    return text.getvalue()


def test_lines_that_stay_come_seldom() -> None:
    steps = [(1.0, "one"), (4.5, "two"), (1.0, "three"), (5.0, "four")]
    assert written(steps, terminal=False) == "begun\ntwo\nfour\nover\n"


@pytest.mark.parametrize(("seconds", "shown"), [(0.1, ["one"]), (0.3, ["one", "two"])])
def test_on_a_terminal_one_line_is_written_over(seconds: float, shown: list[str]) -> None:
    text = written([(0.0, "one"), (seconds, "two")], terminal=True)
    assert [word for word in ("one", "two") if word in text] == shown
    assert text.rindex("over") > text.rindex("one") > text.index("begun")


def test_a_long_line_keeps_to_one_line_of_a_terminal() -> None:
    text = written([(1.0, "long " * 20)], terminal=True)
    assert "…" in text
    assert "long " * 9 not in text
