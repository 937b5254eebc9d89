"""docs/adapters.md: its examples are run as they stand, its tables are held against the code."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import fairdeal
from fairdeal.adapters import kaggle, openspiel, pettingzoo
from fairdeal.adapters.openspiel import _RULES
from fairdeal.bots import Random
from fairdeal.testing import serving
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from tests.workspace import PATIENCE, complaints

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "adapters.md").read_text()


def block(name: str) -> str:
    """Return the program of an example."""
    found = re.search(rf"<!-- {name} -->\n```python\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found[1]


def rows(*headings: str) -> list[list[str]]:
    """Return the rows of the table with these headings."""
    _before, table = PAGE.split(f"| {' | '.join(headings)} |\n", 1)
    lines = table.split("\n\n", 1)[0].splitlines()[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def codes(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


@pytest.mark.process
@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "game", "options"),
    [
        ("openspiel", "hearts", {"any_heart_breaks": True}),
        ("pettingzoo", "euchre", {}),
        ("kaggle", "piquet", {}),
    ],
)
async def test_an_example_plays_at_a_referee(
    name: str, game: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [f"other{seat}" for seat in range(1, GAMES[game].seats)]
    clock = PROFILES["debug"]
    async with serving(game, options=options, deals=1, clock=clock) as served, asyncio.timeout(PATIENCE):
        monkeypatch.setenv("FAIRDEAL_ADDRESS", served.address)
        monkeypatch.setenv("FAIRDEAL_ENTRY", "example")
        example = await asyncio.create_subprocess_exec(
            *(sys.executable, "-W", "error", "-c", block(name)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        playing = [
            asyncio.create_task(fairdeal.run_async(Random(), entry=other, matches=1)) for other in others
        ]
        report = await served.play("example", *others)
        output, errors = await example.communicate()
        await asyncio.gather(*playing)
    assert (complaints(errors.decode()), example.returncode) == ("", 0)
    assert report.outcome.termination.name == "COMPLETED"
    assert report.outcome.faults[0].total == 0
    assert output.decode().count("seat_") == (12 if name == "pettingzoo" else 0)


def test_the_example_of_texts_trains(capsys: pytest.CaptureFixture[str]) -> None:
    exec(block("text"), {})
    assert re.fullmatch(r"-?[01]\.\d+ \{.*'rank': \d, 'score': \d+\}\n", capsys.readouterr().out)


@pytest.mark.process
@pytest.mark.parametrize("name", ["openspiel", "pettingzoo", "kaggle"])
def test_what_goes_wrong_with_an_example_is_one_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRDEAL_ADDRESS", "nowhere")
    command = [sys.executable, "-W", "error", "-c", block(name)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert ended.returncode == 2
    assert re.fullmatch(r"-c: address 'nowhere': [^\n]+\n", ended.stderr)


@pytest.mark.parametrize("module", [openspiel, pettingzoo, kaggle])
def test_the_program_of_a_module_is_one_that_says_what_goes_wrong(module: Any) -> None:
    text = module.__doc__ or ""
    assert "fairdeal.main(" in text
    assert "fairdeal.run(" not in text


@pytest.mark.process
@pytest.mark.asyncio
async def test_the_training_example_trains() -> None:
    program = ROOT / "examples" / "train_in_pettingzoo.py"
    async with asyncio.timeout(PATIENCE):
        example = await asyncio.create_subprocess_exec(
            *(sys.executable, "-W", "error", program, "3", "4"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        output, errors = await example.communicate()
    assert (errors.decode(), example.returncode) == ("", 0)
    share = r"wins \d+%"
    text = rf"untrained: {share} of 4 deals against random\nafter 3 deals: {share}\n"
    assert re.fullmatch(text, output.decode())


def test_the_options_of_openspiel_are_told() -> None:
    told = {
        codes(game)[0]: must
        for game, must, _otherwise in rows("game", "must be", "different from our tables")
    }
    assert set(told) == set(openspiel.GAMES)
    for game, must in told.items():
        wanted = []
        for name, allowed in _RULES[game].agreed.items():
            first, *others = [str(value).lower() for value in allowed]
            wanted += [f"{name}={first}", *others]
        assert codes(must) == wanted


def test_what_serves_all_three_serves_them() -> None:
    """All options that differ from the default are in the command."""
    command = PAGE.split("    fairdeal serve", 1)[1].split("\n\n", 1)[0]
    given = dict(each.split("=") for each in re.findall(r"--option (\S+)", command))
    for game in openspiel.GAMES:
        options = {option.name: option.default for option in GAMES[game].options}
        needed = {
            f"{game}.{name}": str(allowed[0]).lower()
            for name, allowed in _RULES[game].agreed.items()
            if options[name] not in allowed
        }
        assert needed == {name: value for name, value in given.items() if name.startswith(f"{game}.")}


@pytest.mark.parametrize("what", ["observation", "configuration"])
def test_what_an_agent_is_told_is_in_the_tables(
    what: str, decisions_of: Callable[..., list[fairdeal.Decision]]
) -> None:
    decision = decisions_of("hearts", deals=1)[0]
    told = kaggle.observation(decision) if what == "observation" else kaggle.configuration(decision.match)
    names = [name for row in rows(what, "what it is") for name in codes(row[0])]
    assert names == list(told)
    for name in names:
        assert f"``{name}``" in (kaggle.__doc__ or "")


def test_the_pages_of_the_modules_say_the_same() -> None:
    for game, rules in _RULES.items():
        line = next(line for line in (openspiel.__doc__ or "").splitlines() if line.startswith(f"{game}  "))
        assert all(name in line for name in rules.agreed)
