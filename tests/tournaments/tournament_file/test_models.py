"""Language models in tournament files."""

from pathlib import Path
from typing import Final

import pytest

from tests.tournaments.config_files import problems, write
from tournaments.plan.changes import changes
from tournaments.plan.models import Budget, Models, ModelUse, Prices
from tournaments.tournament_file.reader import ConfigError, load
from tournaments.tournament_file.submitted import plan_of

HEAD: Final = """game = "two_handed_spades"
[[entries]]
name = "greedy"
bot = "greedy"
[[entries]]
name = "model"
bot = "llm"
"""
WHOLE: Final = (
    HEAD
    + """model = "qwen3:8b"
base_url = "http://127.0.0.1:11434/v1"
"""
)


def test_all_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    (tmp_path / "own.txt").write_text("Play well.")
    more = """key_from = "MY_KEY"
words = "relabelled"
prompt = "own.txt"
reply = "schema"
reply_tokens = 512
request = { temperature = 0.5, stop = ["x"] }
prices = { tokens_in = 0.25, tokens_out = 2 }
max_tokens = 1_000_000
max_cost = 1.5
[models]
max_tokens = 2_000_000
max_cost = 3
calls = 2
on_provider_failure = "void"
transcripts = false
"""
    plan = load(write(tmp_path, WHOLE + more))
    use = ModelUse(
        model="qwen3:8b",
        base_url="http://127.0.0.1:11434/v1",
        key_from="MY_KEY",
        prices=Prices(0.25, 2.0),
        budget=Budget(1_000_000, 1.5),
    )
    budget = Budget(2_000_000, 3.0)
    assert plan.models == Models(
        uses={"model": use}, budget=budget, calls=2, void=True, transcripts=False, are_reported=True
    )
    assert plan.entries[1].arguments == (
        *(
            "--model=qwen3:8b",
            "--words=relabelled",
            "--prompt=own.txt",
            "--reply=schema",
            "--reply-tokens=512",
        ),
        '--request={"temperature": 0.5, "stop": ["x"]}',
    )
    # neither where it is reached nor what it may use is stored
    assert not {"11434", "MY_KEY", "secret"} & set(str(plan.describe()).replace(":", " ").split())


def test_defaults(tmp_path: Path) -> None:
    plan = load(write(tmp_path, WHOLE))
    assert plan.entries[1].arguments == ("--model=qwen3:8b",)
    use = ModelUse(model="qwen3:8b", base_url="http://127.0.0.1:11434/v1")
    assert plan.models == Models(uses={"model": use}, are_reported=True)
    assert not load(write(tmp_path, HEAD.replace("llm", "random"))).models.are_reported
    assert load(write(tmp_path, HEAD.replace("llm", "random") + "[models]\n")).models.are_reported


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HEAD, "needs a model: write model = ..."),
        (HEAD + 'model = "m"', "needs a server: write base_url"),
        (HEAD.replace('"llm"', '"greedy"') + 'model = "m"', "is for language models: leave it out"),
        (WHOLE + 'arguments = ["--x"]', "are not for a language model: write keys"),
        (WHOLE + 'key_from = "FAIRDEAL_NO_KEY"', "FAIRDEAL_NO_KEY is not set: put the key"),
        (WHOLE + 'key_from = "sk-hush"', "must be the name of an environment variable"),
        (WHOLE.replace("http://", "http://me:hush@"), "must hold no name, key or query"),
        (WHOLE + 'words = "plain"\nreply = "tool"', "tool lists what is legal, which plain leaves out"),
        (WHOLE + "max_cost = 1", "is counted by prices: write prices"),
        (WHOLE + "[models]\nmax_cost = 1", "has no prices, by which max_cost is counted"),
        (WHOLE + 'prompt = "none.txt"', "there is no file"),
        (WHOLE + "request = { stream = true }", "stream is set by fairdeal"),
        (WHOLE + "request = { temperature = nan }", "finite numbers"),
        (WHOLE + "request = { at = 1979-05-27 }", "must hold what JSON can: texts, finite numbers"),
        (
            WHOLE + '[models]\non_provider_failure = "wait"',
            "no such way to take an outage; there are fault, void",
        ),
        (HEAD.replace("llm", "lm"), "did you mean llm?"),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_no_secret(tmp_path: Path, text: str, told: str) -> None:
    found = problems(write(tmp_path, text))
    assert any(told in each for each in found), found
    assert "hush" not in str(found)


def test_who_reads_what_was_played_needs_no_key(tmp_path: Path) -> None:
    path = write(tmp_path, WHOLE + 'key_from = "FAIRDEAL_NO_KEY"\nprompt = "none.txt"')
    assert load(path, to_run=False).models.uses["model"].key_from == "FAIRDEAL_NO_KEY"


def test_only_how_it_is_asked_may_not_change(tmp_path: Path) -> None:
    before = load(write(tmp_path, WHOLE)).describe()
    moved = WHOLE.replace("11434", "8000") + "max_tokens = 5\n[models]\ncalls = 1\n"
    assert changes(before, load(write(tmp_path, moved)).describe()) == ()
    [change] = changes(before, load(write(tmp_path, WHOLE.replace("8b", "4b"))).describe())
    assert str(change).startswith("arguments of entry model is")


@pytest.mark.parametrize("text", [HEAD, WHOLE, WHOLE + "[models]\ncalls = 1\n"])
def test_a_server_calls_no_models_for_others(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError) as refused:
        plan_of(text, "x", "cup", tmp_path, allow_commands=False)
    assert "this server calls no models for others" in str(refused.value)
    if text != HEAD:
        assert plan_of(text, "x", "cup", tmp_path, allow_commands=True).models.uses
