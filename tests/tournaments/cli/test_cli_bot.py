from typing import Any

import pytest

import tournaments.cli.bot
from referee.games.registry import GAMES
from tests.tournaments.conftest import Fairdeal


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["clever"], "'clever': no such house bot; there are random, greedy"),
        (["greedy", "--game", "chess"], f"greedy does not play 'chess'; it plays {', '.join(sorted(GAMES))}"),
        (["greedy", "--connect", "nonsense"], "address 'nonsense': must be HOST:PORT or unix:/PATH"),
        (["random", "--blunder", "0.5"], "random takes no blunder"),
        (["random", "--seed", "né"], "seed 'né': must be ASCII"),
    ],
)
def test_a_wrong_setting(fairdeal: Fairdeal, words: list[str], told: str) -> None:
    done = fairdeal("bot", *words)
    assert done.status == 2
    assert done.line.startswith(f"fairdeal: {told}")


@pytest.mark.parametrize(
    ("environment", "words", "address", "matches"),
    [
        ({}, [], "127.0.0.1:7447", None),
        ({}, ["--connect", "h:1"], "h:1", None),
        ({"FAIRDEAL_ADDRESS": "h:2"}, [], None, None),  # the SDK finds it, and plays without limit
        ({"FAIRDEAL_ADDRESS": "h:2"}, ["--connect", "h:1", "--matches", "3"], "h:1", 3),
    ],
)
def test_where_a_bot_plays(
    fairdeal: Fairdeal,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    words: list[str],
    address: str | None,
    matches: int | None,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    given: dict[str, Any] = {}
    monkeypatch.setattr(tournaments.cli.bot, "play", lambda name, **settings: given.update(settings))
    assert fairdeal("bot", "greedy", *words).status == 0
    assert (given["address"], given["matches"]) == (address, matches)
