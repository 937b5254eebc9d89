import json
from pathlib import Path

import pytest

from referee.games.registry import GAMES
from tests.tournaments.conftest import Fairdeal

ROOT = Path(__file__).parents[3]

every_game = pytest.mark.parametrize("name", GAMES)


def words(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def test_all_games_are_listed_with_their_options(fairdeal: Fairdeal) -> None:
    done = fairdeal("games")
    assert (done.status, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines()]
    for game in GAMES.values():
        assert f"{game.name} - {game.title}\n" in done.out
        for option in game.options:
            default = str(option.default).lower() if option.kind == "flag" else str(option.default)
            assert [option.name, default] in [row[:2] for row in rows]


@every_game
def test_one_game_with_all_about_it(fairdeal: Fairdeal, name: str) -> None:
    done, game = fairdeal("games", name), GAMES[name]
    assert (done.status, done.err) == (0, "")
    assert [line for line in done.out.splitlines() if " - " in line] == [f"{name} - {game.title}"]
    out = words(done.out)
    assert game.summary in out
    assert f"docs/rules/{name}.md, version {game.rules_version}" in out
    assert f"source {game.source}" in out
    assert f"pack {len(game.cards)} cards" in out
    assert f"deck {game.deck}" in out
    for option in game.options:
        assert f"{option.name} = {json.dumps(option.default)} ({option.bounds}) {option.help}" in out
    for decision, default in game.phases.items():
        assert f"{decision} {game.answers[decision]} {default}" in out


@pytest.mark.parametrize("asked", [(), *((name,) for name in GAMES)])
def test_the_lines_fit_a_terminal(fairdeal: Fairdeal, asked: tuple[str, ...]) -> None:
    assert max(map(len, fairdeal("games", *asked).out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("hearts", "4 seats, each for itself; the lowest score wins, equal ones draw."),
        ("spades", "4 seats, 0 and 2 against 1 and 3; the highest score wins, equal ones draw."),
        ("two_handed_spades", "2 seats, each for itself; the highest score wins, equal ones draw."),
    ],
)
def test_seats_and_scores_in_a_sentence(fairdeal: Fairdeal, name: str, head: str) -> None:
    assert head in fairdeal("games", name).out.splitlines()


@every_game
def test_json_holds_all_about_a_game(fairdeal: Fairdeal, name: str) -> None:
    found = fairdeal("games", name, "--json").json
    game = GAMES[name]
    assert (found["name"], found["title"], found["summary"]) == (name, game.title, game.summary)
    assert (found["seats"], found["low_wins"], found["rules_version"], found["cards"]) == (
        game.seats,
        game.low_wins,
        game.rules_version,
        len(game.cards),
    )
    assert (found["source"], found["deck"]) == (game.source, game.deck)
    assert found["sides"] == [list(side) for side in game.sides]
    assert (ROOT / found["page"]).is_file()
    assert {option["name"]: option["default"] for option in found["options"]} == game.bind({})
    for option, given in zip(game.options, found["options"], strict=True):
        assert (given["minimum"], given["maximum"]) == (option.minimum, option.maximum)
        assert (given["choices"], given["help"]) == (list(option.choices), option.help)
    assert found["default_actions"] == dict(game.phases)
    assert found["answers"] == dict(game.answers)


def test_json_of_all_games(fairdeal: Fairdeal) -> None:
    assert [game["name"] for game in fairdeal("games", "--json").json] == sorted(GAMES)


def test_an_unknown_game(fairdeal: Fairdeal) -> None:
    done = fairdeal("games", "chess")
    assert done.status == 2
    assert done.line == f"fairdeal: 'chess': no such game; there are {', '.join(GAMES)}"
