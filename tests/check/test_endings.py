"""Bots that do not start, die, or do not end: the report says so soon, and no process of them is left."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.check.conftest import ROUNDS, failed
from tests.rounds import rounds
from tournaments.check.catalogue import CHECKS, CONNECTS, EXITS
from tournaments.check.harness import Harness, Wanted
from tournaments.check.process import CannotStart
from tournaments.check.results import CheckReport, CheckStatus
from tournaments.check.writers import text

Check = Callable[..., Awaitable[CheckReport]]
Bad = Callable[..., tuple[str, ...]]

# a child that outlives its parent and holds a pipe open, into which it writes nothing
LEAVER = 'sleep 1000 3>"$1" & exit 4'


def came(report: CheckReport, number: int) -> str:
    """Return what came in the first failure of a check, which alone fails."""
    assert failed(report) == {number}
    return report.results[number - 1].findings[0].came


@pytest.mark.asyncio
async def test_a_command_that_is_not_there(check_bot: Check) -> None:
    with pytest.raises(CannotStart, match="'no-such-bot' is not on the PATH"):
        await check_bot(("no-such-bot",))


@pytest.mark.asyncio
async def test_a_command_that_cannot_be_executed(check_bot: Check, tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    report = await check_bot((str(script),))
    assert "could not be executed" in report.results[CONNECTS - 1].findings[0].came


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("vice", "came"),
    [
        ("dies", "its process exited with status 3; its last output: no idea how to begin"),
        ("garbage", "its process exited with status 1; its last output: "),
        ("kills_itself", "its process killed by signal 9 (SIGKILL) and printed nothing"),
    ],
)
async def test_a_bot_that_dies_at_once_is_diagnosed(check_bot: Check, bad: Bad, vice: str, came: str) -> None:
    report = await check_bot(bad(vice))
    finding = report.results[CONNECTS - 1].findings[0]
    assert finding.came.startswith(came)
    assert finding.came.isprintable()
    not_run = report.of(CheckStatus.NOT_RUN)
    assert [result.reason for result in not_run] == ["check 1 (connects) failed"] * (len(CHECKS) - 1)


@pytest.mark.asyncio
async def test_an_odd_exit_status_is_no_clean_end(check_bot: Check, bad: Bad) -> None:
    report = await check_bot(bad("exits_with_five", "piquet"), only=[EXITS])
    (finding,) = report.results[EXITS - 1].findings
    assert finding.came == "its process exited with status 5 and printed nothing"
    assert finding.expected == "exit status 0"


@pytest.mark.asyncio
async def test_a_bot_that_dies_after_a_match_does_not_go_unnoticed(check_bot: Check, bad: Bad) -> None:
    report = await check_bot(bad("dies_after_match", "piquet"), only=[8])
    result = report.results[8 - 1]
    # a tournament would start it again, too; but the next match may have begun before it was gone
    told = [*result.notes, *(finding.came for finding in result.findings)]
    assert "its process exited with status 1; its last output: what now?" in " ".join(told)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("vice", "what"), [("lingers", "was ended by SIGTERM"), ("ignores_sigterm", "was killed")]
)
async def test_how_a_bot_had_to_be_ended_is_told(check_bot: Check, bad: Bad, vice: str, what: str) -> None:
    for patience, trying in rounds(*ROUNDS):
        with trying:
            report = await check_bot(bad(vice, "piquet"), only=[EXITS], patience=patience)
            assert what in came(report, EXITS)
            break


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("vice", "named"), [("leaves_child", "sleep 1000"), ("leaves_odd_name", "sleep 1000")]
)
async def test_what_a_bot_leaves_is_named_and_ended(
    check_bot: Check, bad: Bad, vice: str, named: str
) -> None:
    for patience, trying in rounds(*ROUNDS):
        with trying:
            report = await check_bot(bad(vice, "piquet"), only=[EXITS], patience=patience)
            process, _, command = came(report, EXITS).partition(" ")
            assert command == named  # without what could steer a terminal
            break
    with pytest.raises(ProcessLookupError):
        os.kill(int(process), 0)


@pytest.mark.asyncio
async def test_what_a_bot_that_dies_leaves_is_ended(check_bot: Check, tmp_path: Path) -> None:
    lifeline = tmp_path / "lifeline"
    os.mkfifo(lifeline)
    reader = os.open(lifeline, os.O_RDONLY | os.O_NONBLOCK)
    for patience, trying in rounds(*ROUNDS):
        with trying:
            report = await check_bot(("sh", "-c", LEAVER, "sh", str(lifeline)), patience=patience)
            assert "exited with status 4" in came(report, CONNECTS)
            break
    try:
        assert os.read(reader, 1) == b""  # nobody holds the other end any more
    finally:
        os.close(reader)


@pytest.fixture
def matches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of the matches that are begun."""
    begun: list[str] = []
    begin = Harness.begin

    async def noted(harness: Harness, wanted: Wanted) -> asyncio.Future[Any]:
        begun.append(wanted.match_id)
        return await begin(harness, wanted)

    monkeypatch.setattr(Harness, "begin", noted)
    return begun


@pytest.mark.asyncio
async def test_a_bot_that_takes_no_seat_is_not_asked_again_and_again(
    check_slow_bot: Check, bad: Bad, matches: list[str]
) -> None:
    report = await check_slow_bot(bad("never_ready", "piquet"), 3)
    assert matches[-2:] == ["first", "second"]
    assert {result.check.number for result in report.of(CheckStatus.FAILED)} == {3}
    assert {result.reason for result in report.of(CheckStatus.NOT_RUN)} == {
        "check 3 (takes its seats) failed"
    }


@pytest.mark.asyncio
async def test_a_bot_that_answers_nothing_is_not_asked_again_and_again(
    check_slow_bot: Check, bad: Bad, matches: list[str]
) -> None:
    report = await check_slow_bot(bad("no_answers", "piquet"), 8)
    assert matches[-1] == "first"
    assert {result.check.number for result in report.of(CheckStatus.FAILED)} == {8}
    assert {result.reason for result in report.of(CheckStatus.NOT_RUN)} == {"the bot answers no decision"}
    assert [note for result in report.results for note in result.notes] == []  # no match had to be cut short


@pytest.mark.asyncio
async def test_what_the_bot_printed_is_told_with_what_failed(check_bot: Check, tmp_path: Path) -> None:
    program = tmp_path / "bot.py"
    program.write_text(
        "import fairdeal\n"
        "def bot(decision):\n"
        "    raise LookupError('no idea \\x1b[31mat all')\n"
        "fairdeal.main(bot)\n"
    )
    report = await check_bot((sys.executable, str(program)), only=[8])
    assert not report.passed
    assert "LookupError: no idea at all" in report.printed
    assert "what the bot printed last:\n" in text(report)
