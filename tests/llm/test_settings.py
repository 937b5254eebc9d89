"""The settings of a model and its command line."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from fairdeal import BadSetting
from fairdeal.bots.__main__ import main
from fairdeal.bots.arguments import OUTAGE, REFUSED, parser, problem
from fairdeal.llm import CallLog, ModelRefused, ModelSettings, ProviderFailed, Room
from fairdeal.llm.arguments import as_words, taken

URL = "http://localhost/v1"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"model": " "}, "--model: name the model"),
        ({"base_url": "localhost:8000"}, "--base-url: must begin with http:// or https://"),
        ({"base_url": "http://"}, "--base-url: must begin with"),
        ({"base_url": "http://h:port"}, "--base-url: must be a URL"),
        ({"base_url": "http://me:secret@h/v1"}, "--base-url: must hold no name, key or query"),
        ({"base_url": "http://h/v1?key=secret"}, "--base-url: must hold no name, key or query"),
        ({"key_from": "sk-secret"}, "--key-from: must be the name of an environment variable"),
        ({"words": "short"}, "--words: must be full or plain or relabelled"),
        ({"reply": "xml"}, "--reply: must be json or schema or tool"),
        ({"reply": "schema", "words": "plain"}, "--reply: schema lists what is legal"),
        ({"reply_tokens": 0}, "--reply-tokens: must be 1 or more"),
        ({"calls": 0}, "--calls: must be 1 or more"),
        ({"idle": 0.0}, "--idle: must be more than 0"),
        ({"request": {"stream": False}}, "--request: stream is set by fairdeal"),
        ({"request": {"max_tokens": 5}}, "--request: max_tokens is what reply_tokens says"),
        ({"request": {"temperature": float("nan")}}, "--request: must hold what JSON can"),
        ({"request": {"stop": date(2026, 1, 1)}}, "--request: must hold what JSON can"),
    ],
)
def test_what_is_wrong_is_named_and_no_secret_repeated(given: dict[str, Any], told: str) -> None:
    with pytest.raises(BadSetting) as refused:
        ModelSettings(**{"model": "m", "base_url": URL, **given})
    assert str(refused.value).startswith(told)
    assert "secret" not in str(refused.value)


def test_a_command_line_and_back(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Play well.")
    options = {
        "model": "m",
        "base_url": URL,
        "prompt": prompt,
        "reply_tokens": 99,
        "request": {"temperature": 0, "stop": None},
        "key_from": None,
        "no_probe": True,
        "folder": tmp_path / "calls",
    }
    settings, rest = taken(vars(parser().parse_args(["llm", *as_words(options)])))
    assert settings == ModelSettings(
        model="m",
        base_url=URL,
        prompt="Play well.",
        reply_tokens=99,
        request={"temperature": 0, "stop": None},
    )
    assert rest == {"folder": tmp_path / "calls", "on_failure": "fault", "probes": False}


@pytest.mark.parametrize(
    ("name", "words", "told"),
    [
        ("llm", [], "--model is missing"),
        ("llm", ["--model=m"], "--base-url is missing"),
        ("llm", ["--model=m", f"--base-url={URL}", "--blunder=0.5"], "--blunder: only greedy takes it"),
        ("llm", ["--model=m", f"--base-url={URL}", "--request=[1]"], "--request: must be a JSON object"),
        ("llm", ["--model=m", f"--base-url={URL}", "--prompt=/none"], "--prompt /none: No such file"),
        (
            "llm",
            ["--model=m", f"--base-url={URL}", "--key-from=FAIRDEAL_NO_KEY"],
            "FAIRDEAL_NO_KEY is not set",
        ),
        ("greedy", ["--model=m"], "--model is an option of llm, and not of greedy"),
    ],
)
def test_a_wrong_command_line(name: str, words: list[str], told: str) -> None:
    assert told in str(problem(name, words))


@pytest.mark.parametrize(
    ("error", "status"),
    [(ModelRefused("no key"), REFUSED), (ProviderFailed("gone"), OUTAGE), (BadSetting("x"), 2)],
)
def test_the_exit_status_tells_what_the_provider_did(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception, status: int
) -> None:
    def play(*_words: object, **_options: object) -> None:
        raise error

    monkeypatch.setattr("fairdeal.llm.play", play)
    assert main(["llm", "--model=m", f"--base-url={URL}"]) == status
    assert capsys.readouterr().err == f"python -m fairdeal.bots: {error}\n"


def test_a_folder_for_calls_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadSetting, match="--folder"):
        Room("p", 1, tmp_path / "file")
    with pytest.raises(BadSetting, match="--transcript"):
        CallLog(tmp_path / "none" / "t.jsonl")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
