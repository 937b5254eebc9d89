"""`fairdeal tournament`: from a file to the tables, interrupted and resumed."""

import gzip
import hashlib
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.storage import record_files
from tests.tournaments.site.made import files, written
from tests.workspace import PATIENCE, Workspace
from tournaments.tournament_file.reader import load

# six matches of bots of three kinds, all deterministic
CUP = """game = "two_handed_spades"
match = { deals = 1 }
clock = "debug"
rounds = 2
seed = "spring"
concurrency = 2
[[entries]]
name = "greedy"
bot = "greedy"
[[entries]]
name = "random"
command = "{python} -m fairdeal.bots random"
"""
MATCHES = 6


@pytest.fixture(scope="session")
def text(bot: Callable[..., str]) -> str:
    return CUP + bot("held", "held.py")


@pytest.fixture
def cup(workspace: Workspace, text: str) -> Path:
    path: Path = workspace.file(text)
    return path


@pytest.fixture(scope="session")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory, new_workspace: Callable[[Path], Workspace], text: str
) -> Workspace:
    """Return a workspace in which the same was played from start to end."""
    workspace = new_workspace(tmp_path_factory.mktemp("undisturbed"))
    workspace.file(text)
    assert workspace.run("tournament", "run", "cup.toml").status == 0
    return workspace


def tables(workspace: Workspace) -> Any:
    """Return the result without what tells where it is kept and how long it took."""
    result = workspace.ask("tournament", "standings", "cup.toml", "--json").json
    for standing in result["standings"]:
        del standing["mean_think_seconds"], standing["longest_think_seconds"], standing["sessions_lost"]
    return {key: value for key, value in result.items() if key not in ("store", "records", "records_sha256")}


def timeless(workspace: Workspace) -> Any:
    """Return the records without what tells of time, and of sessions."""
    records = workspace.records().timeless()
    for outcome in (line for lines in records.values() for line in lines if line["type"] == "outcome"):
        for counts in outcome["faults"]:
            del counts["sessions_lost"]
    return records


def restarts(workspace: Workspace) -> int:
    """Return how often a match went on after a restart of the referee."""
    texts = [gzip.decompress(path.read_bytes()) for path in workspace.records().paths()]
    return sum(text.count(b'"kind":"restarted"') for text in texts)


def stop(running: Any, number: signal.Signals, eventually: Callable[..., Any]) -> None:
    """Send a first signal, and return when it is said what is still being played."""
    running.process.send_signal(number)
    eventually(lambda: "stopping: no more matches begin" in running.err, "the stop")


def test_from_a_file_to_the_tables(workspace: Workspace, cup: Path) -> None:
    site = workspace.folder / "site"
    first = workspace.run("tournament", "run", cup, "--export", site)
    assert first.status == 0
    assert f"pages of it: {site}/index.html" in first.err
    assert first.err.endswith(f"; open {site}/index.html\n")
    written(load(cup, to_run=False), workspace.folder / "new")
    assert files(site) == files(workspace.folder / "new")
    words = [line.split() for line in first.out.splitlines()]
    for entry in ("greedy", "random", "held"):
        # behind a rank in the standings, with points and 4 matches, and behind a number in the crosstable
        assert next(line[3:4] for line in words if line[1:2] == [entry]) == ["4"], first.out
        assert len([line for line in words if line[1:2] == [entry]]) == 2, first.out
    assert "W/D/L of the row against the column" in first.out
    assert str(workspace.folder / "cup.fairdeal" / "store.sqlite") in first.out
    assert f"{MATCHES} of {MATCHES} matches" in first.err
    assert len(workspace.records().paths()) == MATCHES
    kept = workspace.folder / "cup.fairdeal" / "logs" / "greedy.kept.jsonl"
    done = workspace.ask("record", "verify", cup, "--told", kept)
    assert (done.status, done.out.splitlines()[-1]) == (
        0,
        "compared with what bots kept: 4 of their 4 matches",
    )

    standings = workspace.run("tournament", "standings", cup)
    assert (standings.status, standings.out, standings.err) == (0, first.out, "")
    status = workspace.run("tournament", "status", cup)
    assert status.out.splitlines() == [
        f"cup (two_handed_spades): {MATCHES} of {MATCHES} matches are played; it is finished",
        f"{MATCHES} completed",
        f"store and records: {workspace.folder / 'cup.fairdeal'}",
    ]


