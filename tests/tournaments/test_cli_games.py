from collections.abc import Callable
from typing import Any

import pytest

from referee.games.registry import GAMES

Command = Callable[..., Any]


def test_all_games_are_listed_with_their_options(fairdeal: Command) -> None:
    done = fairdeal("games")
    assert (done.status, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines()]
    for game in GAMES.values():
        assert f"{game.name} - {game.title}\n" in done.out
        for option in game.options:
            default = str(option.default).lower() if option.kind == "flag" else str(option.default)
            assert [option.name, default] in [row[:2] for row in rows]
    assert max(map(len, done.out.splitlines())) <= 80


def test_one_game_with_all_about_it(fairdeal: Command) -> None:
    done = fairdeal("games", "hearts")
    assert (done.status, done.err) == (0, "")
    assert "two_handed_spades" not in done.out
    assert "10 to 1000" in done.out
    for decision, default in GAMES["hearts"].phases.items():
        assert f"  {decision}: {default}" in done.out


@pytest.mark.parametrize("name", GAMES)
def test_json_holds_all_about_a_game(fairdeal: Command, name: str) -> None:
    found = fairdeal("games", name, "--json").json
    game = GAMES[name]
    assert (found["name"], found["title"], found["summary"]) == (name, game.title, game.summary)
    assert (found["seats"], len(found["sides"]), found["low_wins"]) == (
        game.seats,
        len(game.sides),
        game.low_wins,
    )
    assert {option["name"]: option["default"] for option in found["options"]} == game.bind({})
    target = next(option for option in found["options"] if option["name"] == "target")
    assert target["minimum"] < target["default"] < target["maximum"]
    assert target["help"]
    assert found["default_actions"] == dict(game.phases)


def test_json_of_all_games(fairdeal: Command) -> None:
    assert [game["name"] for game in fairdeal("games", "--json").json] == sorted(GAMES)


def test_an_unknown_game(fairdeal: Command) -> None:
    done = fairdeal("games", "chess")
    assert done.status == 2
    assert done.line == "fairdeal: 'chess': no such game; there are hearts, two_handed_spades"
