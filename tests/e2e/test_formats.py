"""Every format from a file to its report, with hosted and remote bots; the long run kills and stops them."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.draws import draw
from tests.e2e.cups import KNOCKOUTS, ProgramTournament, TournamentCase
from tests.e2e.killing import Moment, Toll
from tests.workspace import PATIENCE, Workspace

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
TEAMS: Final = (("anatol", "beatrix"), ("dorothea", "emeric"))
SHORT_CASES: Final = (
    TournamentCase(format="round_robin", game="spades", entries=5, remote=4, deals=2),
    TournamentCase(
        format="round_robin", game="euchre", entries=5, remote=3, deals=4, fixed=True, teams=TEAMS
    ),
    TournamentCase(format="swiss", game="two_handed_spades", entries=5, remote=4, deals=4, rounds=3),
    TournamentCase(format="knockout", game="piquet", entries=5, remote=4, deals=2),
    TournamentCase(format="double_knockout", game="hearts", entries=6, remote=5, deals=2),
    TournamentCase(format="gauntlet", game="euchre", entries=5, remote=4, deals=4),
    TournamentCase(format="ladder", game="two_handed_spades", entries=4, remote=2, deals=4, has_tokens=True),
)
LONG_CASES: Final = (
    TournamentCase(format="round_robin", game="two_handed_spades", entries=7, remote=4, deals=4, rounds=2),
    TournamentCase(format="round_robin", game="hearts", entries=7, remote=4, deals=2),
    TournamentCase(
        format="round_robin", game="spades", entries=7, remote=4, deals=2, rounds=2, has_tokens=True
    ),
    TournamentCase(format="round_robin", game="spades", entries=5, remote=3, deals=2, rounds=2, fixed=True),
    TournamentCase(
        format="round_robin", game="euchre", entries=7, remote=4, deals=4, rounds=2, fixed=True, teams=TEAMS
    ),
    TournamentCase(format="swiss", game="piquet", entries=7, remote=4, deals=2, rounds=5),
    TournamentCase(format="swiss", game="hearts", entries=7, remote=4, deals=2, rounds=12),
    TournamentCase(format="swiss", game="euchre", entries=7, remote=4, deals=4, rounds=12),
    TournamentCase(format="knockout", game="piquet", entries=7, remote=4, deals=2),
    TournamentCase(format="knockout", game="hearts", entries=7, remote=4, deals=6),
    TournamentCase(format="knockout", game="spades", entries=7, remote=4, deals=2, fixed=True, teams=TEAMS),
    TournamentCase(format="double_knockout", game="two_handed_spades", entries=7, remote=4, deals=4),
    TournamentCase(format="double_knockout", game="hearts", entries=7, remote=4, deals=4),
    TournamentCase(format="gauntlet", game="piquet", entries=7, remote=4, deals=2, rounds=3),
    TournamentCase(format="gauntlet", game="hearts", entries=7, remote=4, deals=2),
    TournamentCase(format="gauntlet", game="spades", entries=6, remote=3, deals=2),
    TournamentCase(format="ladder", game="two_handed_spades", entries=7, remote=4, deals=4, has_tokens=True),
    TournamentCase(format="ladder", game="hearts", entries=7, remote=4, deals=2),
    TournamentCase(format="ladder", game="euchre", entries=7, remote=4, deals=4),
    TournamentCase(format="ladder", game="spades", entries=5, remote=3, deals=2, fixed=True, teams=TEAMS),
)
KINDS: Final = ("bytes", "snapshot", "bytes", "milliseconds", "bytes") if LONG else ("bytes",)
KILLED: Final = {"swiss", "ladder"}
"""What is killed in the short run, too; test_pairing_source.py has every schedule go on in another run."""
RANGES: Final = {"milliseconds": (0, 1500), "bytes": (3_000, 6_000), "snapshot": (1, 1)}
"""How much of each kind a process reaches before it is killed: so much at least, so much at most."""
IN_PLAY: Final = 2 if LONG else 1  # kills in mid-match at least
MORE: Final = 8  # matches of a ladder after all kills


@pytest.fixture
def calm(
    new_workspace: Callable[[Path], Any], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[TournamentCase], ProgramTournament]:
    """Return a function that plays a case undisturbed, all its bots hosted."""

    def play(case: TournamentCase) -> ProgramTournament:
        cup = ProgramTournament(new_workspace(tmp_path_factory.mktemp("calm")), case, alone=True)
        assert cup.start().done().status == 0
        return cup

    return play


def planned(cup: ProgramTournament) -> tuple[int | None, list[tuple[str, int, list[str]]]]:
    """Return how many matches the plan has, and those that are known from the start."""
    plan = cup.ask("plan", "--json", "--limit", "0").json
    return plan["matches"], [(match["id"], match["round"], match["seats"]) for match in plan["schedule"]]


def last_run(cup: ProgramTournament, case: TournamentCase) -> Any:
    """Run to the end, a ladder until there are so many more matches; return the standings."""
    more = ("--matches", MORE) if case.format == "ladder" else ()
    last = cup.start("--json", *more).done()
    assert last.status == 0, last.err
    assert " is lost: " not in last.err
    assert "Traceback" not in last.err
    return last.json


def stop(cup: ProgramTournament, case: TournamentCase, eventually: Callable[..., Any]) -> None:
    """Run on until one more match is over, of a ladder until all have played, and stop by SIGTERM."""
    before = len(cup.folder.records())
    running = cup.start("--drain", PATIENCE)  # for bots that are still dialling again
    eventually(lambda: len(cup.folder.records()) > before, "a record more")
    if case.format == "ladder":
        eventually(lambda: cup.played_by() == set(case.names), "a match of everybody")
    done = running.stopped(signal.SIGTERM)
    assert done.status == (0 if case.format == "ladder" else 1)
    assert "stopped; nothing is lost, go on with: fairdeal " in done.err
    assert not cup.folder.left()
    cup.hang_up()
    cup.dial()


def check(cup: ProgramTournament, case: TournamentCase, standings: Any) -> None:
    """Check that all was played once and by nobody's fault, and that everything tells the same of it."""
    matches, known = planned(cup)
    issued = cup.issued()
    assert [each[:3] for each in issued][: len(known)] == known
    if case.format == "ladder":
        assert matches is None
    else:
        assert all(is_decided for *_, is_decided in issued)
        assert matches is not None
        # draws are replayed, and who has lost no match before the final of a double knockout may lose that
        assert len(issued) == matches or (case.format in KNOCKOUTS and len(issued) > matches)
    if case.format in {"round_robin", "gauntlet"}:
        assert len(known) == matches

    results = cup.results()
    assert len({match_id for match_id, *_ in results}) == len(results)
    assert {match_id for match_id, *_ in results} == {each[0] for each in issued if each[3]}
    assert {(attempt, status) for _id, attempt, status, *_ in results} == {(1, "COMPLETED")}
    stories = cup.stories()
    assert stories.keys() == {match_id for match_id, *_ in results}
    for told in stories.values():
        (outcome,) = (line for line in told.told if line["type"] == "outcome")
        assert not any(count for counts in outcome["faults"] for count in counts.values())
    assert case.format == "ladder" or not cup.folder.left()

    if LONG:
        assert cup.ask("standings", "--json").json == standings
        assert cup.ask("report", "--rebuild", "--json").json == standings
    assert standings["played"] == len(results)
    assert {each["entry"] for each in standings["standings"]} == case.competitors
    assert sum(each["matches"] for each in standings["standings"]) == len(results) * case.at_table
    for each in standings["standings"]:
        assert (each["forfeits"], each["faults"], each["voids"]) == (0, 0, 0)
        assert each["matches"] > 0
    assert cup.ask("report", "-o", "x.html").status == 0
    page = (cup.file.parent / "x.html").read_text()
    assert all(name in page for name in case.competitors)


