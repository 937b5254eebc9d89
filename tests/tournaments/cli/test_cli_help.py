import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from rich.text import Text
from typer.main import get_command

from tests.tournaments.conftest import Fairdeal
from tournaments.cli.app import app


def plain(text: str) -> str:
    """Return the text of a box in one line."""
    return " ".join(text.replace("│", " ").split())


@pytest.mark.parametrize("ask", ["--help", "-h"])
@pytest.mark.parametrize(
    ("words", "taught"),
    [
        (
            [],
            [
                "demo",
                "games",
                "serve",
                "bot",
                "bench",
                "tournament",
                "record",
                "Begin with: fairdeal demo --quick",
                "Play",
                "Bots",
                "--install-completion",
            ],
        ),
        (["demo"], ["--folder", "--quick", "--game", "go on where it was interrupted"]),
        (["games"], ["--json", "options", "bounds", "defaults"]),
        (
            ["serve"],
            [
                "--listen",
                "127.0.0.1:7447",
                "--option",
                "hearts.target=50",
                "standard, fast, patient or debug",
                "--insecure",
                "fairdeal bot greedy",
            ],
        ),
        (
            ["bot"],
            [
                "random, greedy, searcher-1-light",
                "--connect",
                "127.0.0.1:7447",
                "FAIRDEAL_TOKEN",
                "--matches",
            ],
        ),
        (["certs"], ["--folder", "--host", "localhost, 127.0.0.1 and ::1", "--client", "--days", "--renew"]),
        (["compare"], ["A", "B", "--game", "--sets", "one deck played twice", "Exit status 0: A is better"]),
        (["exam"], ["COMMAND", "--remote", "--game", "same opponents", "interval of 95%", "go on where"]),
        (["bench"], ["--game", "--seconds", "--rounds", "--json", "echo", "compare"]),
        (["bench", "compare"], ["NOW", "--before", "Exit status 1"]),
        (["tournament"], ["run", "status", "standings"]),
        (["tournament", "run"], ["FILE", "examples/quickstart.toml", "--json", "Ctrl-C"]),
        (["tournament", "status"], ["FILE", "--json", "how much"]),
        (["tournament", "standings"], ["FILE", "--json", "crosstable"]),
        (["record"], ["show", "verify", "ask", "get", "list"]),
        (["watch"], ["MATCH", "--server", "--json", "no card before everybody", "watch_delay"]),
        (["standings"], ["FILE...", "--json", "mean of the skills by game"]),
        (["record", "show"], ["FILE...", "jsonl.gz", "tricks", "--seat", "--deal", "--summary"]),
        (["record", "ask"], ["FILE", "COMMAND...", "--seat", "python my_bot.py", "Exit status 0"]),
        (["record", "get"], ["MATCH", "--server", "--entry", "FAIRDEAL_TOKEN", "once the match is over"]),
        (["record", "list"], ["--server", "--entry", "FAIRDEAL_TOKEN", "record get"]),
        (["record", "verify"], ["PLACE...", "cup.fairdeal", "--json", "exit status"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_help_teaches(fairdeal: Fairdeal, words: list[str], taught: list[str], ask: str) -> None:
    done = fairdeal(*words, ask)
    assert (done.status, done.err) == (0, "")
    text = " ".join(done.out.replace("│", " ").split())
    for words_taught in taught:
        assert words_taught in text


def texts(command: Any) -> Iterator[str]:
    """Yield the help texts of a command and of those below it."""
    yield from (
        text for text in (command.help, *(getattr(each, "help", "") for each in command.params)) if text
    )
    for each in getattr(command, "commands", {}).values():
        yield from texts(each)


def test_no_word_of_a_help_text_is_taken_for_markup() -> None:
    """As `[web]` would be, which rich leaves out."""
    for text in texts(get_command(app)):
        assert Text.from_markup(text).plain == text


@pytest.mark.parametrize(
    "words",
    [
        ["nosuch"],
        ["tournament", "run"],
        ["tournament", "run", "a.toml", "b.toml"],
        ["serve", "--nosuch"],
        ["serve", "--deals", "0"],
        ["serve", "--deals", "many"],
        ["bot"],
        ["bot", "greedy", "--matches", "-1"],
        ["bot", "greedy", "--blunder", "1.5"],
        ["bench", "--seconds", "0.01"],
        ["bench", "--rounds", "0"],
        ["record", "show"],
        ["record", "verify"],
        ["record", "get", "m-1"],
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_bad_input(fairdeal: Fairdeal, words: list[str]) -> None:
    done = fairdeal(*words)
    assert done.status == 2
    assert "fairdeal" in done.out + done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("run", "'tournament run' or 'ladder run'"),
        ("plan", "'tournament plan'"),
        ("show", "'record show'"),
        ("help", "'--help'"),
        ("version", "'--version'"),
        ("start", "'demo' or 'serve'"),
        ("tournamnt", "'tournament'"),
        ("tournament help", "'--help'"),
        ("tournament standing", "'standings'"),
        ("ladder status", "'fairdeal tournament status'"),
        ("record compare", "'fairdeal compare' or 'fairdeal bench compare'"),
    ],
)
def test_what_people_type_first_gets_a_suggestion(fairdeal: Fairdeal, line: str, meant: str) -> None:
    done = fairdeal(*line.split())
    assert (done.status, done.out) == (2, "")
    assert f"No such command '{line.split()[-1]}'. Did you mean {meant}?" in plain(done.err)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("words", "Missing argument 'FILE', option '--seat' and option '--decision'."),
        ("words --seat 1 a.gz", "Missing option '--decision'."),
        ("words --decision one", "Invalid value for '--decision': "),
        ("compare", "Missing argument 'A', argument 'B' and option '--game'."),
        ("record ask --seat 1", "Missing argument 'FILE' and argument 'COMMAND...'."),
    ],
)
def test_all_that_is_missing_is_named_at_once(fairdeal: Fairdeal, line: str, told: str) -> None:
    done = fairdeal(*line.split())
    assert done.status == 2
    assert told in plain(done.err)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("bot greedy localhost:7447", "(localhost:7447): write --connect localhost:7447"),
        ("bot greedy unix:/tmp/s", "(unix:/tmp/s): write --connect unix:/tmp/s"),
        ("tournament status cup a.org:7447", "(a.org:7447): write --server a.org:7447"),
        ("bot greedy hearts", "(hearts) ╰"),
        ("games hearts a.org:7447", "(a.org:7447) ╰"),
    ],
)
def test_an_address_that_stands_alone_gets_its_option(fairdeal: Fairdeal, line: str, told: str) -> None:
    done = fairdeal(*line.split())
    assert done.status == 2
    assert f"Got unexpected extra argument(s) {told}" in plain(done.err)


@pytest.mark.parametrize("words", [[], ["tournament"], ["record"]], ids=" ".join)
def test_without_a_command_there_is_help(fairdeal: Fairdeal, words: list[str]) -> None:
    done = fairdeal(*words)
    assert done.out.split() == fairdeal(*words, "--help").out.split()
    assert done.err == ""


@pytest.mark.process
@pytest.mark.parametrize(
    ("command", "spared"),
    [
        ("remote", "referee.server.runtime"),  # which works on a server
        ("serve", "sqlalchemy"),  # which only tournaments need
        ("tournament", "fairdeal.testing"),  # the house bots, which only pars need
        ("tournament", "jinja2"),  # which only pages need
    ],
)
def test_a_command_loads_nothing_large_that_it_may_not_need(command: str, spared: str) -> None:
    code = f"import sys, tournaments.cli.{command}; print('{spared}' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_no_help_shows_the_types_of_python(fairdeal: Fairdeal) -> None:
    for words in ([], ["serve"], ["bridge"], ["tournament", "report"], ["token", "add"]):
        text = fairdeal(*words, "--help").out
        assert "<bool>" not in text
        options = text.partition("─ Options")[2]
        assert [line for line in options.splitlines() if "<" in line.replace("<=", "")] == []