def test_what_is_not_played_has_no_standings(workspace: Workspace, cup: Path) -> None:
    unplayed = workspace.ask("tournament", "standings", cup)
    assert (unplayed.status, unplayed.out) == (1, "")
    assert unplayed.err.count("\n") == 1
    assert "run the tournament first" in unplayed.err


def test_a_run_of_what_is_played_plays_nothing(undisturbed: Workspace) -> None:
    cup = undisturbed.folder / "cup.toml"
    before = undisturbed.results(), undisturbed.records().timeless()
    again = undisturbed.run("tournament", "run", cup)
    assert (again.status, again.out) == (0, undisturbed.ask("tournament", "standings", cup).out)
    assert again.err == f"cup (two_handed_spades): all {MATCHES} matches are played\n"
    assert (undisturbed.results(), undisturbed.records().timeless()) == before


def test_json_holds_all(undisturbed: Workspace) -> None:
    workspace, cup = undisturbed, undisturbed.folder / "cup.toml"
    result = workspace.run("tournament", "run", cup, "--json").json
    place = workspace.folder / "cup.fairdeal"
    assert result["store"] == str(place / "store.sqlite")
    assert result["records"] == str(place / "records")
    assert (result["name"], result["game"]) == ("cup", "two_handed_spades")
    assert (result["matches"], result["played"]) == (MATCHES, MATCHES)
    assert [standing["rank"] for standing in result["standings"]] == [1, 2, 3]
    assert {standing["entry"] for standing in result["standings"]} == {"greedy", "random", "held"}
    for standing in result["standings"]:
        assert standing["wins"] + standing["draws"] + standing["losses"] == standing["matches"] == 4
        assert standing["conservative"] == pytest.approx(standing["mu"] - 3 * standing["sigma"])
        assert (standing["forfeits"], standing["faults"], standing["voids"]) == (0, 0, 0)
        assert standing["decisions"] > 0
        assert 0 < standing["mean_think_seconds"] <= standing["longest_think_seconds"] < 60
    met = [cell for cell in result["crosstable"] if cell["wins"] + cell["draws"] + cell["losses"] == 2]
    assert len(met) == len(result["crosstable"]) == 6  # each against each
    assert workspace.ask("tournament", "standings", cup, "--json").json == result
    assert workspace.ask("tournament", "status", cup, "--json").json == {
        "name": "cup",
        "game": "two_handed_spades",
        "format": "round_robin",
        "state": "finished",
        "is_running": False,
        "pace": None,
        "resting": None,
        "skipped": 0,
        "matches": MATCHES,
        "matches_per_set": 1,
        "issued": MATCHES,
        "played": MATCHES,
        "playing": 0,
        "attempts": {"completed": MATCHES},
        "taken_back": 0,
        "rulings": [],
        "owner": None,
        **dict.fromkeys(("awaited", "being_played", "matches_per_hour", "seconds_left")),
        "folder": str(place),
    }


INT, TERM, KILL = signal.SIGINT, signal.SIGTERM, signal.SIGKILL


@pytest.mark.parametrize("signals", [[INT], [KILL, KILL]], ids=str)
def test_a_run_that_is_broken_off_goes_on(
    workspace: Workspace,
    cup: Path,
    undisturbed: Workspace,
    eventually: Callable[..., Any],
    signals: list[signal.Signals],
) -> None:
    hold, held = workspace.folder / "hold", workspace.folder / "held"
    played = 0

    def goes_on() -> bool:
        return held.exists() and len(workspace.results()) > played

    for number in signals:
        hold.write_text("1")
        running = workspace.start("tournament", "run", cup)
        eventually(goes_on, "a match in its midst, after others")
        if number != KILL:
            stop(running, number, eventually)
        done = running.stopped(number)
        if number == KILL:
            assert done.status == -KILL
        else:
            again = f"fairdeal tournament run {cup}"
            assert done.status == 1
            assert done.err.endswith(f"\nstopped; nothing is lost, go on with: {again}\n")
        assert "Traceback" not in done.err
        workspace.nobody_is_left()
        hold.unlink()
        held.unlink()
        assert played < len(workspace.results()) < MATCHES
        played = len(workspace.results())

    last = workspace.run("tournament", "run", cup)
    assert last.status == 0
    assert f"{played} of {MATCHES} matches are played already; going on" in last.err
    workspace.nobody_is_left()
    results = workspace.results()
    assert len({match_id for match_id, *_ in results}) == len(results) == MATCHES
    for match_id, attempt, status, record, sha256 in results:
        assert (attempt, status, record) == (
            1,
            "COMPLETED",
            str(record_files.path_of(Path("records"), match_id, 1)),
        )
        data = (workspace.folder / "cup.fairdeal" / record).read_bytes()
        assert hashlib.sha256(data).hexdigest() == sha256
    assert restarts(workspace) >= len(signals)  # no match began again
    assert tables(workspace) == tables(undisturbed)
    assert timeless(workspace) == timeless(undisturbed)


