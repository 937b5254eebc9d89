"""The bots of clients/stdio, at tables with Python's, in every game."""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import fairdeal
from fairdeal.bots import make
from fairdeal.testing import ServedReferee, serving
from referee.games.registry import GAMES
from referee.storage import record
from tests.stdio.conftest import Bridged

STDIO: Final = Path(__file__).parents[2] / "clients" / "stdio"
IS_ASKED: Final = bool(os.environ.get("FAIRDEAL_KITS"))  # see make test-clients


def needed(program: str, source: str, *check: str) -> None:
    """Skip a test whose program is missing, or fail it when the tests of the kits were asked for."""
    found = shutil.which(program)
    if found and not (check and subprocess.run([found, *check], check=False, capture_output=True).returncode):
        return
    text = f"{' '.join((program, *check))}: is missing: apt-get install {source}"
    if IS_ASKED:
        pytest.fail(text)
    pytest.skip(text)


@pytest.fixture(scope="session")
def c_bot(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    needed("cc", "gcc")
    needed("make", "make")
    folder = tmp_path_factory.mktemp("stdio")
    for name in ("Makefile", "random_bot.c"):
        shutil.copy(STDIO / name, folder)
    done = subprocess.run(["make", "-s"], cwd=folder, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return [str(folder / "build" / "random_bot")]


@pytest.fixture(scope="session")
def awk_bot() -> list[str]:
    needed("mawk", "mawk")
    return [str(STDIO / "random_bot.awk")]


@pytest.fixture(scope="session")
def perl_bot() -> list[str]:
    needed("perl", "perl", "-MJSON::PP", "-e", "1")
    return [str(STDIO / "lowest_card.pl")]


Bot = Callable[[str, str], Any]


async def at_one_table(workspace: ServedReferee, game: str, *bots: Bot) -> list[Any]:
    """Have bots, one for each seat, play a match; return its record without what tells of time."""
    entries = [f"entry{seat}" for seat in range(GAMES[game].seats)]
    async with asyncio.timeout(300), asyncio.TaskGroup() as group:
        for entry, bot in zip(entries, bots, strict=True):
            group.create_task(bot(workspace.address, entry))
        report = await workspace.play(*entries, match_id="the-match")
    # how an answer came, and when, is no part of what was played
    lines = [dict(line) for line in record.read(report.path).lines if line["type"] != "input"]
    [outcome] = [line for line in lines if line["type"] == "outcome"]
    del outcome["times"]
    assert outcome["termination"] == "completed"
    assert not any(count for counts in outcome["faults"] for count in counts.values())
    return lines


def python(address: str, entry: str) -> Any:
    return fairdeal.run_async(make("random"), address, entry=entry, matches=1, seed="s")


@pytest.mark.asyncio
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", ["c_bot", "awk_bot"])
async def test_random_bots_choose_as_python_s_do(
    bridged: Bridged, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, name: str, game: str
) -> None:
    command = request.getfixturevalue(name)
    monkeypatch.setenv("FAIRDEAL_SEED", "s")
    seats = GAMES[game].seats

    def piped(address: str, entry: str) -> Any:
        return bridged(command, address, entry=entry)

    played = []
    for bots in ([python] * seats, [piped] * seats, [python, *[piped] * (seats - 1)]):
        async with serving(game, deals=2) as served:
            played.append(await at_one_table(served, game, *bots))
    assert played[1] == played[0]
    assert played[2] == played[0]
    assert bridged.warned == []


@pytest.mark.asyncio
@pytest.mark.parametrize("game", GAMES)
async def test_the_lowest_card(bridged: Bridged, perl_bot: list[str], game: str) -> None:
    def piped(address: str, entry: str) -> Any:
        return bridged(perl_bot, address, entry=entry)

    async with serving(game, deals=2) as served:
        lines = await at_one_table(served, game, piped, *[python] * (GAMES[game].seats - 1))
    assert lines
    assert bridged.warned == []


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["c_bot", "awk_bot", "perl_bot"])
async def test_many_tables_at_once(bridged: Bridged, request: pytest.FixtureRequest, name: str) -> None:
    command, matches = request.getfixturevalue(name), 12
    async with serving("two_handed_spades", deals=1) as served, asyncio.timeout(300):
        async with asyncio.TaskGroup() as group:
            group.create_task(bridged(command, served.address, entry="a", matches=matches, tables=matches))
            other = fairdeal.run_async(make("random"), served.address, entry="b", matches=matches)
            group.create_task(other)
            for _ in range(matches):
                group.create_task(served.play("a", "b"))
        for report in served.reports:
            assert report.outcome.forfeited == ()
    assert bridged.warned == []
    assert len(bridged.said) == 2 * matches


@pytest.mark.process
def test_the_c_bot_s_generator_is_that_of_the_vectors(c_bot: list[str]) -> None:
    """What was compared above draws few kinds of numbers; here are match ids and counts of all lengths."""
    lines, expected = [], []
    for number in range(300):
        match_id, choices = "m" * (number % 130), 1 + number * number % 700
        minimum, maximum = number % choices, min(choices, number % choices + number % 9)
        chance = fairdeal.Chance("s", match_id, number % 4, number)
        expected.append(chance.choose(list(range(choices)), minimum, maximum))
        lines.append(
            f'{{"type":"decision","match_id":"{match_id}","decision_id":{number},"game":"g",'
            f'"seat":"SEAT_{number % 4}","choices":{choices},"minimum":{minimum},"maximum":{maximum}}}'
        )
    done = subprocess.run(
        c_bot, input="\n".join(lines), capture_output=True, text=True, check=True, env={"FAIRDEAL_SEED": "s"}
    )
    assert [json.loads(line)["indexes"] for line in done.stdout.splitlines()] == expected