def check_undisturbed(cup: ProgramTournament, calm: ProgramTournament, case: TournamentCase) -> None:
    """Check that the same came out as in a run that nobody disturbed, and with all bots hosted."""
    assert sorted(cup.issued()) == sorted(calm.issued())
    stories, calm_stories = cup.stories(), calm.stories()
    assert stories.keys() == calm_stories.keys()
    for match_id, told in stories.items():
        assert (told.told, told.answers) == (calm_stories[match_id].told, calm_stories[match_id].answers)
    assert cup.issued() == calm.issued()
    assert cup.tables() == calm.tables()


@pytest.mark.parametrize("case", SHORT_CASES + (LONG_CASES if LONG else ()), ids=str)
def test_a_format(
    workspace: Workspace,
    calm: Callable[[TournamentCase], ProgramTournament],
    eventually: Callable[..., Any],
    figure: Callable[[str], None],
    case: TournamentCase,
) -> None:
    cup = ProgramTournament(workspace, case)
    cup.dial()
    toll = Toll(cup.folder)
    is_killed = LONG or case.format in KILLED
    begun = time.monotonic()
    for number, kind in enumerate(4 * KINDS * is_killed):
        # on a busy machine a moment may be met too late, when nothing is in play
        if number < len(KINDS) or toll.in_play < IN_PLAY:
            low, high = RANGES[kind]
            toll.take(cup.process, Moment(kind, low + draw(high - low + 1, "moment", str(case), number)))
    killed = time.monotonic()
    if LONG or case.format == "ladder":
        stop(cup, case, eventually)
    stopped = time.monotonic()
    standings = last_run(cup, case)
    ended = time.monotonic()
    cup.hang_up()
    check(cup, case, standings)
    went_on = {match_id for match_id, told in cup.stories().items() if told.interruptions}
    assert went_on == set(toll.interrupted)
    assert toll.in_play >= IN_PLAY * is_killed
    if LONG and case.format != "ladder":
        check_undisturbed(cup, calm(case), case)
    figure(
        f"{case}: {toll}; {len(cup.issued())} matches, {killed - begun:.1f} s until the last kill,"
        f" {stopped - killed:.1f} s to the stop, {ended - stopped:.1f} s to the end"
    )


def test_who_dials_in_leaves_when_all_is_over(workspace: Workspace, eventually: Callable[..., Any]) -> None:
    cup = ProgramTournament(
        workspace, TournamentCase(format="round_robin", game="euchre", entries=4, remote=3)
    )
    running = cup.start()
    # a bot that waits long for a referee says so
    eventually(lambda: "for remote entries" in running.err, "where it listens")
    cup.dial()
    assert running.done().status == 0
    assert [(bot.status, bot.complaints) for bot in cup.bots_left()] == [(0, "")] * 2
