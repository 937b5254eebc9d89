import asyncio
import os
import re
import signal
from pathlib import Path
from urllib.parse import unquote

import pytest

import tournaments.cli.demo
import tournaments.cli.tournament
from referee.games.registry import GAMES
from referee.storage import record_files
from tests.tournaments.conftest import Fairdeal
from tournaments.plan.plan import Plan
from tournaments.schedule.length import length


@pytest.mark.process
def test_the_demo(fairdeal: Fairdeal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments.cli.demo, "MATCHES", 1)
    matches = {"hearts": 5, "piquet": 10}  # a game for four, and one for two
    words = ("demo", *(word for game in matches for word in ("--game", game)))
    first = fairdeal(*words)
    assert first.status == 0
    for game, number in matches.items():
        assert f"demo ({game}): 0 of {number} matches\n" in first.err
        assert re.search(
            rf"demo \({game}\): {number} of {number} matches, [0-9.]+ a second, 0:00 left\n", first.err
        )
        assert f"demo ({game}): standings\n" in first.out
        assert f"demo ({game}): W/D/L of the row against the column\n" in first.out
        folder = tmp_path / "fairdeal-demo" / game
        assert f"store: {folder / 'store.sqlite'}\nrecords: {folder / 'records'}\n" in first.out
        assert len(record_files.in_folder(folder / "records")) == number
    for entry in tournaments.cli.demo.ENTRIES:
        # in the standings and the crosstable of each game
        assert len(re.findall(rf"^ *[\d-]+ +{entry.name} ", first.out, re.MULTILINE)) == 2 * len(matches)
    hint = re.search(r"fairdeal record show (\S+) \| less", first.out)
    assert hint
    verify = re.search(r"fairdeal record verify (\S+)\n", first.out)
    assert verify
    assert "\n5 records: 5 verified\n" in fairdeal("record", "verify", verify[1]).out
    assert fairdeal("record", "show", hint[1]).out.count("Match hearts-") == 5
    for game, opened in zip(matches, first.out.splitlines()[-2:], strict=True):
        index = Path(unquote(opened.removeprefix("    python3 -m webbrowser file://")))
        assert index == tmp_path / "fairdeal-demo" / "pages" / game / "index.html"
        assert len(list(index.parent.glob("matches/00000/*.html"))) == matches[game]

    second = fairdeal(*words)
    assert (second.status, second.out) == (0, first.out)
    said = [line for line in second.err.splitlines() if not line.startswith("pages: ")]
    assert said == [f"demo ({game}): all {number} matches are played" for game, number in matches.items()]


@pytest.mark.parametrize(
    ("words", "played"),
    [
        ([], dict.fromkeys(GAMES, 40)),
        (["--quick"], {"hearts-quick": 5}),
        (["--quick", "--game", "piquet"], {"piquet-quick": 10}),
        (["--game", "piquet", "--game", "hearts", "--game", "piquet"], {"piquet": 40, "hearts": 40}),
    ],
    ids=" ".join,
)
def test_which_games_it_plays(
    fairdeal: Fairdeal, monkeypatch: pytest.MonkeyPatch, words: list[str], played: dict[str, int]
) -> None:
    plans: list[Plan] = []
    monkeypatch.setattr(tournaments.cli.demo, "play", lambda plan, _again, _drain: plans.append(plan))
    monkeypatch.setattr(tournaments.cli.demo, "show", lambda _plan, as_json: None)
    monkeypatch.setattr(tournaments.cli.demo, "write_site", lambda _plan, _folder: None)
    done = fairdeal("demo", *words)
    assert (done.status, done.err) == (0, "")
    assert {plan.folder.name: length(plan) for plan in plans} == played
    assert [plan.folder.name for plan in plans] == list(played)
    assert f"record show fairdeal-demo/{next(iter(played))}/records | less" in done.out


def test_a_demo_of_no_game(fairdeal: Fairdeal, tmp_path: Path) -> None:
    done = fairdeal("demo", "--game", "chess")
    assert done.status == 2
    assert "chess" in done.line
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("game", GAMES)
def test_forty_matches_of_each_game_are_a_demo(game: str, tmp_path: Path) -> None:
    assert length(tournaments.cli.demo.plan_of(game, tmp_path)) == 40


def test_a_stop_ends_all_of_it(fairdeal: Fairdeal, monkeypatch: pytest.MonkeyPatch) -> None:
    games = []

    async def stopped(plan: Plan, _progress: object, *, stopping: asyncio.Event, **_more: object) -> None:
        games.append(plan.game)
        os.kill(os.getpid(), signal.SIGTERM)
        await stopping.wait()

    monkeypatch.setattr(tournaments.cli.tournament, "conduct", stopped)
    done = fairdeal("demo")
    assert done.status == 1
    assert done.err == "stopped; nothing is lost, go on with: fairdeal demo --folder fairdeal-demo\n"
    assert games == ["hearts"]


def test_a_file_in_place_of_its_folder(fairdeal: Fairdeal, tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    done = fairdeal("demo", "--folder", "mine")
    assert done.status == 1
    assert done.err.endswith(
        f"fairdeal: {tmp_path / 'mine' / 'hearts'}: cannot be written to (Not a directory);"
        " choose another folder or change its rights\n"
    )
    assert done.err.count("\n") == 1
