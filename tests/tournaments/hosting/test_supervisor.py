"""The supervisor by itself."""

import os

import pytest

from tests.tournaments.hosted import supervise

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("script", "status", "report"),
    [("echo hello; exit 3", 3, b"ended 3"), ("echo hello; kill -9 $$", 137, b"ended -9")],
)
def test_the_supervisor_exits_with_the_status_of_its_bot(script: str, status: int, report: bytes) -> None:
    done = supervise("--", "sh", "-c", script)
    assert (done.returncode, done.stdout) == (status, b"hello\n")
    assert done.stderr == b"started\n%b\nhello\n" % report


def test_a_full_disk_does_not_stop_a_bot() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = supervise("--", "sh", "-c", "echo hello", stdout=full)
    finally:
        os.close(full)
    remark = b"the log could not be written: No space left on device"
    assert (done.returncode, done.stderr) == (0, b"started\nended 0\nhello\n\n%b" % remark)


@pytest.mark.parametrize(
    "arguments",
    [[], ["--"], ["sh"], ["--log", "many", "--", "sh"], ["--log", "--", "sh"], ["--depth", "3", "--", "sh"]],
)
def test_a_wrong_command_line_of_the_supervisor_is_refused(arguments: list[str]) -> None:
    done = supervise(*arguments)
    assert (done.returncode, done.stderr) == (
        2,
        b"usage: python -m tournaments.hosting.supervisor [--OPTION VALUE]... -- COMMAND...\n",
    )
