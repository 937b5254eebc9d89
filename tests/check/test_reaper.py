"""What stands between check-bot and its bot ends as the bot did; no process is started."""

import os
import resource
import signal
from pathlib import Path

import pytest

from tournaments.check import reaper


def test_it_ends_by_the_signal_that_ended_the_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[int, int]] = []
    ended = [(7, int(signal.SIGKILL))]

    def waited(_process: int, _options: int) -> tuple[int, int]:
        if not ended:
            raise ChildProcessError
        return ended.pop()

    with monkeypatch.context() as patch:
        patch.setattr(reaper.sys, "platform", "another")
        patch.setattr(os, "fork", lambda: 7)
        patch.setattr(os, "waitpid", waited)
        patch.setattr(os, "kill", lambda process, number: sent.append((process, number)))
        patch.setattr(signal, "signal", lambda *_words: None)
        patch.setattr(resource, "setrlimit", lambda *_words: None)
        patch.setattr(reaper, "descendants", lambda _process: set())
        assert reaper.main([str(tmp_path / "report"), "0", "bot"]) == -signal.SIGKILL
    assert sent == [(os.getpid(), signal.SIGKILL)]
    assert (tmp_path / "report").read_bytes() == b""
