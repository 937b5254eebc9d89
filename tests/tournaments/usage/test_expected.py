"""What a tournament will ask of its models, reckoned before it is played."""

from pathlib import Path

import pytest

from referee.games.registry import GAMES
from tests.tournaments.config_files import write
from tests.tournaments.conftest import Fairdeal
from tournaments.plan.models import money
from tournaments.plan.plan import Plan
from tournaments.tournament_file.reader import load
from tournaments.usage.expected import match_of

MODEL = """bot = "llm"
model = "m"
base_url = "http://127.0.0.1:1/v1"
"""


def plan_of(folder: Path, game: str, more: str = "", deals: int = 1) -> Plan:
    others = "".join(f'[[entries]]\nname = "e{n}"\nbot = "random"\n' for n in range(GAMES[game].seats - 1))
    head = f'game = "{game}"\nmatch = {{ deals = {deals} }}\n'
    return load(write(folder, f'{head}[[entries]]\nname = "model"\n{MODEL}{more}\n{others}'))


@pytest.mark.parametrize("game", GAMES)
def test_a_match_of_every_game_is_reckoned(tmp_path: Path, game: str) -> None:
    one, two = (match_of(plan_of(tmp_path, game, deals=deals)) for deals in (1, 2))
    assert one == match_of(plan_of(tmp_path, game))  # the same each time
    assert 0 < one.calls < one.decisions
    assert 500 < one.prompt_tokens < 3000
    assert 1.5 < two.decisions / one.decisions < 2.5
    assert 0.05 < one.saved < 0.5


def test_the_plan_tells_calls_tokens_and_money(fairdeal: Fairdeal, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("x" * 4000)
    more = 'reply_tokens = 100\nprompt = "own.txt"\nprices = { tokens_in = 1, tokens_out = 10 }\nmax_cost = 5'
    plan = plan_of(tmp_path, "two_handed_spades", more)
    match = match_of(plan)
    done = fairdeal("tournament", "plan", "cup.toml")
    assert done.status == 0
    said = [line for line in done.out.splitlines() if line.startswith(("language models", "model:"))]
    assert said[0] == (
        f"language models, as greedy bots would play: {match.calls:.0f} calls a seat and match, of"
        f" {match.decisions:.0f} decisions ({match.saved:.0%} have one legal answer), with"
        f" {match.prompt_tokens:.0f} tokens a prompt"
    )
    prompts, replies = round(match.calls * (match.prompt_tokens + 1000)), round(match.calls * 100)
    told = (
        f"about {match.calls:.0f} calls and {prompts:,} tokens of prompts; replies have at most {replies:,}"
        " (a second ask of a decision comes on top)"
    )
    cost = f"cost {money(prompts / 1e6)} to {money((prompts + 10 * replies) / 1e6)}, max_cost = 5"
    assert said[1:] == [f"model: 1 seat in matches, {told}; {cost}"]


def test_budgets_are_told_and_that_one_will_not_do(fairdeal: Fairdeal, tmp_path: Path) -> None:
    plan_of(
        tmp_path,
        "two_handed_spades",
        "max_tokens = 100\nprices = { tokens_in = 1, tokens_out = 1 }\n"
        "[models]\nmax_tokens = 5_000\nmax_cost = 110_200.5\n",
    )
    lines = fairdeal("tournament", "plan", "cup.toml").out.splitlines()
    assert next(each for each in lines if each.startswith("model:")).endswith(
        ", max_tokens = 100: not enough for the prompts alone"
    )
    assert "all models together, max_tokens = 5,000, max_cost = 110,200.5" in lines


def test_without_a_fixed_schedule_a_match_is_told(fairdeal: Fairdeal, tmp_path: Path) -> None:
    plan_of(tmp_path, "two_handed_spades")
    text = (tmp_path / "cup.toml").read_text()
    (tmp_path / "cup.toml").write_text(f'format = "knockout"\n{text}')
    assert "model: a seat and match, about" in fairdeal("tournament", "plan", "cup.toml").out


def test_a_tournament_without_models_says_nothing_of_them(fairdeal: Fairdeal, tmp_path: Path) -> None:
    plan_of(tmp_path, "two_handed_spades")
    text = (tmp_path / "cup.toml").read_text().replace(MODEL, 'bot = "greedy"\n')
    (tmp_path / "cup.toml").write_text(text)
    done = fairdeal("tournament", "plan", "cup.toml")
    assert done.status == 0
    assert "language models" not in done.out
