"""How a bot is named, and what runs it."""

import re
from pathlib import Path

import pytest

from tournaments.compare.contenders import BadContender, contender, names_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my bot.py").write_text("print(1)")
    (tmp_path / "duck.py").touch()
    (tmp_path / "engine").write_text("#!/bin/sh\n")
    (tmp_path / "engine").chmod(0o755)
    (tmp_path / "bots").mkdir()
    (tmp_path / "package").mkdir()
    (tmp_path / "package/__main__.py").write_text("import rules")
    (tmp_path / "package/rules.py").write_text("print(1)")
    return tmp_path


def test_a_script_runs_with_our_python(folder: Path) -> None:
    bot = contender("'my bot.py' --fast", "a", folder)
    assert bot.entry.command_line == ("{python}", "my bot.py", "--fast")
    assert bot.house is None
    assert contender("my bot.py", "a", folder).entry.command_line == ("{python}", "my bot.py")


def test_a_folder_runs_as_python_runs_it(folder: Path) -> None:
    before = contender("package -v", "a", folder)
    assert before.entry.command_line == ("{python}", "package", "-v")
    (folder / "package/rules.py").write_text("print(2)")
    assert contender("package -v", "a", folder).version != before.version


def test_a_command_runs_as_it_is(folder: Path) -> None:
    assert contender("./engine -n 3", "b", folder).entry.command_line == ("./engine", "-n", "3")
    assert contender("{python} -m greedy", "b", folder).entry.name == "b"


def test_a_house_bot_may_play_in_process(folder: Path) -> None:
    bot = contender("greedy --blunder 0.1", "a", folder)
    assert bot.entry.command_line == ("{python}", "-m", "fairdeal.bots", "greedy", "--blunder", "0.1")
    assert bot.house
    assert bot.house().games


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (" ", "names no bot: give a script, a command or random, greedy, searcher-1"),
        ("'open", "no closing quotation"),
        ("greedy --blunder 10", "blunder 10: must be 0 to 1"),
        ("random --blunder 0.1", "random takes no blunder"),
        ("greedy --help", "must not ask for help"),
        ("bots", "is a folder: give the command that starts the bot in it, in quotes"),
        ("gredy", "'gredy': did you mean greedy? the command 'gredy' is not on the PATH: install it"),
        (
            "mybot",
            "'mybot': the command 'mybot' is not on the PATH: install it, or give its path with a slash;",
        ),
        ("./gone", "does not exist"),
        ("./duck", "'./duck': did you mean ./duck.py? the command './duck' is not there: "),
        ("duck -v", "'duck -v': did you mean duck.py? the command 'duck' is not on the PATH: "),
        ("other.py", "there is no file"),
    ],
)
def test_what_names_no_bot_is_told_with_what_would(folder: Path, text: str, told: str) -> None:
    with pytest.raises(BadContender, match=re.escape(told)):
        contender(text, "a", folder)


def test_a_script_that_has_changed_is_another_version(folder: Path) -> None:
    def version() -> str:
        return contender("'my bot.py'", "a", folder).version

    before = version()
    assert version() == before
    (folder / "my bot.py").write_text("print(2)")
    assert version() != before
    assert contender("'my bot.py' -v", "a", folder).version != version()


def test_a_model_is_called_by_its_name_and_by_what_differs(folder: Path) -> None:
    def named(*texts: str) -> tuple[str, ...]:
        return names_of([contender(text, "ab"[number], folder) for number, text in enumerate(texts)])

    (folder / "own.txt").write_text("Play well.")
    server = "--base-url http://127.0.0.1:1/v1"
    model = f"llm --model m {server} --reply-tokens 99"
    assert named(model, f"{model} --prompt {folder}/own.txt") == ("m", f"m --prompt={folder}/own.txt")
    assert named(model, f"{model} --words plain") == ("m", "m --words=plain")
    assert named(model, f"llm --model other {server}") == ("m --reply-tokens=99", "other")
    assert named(model, "greedy --blunder 0.1") == ("m", "greedy --blunder 0.1")
    assert named(model, model) == ("m (A)", "m (B)")
    assert named("greedy", "greedy") == ("greedy (A)", "greedy (B)")
