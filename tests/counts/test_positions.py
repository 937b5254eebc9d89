"""The positions of ``tests/data/counts`` themselves: whole decks, plain words, every game."""

import json
from pathlib import Path

import pytest

from referee.cards import cards
from referee.games.base import check_deck
from referee.games.registry import GAMES

FILES = sorted((Path(__file__).parents[1] / "data" / "counts").glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.stem))
def test_a_position_is_a_whole_deck_of_its_game_in_plain_words(path: Path) -> None:
    position = json.loads(path.read_text())
    assert path.stem.startswith(position["game"] + "_")
    assert position["position"].endswith(".")
    check_deck(GAMES[position["game"]], [c for block in position["deck"].values() for c in cards(block)])
    assert position["counts"][0] > 0


def test_every_game_has_positions() -> None:
    assert {json.loads(path.read_text())["game"] for path in FILES} == set(GAMES)
