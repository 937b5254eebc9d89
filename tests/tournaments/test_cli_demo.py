import asyncio
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tournaments.cli.demo
import tournaments.cli.tournament
from referee.games.registry import GAMES
from tournaments.plan import Plan

Command = Callable[..., Any]


def test_the_demo(fairdeal: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(tournaments.cli.demo.ROUNDS) == list(GAMES)
    monkeypatch.setattr(tournaments.cli.demo, "ROUNDS", dict.fromkeys(GAMES, 1))
    first = fairdeal("demo")
    assert first.status == 0
    matches = {name: {4: 5, 2: 10}[game.seats] for name, game in GAMES.items()}
    for game, number in matches.items():
        assert f"demo ({game}): 0 of {number} matches\n" in first.err
        assert re.search(
            rf"demo \({game}\): {number} of {number} matches, [0-9.]+ a second, 0:00 left\n", first.err
        )
        assert f"demo ({game}): standings\n" in first.out
        assert f"demo ({game}): W/D/L of the row against the column\n" in first.out
        folder = tmp_path / "fairdeal-demo" / game
        assert f"store: {folder / 'store.sqlite'}; records: {folder / 'records'}\n" in first.out
        assert len(list((folder / "records").glob("*.gz"))) == number
    for entry in tournaments.cli.demo.ENTRIES:
        # in the standings and the crosstable of each game
        assert len(re.findall(rf"^ *\d+ +{entry.name} ", first.out, re.MULTILINE)) == 2 * len(GAMES)
    hint = re.search(r"fairdeal record show (\S+) \| less", first.out)
    assert hint
    records = sorted(tmp_path.glob(hint[1]))
    assert fairdeal("record", "show", *records).out.count("Match hearts-") == 5

    second = fairdeal("demo")
    assert (second.status, second.out) == (0, first.out)
    assert second.err == "".join(
        f"demo ({game}): all {number} matches are played\n" for game, number in matches.items()
    )


def test_a_stop_ends_all_of_it(fairdeal: Command, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_file_in_place_of_its_folder(fairdeal: Command, tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    done = fairdeal("demo", "--folder", "mine")
    assert done.status == 1
    assert done.err.endswith(
        f"fairdeal: {tmp_path / 'mine' / 'hearts'}: cannot be written to (Not a directory);"
        " choose another folder or change its rights\n"
    )
    assert done.err.count("\n") == 1