@pytest.mark.parametrize(
    ("moment", "number"),
    [("store.sqlite", KILL), ("logs/held.log", INT), ("records/*/*.gz", KILL)],
)
def test_no_moment_is_a_bad_one_to_break_off(
    workspace: Workspace, cup: Path, eventually: Callable[..., Any], moment: str, number: signal.Signals
) -> None:
    (workspace.folder / "hold").write_text("1")  # it cannot end before the signal
    running = workspace.start("tournament", "run", cup)
    eventually(lambda: list((workspace.folder / "cup.fairdeal").glob(moment)), moment)
    running.process.send_signal(number)
    if number == INT:
        # what is being played at this moment is held up, but nothing may be
        eventually(lambda: running.process.poll() or "stopping" in running.err, "the stop")
        running.process.send_signal(INT)
    done = running.done()
    assert "Traceback" not in done.err
    assert done.status == (-KILL if number == KILL else 1)
    workspace.nobody_is_left()
    (workspace.folder / "hold").unlink()
    result = workspace.run("tournament", "run", cup, "--json").json
    assert (result["matches"], result["played"]) == (MATCHES, MATCHES)
    assert len(workspace.results()) == len(workspace.records().paths()) == MATCHES


def test_a_second_signal_leaves_nobody_behind(
    workspace: Workspace, cup: Path, eventually: Callable[..., Any]
) -> None:
    (workspace.folder / "hold").write_text("1")
    running = workspace.start("tournament", "run", cup)
    eventually((workspace.folder / "held").exists, "a match in its midst")
    stop(running, INT, eventually)
    running.process.send_signal(TERM)
    done = running.stopped(INT)  # a third one, while it cleans up, changes nothing
    assert done.status in (1, -INT)  # it may just have cleaned up, and said so
    assert done.err.endswith(f"\nstopped; nothing is lost, go on with: fairdeal tournament run {cup}\n")
    assert "Traceback" not in done.err
    workspace.nobody_is_left()
    (workspace.folder / "hold").unlink()
    assert workspace.run("tournament", "run", cup, "--json").json["played"] == MATCHES


def test_what_is_played_at_a_signal_may_end(
    workspace: Workspace, cup: Path, eventually: Callable[..., Any]
) -> None:
    hold = workspace.folder / "hold"
    hold.write_text("1")
    running = workspace.start("tournament", "run", cup, "--drain", PATIENCE)
    eventually((workspace.folder / "held").exists, "a match in its midst")
    stop(running, TERM, eventually)
    playing = int(running.err.rpartition("no more matches begin; ")[2].split()[0])
    before = len(workspace.results())
    eventually((workspace.folder / "told").exists, "a bot that knows of it")
    hold.unlink()
    done = running.done()
    assert done.status == 1
    assert done.err.endswith(f"\nstopped; nothing is lost, go on with: fairdeal tournament run {cup}\n")
    assert "is lost:" not in done.err
    results = workspace.results()
    assert before < len(results) <= before + playing < MATCHES
    assert {status for _id, _attempt, status, *_ in results} == {"COMPLETED"}
    assert len(workspace.records().paths()) == len(results)
    workspace.nobody_is_left()

    last = workspace.run("tournament", "run", cup)
    assert f"{len(results)} of {MATCHES} matches are played already; going on" in last.err
    assert len(workspace.results()) == MATCHES
    assert restarts(workspace) == 0


def test_what_has_not_ended_in_its_time_goes_on_later(
    workspace: Workspace, cup: Path, undisturbed: Workspace, eventually: Callable[..., Any]
) -> None:
    hold = workspace.folder / "hold"
    hold.write_text("1")
    running = workspace.start("tournament", "run", cup, "--drain", "0.1")
    eventually((workspace.folder / "held").exists, "a match in its midst")
    done = running.stopped(TERM)
    assert done.status == 1
    assert done.err.endswith(f"\nstopped; nothing is lost, go on with: fairdeal tournament run {cup}\n")
    assert len(workspace.results()) < MATCHES
    workspace.nobody_is_left()
    hold.unlink()
    assert workspace.run("tournament", "run", cup).status == 0
    assert restarts(workspace) >= 1
    assert timeless(workspace) == timeless(undisturbed)


