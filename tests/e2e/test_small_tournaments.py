"""`fairdeal tournament` with house bots: without a seed, with more rounds, odd folders and a stubborn bot."""

import signal
from collections.abc import Callable
from typing import Any

import pytest

from tests.workspace import Workspace

STUBBORN = """import pathlib, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path("here").touch()
while True:
    signal.pause()
"""


def test_without_a_seed_the_decks_are_new(workspace: Workspace, good: str) -> None:
    text = f'game = "two_handed_spades"\nmatch = {{ deals = 1 }}\nclock = "debug"\n{good}'
    for folder in ("one", "two"):
        done = workspace.run("tournament", "run", workspace.file(text, f"{folder}/cup.toml"))
        assert done.status == 0
        assert (
            "deals: fixed before play, unbiased if the secret was drawn fairly (docs/dealing.md)\n"
            in done.out
        )
    one, two = (workspace.records(f"{folder}/cup.fairdeal") for folder in ("one", "two"))
    assert len(one.decks()) == len(two.decks()) == 1
    assert one.decks() != two.decks()
    assert not any(header["commitment"]["repeatable"] for header in one.headers())
    assert not list((workspace.folder / "one" / "cup.fairdeal" / "secrets").iterdir())


def test_rounds_can_be_added(workspace: Workspace, good: str) -> None:
    text = (
        f'game = "two_handed_spades"\nmatch = {{ deals = 1 }}\nclock = "debug"\nrounds = 1\nseed = 1\n{good}'
    )
    cup = workspace.file(text)
    assert workspace.run("tournament", "run", cup).status == 0
    before = workspace.results()
    workspace.file(text.replace("rounds = 1", "rounds = 3"))
    more = workspace.run("tournament", "run", cup)
    assert "1 of 3 matches are played already; going on" in more.err
    assert set(before) < set(workspace.results())
    workspace.file(text.replace("seed = 1", "seed = 2").replace("rounds = 1", "rounds = 3"))
    other = workspace.run("tournament", "run", cup)
    assert other.status == 1
    assert 'seed is "2", was "1"' in other.err
    assert other.err.count("\n") == 1


def test_a_house_bot_can_be_hosted_by_its_command(workspace: Workspace, good: str) -> None:
    mine = f'[[entries]]\nname = "mine"\ncommand = "{workspace.program} bot greedy"\n'
    text = f'game = "two_handed_spades"\nmatch = {{ deals = 1 }}\nclock = "debug"\nrounds = 2\n{good}{mine}'
    done = workspace.run("tournament", "run", workspace.file(text), "--json")
    assert [standing["forfeits"] for standing in done.json["standings"]] == [0] * 3
    assert "lost" not in done.err


def test_a_folder_with_unusual_characters(workspace: Workspace, good: str) -> None:
    dies = '[[entries]]\nname = "dies"\ncommand = ["{python}", "-c", "print(\'[red]{x}\')"]\n'
    text = f'game = "two_handed_spades"\nmatch = {{ deals = 1 }}\nclock = "debug"\n{good}{dies}'
    place = workspace.folder / ("[bold] {entry} " + "long " * 20).strip()
    done = workspace.run("tournament", "run", workspace.file(text, f"{place.name}/cup.toml"))
    assert done.status == 0
    assert "    dies> [red]{x}\n" in done.err
    assert f"{place / 'cup.fairdeal' / 'logs' / 'dies.log'})\n" in done.err
    assert str(place / "cup.fairdeal" / "store.sqlite") in done.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=str)
def test_a_stubborn_bot_does_not_outlive_its_run(
    workspace: Workspace, good: str, eventually: Callable[..., Any], number: signal.Signals
) -> None:
    (workspace.folder / "stubborn.py").write_text(STUBBORN)
    entry = '[[entries]]\nname = "stubborn"\ncommand = "{python} stubborn.py"\n'
    cup = workspace.file(f'game = "two_handed_spades"\n{good}{entry}')
    running = workspace.start("tournament", "run", cup)
    eventually((workspace.folder / "here").exists, "the stubborn bot")
    # the runner, three supervisors and three bots
    eventually(lambda: len(workspace.left()) == 7, "all processes")
    running.stopped(number)
    workspace.nobody_is_left()
