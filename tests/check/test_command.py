"""The command `fairdeal check-bot`: its arguments, its output and its exit status."""

import json
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from tournaments.check.catalogue import CHECKS
from tournaments.check.process import CannotStart
from tournaments.check.results import CheckReport, CheckResults, Finding
from tournaments.cli.app import main
from tournaments.hosting import bot_process

Bad = Callable[..., tuple[str, ...]]
Run = Callable[..., tuple[int, str, str]]

PROGRAM = (sys.executable, "-c", "from tournaments.cli import main; main()", "check-bot")
HOUSE = (sys.executable, "-m", "fairdeal.bots", "random", "--game", "piquet")
PATIENT = ("--patience", "60")  # seconds, which only a bot that hangs makes a test wait for


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the command here and returns its status and what it printed."""

    def command(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["fairdeal", "check-bot", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return ended.value.code, out, err

    return command


@pytest.mark.parametrize("fails", [False, True])
def test_the_exit_status_says_whether_anything_failed(
    run: Run, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    async def check(command: tuple[str, ...], **_options: object) -> CheckReport:
        results = CheckResults()
        if fails:
            results.fail(8, Finding(what="it answers nothing", place="PlayService"))
        return CheckReport(
            results=tuple(results.by_number.values()), command=command, entry="bot", agent="", games=()
        )

    monkeypatch.setattr("tournaments.cli.check_bot.check", check)
    status, out, _err = run("--", "true")
    assert (status, "it answers nothing" in out) == (int(fails), fails)


@pytest.mark.process
def test_a_bot_that_passes(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    status, out, err = run(*PATIENT, "--only", 4, "--json", "--junit", file, "--", *HOUSE)
    assert status == 0
    report = json.loads(out)
    assert report["command"] == list(HOUSE)
    assert [each["number"] for each in report["checks"] if each["outcome"] == "passed"] == [1, 2, 3, 4]
    assert [line.split()[:2] for line in err.splitlines()] == [[str(n), "passed"] for n in range(1, 5)]
    suite = ET.parse(file).getroot().find("testsuite")
    assert suite is not None
    assert len(suite.findall("testcase")) == len(CHECKS)


@pytest.mark.parametrize(
    ("separator", "more"), [((), ("--", "--json")), (("--",), ("--json", "--game=x", "-h")), ((), ())]
)
@pytest.mark.parametrize(
    ("name", "mode", "has_python"),
    [("bot.py", 0o644, True), ("bot.py", 0o755, True), ("./bot.py", 0o644, True), ("./bot.py", 0o755, False)],
)
def test_a_python_file_needs_no_python_before_it(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
    mode: int,
    has_python: bool,
    separator: tuple[str, ...],
    more: tuple[str, ...],
) -> None:
    commands: list[tuple[str, ...]] = []

    async def check(command: tuple[str, ...], **_how: object) -> None:
        commands.append(command)
        raise CannotStart("that is enough")

    monkeypatch.setattr("tournaments.cli.check_bot.check", check)
    monkeypatch.chdir(tmp_path)
    Path(name).touch()
    Path(name).chmod(mode)
    assert run("--only", 4, "--json", *separator, name, "--fast", *more) == (
        2,
        "",
        "fairdeal check-bot: that is enough\n",
    )
    words = (name, "--fast", *more)
    assert commands == [("{python}", *words) if has_python else words]


@pytest.mark.process
def test_a_bot_that_fails(run: Run, bad: Bad) -> None:
    status, out, err = run("--", *bad("dies"))
    assert status == 1
    assert "check 1 failed: connects" in out
    assert "exited with status 3; its last output: no idea how to begin" in out
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "fairdeal check-bot: name the bot's command, or --remote"),
        (["--remote", "--", "bot"], "fairdeal check-bot: --remote starts no bot"),
        (["--", "no-such-bot"], "fairdeal check-bot: the command 'no-such-bot' is not on the PATH"),
        (
            ["greedy", "--blunder", "0.1"],
            "fairdeal check-bot: greedy is a house bot and no command:"
            " write fairdeal bot greedy --blunder 0.1\n",
        ),
        (
            ["--", "greddy"],
            "fairdeal check-bot: the command 'greddy' is not on the PATH: if you mean the house bot greedy,"
            " write fairdeal bot greedy\n",
        ),
        (
            ["--", "greedy -b"],
            "fairdeal check-bot: the command 'greedy -b' is not on the PATH: it is one word",
        ),
        (["--", "./greedy"], "fairdeal check-bot: the command './greedy' is not there: "),
        (["--", "./bot"], "fairdeal check-bot: the command './bot' is not there"),
        (
            ["bot.py", "--json"],
            "fairdeal check-bot: --json comes after the command and would be passed to it: write it before"
            " the command, or write -- before the command if it is meant for it\n",
        ),
        (
            ["--only", "4", "bot.py", "--fast", "--patience=3", "--", "--json"],
            "fairdeal check-bot: --patience ",
        ),
        (["bot.py", "-h"], "fairdeal check-bot: -h comes after the command"),
        (["--game", "chess", "--", "true"], "fairdeal: 'chess': no such game"),
        (
            ["--junit", "no/such/folder.xml", "--", "true"],
            "fairdeal check-bot: --junit no/such/folder.xml: No such file or directory",
        ),
        (["--junit", ".", "--", "true"], "fairdeal check-bot: --junit .: Is a directory"),
        (["--only", "99", "--", "true"], "fairdeal check-bot: there is no check 99"),
        (
            ["--remote", "--listen", "0.0.0.0:0"],
            "fairdeal check-bot: --listen 0.0.0.0:0: other machines could reach it, without TLS: "
            "listen at 127.0.0.1, or add --insecure if that is intended",
        ),
        (
            ["--remote", "--listen", "[::]:0"],
            "fairdeal check-bot: --listen [::]:0: other machines could reach",
        ),
    ],
)
def test_wrong_usage_is_one_line(run: Run, words: list[str], told: str) -> None:
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert err.startswith(told)
    assert err.count("\n") == 1


def test_an_address_that_cannot_be_had(run: Run) -> None:
    status, out, err = run("--remote", "--listen", "nowhere")
    assert (status, out) == (1, "")
    assert err.startswith("fairdeal: cannot listen on 'nowhere'")
    assert err.count("\n") == 1


def test_a_machine_that_can_start_nothing_is_not_blamed_on_the_arguments(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def start(command: bot_process.HostedCommand, logs: Path) -> bot_process.HostedBot:
        raise bot_process.HostFailed("bot~1: cannot start: Resource temporarily unavailable")

    monkeypatch.setattr(bot_process, "start", start)
    status, out, err = run("--", "true")
    assert (status, out) == (1, "")
    assert err == "fairdeal: bot~1: cannot start: Resource temporarily unavailable\n"


@pytest.mark.process
def test_a_file_that_cannot_be_written_any_more_does_not_lose_the_report(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    words = ("sh", "-c", 'rmdir "$1"; shift; exec "$@"', "sh", folder, *HOUSE)
    status, out, err = run(*PATIENT, "--only", 1, "--junit", folder / "junit.xml", "--", *words)
    assert status == 1
    assert "3 passed" in out
    assert err.splitlines()[-1].startswith(f"fairdeal: {folder}/junit.xml: No such file")


def test_the_list(run: Run) -> None:
    status, out, _err = run("--list")
    assert status == 0
    assert all(check.means in out for check in CHECKS)
    listed = json.loads(run("--list", "--json")[1])
    assert [each["number"] for each in listed] == [check.number for check in CHECKS]


@pytest.mark.process
def test_a_remote_bot_is_told_where_to_dial_in() -> None:
    words = (*PROGRAM, *PATIENT, "--remote", "--only", "3", "--game", "piquet")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as checking:
        assert checking.stderr is not None
        told = [checking.stderr.readline() for _ in range(5)]
        variables = dict(word.split("=") for text in told for word in text.split() if "=" in word)
        bot = subprocess.Popen(HOUSE, env={**os.environ, **variables})
        out, err = checking.communicate(timeout=300)
        assert bot.wait(timeout=300) == 0
    assert checking.returncode == 0
    assert set(variables) == {f"FAIRDEAL_{name}" for name in ("ADDRESS", "ENTRY", "INSTANCE", "TOKEN")}
    assert variables["FAIRDEAL_TOKEN"] not in out + err
    assert "3 passed" in out


@pytest.mark.process
def test_ctrl_c_ends_bot_and_check(tmp_path: Path) -> None:
    lifeline = tmp_path / "lifeline"
    os.mkfifo(lifeline)
    words = ("sh", "-c", 'exec 3>"$1"; echo >&3; exec sleep 1000', "sh", str(lifeline))
    checking = subprocess.Popen((*PROGRAM, "--", *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with checking, lifeline.open() as reader:
        assert reader.readline() == "\n"  # it runs
        checking.send_signal(signal.SIGINT)
        out, err = checking.communicate(timeout=300)
        assert reader.read() == ""  # and it is gone
    assert (checking.returncode, out) == (1, b"")
    assert err == b"fairdeal check-bot: stopped; the bot is being ended\n"


@pytest.mark.process
def test_ctrl_c_ends_no_bot_that_somebody_else_has_started() -> None:
    words = (*PROGRAM, "--remote", "--listen", "0.0.0.0:0", "--insecure")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as checking:
        assert checking.stderr is not None
        told = [checking.stderr.readline() for _ in range(7)]
        checking.send_signal(signal.SIGINT)
        out, err = checking.communicate(timeout=300)
    assert told[1].startswith("  FAIRDEAL_ADDRESS=0.0.0.0:")
    assert told[2] == "  (from another machine, put the name of this one in the address)\n"
    assert told[5].startswith("In check 19 a newer session replaces it, and it has to leave: start it again")
    assert (checking.returncode, out, err) == (1, "", "fairdeal check-bot: stopped\n")