@pytest.mark.parametrize("number", [KILL, TERM], ids=str)
def test_a_bot_that_is_lost_with_its_supervisor_forfeits_nothing(
    workspace: Workspace, cup: Path, eventually: Callable[..., Any], number: signal.Signals
) -> None:
    hold, held = workspace.folder / "hold", workspace.folder / "held"
    hold.write_text("0")  # nor does the one that is started again play anything yet
    running = workspace.start("tournament", "run", cup)
    eventually(held.exists, "a match in its midst")
    both = {process: words for process, words in workspace.left().items() if "held.py" in words}
    (supervisor,) = [process for process, words in both.items() if "--log" in words]
    os.kill(supervisor, number)
    eventually(lambda: not both.keys() & workspace.left().keys(), "the end of both")
    held.unlink(missing_ok=True)
    eventually(held.exists, "the bot, started again")
    hold.unlink()
    done = running.done()
    assert done.status == 0
    assert "cup (two_handed_spades): the bot of held is lost: " in done.err
    assert "its matches are void, and it is started again" in done.err
    assert " is void (attempt 1) and is played again; see: fairdeal record show " in done.err
    assert "forfeit" not in done.err

    results = workspace.results()
    void = [match_id for match_id, _attempt, status, *_ in results if status == "VOID"]
    assert void
    assert [
        match_id for match_id, attempt, status, *_ in results if (attempt, status) == (2, "COMPLETED")
    ] == void
    assert len(results) == MATCHES + len(void)
    standings = {
        each["entry"]: each
        for each in workspace.ask("tournament", "standings", cup, "--json").json["standings"]
    }
    assert [(each["matches"], each["forfeits"]) for each in standings.values()] == [(4, 0)] * 3
    assert (
        standings["held"]["voids"] == len(void) == standings["greedy"]["voids"] + standings["random"]["voids"]
    )
    status = workspace.ask("tournament", "status", cup)
    assert f"{MATCHES} completed, {len(void)} void and played again\n" in status.out


def test_a_referee_that_cannot_go_on_says_why(
    workspace: Workspace, cup: Path, eventually: Callable[..., Any]
) -> None:
    hold, records = workspace.folder / "hold", workspace.folder / "cup.fairdeal" / "records"
    hold.write_text("0")
    running = workspace.start("tournament", "run", cup)
    eventually((workspace.folder / "held").exists, "a match in its midst")
    records.rename(workspace.folder / "away")  # at once, for other matches may end just now
    hold.unlink()
    done = running.done()
    assert (done.status, done.out) == (1, "")
    assert re.fullmatch(rf"fairdeal: {records}/\S+ cannot be written .+", done.err.splitlines()[-1])
    assert "Traceback" not in done.err
    workspace.nobody_is_left()
    assert workspace.run("tournament", "run", cup, "--json").json["played"] == MATCHES


def test_one_folder_has_one_run_at_a_time(
    workspace: Workspace, cup: Path, eventually: Callable[..., Any]
) -> None:
    (workspace.folder / "hold").write_text("1")
    running = workspace.start("tournament", "run", cup)
    eventually((workspace.folder / "held").exists, "a match in its midst")
    other = workspace.run("tournament", "run", cup)
    place = workspace.folder / "cup.fairdeal"
    assert (other.status, other.out) == (1, "")
    assert other.err.startswith(f"fairdeal: {place}: another fairdeal process is at work here (process ")
    assert other.err.endswith("; wait for it or end it (--wait waits and then continues)\n")
    watching = workspace.ask("tournament", "status", cup, "--json")
    assert 0 < watching.json["played"] < watching.json["matches"] == MATCHES
    partial = workspace.ask("tournament", "standings", cup)
    assert f"of {MATCHES} matches are played" in partial.out
    (workspace.folder / "hold").unlink()
    assert running.done().status == 0


def test_a_seed_gives_each_match_a_deck_of_its_own(undisturbed: Workspace) -> None:
    """That it decides everything shows in runs that are broken off: they end as this one has."""
    assert all(header["commitment"]["repeatable"] for header in undisturbed.records().headers())
    decks = undisturbed.records().decks()
    assert len({str(deck) for deck in decks}) == len(decks) == MATCHES
