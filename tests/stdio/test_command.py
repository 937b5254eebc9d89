"""`fairdeal bridge` as a user has it: real processes, exit statuses, signals."""

import json
import re
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.places import free_port, listening
from tests.workspace import Workspace, until

# the command, but that nothing is ended in haste, which a busy machine would need more time for
PATIENT: Final = """
import sys
from fairdeal.stdio import _child
from tournaments.cli.app import main

_child._LAST_WORDS = _child._GRACE = _child._SIGTERM_GRACE = 300.0
sys.argv[0] = "fairdeal"
main()
"""
BRIDGE: Final = (Path(sys.executable), "-c", PATIENT, "bridge", "--reconnect-timeout", 300)

ANSWER = "if update['type'] == 'decision': say(list(range(update['minimum'])))"


@pytest.fixture
def serving(workspace: Workspace) -> Any:
    """Return a referee that keeps a table of two-handed spades open, and its address."""
    return listening(workspace, "--game", "two_handed_spades", "--deals", 1)


def test_a_match(workspace: Workspace, serving: Any, program: Callable[..., list[str]]) -> None:
    referee, address = serving
    other = workspace.start("bot", "random", "--connect", address)
    bot = program(ANSWER, before="assert os.environ['FAIRDEAL_SEED'] == 'spring'")
    words = ("--connect", address, "--game", "two_handed_spades", "--seed", "spring")
    done = workspace.run(*BRIDGE, *words, "--", *bot)
    assert (done.status, done.complaints) == (0, "")
    begun, ended = done.out.splitlines()
    name = Path(sys.executable).name
    assert re.fullmatch(rf"\S+: two_handed_spades, seat [01] with (random, {name}|{name}, random)", begun)
    assert re.fullmatch(r"\S+: completed, scores by side: -?\d+, -?\d+", ended)
    assert other.done().status == 0
    assert referee.stopped(signal.SIGTERM).status == 0


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (["--connect", "nowhere", "--", "cat"], 2, "address 'nowhere': must be HOST:PORT or unix:/PATH"),
        (["--", "./nothing"], 2, "cannot start the bot './nothing': No such file or directory"),
        (["--", "/"], 2, "cannot start the bot '/': Permission denied"),
        (["--", ""], 2, "the bot's command is empty: give one, such as ./my_bot"),
        (
            ["--connect", "127.0.0.1:1", "--connect-timeout", "0.2", "--", "cat"],
            1,
            "no referee answers at 127.0.0.1:1 within 0.2 s",
        ),
        (
            ["--connect", "127.0.0.1:1", "--", "sh", "-c", "exit 7"],
            1,
            "the bot ended with exit status 7",
        ),
    ],
)
def test_what_goes_wrong_is_one_line(workspace: Workspace, words: list[str], status: int, text: str) -> None:
    done = workspace.run("bridge", *words)
    assert (done.status, done.out) == (status, "")
    [line] = [line for line in done.err.splitlines() if "dialling for up to" not in line]  # after two seconds
    assert line.startswith(f"fairdeal: {text}")


def test_without_a_command_it_says_how(workspace: Workspace) -> None:
    done = workspace.run("bridge")
    assert done.status == 2
    assert "COMMAND" in done.err


def test_a_wrong_token(workspace: Workspace, program: Callable[..., list[str]]) -> None:
    assert workspace.ask("token", "add", "bot").status == 0
    _referee, address = listening(workspace, "--game", "hearts")
    bot = program(ANSWER, before="assert 'FAIRDEAL_TOKEN' not in os.environ")
    done = workspace.run("bridge", "--connect", address, "--", *bot, FAIRDEAL_TOKEN="wrong")
    assert done.status == 1
    assert "(MISSING_TOKEN)" in done.err
    assert done.err.count("\n") == 1


CUP = """game = "two_handed_spades"
clock = "debug"
match = {{ deals = 1 }}
rounds = 4
seed = "spring"
[[entries]]
name = "piped"
command = {command}
[[entries]]
name = "random"
bot = "random"
"""


def test_a_hosted_entry_plays_without_a_limit(
    workspace: Workspace, program: Callable[..., list[str]]
) -> None:
    before = "assert os.environ['FAIRDEAL_ENTRY'] == 'piped' and os.environ['FAIRDEAL_SEED']"
    command = json.dumps([str(workspace.program), "bridge", "--", *program(ANSWER, before=before)])
    workspace.file(CUP.format(command=command))
    done = workspace.run("tournament", "run", "cup.toml", "--json")
    assert done.status == 0, done.err
    for line in done.json["standings"]:
        assert (line["matches"], line["faults"], line["voids"]) == (4, 0, 0)


def test_a_hosted_program_that_dies_is_started_again_and_goes_on(
    workspace: Workspace, program: Callable[..., list[str]]
) -> None:
    died = workspace.folder / "died"
    dies = f"if update['type'] == 'decision' and not os.path.exists({str(died)!r}):"
    bot = program(f"{dies} open({str(died)!r}, 'w'); sys.exit(9)\n{ANSWER}")
    workspace.file(CUP.format(command=json.dumps([str(workspace.program), "bridge", "--", *bot])))
    done = workspace.run("tournament", "run", "cup.toml", "--json")
    assert done.status == 0, done.err
    assert died.exists()
    for line in done.json["standings"]:
        assert (line["matches"], line["faults"], line["forfeits"]) == (4, 0, 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=str)
