from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from referee.cards import Seat
from referee.match.clock import PROFILES, SECOND
from referee.match.effects import MatchSetup, Outcome
from referee.match.faults import FaultCounts, FaultPolicy, Termination
from referee.server.runtime import FinishedMatch
from tests.tournaments.tournament_under_test import HEAD, remote, written
from tournaments.cli.progress import RunProgress
from tournaments.cli.wording import after_no_show
from tournaments.plan.states import TournamentState
from tournaments.running.executor import Machines
from tournaments.running.hosted import Lost

Begun = tuple[RunProgress, Callable[[], list[str]]]
Begin = Callable[..., Begun]


class SecondsClock:
    """A clock that is put forward by hand."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def report(
    number: int = 1,
    forfeited: tuple[int, ...] = (),
    *,
    void: bool = False,
    cancelled: bool = False,
    attempt: int = 1,
) -> FinishedMatch:
    how = Termination.CANCELLED if cancelled else Termination.COMPLETED
    termination = Termination.VOID if void else how
    void = void or cancelled
    faults = (FaultCounts(late=2, illegal=1), FaultCounts(malformed=1) if number == 3 else FaultCounts())
    return FinishedMatch(
        setup=MatchSetup(
            match_id=f"m-{number}",
            attempt=attempt,
            game="two_handed_spades",
            options={},
            deals=1,
            entries=("one", "two"),
            clock=PROFILES["standard"],
            faults=FaultPolicy(),
        ),
        outcome=Outcome(termination, () if void else (1, 2), (), False, faults, tuple(map(Seat, forfeited))),
        path=Path("record"),
        sha256="",
        started="",
        duration=1,
    )


@pytest.fixture(autouse=True)
def _logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Create the logs of hosted bots."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    for name in ("one", "two"):
        (tmp_path / "logs" / f"{name}.log").touch()


@pytest.fixture
def clock() -> SecondsClock:
    return SecondsClock()


@pytest.fixture
def begin(clock: SecondsClock) -> Begin:
    """Return a function that begins a run; with it comes one that gives what was said since."""

    def start(
        done: int,
        total: int,
        *,
        logs: Path = Path("logs"),
        terminal: bool = False,
        grows: bool = False,
        state: TournamentState = TournamentState.RUNNING,
        skipped: int = 0,
        no_show: str = "",
    ) -> Begun:
        text = StringIO()
        console = Console(file=text, width=80, force_terminal=terminal, color_system=None)
        progress = RunProgress("cup", console, logs, clock, grows=grows, no_show=no_show)
        store: Any = SimpleNamespace(state=state, skipped_count=lambda: skipped, taken_from=None)
        progress.opened(store)
        progress.begin(done, total)

        def said() -> list[str]:
            lines = text.getvalue().splitlines()
            text.seek(0)
            text.truncate()
            return lines

        return progress, said

    return start


@pytest.mark.parametrize(
    ("done", "total", "options", "told"),
    [
        (0, 10, {}, "0 of 10 matches"),
        (0, 0, {}, "0 of 0 matches"),
        (4, 10, {}, "4 of 10 matches are played already; going on"),
        (10, 10, {}, "all 10 matches are played"),
        (4, 10, {"skipped": 3}, "4 of 10 matches are played (1) or left out (3) already; going on"),
        (10, 10, {"skipped": 7}, "all 10 matches are played (3) or left out (7)"),
        # the state counts where the number of matches may grow, and nowhere else: rounds may be added
        (4, 10, {"state": TournamentState.FINISHED}, "4 of 10 matches are played already; going on"),
        (0, 10, {"grows": True}, "0 of at least 10 matches"),
        (4, 10, {"grows": True}, "4 of at least 10 matches are played already; going on"),
        (10, 10, {"grows": True}, "10 of at least 10 matches are played already; going on"),
        (12, 10, {"grows": True}, "12 of at least 12 matches are played already; going on"),
        (12, 10, {"grows": True, "state": TournamentState.FINISHED}, "all 12 matches are played"),
    ],
)
def test_how_it_begins(begin: Begin, done: int, total: int, options: dict[str, Any], told: str) -> None:
    _progress, said = begin(done, total, **options)
    assert said() == [f"cup: {told}"]


def test_what_may_grow_is_never_said_to_be_all(begin: Begin, clock: SecondsClock) -> None:
    progress, said = begin(0, 2, grows=True)
    said()
    for number in range(1, 4):
        clock.time += 5
        progress.finished(report(number))
    assert said() == [
        "cup: 1 of at least 2 matches, 0.2 a second, at least 0:05 left",
        "cup: 2 of at least 2 matches, 0.2 a second",
        "cup: 3 of at least 3 matches, 0.2 a second",
    ]


def test_what_may_grow_is_shown_so_on_a_terminal(begin: Begin, clock: SecondsClock) -> None:
    progress, said = begin(0, 1, terminal=True, grows=True)
    with progress:
        for number in (1, 2):
            clock.time += 5
            progress.finished(report(number))
    assert "2/2 matches or more 0.2 a second" in said()[-2]


def test_a_plain_line_every_five_seconds_and_at_the_end(begin: Begin, clock: SecondsClock) -> None:
    progress, said = begin(0, 10)
    said()
    for number in range(1, 11):
        clock.time += 2
        progress.finished(report(number))
    assert said() == [
        "cup: 3 of 10 matches, 0.5 a second, 0:14 left",
        "cup: 6 of 10 matches, 0.5 a second, 0:08 left",
        "cup: 9 of 10 matches, 0.5 a second, 0:02 left",
        "cup: 10 of 10 matches, 0.5 a second, 0:00 left",
    ]


def test_the_speed_is_that_of_this_run(begin: Begin, clock: SecondsClock) -> None:
    progress, _said = begin(100, 400)
    assert progress.speed() == ""
    clock.time += 4
    progress.finished(report())
    progress.finished(report())
    assert progress.speed() == "0.5 a second, 9:56 left"


def test_a_void_match_is_named_and_is_not_over(begin: Begin, clock: SecondsClock) -> None:
    progress, said = begin(0, 2)
    said()
    progress.finished(report(void=True, attempt=2))
    clock.time += 2
    progress.finished(report(1, forfeited=(1,)))
    progress.finished(report(2))
    assert said() == [
        "cup: m-1 is void (attempt 2) and is played again; see: fairdeal record show record",
        "cup: two forfeits m-1 (declined); see: fairdeal record show record, and logs/two.log",
        "cup: 2 of 2 matches, 1 forfeited, 1 void, 1.0 a second, 0:00 left",
    ]


@pytest.mark.parametrize(
    ("state", "again"),
    [(TournamentState.RUNNING, " and is played again"), (TournamentState.CANCELLED, "")],
    ids=str,
)
def test_what_is_played_again_is_said_to_be(begin: Begin, state: TournamentState, again: str) -> None:
    progress, said = begin(0, 2, state=state)
    said()
    progress.finished(report(1, cancelled=True))
    progress.finished(report(2, void=True, attempt=2))
    assert said() == [
        f"cup: m-1 is cancelled (attempt 1){again}; see: fairdeal record show record",
        f"cup: m-2 is void (attempt 2){again}; see: fairdeal record show record",
    ]
    assert progress.state() == "1 void, 1 cancelled"


@pytest.mark.parametrize(
    ("playing", "told"), [(1, "1 that is being played ends"), (2, "2 that are being played end")]
)
def test_a_pause_says_that_what_is_played_ends_first(begin: Begin, playing: int, told: str) -> None:
    progress, said = begin(0, 10, state=TournamentState.PAUSED)
    said()
    progress.stopping(playing, 0)
    assert said() == [f"cup: pausing: no more matches begin; {told} first"]
    progress.stopping(playing, 7.5)  # and then a signal
    assert "may end within 7.5 s" in said()[0]


def test_other_machines_are_told_when_they_change_and_what_they_have_is_shown(
    begin: Begin, clock: SecondsClock
) -> None:
    progress, said = begin(0, 10)
    said()
    for found, what in (
        (Machines(3, 12, 0), ""),
        (Machines(3, 12, 64), "64 on 3 machines"),
        (Machines(1, 4, 1), "1 on 1 machine"),
        (Machines(0, 0, 64), "64 wait for a machine"),
    ):
        progress.machines(found)
        assert progress.state() == what
    clock.time += 5
    progress.finished(report())
    assert said() == [
        "cup: matches are played by 3 machines with 12 processors in all",
        "cup: matches are played by 1 machine with 4 processors in all",
        "cup: matches wait: no machine of the cluster is there",
        "cup: 1 of 10 matches, 0.2 a second, 0:45 left, 64 wait for a machine",
    ]


@pytest.mark.parametrize(
    ("playing", "told"),
    [
        (1, "1 that is being played may end within 7.5 s"),
        (2, "2 that are being played may end within 7.5 s"),
    ],
)
def test_a_stop_says_how_many_matches_are_left(begin: Begin, playing: int, told: str) -> None:
    progress, said = begin(0, 10)
    progress.finished(report(1, void=True))
    said()
    progress.stopping(playing, 7.5)
    assert said() == [f"cup: stopping: no more matches begin; {told} (press Ctrl-C to stop at once)"]
    for number in range(playing):
        progress.finished(report(number))
    lines = ["cup: 1 of 10 matches, 1 void, 1 to end", "cup: 2 of 10 matches, 1 void"]
    assert said() == (lines if playing == 2 else ["cup: 1 of 10 matches, 1 void"])


def test_a_stop_between_matches_needs_no_word(begin: Begin) -> None:
    progress, said = begin(0, 10)
    said()
    progress.stopping(0, 10)
    assert said() == []


def test_a_stop_is_shown_on_a_terminal(begin: Begin) -> None:
    progress, said = begin(0, 10, terminal=True)
    with progress:
        progress.stopping(2, 10)
        progress.finished(report())
    bar = said()[-2]
    assert "cup, stopping " in bar
    assert "1/10 matches 1 to end" in bar


def test_a_bot_that_is_lost_by_its_host_is_started_again(begin: Begin) -> None:
    progress, said = begin(0, 10)
    said()
    log = Path("logs/two.log")
    progress.lost(Lost("two", "lost with its supervisor", ("thinking",), by_host=True, log=log))
    progress.finished(report(4, forfeited=(1,)))
    what = "its matches are void, and it is started again"
    assert said() == [
        f"cup: the bot of two is lost: lost with its supervisor; {what}",
        "    two> thinking",
        f"    (all of it: {Path('logs') / 'two.log'})",
        "cup: two forfeits m-4 (declined); see: fairdeal record show record, and logs/two.log",
    ]


def test_a_bot_that_is_lost_with_its_supervisor_again_forfeits_what_it_plays(begin: Begin) -> None:
    progress, said = begin(0, 10)
    said()
    progress.lost(Lost("two", "lost with its supervisor", (), restarts_in=500_000, forfeits=True))
    assert said()[0] == (
        "cup: the bot of two is lost: lost with its supervisor; it forfeits its running matches, and is"
        " started again in 0.5 s"
    )


def test_logs_that_cannot_be_looked_at_are_not_named(begin: Begin) -> None:
    progress, said = begin(0, 10, logs=Path("x" * 300))  # as in a folder that a bot has closed
    progress.finished(report(1, forfeited=(1,)))
    assert any(line.endswith("see: fairdeal record show record") for line in said())


def test_who_forfeits_is_named(begin: Begin) -> None:
    progress, said = begin(0, 10)
    said()
    progress.finished(report(3, forfeited=(1,)))
    progress.finished(report(4, forfeited=(0, 1)))
    assert said() == [
        "cup: two forfeits m-3 (1 malformed); see: fairdeal record show record, and logs/two.log",
        "cup: one forfeits m-4 (1 illegal, 2 late); see: fairdeal record show record, and logs/one.log",
        "cup: two forfeits m-4 (declined); see: fairdeal record show record, and logs/two.log",
    ]


def test_of_a_bot_that_is_lost_all_is_said_at_once(begin: Begin) -> None:
    progress, said = begin(0, 10)
    said()
    progress.lost(Lost("two", "exited with status 3", ("no engine", "found"), log=Path("logs/two.log")))
    progress.finished(report(3, forfeited=(1,)))
    progress.finished(report(4, forfeited=(0, 1)))
    assert said() == [
        "cup: the bot of two is lost: exited with status 3; it is given up, and forfeits its other matches",
        "    two> no engine",
        "    two> found",
        f"    (all of it: {Path('logs') / 'two.log'})",
        "cup: one forfeits m-4 (1 illegal, 2 late); see: fairdeal record show record, and logs/one.log",
    ]


def test_nothing_is_wrapped_or_taken_for_markup(begin: Begin) -> None:
    logs = Path("[bold]{entry}" + "/long" * 30)
    progress, said = begin(0, 10, logs=logs)
    said()
    line = "[red]" + "word " * 30 + "[/nothing]"
    progress.lost(Lost("two", line, (line,), log=logs / "two.log"))
    assert said() == [
        f"cup: the bot of two is lost: {line}; it is given up, and forfeits its other matches",
        f"    two> {line}",
        f"    (all of it: {logs / 'two.log'})",
    ]


def test_a_terminal_gets_a_bar(begin: Begin, clock: SecondsClock) -> None:
    progress, said = begin(0, 10, terminal=True)
    assert said() == []
    with progress:
        clock.time += 2
        progress.finished(report())
    bar = said()[-2]
    assert "cup " in bar
    assert "1/10 matches 0.5 a second, 0:18 left" in bar


def test_slow_matches_are_counted_by_the_hour(begin: Begin, clock: SecondsClock) -> None:
    progress, _said = begin(0, 3)
    clock.time += 36
    progress.finished(report())
    assert progress.speed() == "100 an hour, 1:12 left"


def test_whom_everything_waits_for_is_named(begin: Begin, clock: SecondsClock) -> None:
    progress, said = begin(0, 3)
    said()
    progress.waits_for(tuple("abcdefg"), 60 * SECOND)
    assert progress.state() == "waits for a, b, c, d, e and 2 others"
    progress.waits_for(("a",), 5 * SECOND)
    progress.waits_for((), 0)
    assert progress.state() == ""
    assert said() == [
        "cup: nothing can be played: waits for a, b, c, d, e and 2 others for up to 1:00",
        "cup: nothing can be played: waits for a for up to 0:05",
    ]


def test_what_becomes_of_their_matches_is_told_with_it(begin: Begin) -> None:
    progress, said = begin(0, 3, no_show="it is left out")
    said()
    progress.waits_for(("a",), 5 * SECOND)
    assert said() == ["cup: nothing can be played: waits for a for up to 0:05, then it is left out"]


@pytest.mark.parametrize(
    ("more", "then"),
    [
        ('clock = "fast"\n', "the match begins and is forfeited after 20 s more (clock.start)"),
        ("clock = { start = 7.5 }\n", "the match begins and is forfeited after 7.5 s more (clock.start)"),
        ('remote = { no_show = "skip" }\n', "the match is left out"),
    ],
)
def test_what_becomes_of_the_matches_of_who_never_comes(tmp_path: Path, more: str, then: str) -> None:
    head = HEAD.replace('clock = "debug"\n', "")
    assert after_no_show(written(tmp_path, head + more + remote("a", "b"))) == then
