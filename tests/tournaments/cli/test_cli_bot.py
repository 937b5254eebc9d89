from pathlib import Path
from typing import Any, Final

import pytest

import tournaments.cli.bot
from fairdeal.llm import ModelSettings
from referee.games.registry import GAMES
from tests.tournaments.conftest import Fairdeal

LLM: Final = ("llm", "--model", "m", "--base-url", "http://127.0.0.1:1/v1", "--no-probe")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["clever"], "'clever': no such house bot; there are random, greedy"),
        (["greedy", "--game", "chess"], f"greedy does not play 'chess'; it plays {', '.join(sorted(GAMES))}"),
        (["greedy", "--connect", "nonsense"], "address 'nonsense': must be HOST:PORT or unix:/PATH"),
        (["random", "--blunder", "0.5"], "random takes no blunder"),
        (["random", "--seed", "né"], "seed 'né': must be ASCII"),
        (["greedy", "--model", "m"], "--model is an option of llm, and not of greedy: leave it out"),
        (["llm", "--base-url", "http://h/v1"], "--model is missing: say which model plays"),
        (["llm", "--model", "m"], "--base-url is missing: say where its server is"),
        ([*LLM, "--game", "chess"], "llm does not play 'chess'; it plays "),
        ([*LLM, "--blunder", "0.5"], "--blunder: only greedy takes it"),
        ([*LLM, "--on-failure", "wait"], "--on-failure: must be fault or leave, not 'wait'"),
        ([*LLM, "--key-from", "FAIRDEAL_NO_KEY"], "--key-from: FAIRDEAL_NO_KEY is not set"),
        ([*LLM, "--connect", "nonsense"], "address 'nonsense': must be HOST:PORT or unix:/PATH"),
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


def test_how_a_model_is_asked(fairdeal: Fairdeal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("Play well.")
    given: dict[str, Any] = {}
    monkeypatch.setattr("fairdeal.llm.play", lambda *words, **options: given.update(options, words=words))
    words = (
        "--prompt",
        "own.txt",
        "--words",
        "relabelled",
        "--request",
        '{"top_p": 0.5}',
        "--transcript",
        "t",
    )
    assert fairdeal("bot", *LLM, *words, "--game", "hearts", "--matches", "2").status == 0
    settings, address = given["words"]
    assert settings == ModelSettings(
        model="m",
        base_url="http://127.0.0.1:1/v1",
        prompt="Play well.",
        words="relabelled",
        request={"top_p": 0.5},
    )
    assert address == "127.0.0.1:7447"
    assert (given["game"], given["matches"], given["tables"], given["probes"]) == ("hearts", 2, None, False)
    assert (given["transcript"], given["on_failure"]) == (Path("t"), "fault")


def test_the_help_names_the_defaults(fairdeal: Fairdeal) -> None:
    said = fairdeal("bot", "--help").out
    defaults = ModelSettings(model="m", base_url="http://h")
    for number in (defaults.reply_tokens, defaults.calls, f"{defaults.idle:g}"):
        assert f"By default: {number}." in " ".join(said.replace("│", " ").split())


def test_a_provider_that_does_not_answer_is_told_before_a_referee_is_looked_for(fairdeal: Fairdeal) -> None:
    done = fairdeal("bot", *LLM[:-1], "--connect", "127.0.0.1:2", "--game", "hearts")
    assert done.status == 1
    assert done.line.startswith("fairdeal: http://127.0.0.1:1/v1 does not answer: ")