def test_the_first_signal_lets_the_program_finish_its_match(
    workspace: Workspace, serving: Any, program: Callable[..., list[str]], number: signal.Signals
) -> None:
    _referee, address = serving
    ended, hold = workspace.folder / "ended", workspace.folder / "hold"
    hold.touch()
    slow = f"while os.path.exists({str(hold)!r}): time.sleep(0.01)\n{ANSWER}"
    bot = program(slow, after=f"open({str(ended)!r}, 'w')")
    running = workspace.start(*BRIDGE, "--matches", 0, "--connect", address, "--", *bot)
    other = workspace.start("bot", "random", "--connect", address)
    running.says("seat ")
    running.process.send_signal(number)
    until(lambda: "a second Ctrl-C" in running.err, "what it goes on for")
    hold.unlink()
    done = running.done()
    assert (done.status, done.complaints) == (0, "finishing 1 match; a second Ctrl-C leaves now\n")
    assert done.out.count("\n") == 2 and "completed" in done.out
    assert ended.exists()  # the program has seen the end of its input
    assert other.done().status == 0


def test_a_second_signal_is_a_goodbye(
    workspace: Workspace, serving: Any, program: Callable[..., list[str]]
) -> None:
    _referee, address = serving
    ended = workspace.folder / "ended"
    bot = program("pass", after=f"open({str(ended)!r}, 'w')")
    running = workspace.start(*BRIDGE, "--connect", address, "--", *bot)
    other = workspace.start("bot", "random", "--connect", address)
    running.says("seat ")
    running.process.send_signal(signal.SIGTERM)
    until(lambda: "a second Ctrl-C" in running.err, "what it goes on for")
    assert running.stopped(signal.SIGTERM).status == 0
    assert ended.exists()
    other.process.kill()


def test_one_more_signal_ends_all_at_once(
    workspace: Workspace, serving: Any, program: Callable[..., list[str]]
) -> None:
    _referee, address = serving
    ended = workspace.folder / "ended"
    stays = f"signal.signal(signal.SIGTERM, signal.SIG_IGN); open({str(ended)!r}, 'w'); time.sleep(600)"
    bot = program("pass", before=f"print('ready', file=open({str(ended)!r} + '0', 'w'))", after=stays)
    running = workspace.start(*BRIDGE, "--connect", address, "--", *bot)
    until((workspace.folder / "ended0").exists, "the start of the bot")
    running.process.send_signal(signal.SIGTERM)
    until(ended.exists, "the end of the bot's input")

    def has_ended() -> bool:
        running.process.send_signal(signal.SIGTERM)
        return running.process.poll() is not None

    until(has_ended, "the end of the bridge")
    done = running.done()
    assert (done.status, done.complaints) == (-signal.SIGTERM, "")
    until(lambda: not any(bot[-1] in words for words in workspace.left().values()), "the end of the bot")


_SIGNAL_AT_START: Final = """
import signal, sys
from fairdeal.stdio import _bridge, _child

_child._LAST_WORDS = _child._GRACE = 300.0

def launch(*words, start=_bridge.launch):
    process = start(*words)
    signal.raise_signal(signal.SIGTERM)
    return process

_bridge.launch = launch
_bridge.bridge(sys.argv[1:], "127.0.0.1:1", say=print, warn=print)
"""


def test_a_signal_at_the_start_of_the_program_ends_it_in_good_order(
    workspace: Workspace, program: Callable[..., list[str]]
) -> None:
    ended = workspace.folder / "ended"
    bot = program("pass", after=f"open({str(ended)!r}, 'w')")
    done = workspace.run(Path(sys.executable), "-c", _SIGNAL_AT_START, *bot)
    assert (done.status, done.out, done.err) == (0, "", "")
    assert ended.exists()


def test_a_referee_that_leaves_ends_the_bridge(
    workspace: Workspace, serving: Any, program: Callable[..., list[str]]
) -> None:
    referee, address = serving
    bot = program(f"{ANSWER}\nif update['type'] == 'notice': print(line, file=sys.stderr)")
    running = workspace.start(*BRIDGE, "--matches", 0, "--connect", address, "--", *bot)
    # once a match is over the bot has its session, and waits for another match
    workspace.run("bot", "random", "--connect", address)
    running.says("completed")
    assert referee.stopped(signal.SIGTERM).status == 0
    done = running.done()
    assert done.status == 0
    assert "NOTICE_KIND_DRAINING" in done.err


def test_a_referee_that_is_killed_and_comes_back(
    workspace: Workspace, program: Callable[..., list[str]]
) -> None:
    table = ("--game", "two_handed_spades", "--deals", 1)
    referee, address = listening(workspace, *table, address=f"127.0.0.1:{free_port('bridge')}")
    hold = workspace.folder / "hold"
    hold.touch()
    slow = f"while os.path.exists({str(hold)!r}): time.sleep(0.01)\n{ANSWER}"
    mine = workspace.start(*BRIDGE, "--connect", address, "--", *program(slow))
    other = workspace.start("bot", "random", "--connect", address, "--reconnect-timeout", 300)
    mine.says("seat ")
    referee.process.kill()
    referee.process.wait()
    listening(workspace, *table, address=address)
    until(lambda: "is back" in mine.err, "the bot's return")
    hold.unlink()
    done = mine.done()
    assert (done.status, other.done().status) == (0, 0)
    assert re.fullmatch(r"[^\n]+dialling again[^\n]+\n[^\n]+ is back\n", done.complaints)
    assert "completed" in done.out


def test_nobody_reads_what_it_prints(
    workspace: Workspace, serving: Any, program: Callable[..., list[str]]
) -> None:
    _referee, address = serving
    other = workspace.start("bot", "random", "--matches", 0, "--connect", address)
    bridge = shlex.join(map(str, (*BRIDGE, "--matches", 0, "--connect", address, "--", *program(ANSWER))))
    done = workspace.run(Path("/bin/bash"), "-c", f"{bridge} | head -n 1; exit ${{PIPESTATUS[0]}}")
    assert (done.status, done.complaints) == (1, "")
    assert done.out.count("\n") == 1
    other.process.kill()
